/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names as a terminal can show them, and how wide they are there. */
#pragma once

#include <glib.h>

/* Appends bytes of any value as text that is safe on a terminal. */
void label_append(GString *text, const char *bytes);
/* Columns that text, safe already, takes on a terminal. */
guint label_width(const char *text);
/* Cuts text to width (>= 1) columns, the last of them "…", if it is wider. */
void label_cut(GString *text, guint width);
