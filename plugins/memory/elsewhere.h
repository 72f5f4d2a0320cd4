/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * File systems that are mounted only in other mount namespaces, such as those of containers, from
 * the mountinfo of a process that maps one of their files.  Device numbers are global, so the
 * mounts of one process are valid for all.
 */
#pragma once

#include <pthread.h>

#include "mounts.h"
#include "pool.h"

/* Limits on the namespaces whose mountinfo is read, and on all their devices together. */
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

/* Reads the mountinfo of the process, unless its namespace has been read already. */
void elsewhere_learn(struct elsewhere *elsewhere, int32_t pid);
/* Whether the process is known to be in ctprof's mount namespace.  Otherwise it can choose the
 * names of files by mounts of its own. */
bool elsewhere_is_own_ns(const struct elsewhere *elsewhere, int32_t pid);
/* Returns the kind of the file system with that device, or MOUNT_UNKNOWN if no mountinfo read so
 * far shows it. */
enum mount_kind elsewhere_kind_of_device(struct elsewhere *elsewhere, uint32_t major,
					 uint32_t minor);
