/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chunk.h"

#include <errno.h>

#define FIRST_BYTES 8192
#define NS_PER_US 1000
/* Longer texts are not written as bounds: they could take more room than the column. */
#define MAX_BOUND 64

/* Enumerations of parquet.thrift. */
enum { BOOLEAN = 0, INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6 };
enum { PLAIN = 0, RLE = 3, RLE_DICTIONARY = 8 };
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum { CODEC_ZSTD = 6 };
enum { OPTIONAL = 1 };
enum { UTF8 = 0, TIMESTAMP_MICROS = 10, UINT_64 = 14 };

static uint32_t physical_of(uint32_t type)
{
	return type == CTPROF_TYPE_TEXT   ? BYTE_ARRAY
	       : type == CTPROF_TYPE_REAL ? DOUBLE
	       : type == CTPROF_TYPE_BOOL ? BOOLEAN
					  : INT64;
}

int chunk_init(struct chunk *self, const struct ctprof_table_column *column)
{
	*self = (struct chunk){.column = column, .physical = physical_of(column->type)};
	int r = json_init(&self->levels, FIRST_BYTES);

	r = r < 0 ? r : json_init(&self->values, FIRST_BYTES);
	return r < 0 || self->physical != BYTE_ARRAY ? r : dictionary_init(&self->dictionary);
}

void chunk_free(struct chunk *self)
{
	json_free(&self->levels);
	json_free(&self->values);
	dictionary_free(&self->dictionary);
}

void chunk_clear(struct chunk *self)
{
	self->n_rows = self->n_values = 0;
	self->levels.used = self->values.used = 0;
	dictionary_clear(&self->dictionary);
}

size_t chunk_bytes(const struct chunk *self)
{
	return self->levels.used + self->values.used + self->dictionary.texts.used;
}

/* ---- values -------------------------------------------------------------------- */

/* Appends n flags as bits after the first i, the lowest bit of a byte first. */
static void put_bits(struct json *bits, uint64_t i, const uint8_t *flags, size_t stride, size_t n)
{
	char *at = json_room(bits, n / 8 + 2);
	unsigned int byte = 0;

	if (bits->error)
		return;
	if (i % 8 > 0) {
		byte = (uint8_t) * --at;
		bits->used--;
	}
	for (; n > 0; n--, flags += stride) {
		byte |= (*flags ? 1u : 0u) << i++ % 8;
		if (i % 8 == 0) {
			*at++ = (char)byte;
			bits->used++;
			byte = 0;
		}
	}
	if (i % 8 > 0) {
		*at = (char)byte;
		bits->used++;
	}
}

static int compare_texts(const struct dictionary *dictionary, uint64_t a, uint64_t b)
{
	uint32_t lengths[2];
	const char *x = dictionary_text(dictionary, (uint32_t)a, &lengths[0]);
	const char *y = dictionary_text(dictionary, (uint32_t)b, &lengths[1]);
	int order = memcmp(x, y, lengths[0] < lengths[1] ? lengths[0] : lengths[1]);

	return order ? order : (lengths[0] > lengths[1]) - (lengths[0] < lengths[1]);
}

static bool is_less(const struct chunk *self, uint64_t a, uint64_t b)
{
	switch (self->column->type) {
	case CTPROF_TYPE_I64:
		return (int64_t)a < (int64_t)b;
	case CTPROF_TYPE_REAL:
		return tables_real(a) < tables_real(b);
	case CTPROF_TYPE_TEXT:
		return compare_texts(&self->dictionary, a, b) < 0;
	default:
		return a < b;
	}
}

static void note_bounds(struct chunk *self, uint64_t value, bool is_first)
{
	if (is_first || is_less(self, value, self->min))
		self->min = value;
	if (is_first || is_less(self, self->max, value))
		self->max = value;
}

/* Whether the text is the same as in the previous row, as most are. */
static bool is_last(const struct chunk *self, const struct ctprof_text *text)
{
	uint32_t length;

	if (self->n_values == 0)
		return false;
	const char *last = dictionary_text(&self->dictionary, self->last, &length);
	return length == text->length && memcmp(last, text->bytes, length) == 0;
}

static int add_text(struct chunk *self, const struct ctprof_text *text)
{
	uint32_t n_known = self->dictionary.n;

	if (!is_last(self, text)) {
		int r = dictionary_take(&self->dictionary, text->bytes, text->length, &self->last);

		if (r < 0)
			return r;
	}
	if (self->dictionary.n > n_known)
		note_bounds(self, self->last, n_known == 0);
	json_raw(&self->values, (const char *)&self->last, sizeof self->last);
	self->n_values++;
	return self->values.error;
}

static int add_value(struct chunk *self, uint64_t value)
{
	const uint8_t flag = value != 0;

	if (self->physical == BYTE_ARRAY)
		return add_text(self, tables_text(value));
	if (self->column->type == CTPROF_TYPE_TIME)
		value /= NS_PER_US;
	note_bounds(self, value, self->n_values == 0);
	if (self->physical == BOOLEAN)
		put_bits(&self->values, self->n_values, &flag, 1, 1);
	else
		json_raw(&self->values, (const char *)&value, sizeof value);
	self->n_values++;
	return self->values.error;
}

/* Adds n unsigned numbers, the type of most columns. */
static void add_numbers(struct chunk *self, const uint64_t *values, size_t n)
{
	uint64_t min = self->n_values > 0 ? self->min : values[0];
	uint64_t max = self->n_values > 0 ? self->max : values[0];

	for (size_t i = 0; i < n; i++) {
		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
	}
	self->min = min;
	self->max = max;
	json_raw(&self->values, (const char *)values, n * sizeof *values);
	self->n_values += n;
}

/* Collects the values of rows that have one, without gaps; returns their number. */
static size_t gather(struct chunk *self, const struct ctprof_records *records, uint64_t column,
		     uint64_t from, uint64_t to, uint64_t values[CHUNK_ROWS])
{
	const uint64_t stride = records->n_columns;
	const uint8_t *present = records->present + from * stride + column;
	const uint64_t *all = records->values + from * stride + column;
	size_t n = 0;

	put_bits(&self->levels, self->n_rows, present, stride, to - from);
	self->n_rows += to - from;
	for (uint64_t i = 0; i < to - from; i++)
		if (present[i * stride])
			values[n++] = all[i * stride];
	return n;
}

int chunk_add(struct chunk *self, const struct ctprof_records *records, uint64_t column,
	      uint64_t from, uint64_t to)
{
	uint64_t values[CHUNK_ROWS];
	size_t n = gather(self, records, column, from, to, values);
	int r = self->levels.error;

	if (self->column->type == CTPROF_TYPE_U64 && n > 0) {
		add_numbers(self, values, n);
		return r < 0 ? r : self->values.error;
	}
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_value(self, values[i]);
	return r;
}

/* ---- pages --------------------------------------------------------------------- */

/* Writes for each row whether it has a value: one run if all rows are alike, otherwise bits. */
static void put_levels(const struct chunk *self, struct json *page)
{
	size_t length_at = page->used;
	uint32_t length = 0;
	bool is_run = self->n_values == 0 || self->n_values == self->n_rows;
	const char level = self->n_values > 0;

	json_raw(page, (const char *)&length, sizeof length);
	thrift_varint(page, is_run ? self->n_rows << 1 : (self->n_rows + 7) / 8 << 1 | 1);
	if (is_run)
		json_raw(page, &level, 1);
	else
		json_raw(page, self->levels.data, self->levels.used);
	length = (uint32_t)(page->used - length_at - sizeof length);
	if (!page->error)
		memcpy(page->data + length_at, &length, sizeof length);
}

static uint32_t width_of(uint32_t n)
{
	uint32_t width = 1;

	while (width < 32 && (uint64_t)1 << width < n)
		width++;
	return width;
}

/* Writes the numbers of texts, eight at a time, with the fewest bits that suffice for all of
 * them. */
static void put_numbers(const struct chunk *self, struct json *page)
{
	const uint32_t width = width_of(self->dictionary.n);
	const char byte = (char)width;
	uint64_t bits = 0;
	uint32_t n_bits = 0;

	json_raw(page, &byte, 1);
	if (self->dictionary.n == 1) {
		thrift_varint(page, self->n_values << 1);
		json_raw(page, "", 1);
		return;
	}
	uint64_t n_padded = (self->n_values + 7) / 8 * 8;
	thrift_varint(page, n_padded / 8 << 1 | 1);
	for (uint64_t i = 0; i < n_padded; i++) {
		uint32_t value = 0;

		if (i < self->n_values)
			memcpy(&value, self->values.data + i * sizeof value, sizeof value);
		bits |= (uint64_t)value << n_bits;
		for (n_bits += width; n_bits >= 8; n_bits -= 8, bits >>= 8) {
			*json_room(page, 1) = (char)bits;
			page->used++;
		}
	}
}

static void put_header(const struct chunk *self, bool is_dictionary, size_t raw, size_t packed,
		       struct json *out)
{
	bool is_text = self->physical == BYTE_ARRAY;
	struct thrift thrift;

	thrift_init(&thrift, out);
	thrift_i32(&thrift, 1, is_dictionary ? DICTIONARY_PAGE : DATA_PAGE);
	thrift_i32(&thrift, 2, (int32_t)raw);
	thrift_i32(&thrift, 3, (int32_t)packed);
	thrift_struct(&thrift, is_dictionary ? 7 : 5);
	thrift_i32(&thrift, 1,
		   (int32_t)(is_dictionary ? self->dictionary.n : (uint32_t)self->n_rows));
	thrift_i32(&thrift, 2, is_text && !is_dictionary ? RLE_DICTIONARY : PLAIN);
	if (!is_dictionary) {
		thrift_i32(&thrift, 3, RLE);
		thrift_i32(&thrift, 4, RLE);
	}
	thrift_end(&thrift);
	thrift_end(&thrift);
}

/* Compresses a page and writes it with its header. */
static int write_page(const struct chunk *self, bool is_dictionary, const struct json *page,
		      struct chunk_room *room, struct json *out, uint64_t *at,
		      struct chunk_place *place)
{
	struct json *packed = &room->packed;
	size_t bound = ZSTD_compressBound(page->used);

	if (page->error)
		return page->error;
	packed->used = 0;
	while (!packed->error && packed->size < bound)
		json_make_room(packed, bound);
	if (packed->error)
		return packed->error;
	size_t length =
		ZSTD_compress2(room->zstd, packed->data, packed->size, page->data, page->used);
	if (ZSTD_isError(length))
		return -ENOMEM;
	struct json header;
	int r = json_init(&header, JSON_ROOM);
	if (r < 0)
		return r;
	put_header(self, is_dictionary, page->used, length, &header);
	json_raw(out, header.data, header.used);
	json_raw(out, packed->data, length);
	*at += header.used + length;
	place->compressed += header.used + length;
	place->uncompressed += header.used + page->used;
	json_free(&header);
	return out->error;
}

int chunk_write(struct chunk *self, struct chunk_room *room, struct json *out, uint64_t *at,
		struct chunk_place *ret_place)
{
	bool is_text = self->physical == BYTE_ARRAY;
	int r = 0;

	*ret_place = (struct chunk_place){.data_at = *at};
	if (is_text) {
		ret_place->dictionary_at = *at;
		r = write_page(self, true, &self->dictionary.texts, room, out, at, ret_place);
		ret_place->data_at = *at;
	}
	room->page.used = 0;
	put_levels(self, &room->page);
	if (is_text && self->n_values > 0)
		put_numbers(self, &room->page);
	else if (!is_text)
		json_raw(&room->page, self->values.data, self->values.used);
	return r < 0 ? r : write_page(self, false, &room->page, room, out, at, ret_place);
}

/* ---- metadata ------------------------------------------------------------------- */

/* Returns the bytes of a bound; NULL: no bound is known. */
static const void *bound_of(const struct chunk *self, uint64_t *value, bool is_max,
			    uint32_t *ret_length)
{
	/* The sign of a zero is not defined: use the wider bound. */
	static const double zeros[] = {-0.0, 0.0};

	*ret_length = self->physical == BOOLEAN ? 1 : sizeof *value;
	if (self->physical == DOUBLE && !(tables_real(*value) < 0) && !(tables_real(*value) > 0))
		return &zeros[is_max];
	if (self->physical != BYTE_ARRAY)
		return value;
	const char *text = dictionary_text(&self->dictionary, (uint32_t)*value, ret_length);
	return *ret_length <= MAX_BOUND ? text : NULL;
}

static void put_statistics(const struct chunk *self, struct thrift *thrift)
{
	uint64_t min = self->min, max = self->max;
	uint32_t lengths[2];

	thrift_struct(thrift, 12);
	thrift_i64(thrift, 3, (int64_t)(self->n_rows - self->n_values));
	if (self->n_values > 0) {
		const void *greatest = bound_of(self, &max, true, &lengths[1]);
		const void *least = bound_of(self, &min, false, &lengths[0]);

		if (greatest && least) {
			thrift_bytes(thrift, 5, greatest, lengths[1]);
			thrift_bytes(thrift, 6, least, lengths[0]);
		}
	}
	thrift_end(thrift);
}

void chunk_put_meta(const struct chunk *self, const struct chunk_place *place,
		    struct thrift *thrift)
{
	static const int32_t encodings[] = {PLAIN, RLE, RLE_DICTIONARY};
	bool is_text = self->physical == BYTE_ARRAY;

	thrift_element(thrift);
	thrift_i64(thrift, 2, 0);
	thrift_struct(thrift, 3);
	thrift_i32(thrift, 1, (int32_t)self->physical);
	thrift_list_i32(thrift, 2, encodings, is_text ? 3 : 2);
	thrift_list_string(thrift, 3, self->column->name);
	thrift_i32(thrift, 4, CODEC_ZSTD);
	thrift_i64(thrift, 5, (int64_t)self->n_rows);
	thrift_i64(thrift, 6, (int64_t)place->uncompressed);
	thrift_i64(thrift, 7, (int64_t)place->compressed);
	thrift_i64(thrift, 9, (int64_t)place->data_at);
	if (is_text)
		thrift_i64(thrift, 11, (int64_t)place->dictionary_at);
	put_statistics(self, thrift);
	thrift_end(thrift);
	thrift_end(thrift);
}

static void put_logical(uint32_t type, struct thrift *thrift)
{
	thrift_struct(thrift, 10);
	if (type == CTPROF_TYPE_TEXT) {
		thrift_struct(thrift, 1);
	} else if (type == CTPROF_TYPE_TIME) {
		thrift_struct(thrift, 8);
		thrift_bool(thrift, 1, true);
		thrift_struct(thrift, 2);
		thrift_struct(thrift, 2);
		thrift_end(thrift);
		thrift_end(thrift);
	} else {
		thrift_struct(thrift, 10);
		thrift_i8(thrift, 1, 64);
		thrift_bool(thrift, 2, false);
	}
	thrift_end(thrift);
	thrift_end(thrift);
}

void chunk_put_schema(const struct chunk *self, struct thrift *thrift)
{
	uint32_t type = self->column->type;
	bool is_plain =
		type == CTPROF_TYPE_I64 || type == CTPROF_TYPE_REAL || type == CTPROF_TYPE_BOOL;

	thrift_element(thrift);
	thrift_i32(thrift, 1, (int32_t)self->physical);
	thrift_i32(thrift, 3, OPTIONAL);
	thrift_string(thrift, 4, self->column->name);
	if (!is_plain) {
		thrift_i32(thrift, 6,
			   type == CTPROF_TYPE_TEXT   ? UTF8
			   : type == CTPROF_TYPE_TIME ? TIMESTAMP_MICROS
						      : UINT_64);
		put_logical(type, thrift);
	}
	thrift_end(thrift);
}
