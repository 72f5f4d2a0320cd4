/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages for the user, on stderr, one line each. */
#pragma once

#include <glib.h>

/* -1: errors only (-q); 0; 1: -v; 2: -v -v. */
void ui_set_verbosity(int level);
int ui_verbosity(void);

/* Prints "ctprof: PREFIX+TEXT" to stderr if the verbosity is at least level; control
 * bytes and invalid UTF-8 are escaped. */
void ui_say(int level, const char *prefix, const char *format, ...) G_GNUC_PRINTF(3, 4);
#define ui_error(...) ui_say(-1, "", __VA_ARGS__)
#define ui_warning(...) ui_say(0, "warning: ", __VA_ARGS__)
#define ui_note(...) ui_say(0, "", __VA_ARGS__)
#define ui_verbose(level, ...) ui_say(level, "", __VA_ARGS__)

/* Shows a line that replaces the previous one, on a terminal only; NULL removes it. */
void ui_progress(const char *text);

/* Clears the progress line that an ended process may have left. */
void ui_clear_line(void);

/* Flushes stdout; if that fails, prints an error and returns FALSE. */
gboolean ui_flush(void);

/* Returns "1023 B", "12.9 KiB", "3.0 MiB", which the caller frees. */
char *ui_format_size(guint64 bytes);

/* Returns a copy of any bytes that is safe on a terminal: control bytes and invalid
 * UTF-8 become \xNN, a line end becomes \n.  length -1: up to the NUL. */
char *ui_escape(const char *bytes, gssize length);

/* A table: cells (char *, owned) are added row by row, up to NULL in a call, and are
 * printed to stdout as columns, two blanks apart; the last column is not padded. */
#define ui_new_cells() g_ptr_array_new_with_free_func(g_free)
void ui_add_cells(GPtrArray *cells, const char *cell, ...) G_GNUC_NULL_TERMINATED;
void ui_print_cells(const GPtrArray *cells, guint n_columns);
