/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "drawing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct ctprof_cell *drawing_cell_of(const struct ctprof_report_line *line, uint64_t field)
{
	static const struct ctprof_cell nothing = {.struct_size = sizeof nothing};

	if (field < line->first || field - line->first >= line->n_cells)
		return &nothing;
	return drawing_cell(line, field - line->first);
}

bool drawing_is_text(const struct ctprof_report_field *field)
{
	return strcmp(field->unit, "text") == 0;
}

typedef void (*say_value)(const struct ctprof_value *value, struct drawing_words *words);

static void say_range(const struct ctprof_value *value, struct drawing_words *words)
{
	if (value->min == value->max)
		snprintf(words->before, sizeof words->before, "%" PRId64, value->min);
	else
		snprintf(words->before, sizeof words->before, "%" PRId64 "..%" PRId64, value->min,
			 value->max);
}

static void say_mode(const struct ctprof_value *value, struct drawing_words *words)
{
	if (value->count != value->n || value->n == 0)
		snprintf(words->after, sizeof words->after, " (%" PRIu64 "/%" PRIu64 ")",
			 value->count, value->n);
}

static void say_cpus(const struct ctprof_value *value, struct drawing_words *words)
{
	if (value->min == value->max)
		snprintf(words->before, sizeof words->before, "%" PRId64 " cpus (", value->min);
	else
		snprintf(words->before, sizeof words->before, "%" PRId64 "-%" PRId64 " cpus (",
			 value->min, value->max);
	if (!value->text)
		words->text = "mixed";
	snprintf(words->after, sizeof words->after, ")");
}

static void say_unlimited(const struct ctprof_value *value, struct drawing_words *words)
{
	(void)value;
	words->text = "max";
}

static void say_text(const struct ctprof_value *value, struct drawing_words *words)
{
	(void)value;
	(void)words;
}

static const struct {
	uint32_t type; /* enum ctprof_value_type */
	say_value say;
} sayings[] = {
	{CTPROF_VALUE_RANGE, say_range}, {CTPROF_VALUE_MODE, say_mode},
	{CTPROF_VALUE_CPUS, say_cpus},   {CTPROF_VALUE_UNLIMITED, say_unlimited},
	{CTPROF_VALUE_TEXT, say_text},
};

bool drawing_words(const struct ctprof_value *value, struct drawing_words *ret_words)
{
	for (size_t i = 0; i < sizeof sayings / sizeof sayings[0]; i++) {
		if (sayings[i].type != value->type)
			continue;
		*ret_words = (struct drawing_words){.text = value->text ? value->text : ""};
		sayings[i].say(value, ret_words);
		return true;
	}
	return false;
}

int drawing_open(const struct ctprof_host *host, void **ret_self)
{
	*ret_self = (void *)(uintptr_t)host;
	return 0;
}

void drawing_close(void *self)
{
	(void)self;
}
