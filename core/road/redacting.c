/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "redacting.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/ui.h"
#include "guard/userfile.h"

/* A shorter key could be guessed, and a longer one must be a mistake. */
#define MIN_KEY_BYTES 16
#define MAX_KEY_BYTES 4096

RedactingChoice redacting_choice;

static guint8 key[MAX_KEY_BYTES + 1];
static gsize key_size;

static gboolean make_key(GError **error)
{
	if (getrandom(key, PSEUDONYM_KEY_BYTES, 0) != PSEUDONYM_KEY_BYTES)
		return error_set_errno(error, errno, "no random key");
	key_size = PSEUDONYM_KEY_BYTES;
	return TRUE;
}

static void warn_of_readers(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_mode & (S_IRGRP | S_IROTH))
		ui_warning("--key-file '%s': others can read it, and undo the redaction "
			   "(chmod 600)",
			   redacting_choice.key_file);
}

static gboolean read_key(GError **error)
{
	AUTO_FD fd = userfile_open(redacting_choice.key_file, 0);

	if (fd < 0)
		return error_set_errno(error, -fd, "--key-file '%s'", redacting_choice.key_file);
	gssize size = userfile_read(fd, (char *)key, sizeof key);
	if (size < 0)
		return error_set_errno(error, (int)-size, "--key-file '%s'",
				       redacting_choice.key_file);
	/* An editor adds a line end; other programs may not. */
	while (size > 0 && strchr("\r\n", key[size - 1]))
		size--;
	if (size < MIN_KEY_BYTES || size > MAX_KEY_BYTES)
		return error_set_failed(error,
					"--key-file '%s': expected %d to %d bytes that cannot be "
					"guessed ('openssl rand -hex 32' makes some)",
					redacting_choice.key_file, MIN_KEY_BYTES, MAX_KEY_BYTES);
	warn_of_readers(fd);
	key_size = (gsize)size;
	return TRUE;
}

gboolean redacting_prepare(gboolean always, GError **error)
{
	if (redacting_choice.key_file && !redacting_choice.wanted && !always)
		return error_set_usage(error, "--key-file: only with --redact");
	redacting_choice.wanted |= always;
	return !redacting_choice.wanted ||
	       (redacting_choice.key_file ? read_key(error) : make_key(error));
}

gboolean redacting_is_on(void)
{
	return redacting_choice.wanted;
}

Redactor *redacting_new(void)
{
	return redacting_choice.wanted ? redactor_new(key, key_size) : NULL;
}

char *redacting_name(const char *text)
{
	if (!redacting_choice.wanted || !text)
		return g_strdup(text);
	g_autoptr(Pseudonyms) pseudonyms = pseudonyms_new(key, key_size);
	GString *name = g_string_new(NULL);
	pseudonyms_append(pseudonyms, name, LAW_NAME, text, strlen(text), NAME_MAX / 2);
	return g_string_free(name, FALSE);
}
