/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any name becomes text without control bytes, cut to its maximum width. */
#include <stdint.h>
#include <stdlib.h>

#include "../../tables/label.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(gboolean holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *name = g_strndup((const char *)data, size);
	g_autoptr(GString) text = g_string_new(NULL);

	label_append(text, name);
	check(g_utf8_validate(text->str, (gssize)text->len, NULL));
	for (const char *p = text->str; *p; p++)
		check((guchar)*p >= ' ' && *p != 0x7f);
	guint width = 1 + (size > 0 ? data[0] % 40u : 0);
	label_cut(text, width);
	check(label_width(text->str) <= width);
	check(g_utf8_validate(text->str, (gssize)text->len, NULL));
	return 0;
}
