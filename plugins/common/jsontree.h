/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses the JSON of one answer in place into an array of nodes.  The text is not trusted: its
 * depth and number of nodes are bounded; strings are bytes without NUL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

#define JSON_DEPTH 16u
#define JSON_NODES 65536u

enum json_type { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_WORD };

struct json_node {
	enum json_type type;
	uint32_t end;     /* index of the first node after it and all its descendants */
	struct text key;  /* the name, if it is a member of an object */
	struct text text; /* a string unescaped; a number, true, false and null as they are */
};

struct json {
	struct json_node *nodes; /* nodes[0] is the whole value */
	uint32_t n;
	size_t room;
};

/* Parses one value, and modifies its text; false if it is malformed, too deep or too large, or out
 * of memory.  *ret must be all zeros, and must be passed to json_clear() in any case. */
bool json_parse(struct json *ret, char *text, size_t length);
void json_clear(struct json *json);

/* The children of node i: begin with c = json_first(i); while c < json_end(i), the next child is
 * nodes[c].end. */
uint32_t json_first(uint32_t i);
uint32_t json_end(const struct json *json, uint32_t i);
/* Returns the first member with that name; 0 if there is none, or node i is not an object. */
uint32_t json_find(const struct json *json, uint32_t i, struct text key);
uint32_t json_member(const struct json *json, uint32_t i, const char *key);
/* Whether node i is that string. */
bool json_is(const struct json *json, uint32_t i, const char *text);
