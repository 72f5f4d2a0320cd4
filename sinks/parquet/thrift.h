/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Apache Thrift's compact protocol, as far as needed for Parquet's metadata. */
#pragma once

#include "json.h"

#define THRIFT_DEPTH 8

/* The fields of a struct must be written in the order of their numbers. */
struct thrift {
	struct json *out;
	int last[THRIFT_DEPTH]; /* for each open struct: number of the last field written */
	int depth;              /* index of the innermost struct, from 0 */
};

/* Writes a number in groups of seven bits; Parquet's own pages use this, too. */
void thrift_varint(struct json *out, uint64_t value);

/* Begins with a struct. */
void thrift_init(struct thrift *thrift, struct json *out);
/* Ends the innermost struct. */
void thrift_end(struct thrift *thrift);

void thrift_bool(struct thrift *thrift, int field, bool value);
void thrift_i8(struct thrift *thrift, int field, int value);
void thrift_i32(struct thrift *thrift, int field, int32_t value);
void thrift_i64(struct thrift *thrift, int field, int64_t value);
void thrift_bytes(struct thrift *thrift, int field, const void *bytes, size_t length);
void thrift_string(struct thrift *thrift, int field, const char *text);
/* Opens a struct: the fields until thrift_end() belong to it. */
void thrift_struct(struct thrift *thrift, int field);
/* Write a list of n numbers; of one text; or of n structs, whose elements must follow. */
void thrift_list_i32(struct thrift *thrift, int field, const int32_t *values, size_t n);
void thrift_list_string(struct thrift *thrift, int field, const char *text);
void thrift_list_structs(struct thrift *thrift, int field, size_t n);
/* Begins an element, which thrift_end() ends. */
void thrift_element(struct thrift *thrift);
