/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How 'ctprof mark' reaches a recorder: datagrams on an abstract socket, whose name is
 * "ctprof-record-UID-DEVICE-INODE-FILE".  Any process of the network namespace can send to such a
 * socket or take such a name, so both sides check the credentials that the kernel adds.
 */
#pragma once

#include <glib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/root.h"

#define MARK_SOCKET_BYTES 256

typedef struct mark_message {
	char text[MARK_SOCKET_BYTES];
	gsize length;
	gboolean is_from_us; /* this user or root */
	guint64 sent_ns;     /* CLOCK_REALTIME of sending, from the kernel; 0: unknown */
	struct sockaddr_un from;
	socklen_t from_length;
} MarkMessage;

/* Returns the socket of the recorder of a file, non-blocking; -1 with an error. */
int mark_socket_bind(const char *path, GError **error);
/* From now on, no message can be sent to the socket; those already sent can be received. */
void mark_socket_shut(int fd);
void mark_socket_close(int *fd);
/* Receives the next message, if there is one; FALSE also if fd is -1. */
gboolean mark_socket_receive(int fd, MarkMessage *ret_message);
/* Sends a mark to the recorder of that file, and waits until the recorder has it; file NULL: to the
 * only recorder of this user. */
gboolean mark_socket_send(const Root *root, const char *name, const char *file, GError **error);
/* text: why the mark was refused; "": it was accepted. */
void mark_socket_answer(int fd, const MarkMessage *message, const char *text);
