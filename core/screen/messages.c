/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "messages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

/* The prefix of each message, which distinguishes it from the output of other programs. */
#define PREFIX "ctprof: "
/* Maximum bytes that are kept, the last ones. */
#define MOST_BYTES 16384
#define LAST_BYTES 512

static int terminal = -1; /* a copy of standard error as it was */
static off_t seen;        /* bytes that messages_take_last() has seen */
static char *last;        /* the line it returned last; NULL: none yet */

gboolean messages_begin(GError **error)
{
	int fd = memfd_create("ctprof-messages", MFD_CLOEXEC);

	fflush(stderr);
	terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (fd < 0 || terminal < 0 || fcntl(fd, F_SETFL, O_APPEND) < 0 ||
	    dup2(fd, STDERR_FILENO) < 0)
		return error_set_errno(error, errno, "cannot keep messages");
	close(fd);
	seen = 0;
	return TRUE;
}

/* Returns the end of the messages, in whole lines. */
static char *read_end(gsize most, off_t *ret_size)
{
	off_t size = lseek(STDERR_FILENO, 0, SEEK_END);
	off_t from = size > (off_t)most ? size - (off_t)most : 0;
	char *text = g_malloc0(most + 1);

	*ret_size = size;
	if (size < 0 || pread(STDERR_FILENO, text, most, from) < 0)
		text[0] = '\0';
	char *line = from > 0 ? strchr(text, '\n') : NULL;
	if (line)
		memmove(text, line + 1, strlen(line + 1) + 1);
	return text;
}

char *messages_take_last(void)
{
	off_t size;
	g_autofree char *text = read_end(LAST_BYTES, &size);

	if (terminal < 0 || size <= seen)
		return NULL;
	seen = size;
	g_strchomp(text);
	const char *line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	/* On its own screen, the program need not show its name. */
	line += g_str_has_prefix(line, PREFIX) ? strlen(PREFIX) : 0;
	/* A plugin may repeat a message for each sample. */
	if (!line[0] || g_strcmp0(line, last) == 0)
		return NULL;
	g_free(last);
	last = g_strdup(line);
	return g_strdup(line);
}

/* Prints each message once: a plugin may repeat it for each sample. */
static void say_once(const char *text)
{
	g_autoptr(GHashTable) said = g_hash_table_new(g_str_hash, g_str_equal);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = 0; lines[i]; i++)
		if (lines[i][0] && g_hash_table_add(said, lines[i]))
			fprintf(stderr, "%s\n", lines[i]);
}

void messages_end(void)
{
	off_t size;

	if (terminal < 0)
		return;
	fflush(stderr);
	g_autofree char *text = read_end(MOST_BYTES, &size);
	dup2(terminal, STDERR_FILENO);
	close(terminal);
	terminal = -1;
	g_clear_pointer(&last, g_free);
	say_once(text);
}
