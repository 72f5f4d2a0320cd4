/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptors that are closed at the end of their scope. */
#pragma once

#include <unistd.h>

static inline void fd_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define AUTO_FD __attribute__((cleanup(fd_close))) int
