/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading small kernel files below a directory descriptor. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/plugin.h"

/*
 * Opens dirfd/path through the host and reads it into buf, at most size bytes:
 * one read() when the first does not fill the buffer (seq_files hand out all
 * they have), more until the end otherwise.  Returns the bytes read or -errno;
 * -EFBIG when the file does not fit.
 */
ssize_t file_read_at(const struct ctprof_host *host, int dirfd, const char *path, char *buf,
		     size_t size);

/* The absence (enum ctprof_absence) that a failed open or read of a kernel
 * file stands for; err is a positive errno. */
uint32_t file_absence(int err);
