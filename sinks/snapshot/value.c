/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "value.h"

static bool write_u64(struct json *json, uint64_t bits)
{
	json_u64(json, bits);
	return true;
}

static bool write_i64(struct json *json, uint64_t bits)
{
	json_i64(json, (int64_t)bits);
	return true;
}

static bool write_limit(struct json *json, uint64_t bits)
{
	if (bits == UINT64_MAX)
		json_literal(json, "null");
	else
		json_u64(json, bits);
	return true;
}

static bool write_char(struct json *json, uint64_t bits)
{
	char c = (char)bits;

	return json_text(json, &c, 1);
}

static bool write_bool(struct json *json, uint64_t bits)
{
	if (bits)
		json_literal(json, "true");
	else
		json_literal(json, "false");
	return true;
}

static bool write_text(struct json *json, uint64_t bits)
{
	const struct ctprof_text *text = value_text(bits);

	return json_text(json, text->bytes, text->length);
}

static bool write_cpus(struct json *json, uint64_t bits)
{
	const struct ctprof_cpus *set = (const struct ctprof_cpus *)(uintptr_t)bits;

	json_literal(json, "[");
	for (uint32_t i = 0; i < set->n; i++) {
		if (i > 0)
			json_literal(json, ",");
		json_u64(json, set->cpus[i]);
	}
	json_literal(json, "]");
	return true;
}

static bool write_map(struct json *json, uint64_t bits)
{
	const struct ctprof_map *map = (const struct ctprof_map *)(uintptr_t)bits;

	json_literal(json, "{");
	for (uint64_t i = 0; i < map->n; i++) {
		const struct ctprof_map_entry *entry = &map->entries[i];

		if (i > 0)
			json_literal(json, ",");
		json_text(json, entry->key, entry->key_len);
		json_literal(json, ":");
		if (entry->text)
			json_text(json, entry->text, entry->text_len);
		else
			json_u64(json, entry->number);
	}
	json_literal(json, "}");
	return true;
}

#define ACCEPTS(kind) (1u << (kind))

static const struct value_form {
	uint32_t accepts; /* natural kinds */
	const char *absent;
	uint64_t min, max; /* negative numbers as two's complement; an address is never 0 */
	bool (*write)(struct json *json, uint64_t bits);
} forms[N_VALUE_KINDS] = {
	[VALUE_U64] = {ACCEPTS(VALUE_U64) | ACCEPTS(VALUE_BOOL), "0", 0, UINT64_MAX, write_u64},
	[VALUE_U32] = {ACCEPTS(VALUE_U64) | ACCEPTS(VALUE_I64), "0", 0, UINT32_MAX, write_u64},
	[VALUE_U16] = {ACCEPTS(VALUE_U64), "0", 0, UINT16_MAX, write_u64},
	[VALUE_LIMIT] = {ACCEPTS(VALUE_U64), "null", 0, UINT64_MAX, write_limit},
	[VALUE_OPT_U64] = {ACCEPTS(VALUE_U64), "null", 0, UINT64_MAX, write_u64},
	[VALUE_PERIOD] = {ACCEPTS(VALUE_U64), "100000", 0, UINT64_MAX, write_u64},
	[VALUE_I64] = {ACCEPTS(VALUE_I64), "0", (uint64_t)INT64_MIN, INT64_MAX, write_i64},
	[VALUE_I32] = {ACCEPTS(VALUE_I64), "0", (uint64_t)INT32_MIN, INT32_MAX, write_i64},
	[VALUE_OPT_I32] = {ACCEPTS(VALUE_I64), "null", (uint64_t)INT32_MIN, INT32_MAX, write_i64},
	[VALUE_CHAR] = {ACCEPTS(VALUE_CHAR), "\"~\"", 1, 0x7f, write_char},
	[VALUE_BOOL] = {ACCEPTS(VALUE_BOOL), "false", 0, 1, write_bool},
	[VALUE_TEXT] = {ACCEPTS(VALUE_TEXT), "\"\"", 1, UINT64_MAX, write_text},
	[VALUE_OPT_TEXT] = {ACCEPTS(VALUE_TEXT), "null", 1, UINT64_MAX, write_text},
	[VALUE_CPUS] = {ACCEPTS(VALUE_CPUS), "[]", 1, UINT64_MAX, write_cpus},
	[VALUE_MAP] = {ACCEPTS(VALUE_MAP), "{}", 1, UINT64_MAX, write_map},
	[VALUE_TEXTS] = {ACCEPTS(VALUE_TEXTS), "{}", 1, UINT64_MAX, write_map},
	[VALUE_HISTOGRAM] = {ACCEPTS(VALUE_HISTOGRAM), "{}", 1, UINT64_MAX, write_map},
};

enum value_kind value_kind_of(const struct ctprof_metric_info *info)
{
	uint32_t unit = info->metric->unit;

	if (info->metric->kind == CTPROF_HISTOGRAM)
		return VALUE_HISTOGRAM;
	switch (info->type) {
	case CTPROF_TYPE_I64:
		return VALUE_I64;
	case CTPROF_TYPE_TEXT:
		return VALUE_TEXT;
	case CTPROF_TYPE_CPUS:
		return VALUE_CPUS;
	case CTPROF_TYPE_MAP:
		return unit == CTPROF_UNIT_TEXT ? VALUE_TEXTS : VALUE_MAP;
	default:
		return unit == CTPROF_UNIT_CHAR   ? VALUE_CHAR
		       : unit == CTPROF_UNIT_BOOL ? VALUE_BOOL
						  : VALUE_U64;
	}
}

uint32_t value_type_of(const struct ctprof_metric *metric)
{
	if (metric->kind == CTPROF_MAP || metric->kind == CTPROF_HISTOGRAM)
		return CTPROF_TYPE_MAP;
	if (metric->kind == CTPROF_CPUSET)
		return CTPROF_TYPE_CPUS;
	if (metric->unit == CTPROF_UNIT_TEXT)
		return CTPROF_TYPE_TEXT;
	return metric->kind == CTPROF_ORDINAL ? CTPROF_TYPE_I64 : CTPROF_TYPE_U64;
}

enum value_kind value_kind_of_metric(const struct ctprof_metric *metric)
{
	return value_kind_of(
		&(struct ctprof_metric_info){.metric = metric, .type = value_type_of(metric)});
}

bool value_accepts(enum value_kind kind, enum value_kind from)
{
	return (forms[kind].accepts & ACCEPTS(from)) != 0;
}

const char *value_absent(enum value_kind kind)
{
	return forms[kind].absent;
}

bool value_fits(enum value_kind kind, uint64_t bits)
{
	const struct value_form *form = &forms[kind];

	/* Relative to min, negative and other numbers are in the same order. */
	return bits - form->min <= form->max - form->min;
}

bool value_write(enum value_kind kind, struct json *json, uint64_t bits)
{
	return forms[kind].write(json, bits);
}

void value_write_hex(struct json *json, struct text name, uint64_t bits)
{
	json_literal(json, ",\"");
	json_raw(json, name.p, name.len);
	json_literal(json, "_hex\":");
	json_hex(json, value_text(bits)->bytes, value_text(bits)->length);
}
