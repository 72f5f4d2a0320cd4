/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of /proc/locks.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "text.h"

struct file_lock {
	uint64_t number; /* number of the held lock, which locks that wait for it also have */
	bool waits;
	struct text type; /* FLOCK, POSIX, OFDLCK, LEASE */
	int32_t pid;      /* -1: of no process, such as OFD locks */
	struct text file; /* MAJOR:MINOR:INODE */
};

/* "1: -> FLOCK ADVISORY WRITE 12 08:01:34 0 EOF"; false if it is not a line of locks. */
bool file_lock_parse(struct text line, struct file_lock *ret);
