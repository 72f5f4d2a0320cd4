/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one grammar of what users give to options, a plugin's or ctprof's own. */
#pragma once

#include <glib.h>

#include "ctprof/plugin.h"

/* [a-z][a-z0-9-]{0,31}: what options, plugins and groups are called. */
gboolean option_is_name(const char *name);
/* NULL when a plugin's row is sound, else what is wrong with it. */
const char *option_find_fault(const struct ctprof_option *row);
/* The i-th word, i < row->n_words. */
const struct ctprof_option_word *option_word(const struct ctprof_option *row, guint i);
/* The place of a word, or -1. */
gint option_find_word(const struct ctprof_option *row, const char *name);
/* "auto, always or never"; explained: each with its help in brackets. */
char *option_list_words(const struct ctprof_option *row, gboolean explained);
/* What help says: the row's own help, its words and its default. */
char *option_describe(const struct ctprof_option *row);
/* What stands for the value: "TIME". */
const char *option_placeholder(const struct ctprof_option *row);

/* The value as host->option() gives it (ctprof/plugin.h).  shown is what the
 * error calls the option: "--smaps", "-O procfs.smaps". */
char *option_normalise(const struct ctprof_option *row, const char *shown, const char *text,
		       GError **error);
