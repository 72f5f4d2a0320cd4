/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pseudonyms in place of names: whether they are used, and with which key. */
#pragma once

#include <glib.h>

#include "redact/redactor.h"

/* Set by the options of commands. */
typedef struct redacting_choice {
	gboolean wanted;
	char *key_file; /* NULL: a random key */
} RedactingChoice;

extern RedactingChoice redacting_choice;

/*
 * Reads or makes the key, if --redact is given or always is TRUE.  Call this before plugins are
 * opened, and before the process is copied, so that all copies have the same key.
 */
gboolean redacting_prepare(gboolean always, GError **error);
gboolean redacting_is_on(void);
/* Returns NULL if names are kept. */
Redactor *redacting_new(void);
/* Returns a copy of the text, replaced as names are; NULL for NULL. */
char *redacting_name(const char *text);
