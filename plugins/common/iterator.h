/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the output of a BPF iterator. */
#pragma once

#include <stddef.h>

/* Larger than what the kernel returns at a time (bpf_seq_read: 8 pages). */
#define ITERATOR_CHUNK (256u * 1024)

/*
 * Reads the whole output.  list is the address of the pointer to the malloc()'d bytes, which have
 * room for *room; *ret_used of them are set, even on failure.  0, -ENOSPC: more than `most` bytes,
 * or another -errno.
 */
int iterator_read(int fd, void *list, size_t *room, size_t most, size_t *ret_used);
