/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "iterator.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "list.h"

int iterator_read(int fd, void *list, size_t *room, size_t most, size_t *ret_used)
{
	char *bytes;

	for (*ret_used = 0;;) {
		int r = list_reserve(list, room, *ret_used + ITERATOR_CHUNK, most, 1);

		if (r < 0)
			return r;
		memcpy(&bytes, list, sizeof bytes);
		ssize_t got = read(fd, bytes + *ret_used, ITERATOR_CHUNK);
		if (got > 0)
			*ret_used += (size_t)got;
		else if (got == 0 || (errno != EINTR && errno != EAGAIN))
			return got < 0 ? -errno : 0;
	}
}
