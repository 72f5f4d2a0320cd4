/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers for arrays of texts, and for the parts of a text. */
#pragma once

#include <glib.h>

/* Compares two elements of an array of texts bytewise: a GCompareFunc. */
gint texts_compare(gconstpointer a, gconstpointer b);
/* Returns "a, b, c"; sorts the array, and appends a NULL to it. */
char *texts_list_sorted(GPtrArray *texts);
/* Whether the list "a,b,c" has the name; list NULL: empty. */
gboolean texts_list_has(const char *list, const char *name);

/* Whether the character controls a terminal, is invisible, or reorders its neighbours. */
gboolean texts_is_unseen(gunichar c);

/* Appends the text as a JSON string; invalid UTF-8 becomes U+FFFD. */
void texts_append_json(GString *out, const char *text, gsize length);

/* Returns how many bytes from p on, before end, are in the class. */
gsize texts_span(const char *p, const char *end, gboolean (*is)(char));
/* Classes for texts_span(), of ASCII whatever the locale. */
gboolean texts_is_digit(char c);
gboolean texts_is_letter(char c);
gboolean texts_is_lower_hex(char c);
/* Appends a string, which the list then owns; an empty list is NULL. */
void texts_append(char ***list, char *value);
/* Appends a struct ctprof_fact of texts that it borrows; value NULL: appends nothing. */
void texts_add_fact(GArray *facts, const char *key, const char *value);
