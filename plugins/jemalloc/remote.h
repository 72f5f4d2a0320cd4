/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the memory of another process, without stopping it. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/*
 * A process, and the function that reads it: process_vm_readv() except in tests.  Only pages that
 * pagemap shows in memory or in swap are read: any other may belong to a file whose server never
 * delivers it, and not even SIGKILL ends the wait of its first reader.
 */
struct remote {
	pid_t pid;   /* any living thread of the process */
	int pagemap; /* the caller's descriptor; -1: not checked (tests) */
	ssize_t (*reader)(pid_t pid, const struct iovec *local, unsigned long n_local,
			  const struct iovec *source, unsigned long n_source, unsigned long flags);
};

/* Reads the number at address, all or nothing: 0 or -errno (-EFAULT: not readable; -EPERM: refused;
 * -ESRCH: gone). */
int remote_read_u64(const struct remote *remote, uint64_t address, uint64_t *ret);

/* One of many reads. */
struct remote_piece {
	uint64_t address;
	void *buf;
	size_t len;
	int rc; /* set: 0 or -errno */
};

/* Reads the first pieces, up to one that is not readable, in one system call.  Returns the number
 * of pieces whose rc is set, at least one, or -errno. */
ssize_t remote_read_some(const struct remote *remote, struct remote_piece *pieces, size_t n);

/*
 * Reads all pieces in their order, in as few system calls as the kernel's limits allow.  A piece
 * that cannot be read does not affect the others.  Returns 0, or the -errno that stopped reading
 * (-EPERM, -ESRCH, ...), which is then also the rc of the pieces not reached.
 */
int remote_read_many(const struct remote *remote, struct remote_piece *pieces, size_t n);
