/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.h"

#include <stdio.h>

void json_add_string(JsonBuilder *builder, const char *name, const char *value)
{
	json_builder_set_member_name(builder, name);
	if (value)
		json_builder_add_string_value(builder, value);
	else
		json_builder_add_null_value(builder);
}

void json_add_int(JsonBuilder *builder, const char *name, gint64 value)
{
	json_builder_set_member_name(builder, name);
	json_builder_add_int_value(builder, value);
}

void json_print(JsonBuilder *builder)
{
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	g_autofree char *text = json_to_string(root, TRUE);

	puts(text);
}
