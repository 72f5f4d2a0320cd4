/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "remote.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "async.h"

/* Below the kernel's UIO_MAXIOV of 1024. */
#define PIECES_AT_ONCE 512u
/* Documentation/admin-guide/mm/pagemap.rst.  A page of a file can look as if it were in swap if
 * userfaultfd has marked it. */
#define PAGE_WATCHED (UINT64_C(1) << 57)
#define PAGE_SWAPPED (UINT64_C(1) << 62)
#define PAGE_PRESENT (UINT64_C(1) << 63)
/* The memory read of a thread is near its struct pthread, most of it below. */
#define PAGES_AT_ONCE 8u
#define PAGES_BELOW 6u

/* The pages checked by the most recent call. */
struct look {
	uint64_t first;
	size_t n;
	uint64_t flags[PAGES_AT_ONCE];
};

static bool is_there(const struct remote *remote, uint64_t page, struct look *look)
{
	if (page < look->first || page - look->first >= look->n) {
		look->first = page > PAGES_BELOW ? page - PAGES_BELOW : 0;
		ssize_t got = pread(remote->pagemap, look->flags, sizeof look->flags,
				    (off_t)(look->first * sizeof look->flags[0]));
		look->n = got > 0 ? (size_t)got / sizeof look->flags[0] : 0;
		if (page - look->first >= look->n)
			return false;
	}
	uint64_t flags = look->flags[page - look->first];
	return (flags & PAGE_PRESENT) || ((flags & PAGE_SWAPPED) && !(flags & PAGE_WATCHED));
}

static int check_range(const struct remote *remote, uint64_t address, size_t len, struct look *look)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE), page = address / size;

	if (address == 0 || address > (uint64_t)INT64_MAX - len)
		return -EFAULT;
	for (; remote->pagemap >= 0 && len > 0 && page <= (address + len - 1) / size; page++)
		if (!is_there(remote, page, look))
			return -EFAULT;
	return 0;
}

int remote_read_u64(const struct remote *remote, uint64_t address, uint64_t *ret)
{
	uint64_t value;
	struct remote_piece piece = {.address = address, .buf = &value, .len = sizeof value};
	int rc = remote_read_many(remote, &piece, 1);

	rc = rc < 0 ? rc : piece.rc;
	if (rc == 0)
		*ret = value;
	return rc;
}

ssize_t remote_read_some(const struct remote *remote, struct remote_piece *pieces, size_t n)
{
	struct iovec local[PIECES_AT_ONCE], source[PIECES_AT_ONCE];
	struct look look = {.n = 0};
	size_t wanted = 0;

	for (; wanted < n && wanted < PIECES_AT_ONCE; wanted++) {
		struct remote_piece *piece = &pieces[wanted];

		piece->rc = check_range(remote, piece->address, piece->len, &look);
		if (piece->rc < 0)
			break;
		local[wanted] = (struct iovec){piece->buf, piece->len};
		/* An address of the other process, never followed here. */
		source[wanted] = (struct iovec){(void *)(uintptr_t)piece->address, piece->len};
	}
	if (wanted == 0)
		return 1;
	async_set_reading(true);
	ssize_t got = remote->reader(remote->pid, local, wanted, source, wanted, 0);
	async_set_reading(false);
	if (got < 0 && errno != EFAULT)
		return -errno;
	/* Transfers are partial by element: the first incomplete one is the one
	 * that failed (process_vm_rw_core()). */
	size_t left = got > 0 ? (size_t)got : 0, done = 0;
	for (; done < wanted && left >= pieces[done].len; done++)
		left -= pieces[done].len;
	if (done == wanted)
		return (ssize_t)done;
	pieces[done].rc = -EFAULT;
	return (ssize_t)done + 1;
}

int remote_read_many(const struct remote *remote, struct remote_piece *pieces, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t some = remote_read_some(remote, pieces + done, n - done);

		if (some < 0) {
			for (size_t i = done; i < n; i++)
				pieces[i].rc = (int)some;
			return (int)some;
		}
		done += (size_t)some;
	}
	return 0;
}
