/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes stored values as JSON, and placeholders of absent ones. */
#pragma once

#include "ctprof/sink.h"
#include "json.h"
#include "text.h"

enum value_kind {
	VALUE_U64,
	VALUE_U32,
	VALUE_U16,
	VALUE_LIMIT,   /* u64; UINT64_MAX ("no limit") is null, as is an absent one */
	VALUE_OPT_U64, /* u64; null if absent */
	VALUE_PERIOD,  /* u64; if absent, the kernel's default, 100000 */
	VALUE_I64,
	VALUE_I32,
	VALUE_OPT_I32, /* i32; null if absent */
	VALUE_CHAR,
	VALUE_BOOL,
	VALUE_TEXT,
	VALUE_OPT_TEXT, /* text; null if absent */
	VALUE_CPUS,
	VALUE_MAP,       /* of numbers */
	VALUE_TEXTS,     /* map of texts */
	VALUE_HISTOGRAM, /* map of numbers: counts by bucket */
	N_VALUE_KINDS,
};

/* Returns the kind of a metric's values, from its own definition. */
enum value_kind value_kind_of(const struct ctprof_metric_info *info);
/* Returns the type of the values (enum ctprof_type), and their kind, when only the definition is
 * known. */
uint32_t value_type_of(const struct ctprof_metric *metric);
enum value_kind value_kind_of_metric(const struct ctprof_metric *metric);
/* Whether values of the natural kind `from` can be written as kind. */
bool value_accepts(enum value_kind kind, enum value_kind from);
/* Returns the placeholder written for an absent value. */
const char *value_absent(enum value_kind kind);

/* Whether these bits are a value of the kind; only then may they be written. */
bool value_fits(enum value_kind kind, uint64_t bits);
/* Returns false if bytes that are not UTF-8 were replaced; only for texts, not maps. */
bool value_write(enum value_kind kind, struct json *json, uint64_t bits);

/* Writes `,"NAME_hex":"..."`, which follows a text that is not UTF-8. */
void value_write_hex(struct json *json, struct text name, uint64_t bits);

/* Returns the stored form that the bits of a text point to. */
static inline const struct ctprof_text *value_text(uint64_t bits)
{
	return (const struct ctprof_text *)(uintptr_t)bits;
}
