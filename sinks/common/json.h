/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A buffer for JSON text, of one of two kinds: drained (a full buffer is passed on and reused) or
 * growing (everything is kept).  Errors stick: after one, further text is dropped and error keeps
 * the -errno, so a writer need only check once, at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The maximum size that one json_room() may request. */
#define JSON_ROOM 4096

struct json {
	char *data;
	size_t used;
	size_t size; /* never below JSON_ROOM */
	/* Consumes data[0..used); NULL: the buffer grows instead. */
	int (*drain)(void *context, const char *data, size_t used);
	void *context;
	int error;
};

/* A piece of finished JSON text. */
struct json_piece {
	char *p;
	size_t len;
};

/* Joins the three strings; name is len bytes and needs no escaping.  0 or -ENOMEM. */
int json_piece_make(const char *before, const char *name, size_t len, const char *after,
		    struct json_piece *ret_piece);

/* Creates a growing buffer; drain and context may be set afterwards.  0 or -ENOMEM. */
int json_init(struct json *json, size_t size);
void json_free(struct json *json);

/* Makes room, or sets json->error; in either case json_room() then succeeds. */
void json_make_room(struct json *json, size_t n);

/* Returns the place for the next n bytes (<= JSON_ROOM); the caller must add the bytes it wrote to
 * `used`. */
static inline char *json_room(struct json *json, size_t n)
{
	if (__builtin_expect(json->size - json->used < n, 0))
		json_make_room(json, n);
	return json->data + json->used;
}

/* Writes finished JSON text of any length. */
void json_long_raw(struct json *json, const char *text, size_t len);

static inline void json_raw(struct json *json, const char *text, size_t len)
{
	if (__builtin_expect(len > JSON_ROOM, 0)) {
		json_long_raw(json, text, len);
		return;
	}
	memcpy(json_room(json, len), text, len);
	json->used += len;
}

/* Writes a string literal. */
#define json_literal(json, literal) json_raw((json), "" literal, sizeof(literal) - 1)

void json_u64(struct json *json, uint64_t value);
void json_i64(struct json *json, int64_t value);
/*
 * Writes any bytes as a quoted string: '"', '\\' and control bytes are escaped, each maximal
 * ill-formed part of UTF-8 is replaced by U+FFFD.  Returns false if anything was replaced.
 */
bool json_text(struct json *json, const char *bytes, size_t len);
/* Writes the bytes as a quoted string of lower-case hex digits. */
void json_hex(struct json *json, const char *bytes, size_t len);
/* Writes a NUL-terminated string, or null. */
void json_string(struct json *json, const char *string);

/* Writes `,"key":`; key needs no escaping. */
void json_key(struct json *json, const char *key);

/* Writes the fewest digits that read back the same; null if value is not finite. */
void json_real(struct json *json, double value);
/* Writes JSON text with values in it: %s a string or null, %ju and %jd integers, %g as
 * json_real(). */
__attribute__((format(printf, 2, 3))) void json_print(struct json *json, const char *format, ...);
