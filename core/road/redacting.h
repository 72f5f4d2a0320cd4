/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pseudonyms in place of names: whether, and by which key. */
#pragma once

#include <glib.h>

#include "redact/redactor.h"

/* As the options of commands say. */
typedef struct redacting_choice {
	gboolean wanted;
	char *key_file; /* NULL: a random key */
} RedactingChoice;

extern RedactingChoice redacting_choice;

/*
 * Reads the key, or makes one, if --redact or always asks for it.  Before plugins are opened,
 * and before the process is copied, so that all copies have the same.
 */
gboolean redacting_prepare(gboolean always, GError **error);
gboolean redacting_is_on(void);
/* NULL: names are to stay. */
Redactor *redacting_new(void);
/* The text as names become, a copy; NULL of NULL. */
char *redacting_name(const char *text);
