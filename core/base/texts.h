/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays of texts. */
#pragma once

#include <glib.h>

/* Bytewise order of two elements of an array of texts: a GCompareFunc. */
gint texts_compare(gconstpointer a, gconstpointer b);
/* "a, b, c": sorts them, and adds a NULL. */
char *texts_list_sorted(GPtrArray *texts);
