/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cells.h"

#include <errno.h>
#include <stdlib.h>

#include "ctprof/histogram.h"

#include "kept.h"

/* The limits of the host for one value. */
#define MAX_TEXT 65535u
#define MAX_KEY 255u
#define MAX_ITEMS 65536u
/* The size of an object's text, in all its values together. */
#define MAX_BYTES (16u << 20)

struct entry {
	size_t key_at, text_at;
	uint32_t key_len, text_len;
	uint64_t number;
	bool has_text;
};

int cells_init(struct cells *cells)
{
	*cells = (struct cells){0};
	if (json_init(&cells->bytes, JSON_ROOM) == 0 && json_init(&cells->cpus, JSON_ROOM) == 0 &&
	    json_init(&cells->entries, JSON_ROOM) == 0)
		return 0;
	cells_free(cells);
	return -ENOMEM;
}

void cells_free(struct cells *cells)
{
	free(cells->cells);
	free(cells->lent);
	json_free(&cells->bytes);
	json_free(&cells->cpus);
	json_free(&cells->entries);
	*cells = (struct cells){0};
}

void cells_begin(struct cells *cells, struct pull *pull, uint32_t n)
{
	if (n > cells->room) {
		struct cell *more = reallocarray(cells->cells, n, sizeof *more);

		if (!more) {
			pull_stop(pull, -ENOMEM);
			return;
		}
		cells->cells = more;
		cells->room = n;
	}
	if (n > 0)
		memset(cells->cells, 0, n * sizeof *cells->cells);
	cells->bytes.used = 0;
	cells->cpus.used = 0;
	cells->entries.used = 0;
}

bool cells_keep(struct cells *cells, struct pull *pull, struct text text, size_t *ret_at)
{
	*ret_at = cells->bytes.used;
	if (cells->bytes.used > MAX_BYTES || text.len > MAX_BYTES - cells->bytes.used) {
		pull_fail_limit(pull, MAX_BYTES, "bytes of text");
		return false;
	}
	json_raw(&cells->bytes, text.p, text.len);
	json_literal(&cells->bytes, "\0");
	if (cells->bytes.error)
		pull_stop(pull, cells->bytes.error);
	return !pull->error;
}

/* Reads a string that may become a value: at most max bytes, none of them NUL. */
static bool read_bytes(struct pull *pull, uint32_t max, struct text *ret_text)
{
	struct text text;

	if (!pull_string(pull, &text))
		return false;
	if (text.len > max)
		pull_fail_limit(pull, max, "bytes of a text");
	else if (memchr(text.p, '\0', text.len))
		pull_fail_at(pull, pull->p, "a text without NUL", (struct text){"one", 3});
	*ret_text = text;
	return !pull->error;
}

static const char u64_expected[] = "an integer of 64 bits, 0 or more";
static const char u32_expected[] = "an integer of 32 bits, 0 or more";
static const char i32_expected[] = "an integer of 32 bits";

struct form {
	void (*read)(struct cells *cells, struct pull *pull, struct cell *cell,
		     const struct form *form);
	const char *expected;
	int64_t min;
	uint64_t max;
};

static void read_number(struct cells *cells, struct pull *pull, struct cell *cell,
			const struct form *form)
{
	(void)cells;
	(void)pull_integer(pull, form->min, form->max, form->expected, &cell->bits);
}

static void read_bool(struct cells *cells, struct pull *pull, struct cell *cell,
		      const struct form *form)
{
	bool value = false;

	(void)cells;
	(void)form;
	(void)pull_bool(pull, &value);
	cell->bits = value;
}

static void read_char(struct cells *cells, struct pull *pull, struct cell *cell,
		      const struct form *form)
{
	struct text text;

	(void)cells;
	if (!pull_string(pull, &text))
		return;
	unsigned char c = text.len == 1 ? (unsigned char)text.p[0] : 0;
	if (c > 0 && c < 0x80)
		cell->bits = c;
	else
		pull_fail_at(pull, pull->p, form->expected, text);
}

static void read_text(struct cells *cells, struct pull *pull, struct cell *cell,
		      const struct form *form)
{
	struct text text;
	size_t at;

	(void)form;
	/* A value given in hex takes precedence. */
	if (!read_bytes(pull, MAX_TEXT, &text) || cell->exact ||
	    !cells_keep(cells, pull, text, &at))
		return;
	cell->bits = at;
	cell->n = (uint32_t)text.len;
}

static void read_cpus(struct cells *cells, struct pull *pull, struct cell *cell,
		      const struct form *form)
{
	struct pull_list list;
	uint64_t cpu, least = 0;

	cell->bits = cells->cpus.used;
	pull_open(pull, '[', &list);
	while (pull_more(pull, &list)) {
		if (cell->n >= MAX_ITEMS)
			pull_fail_limit(pull, MAX_ITEMS, "CPUs");
		if (!pull_integer(pull, 0, UINT32_MAX, form->expected, &cpu))
			return;
		if (cpu < least)
			pull_fail_at(pull, pull->p, "CPU numbers in ascending order",
				     (struct text){"one out of order", 16});
		least = cpu + 1;
		uint32_t number = (uint32_t)cpu;
		json_raw(&cells->cpus, (const char *)&number, sizeof number);
		cell->n++;
	}
	if (cells->cpus.error)
		pull_stop(pull, cells->cpus.error);
}

/* Reads a map's value: a text if has_text, otherwise a number. */
static bool read_entry(struct cells *cells, struct pull *pull, const struct form *form,
		       struct entry *entry)
{
	struct text text;

	if (!entry->has_text)
		return pull_integer(pull, 0, UINT64_MAX, form->expected, &entry->number);
	if (!read_bytes(pull, MAX_TEXT, &text))
		return false;
	entry->text_len = (uint32_t)text.len;
	return cells_keep(cells, pull, text, &entry->text_at);
}

static void read_entries(struct cells *cells, struct pull *pull, struct cell *cell,
			 const struct form *form, bool texts)
{
	struct pull_list list;
	struct text key;

	cell->bits = cells->entries.used;
	pull_open(pull, '{', &list);
	while (pull_more(pull, &list) && pull_key(pull, &key)) {
		struct entry entry = {.key_len = (uint32_t)key.len, .has_text = texts};

		if (cell->n++ >= MAX_ITEMS)
			pull_fail_limit(pull, MAX_ITEMS, "entries of a map");
		else if (key.len < 1 || key.len > MAX_KEY || memchr(key.p, '\0', key.len))
			pull_fail_at(pull, pull->p, "a key of 1 to 255 bytes without NUL", key);
		else if (cells_keep(cells, pull, key, &entry.key_at) &&
			 read_entry(cells, pull, form, &entry))
			json_raw(&cells->entries, (const char *)&entry, sizeof entry);
	}
	if (cells->entries.error)
		pull_stop(pull, cells->entries.error);
}

static void read_map(struct cells *cells, struct pull *pull, struct cell *cell,
		     const struct form *form)
{
	read_entries(cells, pull, cell, form, false);
}

static void read_texts(struct cells *cells, struct pull *pull, struct cell *cell,
		       const struct form *form)
{
	read_entries(cells, pull, cell, form, true);
}

/* Reads [bucket,growth,...]. */
static void read_growth(struct cells *cells, struct pull *pull, struct cell *cell)
{
	struct pull_list list;
	uint64_t bucket;

	cell->grew = true;
	cell->bits = cells->entries.used;
	pull_open(pull, '[', &list);
	while (pull_more(pull, &list)) {
		struct entry entry = {0};

		if (cell->n++ >= CTPROF_BUCKETS)
			pull_fail_limit(pull, CTPROF_BUCKETS, "buckets");
		else if (pull_integer(pull, 0, CTPROF_BUCKETS - 1, "the number of a bucket",
				      &bucket) &&
			 pull_more(pull, &list) &&
			 pull_integer(pull, 0, UINT64_MAX, u64_expected, &entry.number)) {
			entry.key_len = (uint32_t)bucket;
			json_raw(&cells->entries, (const char *)&entry, sizeof entry);
		} else if (!pull->error)
			pull_fail(pull, "the growth of a bucket");
	}
	if (cells->entries.error)
		pull_stop(pull, cells->entries.error);
}

static void read_histogram(struct cells *cells, struct pull *pull, struct cell *cell,
			   const struct form *form)
{
	if (cells->may_grow && pull_peek(pull) == '[')
		read_growth(cells, pull, cell);
	else
		read_map(cells, pull, cell, form);
}

/* How each kind is read; value.c has how it is written. */
static const struct form forms[N_VALUE_KINDS] = {
	[VALUE_U64] = {read_number, u64_expected, 0, UINT64_MAX},
	[VALUE_U32] = {read_number, u32_expected, 0, UINT32_MAX},
	[VALUE_U16] = {read_number, "an integer of 16 bits, 0 or more", 0, UINT16_MAX},
	[VALUE_LIMIT] = {read_number, u64_expected, 0, UINT64_MAX},
	[VALUE_OPT_U64] = {read_number, u64_expected, 0, UINT64_MAX},
	[VALUE_PERIOD] = {read_number, u64_expected, 0, UINT64_MAX},
	[VALUE_I64] = {read_number, "an integer of 64 bits", INT64_MIN, INT64_MAX},
	[VALUE_I32] = {read_number, i32_expected, INT32_MIN, INT32_MAX},
	[VALUE_OPT_I32] = {read_number, i32_expected, INT32_MIN, INT32_MAX},
	[VALUE_CHAR] = {read_char, "one ASCII character", 0, 0},
	[VALUE_BOOL] = {read_bool, NULL, 0, 0},
	[VALUE_TEXT] = {read_text, NULL, 0, 0},
	[VALUE_OPT_TEXT] = {read_text, NULL, 0, 0},
	[VALUE_CPUS] = {read_cpus, "a CPU number", 0, 0},
	[VALUE_MAP] = {read_map, u64_expected, 0, 0},
	[VALUE_TEXTS] = {read_texts, NULL, 0, 0},
	[VALUE_HISTOGRAM] = {read_histogram, u64_expected, 0, 0},
};

/* Whether null is valid for the kind: it means an absent value, or no limit. */
static bool may_be_null(enum value_kind kind)
{
	return strcmp(value_absent(kind), "null") == 0;
}

void cells_read(struct cells *cells, struct pull *pull, const struct shape *shape, uint32_t i)
{
	const struct member *member = &shape->members[i];
	const struct form *form = &forms[member->kind];
	struct cell *cell = &cells->cells[i];

	if (cell->state != CELL_NONE) {
		pull_fail_twice(pull, member_name(member));
		return;
	}
	cell->state = CELL_VALUE;
	/* Most values are numbers: save a call. */
	if (form->read == read_number && (unsigned char)(*pull->p - '0') < 10)
		read_number(cells, pull, cell, form);
	else if (pull_peek(pull) == 'n' && may_be_null(member->kind) && pull_null(pull))
		cell->state = CELL_NULL;
	else
		form->read(cells, pull, cell, form);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes hex digits to the end of the buffer; returns the number of bytes, or
 * -1. */
static int64_t cells_unhex(struct cells *cells, struct text hex)
{
	for (size_t i = 0; i + 1 < hex.len; i += 2) {
		int high = hex_digit(hex.p[i]), low = hex_digit(hex.p[i + 1]);

		if (high < 0 || low < 0 || (high == 0 && low == 0))
			return -1;
		char byte = (char)(high << 4 | low);
		json_raw(&cells->bytes, &byte, 1);
	}
	json_literal(&cells->bytes, "\0");
	return hex.len % 2 == 0 ? (int64_t)(hex.len / 2) : -1;
}

void cells_read_hex(struct cells *cells, struct pull *pull, const struct shape *shape, uint32_t i)
{
	struct cell *cell = &cells->cells[i];
	struct text hex;

	if (cell->exact) {
		pull_fail_twice(pull, member_name(&shape->members[i]));
		return;
	}
	if (!read_bytes(pull, 2 * MAX_TEXT, &hex))
		return;
	size_t at = cells->bytes.used;
	int64_t n = at < MAX_BYTES ? cells_unhex(cells, hex) : -1;
	if (cells->bytes.error)
		pull_stop(pull, cells->bytes.error);
	else if (n < 0)
		pull_fail_at(pull, pull->p, "bytes in lower-case hex", hex);
	cell->bits = at;
	cell->n = (uint32_t)n;
	cell->exact = true;
}

void cells_read_other(struct cells *cells, struct pull *pull, const struct shape *shape,
		      struct text key)
{
	uint32_t i = shape_find_hex(shape, key);

	if (i != SHAPE_NONE)
		cells_read_hex(cells, pull, shape, i);
	else
		pull_skip(pull);
}

void cells_read_object(struct cells *cells, struct pull *pull, const struct shape *shape,
		       uint32_t first, uint32_t end,
		       void (*other)(struct cells *cells, struct pull *pull, struct text key,
				     void *context),
		       void *context)
{
	struct pull_list list;
	struct text key;
	uint32_t next = first;

	pull_open(pull, '{', &list);
	while (pull_more(pull, &list)) {
		if (next < end && pull_match(pull, &shape->members[next].key)) {
			cells_read(cells, pull, shape, next++);
			continue;
		}
		if (!pull_key(pull, &key))
			return;
		uint32_t i = shape_find(shape, key);
		if (i != SHAPE_NONE && i >= first && i < end) {
			cells_read(cells, pull, shape, i);
			next = i + 1;
		} else if (other) {
			other(cells, pull, key, context);
		} else {
			pull_skip(pull);
		}
	}
}

struct text cells_text(const struct cells *cells, uint32_t i)
{
	const struct cell *cell = &cells->cells[i];

	if (cell->state != CELL_VALUE && !cell->exact)
		return (struct text){"", 0};
	return (struct text){cells->bytes.data + cell->bits, cell->n};
}

static int put_map(struct cells *cells, const struct cell *cell, const struct row *row,
		   uint32_t slot)
{
	const struct entry *entries = (const void *)(cells->entries.data + cell->bits);
	const char *bytes = cells->bytes.data;

	if (cell->n > cells->n_lent) {
		struct ctprof_map_entry *lent =
			reallocarray(cells->lent, cell->n, sizeof *cells->lent);

		if (!lent)
			return -ENOMEM;
		cells->lent = lent;
		cells->n_lent = cell->n;
	}
	for (uint32_t i = 0; i < cell->n; i++)
		cells->lent[i] = (struct ctprof_map_entry){
			.key = bytes + entries[i].key_at,
			.key_len = entries[i].key_len,
			.text = entries[i].has_text ? bytes + entries[i].text_at : NULL,
			.text_len = entries[i].text_len,
			.number = entries[i].number,
		};
	row->host->put_map(row->batch, row->row, slot, cells->lent,
			   kept_order_entries(cells->lent, cell->n));
	return 0;
}

static int put_histogram(struct cells *cells, const struct cell *cell, const struct row *row,
			 uint32_t slot)
{
	const struct entry *entries = (const void *)(cells->entries.data + cell->bits);
	uint64_t growth[CTPROF_BUCKETS] = {0};

	if (!cell->grew)
		return put_map(cells, cell, row, slot);
	for (uint32_t i = 0; i < cell->n; i++)
		growth[entries[i].key_len] = entries[i].number;
	row->host->put_histogram(row->batch, row->row, slot, growth, CTPROF_BUCKETS);
	return 0;
}

static int put_u64(struct cells *cells, const struct cell *cell, const struct row *row,
		   uint32_t slot)
{
	(void)cells;
	/* Null is put only if it means "no limit". */
	row->host->put_u64(row->batch, row->row, slot,
			   cell->state == CELL_NULL ? UINT64_MAX : cell->bits);
	return 0;
}

static int put_i64(struct cells *cells, const struct cell *cell, const struct row *row,
		   uint32_t slot)
{
	(void)cells;
	row->host->put_i64(row->batch, row->row, slot, (int64_t)cell->bits);
	return 0;
}

static int put_text(struct cells *cells, const struct cell *cell, const struct row *row,
		    uint32_t slot)
{
	row->host->put_text(row->batch, row->row, slot, cells->bytes.data + cell->bits, cell->n);
	return 0;
}

static int put_cpus(struct cells *cells, const struct cell *cell, const struct row *row,
		    uint32_t slot)
{
	const uint32_t *cpus = (const void *)(cells->cpus.data + cell->bits);

	row->host->put_cpuset(row->batch, row->row, slot, cpus, cell->n);
	return 0;
}

/* The put function for the metric's own kind. */
static int (*const puts_of[N_VALUE_KINDS])(struct cells *cells, const struct cell *cell,
					   const struct row *row, uint32_t slot) = {
	[VALUE_U64] = put_u64, [VALUE_CHAR] = put_u64,  [VALUE_BOOL] = put_u64,
	[VALUE_I64] = put_i64, [VALUE_TEXT] = put_text, [VALUE_CPUS] = put_cpus,
	[VALUE_MAP] = put_map, [VALUE_TEXTS] = put_map, [VALUE_HISTOGRAM] = put_histogram,
};

int cells_put(struct cells *cells, const struct shape *shape, uint32_t i, const struct row *row)
{
	const struct member *member = &shape->members[i];

	if (member->natural == VALUE_U64)
		return put_u64(cells, &cells->cells[i], row, member->slot);
	return puts_of[member->natural](cells, &cells->cells[i], row, member->slot);
}

void cells_put_all(struct cells *cells, struct pull *pull, const struct shape *shape,
		   const uint8_t *states, uint32_t group, uint8_t unseen, bool partial,
		   const struct row *rows)
{
	for (uint32_t i = 0; i < shape->n && !pull->error; i++) {
		const struct member *member = &shape->members[i];
		const struct row *row = &rows[member->scope == CTPROF_SCOPE_CAPTURE];
		bool is_seen = cells_has(cells, shape, i) || states[i] != CTPROF_PRESENT;
		int r = 0;

		if (!member->registered || member->group != group || (partial && !is_seen))
			continue;
		if (states[i] == CTPROF_PRESENT && is_seen)
			r = cells_put(cells, shape, i, row);
		else
			row->host->put_absent(row->batch, row->row, member->slot,
					      is_seen ? states[i] : unseen);
		if (r < 0)
			pull_stop(pull, r);
	}
}
