/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sends and receives messages that carry descriptors, over a socket of SOCK_SEQPACKET. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MESSAGE_MAX_FDS 2u

/* Sends one message with n descriptors, which the caller keeps; fails if there is no room.  0 or
 * -errno. */
int message_send(int socket, const void *data, size_t size, const int *fds, size_t n);
/* Receives one message of that size with n close-on-exec descriptors; false if the message is
 * different, or the other side has closed.  Takes no lock, and allocates no memory. */
bool message_receive(int socket, void *ret_data, size_t size, int *ret_fds, size_t n);
