/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Preloaded before the C library: simulates a file system without unnamed files. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "ctprof/plugin.h"

CTPROF_EXPORT int openat(int dir, const char *path, int flags, ...);
CTPROF_EXPORT int openat64(int dir, const char *path, int flags, ...);

static int open_named(int dir, const char *path, int flags, mode_t mode)
{
	if ((flags & O_TMPFILE) != O_TMPFILE)
		return (int)syscall(SYS_openat, dir, path, flags, mode);
	errno = EOPNOTSUPP;
	return -1;
}

#define OPEN(name)                                                                                 \
	int name(int dir, const char *path, int flags, ...)                                        \
	{                                                                                          \
		va_list ap;                                                                        \
		va_start(ap, flags);                                                               \
		mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;                            \
		va_end(ap);                                                                        \
		return open_named(dir, path, flags, mode);                                         \
	}

OPEN(openat)
OPEN(openat64)
