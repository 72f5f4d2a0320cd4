/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "texts.h"

#include <string.h>

gint texts_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *texts_list_sorted(GPtrArray *texts)
{
	g_ptr_array_sort(texts, texts_compare);
	g_ptr_array_add(texts, NULL);
	return g_strjoinv(", ", (char **)texts->pdata);
}
