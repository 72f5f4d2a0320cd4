/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "json.h"

#include <stdio.h>

void json_add_texts(JsonBuilder *builder, const char *name, ...)
{
	va_list ap;

	va_start(ap, name);
	for (; name; name = va_arg(ap, const char *)) {
		const char *value = va_arg(ap, const char *);

		json_builder_set_member_name(builder, name);
		if (value)
			json_builder_add_string_value(builder, value);
		else
			json_builder_add_null_value(builder);
	}
	va_end(ap);
}

void json_add_int(JsonBuilder *builder, const char *name, gint64 value)
{
	json_builder_set_member_name(builder, name);
	json_builder_add_int_value(builder, value);
}

void json_add_bool(JsonBuilder *builder, const char *name, gboolean value)
{
	json_builder_set_member_name(builder, name);
	json_builder_add_boolean_value(builder, value);
}

void json_begin_list(JsonBuilder *builder, const char *name)
{
	json_builder_set_member_name(builder, name);
	json_builder_begin_array(builder);
}

void json_add_list(JsonBuilder *builder, const char *name, const char *const *texts, guint n)
{
	json_begin_list(builder, name);
	for (guint i = 0; i < n; i++)
		json_builder_add_string_value(builder, texts[i]);
	json_builder_end_array(builder);
}

void json_print_document(JsonBuilder *builder)
{
	json_builder_end_object(builder);
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	g_autofree char *text = json_to_string(root, TRUE);

	puts(text);
}
