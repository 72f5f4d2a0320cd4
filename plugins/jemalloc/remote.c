/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "remote.h"

#include <errno.h>

/* Below the kernel's UIO_MAXIOV of 1024. */
#define PIECES_AT_ONCE 512u

static int check_range(uint64_t address, size_t len)
{
	return address == 0 || address > UINT64_MAX - len ? -EFAULT : 0;
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

/* Makes one system call; returns the number of settled pieces, or -errno. */
static ssize_t read_some(const struct remote *remote, struct remote_piece *pieces, size_t n)
{
	struct iovec local[PIECES_AT_ONCE], source[PIECES_AT_ONCE];
	size_t wanted = 0;

	for (; wanted < n && wanted < PIECES_AT_ONCE; wanted++) {
		struct remote_piece *piece = &pieces[wanted];

		piece->rc = check_range(piece->address, piece->len);
		if (piece->rc < 0)
			break;
		local[wanted] = (struct iovec){piece->buf, piece->len};
		/* An address of the other process, never followed here. */
		source[wanted] = (struct iovec){(void *)(uintptr_t)piece->address, piece->len};
	}
	if (wanted == 0)
		return 1;
	ssize_t got = remote->reader(remote->pid, local, wanted, source, wanted, 0);
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
		ssize_t some = read_some(remote, pieces + done, n - done);

		if (some < 0) {
			for (size_t i = done; i < n; i++)
				pieces[i].rc = (int)some;
			return (int)some;
		}
		done += (size_t)some;
	}
	return 0;
}
