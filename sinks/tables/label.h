/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names as a terminal can show them, and how wide they are there. */
#pragma once

#include <glib.h>

/* Appends bytes of any value as text that is safe on a terminal. */
void label_append(GString *text, const char *bytes);
/* Columns that text, safe already, takes on a terminal. */
guint label_width(const char *text);
/* Cuts text to width (>= 1) columns if it is wider; "…" stands for its middle. */
void label_cut(GString *text, guint width);
/* Breaks text at blanks into lines of at most width columns (0: none), the later ones
 * with indent blanks before them; a longer word stays whole. */
void label_wrap(GString *text, guint width, guint indent);
