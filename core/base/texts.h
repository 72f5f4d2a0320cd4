/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of texts, and what texts begin with. */
#pragma once

#include <glib.h>

/* Bytewise order of two elements of an array of texts: a GCompareFunc. */
gint texts_compare(gconstpointer a, gconstpointer b);
/* "a, b, c": sorts them, and adds a NULL. */
char *texts_list_sorted(GPtrArray *texts);

/* Whether it controls a terminal, hides, or reorders its neighbours. */
gboolean texts_is_unseen(gunichar c);

/* Appends the text as a string of JSON; what is not UTF-8 becomes U+FFFD. */
void texts_append_json(GString *out, const char *text, gsize length);

/* Bytes at p, before end, that are in the class. */
gsize texts_span(const char *p, const char *end, gboolean (*is)(char));
/* Such classes: of ASCII, whatever the locale. */
gboolean texts_is_digit(char c);
gboolean texts_is_letter(char c);
gboolean texts_is_lower_hex(char c);
/* Appends a string, which the list then owns; an empty list is NULL. */
void texts_append(char ***list, char *value);
