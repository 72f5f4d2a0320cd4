/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "thrift.h"

/* Types of the compact protocol. */
enum { TRUE_ = 1, FALSE_ = 2, I8 = 3, I32 = 5, I64 = 6, BINARY = 8, LIST = 9, STRUCT = 12 };

#define SHORT_LIST 15

static void put_byte(struct thrift *thrift, unsigned int byte)
{
	*json_room(thrift->out, 1) = (char)byte;
	thrift->out->used++;
}

void thrift_varint(struct json *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7) {
		*json_room(out, 1) = (char)(value | 0x80);
		out->used++;
	}
	*json_room(out, 1) = (char)value;
	out->used++;
}

static void put_zigzag(struct thrift *thrift, int64_t value)
{
	thrift_varint(thrift->out, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/* Writes the head of a field.  In all structs of Parquet, a field number is less than 16 above the
 * previous one. */
static void put_field(struct thrift *thrift, int field, unsigned int type)
{
	int *last = &thrift->last[thrift->depth];

	put_byte(thrift, (unsigned int)(field - *last) << 4 | type);
	*last = field;
}

static void put_list(struct thrift *thrift, int field, size_t n, unsigned int type)
{
	put_field(thrift, field, LIST);
	put_byte(thrift, (unsigned int)(n < SHORT_LIST ? n : SHORT_LIST) << 4 | type);
	if (n >= SHORT_LIST)
		thrift_varint(thrift->out, n);
}

void thrift_init(struct thrift *thrift, struct json *out)
{
	*thrift = (struct thrift){.out = out};
}

void thrift_end(struct thrift *thrift)
{
	put_byte(thrift, 0);
	thrift->depth--;
}

void thrift_bool(struct thrift *thrift, int field, bool value)
{
	put_field(thrift, field, value ? TRUE_ : FALSE_);
}

void thrift_i8(struct thrift *thrift, int field, int value)
{
	put_field(thrift, field, I8);
	put_byte(thrift, (unsigned int)value & 0xff);
}

void thrift_i32(struct thrift *thrift, int field, int32_t value)
{
	put_field(thrift, field, I32);
	put_zigzag(thrift, value);
}

void thrift_i64(struct thrift *thrift, int field, int64_t value)
{
	put_field(thrift, field, I64);
	put_zigzag(thrift, value);
}

void thrift_bytes(struct thrift *thrift, int field, const void *bytes, size_t length)
{
	put_field(thrift, field, BINARY);
	thrift_varint(thrift->out, length);
	json_raw(thrift->out, bytes, length);
}

void thrift_string(struct thrift *thrift, int field, const char *text)
{
	thrift_bytes(thrift, field, text, strlen(text));
}

void thrift_element(struct thrift *thrift)
{
	thrift->last[++thrift->depth] = 0;
}

void thrift_struct(struct thrift *thrift, int field)
{
	put_field(thrift, field, STRUCT);
	thrift_element(thrift);
}

void thrift_list_i32(struct thrift *thrift, int field, const int32_t *values, size_t n)
{
	put_list(thrift, field, n, I32);
	for (size_t i = 0; i < n; i++)
		put_zigzag(thrift, values[i]);
}

void thrift_list_string(struct thrift *thrift, int field, const char *text)
{
	put_list(thrift, field, 1, BINARY);
	thrift_varint(thrift->out, strlen(text));
	json_raw(thrift->out, text, strlen(text));
}

void thrift_list_structs(struct thrift *thrift, int field, size_t n)
{
	put_list(thrift, field, n, STRUCT);
}
