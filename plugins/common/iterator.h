/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading what a BPF iterator hands out. */
#pragma once

#include <stddef.h>

/* What the kernel hands out at a time (bpf_seq_read: 8 pages), and room for more. */
#define ITERATOR_CHUNK (256u * 1024)

/*
 * Reads all of it; list is the address of the pointer to the malloc()'d bytes, which have room
 * for *room and become *ret_used, also where it fails.  0, -ENOSPC: more than most bytes, or
 * another -errno.
 */
int iterator_read(int fd, void *list, size_t *room, size_t most, size_t *ret_used);
