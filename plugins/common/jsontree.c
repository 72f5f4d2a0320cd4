/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jsontree.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"

struct parser {
	struct json *json;
	char *p, *end;
};

static void skip_blanks(struct parser *parser)
{
	while (parser->p < parser->end && memchr(" \t\r\n", *parser->p, 4))
		parser->p++;
}

/* Skips blanks and takes the given byte if it is next. */
static bool take(struct parser *parser, char byte)
{
	skip_blanks(parser);
	if (parser->p == parser->end || *parser->p != byte)
		return false;
	parser->p++;
	return true;
}

/* ---- strings ---------------------------------------------------------------- */

static bool take_hex(struct parser *parser, uint32_t *ret)
{
	uint32_t value = 0;

	if (parser->end - parser->p < 4)
		return false;
	for (unsigned i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef";
		const char *digit = *parser->p >= '0' ? strchr(digits, *parser->p | 0x20) : NULL;

		if (!digit || !*digit)
			return false;
		value = value << 4 | (uint32_t)(digit - digits);
		parser->p++;
	}
	*ret = value;
	return true;
}

/* Takes a code point after "\u", which may be a pair of surrogates; not NUL. */
static bool take_code_point(struct parser *parser, uint32_t *ret)
{
	uint32_t low;

	if (!take_hex(parser, ret) || *ret == 0)
		return false;
	if (*ret < 0xd800 || *ret > 0xdfff)
		return true;
	if (*ret > 0xdbff || parser->end - parser->p < 2 || parser->p[0] != '\\' ||
	    parser->p[1] != 'u')
		return false;
	parser->p += 2;
	if (!take_hex(parser, &low) || low < 0xdc00 || low > 0xdfff)
		return false;
	*ret = 0x10000 + ((*ret - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

/* Writes a code point as UTF-8, which is never longer than the escape it replaces. */
static char *put_utf8(char *to, uint32_t code)
{
	static const uint32_t marks[] = {0, 0xc0, 0xe0, 0xf0}; /* by the number of further bytes */
	unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;

	*to++ = (char)(marks[more] | code >> 6 * more);
	while (more-- > 0)
		*to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
	return to;
}

static bool take_escape(struct parser *parser, char **to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	uint32_t code;

	if (parser->p == parser->end)
		return false;
	char byte = *parser->p++;
	if (byte == 'u') {
		if (!take_code_point(parser, &code))
			return false;
		*to = put_utf8(*to, code);
		return true;
	}
	const char *known = byte ? strchr(from, byte) : NULL;
	if (!known)
		return false;
	*(*to)++ = into[known - from];
	return true;
}

static bool take_string(struct parser *parser, struct text *ret)
{
	char *to;

	if (!take(parser, '"'))
		return false;
	ret->p = to = parser->p;
	while (parser->p < parser->end && *parser->p != '"') {
		char byte = *parser->p++;

		if ((unsigned char)byte < 0x20)
			return false;
		if (byte != '\\')
			*to++ = byte;
		else if (!take_escape(parser, &to))
			return false;
	}
	if (parser->p == parser->end)
		return false;
	parser->p++;
	ret->len = (size_t)(to - ret->p);
	return true;
}

/* ---- values ------------------------------------------------------------------ */

static bool add(struct parser *parser, enum json_type type, struct text key, uint32_t *ret_index)
{
	struct json *json = parser->json;

	if (list_reserve(&json->nodes, &json->room, (size_t)json->n + 1, JSON_NODES,
			 sizeof *json->nodes) < 0)
		return false;
	*ret_index = json->n++;
	json->nodes[*ret_index] = (struct json_node){.type = type, .key = key, .end = json->n};
	return true;
}

/* Takes a number or a word.  The function that reads the value checks its bytes. */
static bool take_token(struct parser *parser, uint32_t i)
{
	struct text *text = &parser->json->nodes[i].text;

	text->p = parser->p;
	while (parser->p < parser->end && !memchr(",]} \t\r\n\"", *parser->p, 8))
		parser->p++;
	text->len = (size_t)(parser->p - text->p);
	return text->len > 0;
}

static bool take_value(struct parser *parser, struct text key, unsigned depth);

static bool take_members(struct parser *parser, bool is_object, unsigned depth)
{
	char close = is_object ? '}' : ']';
	struct text key = {NULL, 0};

	parser->p++;
	if (take(parser, close))
		return true;
	do {
		if (is_object && (!take_string(parser, &key) || !take(parser, ':')))
			return false;
		if (!take_value(parser, key, depth + 1))
			return false;
	} while (take(parser, ','));
	return take(parser, close);
}

static bool take_value(struct parser *parser, struct text key, unsigned depth)
{
	uint32_t i;

	skip_blanks(parser);
	if (parser->p == parser->end || depth == JSON_DEPTH)
		return false;
	char byte = *parser->p;
	enum json_type type = byte == '{'                                   ? JSON_OBJECT
			      : byte == '['                                 ? JSON_ARRAY
			      : byte == '"'                                 ? JSON_STRING
			      : byte == '-' || (byte >= '0' && byte <= '9') ? JSON_NUMBER
									    : JSON_WORD;
	if (!add(parser, type, key, &i))
		return false;
	bool valid = type == JSON_OBJECT || type == JSON_ARRAY
			     ? take_members(parser, type == JSON_OBJECT, depth)
		     : type == JSON_STRING ? take_string(parser, &parser->json->nodes[i].text)
					   : take_token(parser, i);
	parser->json->nodes[i].end = parser->json->n;
	return valid;
}

bool json_parse(struct json *ret, char *text, size_t length)
{
	struct parser parser = {ret, text, text + length};

	ret->n = 0;
	if (!take_value(&parser, (struct text){NULL, 0}, 0))
		return false;
	skip_blanks(&parser);
	return parser.p == parser.end;
}

void json_clear(struct json *json)
{
	free(json->nodes);
	*json = (struct json){.nodes = NULL};
}

/* ---- looking into it ----------------------------------------------------------- */

uint32_t json_first(uint32_t i)
{
	return i + 1;
}

uint32_t json_end(const struct json *json, uint32_t i)
{
	return json->nodes[i].type == JSON_OBJECT || json->nodes[i].type == JSON_ARRAY
		       ? json->nodes[i].end
		       : i + 1;
}

uint32_t json_find(const struct json *json, uint32_t i, struct text key)
{
	if (json->nodes[i].type != JSON_OBJECT)
		return 0;
	for (uint32_t c = json_first(i); c < json_end(json, i); c = json->nodes[c].end)
		if (text_order(json->nodes[c].key, key) == 0)
			return c;
	return 0;
}

uint32_t json_member(const struct json *json, uint32_t i, const char *key)
{
	return json_find(json, i, text_of(key));
}

bool json_is(const struct json *json, uint32_t i, const char *text)
{
	return json->nodes[i].type == JSON_STRING && text_equal(json->nodes[i].text, text);
}
