/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What ctprof says to the person who runs it: stderr, one line a message. */
#pragma once

#include <glib.h>

/* -1: errors only (-q); 0; 1: -v; 2: -v -v. */
void ui_set_verbosity(int level);
int ui_verbosity(void);

/* "ctprof: TEXT" on stderr, control bytes and invalid UTF-8 escaped. */
void ui_error(const char *format, ...) G_GNUC_PRINTF(1, 2);
void ui_warning(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Said unless -q. */
void ui_note(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Said from that verbosity on. */
void ui_verbose(int level, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A line that overwrites itself, on a terminal only; NULL removes it. */
void ui_progress(const char *text);

/* Removes what a process that is no more may have left in the line. */
void ui_clear_line(void);

/* What was printed must have arrived: says so, and returns FALSE, if it has not. */
gboolean ui_flush(void);

/* "1023 B", "12.9 KiB", "3.0 MiB" */
char *ui_format_size(guint64 bytes);

/* A copy of any bytes that is safe on a terminal: control bytes and invalid
 * UTF-8 as \xNN, a line end as \n. */
char *ui_escape(const char *bytes, gssize length);

/* Prints rows of cells to stdout as aligned columns, two blanks between; the
 * last column is not padded.  cells: n_rows * n_columns strings. */
void ui_print_columns(const char *const *cells, guint n_rows, guint n_columns);
