/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * File systems that are mounted only in other mount namespaces, such as those
 * of containers, from the mountinfo of a process that maps one of their files.
 * Device numbers are global, so that what is learned from one process is true
 * for all.
 */
#pragma once

#include <pthread.h>

#include "mounts.h"
#include "pool.h"

/* Limits on the namespaces whose mountinfo is read, and on devices of all of
 * them. */
#define ELSEWHERE_NAMESPACES_MAX 4096u
#define ELSEWHERE_DEVICES_MAX (1u << 16)

struct elsewhere {
	pthread_mutex_t lock;           /* protects everything below except host */
	const struct ctprof_host *host; /* NULL: no mountinfo is read */
	struct pool namespaces;         /* those already read, and this process's own */
	struct pool devices;
};

void elsewhere_init(struct elsewhere *ret, const struct ctprof_host *host);
void elsewhere_clear(struct elsewhere *elsewhere);

/* Reads the mountinfo of the process, unless that of its namespace has been
 * read. */
void elsewhere_learn(struct elsewhere *elsewhere, int32_t pid);
/* Whether the process sees the mounts that ctprof sees: names of files are not its choice. */
bool elsewhere_is_here(const struct elsewhere *elsewhere, int32_t pid);
/* The kind of the file system with that device: MOUNT_UNKNOWN, or as
 * learned. */
enum mount_kind elsewhere_kind_of_device(struct elsewhere *elsewhere, uint32_t major,
					 uint32_t minor);
