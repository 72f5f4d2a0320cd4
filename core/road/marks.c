/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "marks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/root.h"
#include "base/texts.h"
#include "base/ui.h"
#include "mark-socket.h"

/* Maximum reads between two samples, from a writer that never ends. */
#define MOST_READS 16
#define READ_BYTES 4096

const char *mark_name_fault(const char *name, gsize length)
{
	if (length == 0)
		return "it is empty";
	if (length > MARK_MOST_BYTES)
		return "it has more than " G_STRINGIFY(MARK_MOST_BYTES) " bytes";
	if (!g_utf8_validate_len(name, length, NULL))
		return "it is not UTF-8";
	for (const char *p = name; p < name + length; p += g_utf8_skip[*(const guchar *)p])
		if (texts_is_unseen(g_utf8_get_char(p)))
			return "it has a control character, or one that hides or reorders others";
	return NULL;
}

/* ---- marks that are in no sample yet --------------------------------------------- */

/* Returns why the mark was left out; NULL: it was added. */
static const char *add(Marks *marks, const char *name, gsize length, guint64 ns)
{
	const char *why = mark_name_fault(name, length);

	if (!why && marks->n == MARKS_MOST)
		why = "more than " G_STRINGIFY(MARKS_MOST) " marks since the last sample";
	if (why) {
		if (!marks->has_warned)
			ui_warning("a mark is left out: %s", why);
		marks->has_warned = TRUE;
		marks->n_left_out++;
		return why;
	}
	Mark *mark = &marks->of[marks->n];
	/* The clock may have been set back; two marks at the same moment are two facts. */
	marks->last_ns = marks->n > 0 ? MAX(ns, marks->last_ns + 1) : ns;
	g_snprintf(mark->moment, sizeof mark->moment, "%" G_GUINT64_FORMAT, marks->last_ns);
	memcpy(mark->name, name, length);
	mark->name[length] = '\0';
	marks->n++;
	return NULL;
}

guint marks_list(const Marks *marks, struct ctprof_fact ret[MARKS_MOST])
{
	for (guint i = 0; i < marks->n; i++)
		ret[i] = (struct ctprof_fact){.struct_size = sizeof ret[i],
					      .key = marks->of[i].moment,
					      .value = marks->of[i].name};
	return marks->n;
}

void marks_forget(Marks *marks)
{
	marks->n = 0;
	marks->n_left_out = 0;
}

/* ---- lines ------------------------------------------------------------------------ */

gboolean marks_open_lines(MarkInputs *inputs, int fd, GError **error)
{
	char path[ROOT_FD_PATH_MAX];
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fstat(fd, &st) < 0)
		return error_set_usage(error, "--mark-fd %d: not an open descriptor", fd);
	if ((flags & O_ACCMODE) == O_WRONLY || (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)))
		return error_set_usage(error,
				       "--mark-fd %d: expected the reading end of a pipe, a FIFO "
				       "or a socket",
				       fd);
	inputs->lines = S_ISSOCK(st.st_mode)
				? fcntl(fd, F_DUPFD_CLOEXEC, 0)
				: open(root_fd_path(path, fd), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return inputs->lines >= 0 ||
	       error_set_errno(error, errno, "--mark-fd %d: cannot be opened again", fd);
}

static void end_line(Marks *marks)
{
	if (marks->used > 0)
		(void)add(marks, marks->line, marks->used, clock_ns(CLOCK_REALTIME));
	marks->used = 0;
}

static void take_bytes(Marks *marks, const char *bytes, gsize n)
{
	for (gsize i = 0; i < n; i++) {
		if (bytes[i] == '\n') {
			end_line(marks);
			continue;
		}
		if (marks->used < sizeof marks->line)
			marks->line[marks->used] = bytes[i];
		marks->used = MIN(marks->used + 1, MARK_MOST_BYTES + 1);
	}
}

static void take_lines(int fd, Marks *marks)
{
	char bytes[READ_BYTES];

	for (guint i = 0; i < MOST_READS; i++) {
		ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);

		if (n < 0 && errno == ENOTSOCK)
			n = read(fd, bytes, sizeof bytes);
		/* No one writes to the FIFO now: an unfinished line is complete. */
		if (n == 0)
			end_line(marks);
		if (n <= 0)
			return;
		take_bytes(marks, bytes, (gsize)n);
	}
}

/* ---- ctprof mark --------------------------------------------------------------------- */

/* If marks is NULL, there will be no more samples. */
static void take_message(const MarkMessage *message, int fd, Marks *marks)
{
	guint64 ns = message->sent_ns ? message->sent_ns : clock_ns(CLOCK_REALTIME);
	const char *why = !message->is_from_us ? "the recorder is another user's"
			  : !marks             ? "the recording has ended"
					       : add(marks, message->text, message->length, ns);

	mark_socket_answer(fd, message, why ? why : "");
}

/* Shuts the socket, so that no more messages can be sent, and answers those already sent. */
static void stop_listening(MarkInputs *inputs, Marks *marks)
{
	MarkMessage message;

	mark_socket_shut(inputs->socket);
	while (mark_socket_receive(inputs->socket, &message))
		take_message(&message, inputs->socket, marks);
	mark_socket_close(&inputs->socket);
}

void marks_listen(MarkInputs *inputs, Marks *marks, const char *path)
{
	g_autoptr(GError) error = NULL;

	stop_listening(inputs, marks);
	inputs->socket = mark_socket_bind(path, &error);
	if (inputs->socket < 0)
		ui_warning("'ctprof mark' cannot mark this recording: %s", error->message);
}

void marks_end(MarkInputs *inputs)
{
	stop_listening(inputs, NULL);
}

void marks_take(const MarkInputs *inputs, Marks *marks)
{
	MarkMessage message;

	if (inputs->lines >= 0)
		take_lines(inputs->lines, marks);
	for (guint i = 0; i < MARKS_MOST && mark_socket_receive(inputs->socket, &message); i++)
		take_message(&message, inputs->socket, marks);
}
