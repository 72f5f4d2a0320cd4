/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of the commands that put pseudonyms in place of names, and the key. */
#pragma once

#include <glib.h>

#include "command-line.h"
#include "redact/redactor.h"

/* --redact, of commands that can do without. */
extern const Option redacting_options[];
/* --key-file. */
extern const Option redacting_key_options[];

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
