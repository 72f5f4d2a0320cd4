/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages that carry descriptors, over a socket of SOCK_SEQPACKET. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MESSAGE_MAX_FDS 2u

/* Sends one with n descriptors, which stay the caller's, if there is room: 0 or -errno. */
int message_send(int socket, const void *data, size_t size, const int *fds, size_t n);
/* Receives one of that size and n descriptors, closed by exec; false: another, or the other side
 * has gone.  Takes no lock and no memory but the stack. */
bool message_receive(int socket, void *ret_data, size_t size, int *ret_fds, size_t n);
