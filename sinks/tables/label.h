/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes names safe for a terminal, and measures and cuts them. */
#pragma once

#include <glib.h>

/* Appends bytes of any value as text that is safe on a terminal. */
void label_append(GString *text, const char *bytes);
/* Returns the columns that text, which must be safe already, takes on a terminal. */
guint label_width(const char *text);
/* Cuts text to width (>= 1) columns if it is wider; "…" replaces its middle. */
void label_cut(GString *text, guint width);
/* Breaks text at blanks into lines of at most width columns (0: no limit), indenting all lines
 * but the first by indent blanks; longer words stay whole. */
void label_wrap(GString *text, guint width, guint indent);
