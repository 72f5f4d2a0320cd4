/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small JSON documents for standard output. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

/* Begins the document, which is an object. */
#define json_begin() json_builder_begin_object(json_builder_new())
/* Adds pairs of name and text, up to a NULL name; a NULL text becomes null. */
void json_add_texts(JsonBuilder *builder, const char *name, ...) G_GNUC_NULL_TERMINATED;
void json_add_int(JsonBuilder *builder, const char *name, gint64 value);
void json_add_bool(JsonBuilder *builder, const char *name, gboolean value);
/* Begins "name": [, which json_builder_end_array() ends. */
void json_begin_list(JsonBuilder *builder, const char *name);
/* Adds a whole list. */
void json_add_list(JsonBuilder *builder, const char *name, const char *const *texts, guint n);
/* Ends and prints the document, indented, with a line end. */
void json_print_document(JsonBuilder *builder);
