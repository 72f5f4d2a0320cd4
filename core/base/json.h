/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small JSON documents for standard output. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

/* "name": value, null for NULL. */
void json_add_string(JsonBuilder *builder, const char *name, const char *value);
void json_add_int(JsonBuilder *builder, const char *name, gint64 value);
/* Ends and prints the document, indented, with a line end. */
void json_print(JsonBuilder *builder);
