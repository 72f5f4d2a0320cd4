/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The grammar of option values, for plugins' options and ctprof's own. */
#pragma once

#include <glib.h>

#include "ctprof/plugin.h"

/* Whether name is [a-z][a-z0-9-]{0,31}, the form of names of options, plugins
 * and groups. */
gboolean option_is_name(const char *name);
/* Returns NULL if a plugin's row is valid, otherwise what is wrong with it. */
const char *option_find_fault(const struct ctprof_option *row);
/* Returns word number i < row->n_words. */
const struct ctprof_option_word *option_word(const struct ctprof_option *row, guint i);
/* Returns the index of a word, or -1. */
gint option_find_word(const struct ctprof_option *row, const char *name);
/* Returns the text for --help: the row's own help, its words and its
 * default. */
char *option_describe(const struct ctprof_option *row);
/* Returns the placeholder for the value: "TIME". */
const char *option_placeholder(const struct ctprof_option *row);

/* Returns the value in the form of host->option() (ctprof/plugin.h), which the caller
 * frees, or NULL.  shown: the option in the error: "--smaps", "-O procfs.smaps". */
char *option_normalise(const struct ctprof_option *row, const char *shown, const char *text,
		       GError **error);
