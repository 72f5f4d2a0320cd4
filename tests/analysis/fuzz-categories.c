/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses any bytes as a table of categories, and matches command lines with it. */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "report/name/categories.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Categories) categories = categories_parse((const char *)data, size, &error);
	g_autofree char *command = g_strndup((const char *)data, size);

	if (!categories) {
		g_assert_error(error, USAGE_ERROR, 0);
		return 0;
	}
	g_assert_no_error(error);
	g_assert_cmpuint(categories_find(categories, command), <, categories_count(categories));
	g_assert_cmpuint(categories_find(categories, ""), <, categories_count(categories));
	return 0;
}
