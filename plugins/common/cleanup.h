/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frees resources at the end of their scope. */
#pragma once

#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_memory(void *pointer)
{
	free(*(void **)pointer);
}

#define AUTO_FD __attribute__((cleanup(cleanup_fd))) int
#define AUTO_FREE __attribute__((cleanup(cleanup_memory)))
