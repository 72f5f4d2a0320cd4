/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

#define MAX_FIELDS 512u
#define MAX_DEPTH 6u
#define MAX_KEY 255u
#define MAX_TEXT 65535u
/* Doubles from here on have no fractional part. */
#define LARGEST 9e15

/* ---- answers ------------------------------------------------------------------- */

/* Unwraps {"errno":0,"args":{"resp":VALUE}}; returns the node of VALUE, or 0 with the reason. */
static uint32_t unwrap(struct json *json, char *text, size_t length, const char **ret_why)
{
	*ret_why = "the answer is not JSON, or too large";
	if (!json_parse(json, text, length))
		return 0;
	uint32_t number = json_member(json, 0, "errno");
	*ret_why = "the answer has no errno";
	if (number == 0 || json->nodes[number].type != JSON_NUMBER)
		return 0;
	*ret_why = "the scheduler refuses the request";
	if (!text_equal(json->nodes[number].text, "0"))
		return 0;
	*ret_why = "the answer has no response";
	return json_member(json, json_member(json, 0, "args"), "resp");
}

/* Finds the description of the outermost struct: the one with "top". */
static uint32_t find_top(const struct json *meta, uint32_t structs)
{
	for (uint32_t i = json_first(structs); i < json_end(meta, structs); i = meta->nodes[i].end)
		if (json_is(meta, json_member(meta, i, "top"), "true"))
			return i;
	return 0;
}

const char *stats_take_meta(struct stats *stats, const char *text, size_t length)
{
	const char *why;

	stats_clear(stats);
	stats->meta_text = malloc(length + 1);
	if (!stats->meta_text)
		return "out of memory";
	memcpy(stats->meta_text, text, length);
	stats->structs = unwrap(&stats->meta, stats->meta_text, length, &why);
	if (stats->structs == 0)
		return why;
	stats->top = find_top(&stats->meta, stats->structs);
	return stats->top ? NULL : "the scheduler does not mark its top-level struct";
}

void stats_clear(struct stats *stats)
{
	json_clear(&stats->meta);
	json_clear(&stats->answer);
	free(stats->meta_text);
	free(stats->objects);
	*stats = (struct stats){.n = 0};
}

/* ---- structs become objects ------------------------------------------------------- */

static bool is_known(const struct stats *stats, const char *name)
{
	for (uint32_t i = 0; i < stats->n; i++)
		if (strcmp(stats->objects[i].name, name) == 0)
			return true;
	return false;
}

static void list_struct(struct stats *stats, uint32_t meta, uint32_t value, const char *name,
			unsigned depth);

/* Lists a struct inside a struct, whose kind of datum is {"struct": NAME}. */
static void list_inner(struct stats *stats, uint32_t datum, uint32_t value, const char *outer,
		       struct text field, struct text key, unsigned depth)
{
	const struct json *meta = &stats->meta;
	uint32_t name = json_member(meta, datum, "struct");
	char path[STATS_NAME];

	if (name == 0 || meta->nodes[name].type != JSON_STRING)
		return;
	uint32_t inner = json_find(meta, stats->structs, meta->nodes[name].text);
	int length = snprintf(path, sizeof path, "%s%s%.*s%s%.*s", outer, outer[0] ? "/" : "",
			      (int)field.len, field.p, key.p ? "/" : "", (int)key.len,
			      key.p ? key.p : "");
	if (length >= (int)sizeof path || depth == MAX_DEPTH)
		stats->is_cut = true;
	else if (inner)
		list_struct(stats, inner, value, path, depth);
}

static void list_each(struct stats *stats, uint32_t datum, uint32_t value, const char *outer,
		      struct text field, unsigned depth)
{
	const struct json *answer = &stats->answer;
	char number[16];
	unsigned n = 0;

	for (uint32_t i = json_first(value); i < json_end(answer, value);
	     i = stats->answer.nodes[i].end) {
		(void)snprintf(number, sizeof number, "%u", n++);
		list_inner(stats, datum, i, outer, field,
			   answer->nodes[value].type == JSON_OBJECT ? answer->nodes[i].key
								    : text_of(number),
			   depth);
	}
}

static void list_field(struct stats *stats, uint32_t field, uint32_t object, const char *outer,
		       unsigned depth)
{
	const struct json *meta = &stats->meta;
	struct text name = meta->nodes[field].key;
	uint32_t value = json_find(&stats->answer, object, name);
	uint32_t datum = json_member(meta, field, "datum");
	uint32_t array = json_member(meta, field, "array");
	uint32_t dict = json_member(meta, field, "dict");

	if (value == 0)
		return;
	if (datum)
		list_inner(stats, datum, value, outer, name, (struct text){NULL, 0}, depth);
	else if (array)
		list_each(stats, array, value, outer, name, depth);
	else if (dict)
		list_each(stats, json_member(meta, dict, "datum"), value, outer, name, depth);
}

static uint32_t fields_of(const struct json *meta, uint32_t i)
{
	return json_member(meta, i, "fields");
}

static void list_struct(struct stats *stats, uint32_t meta, uint32_t value, const char *name,
			unsigned depth)
{
	uint32_t fields = fields_of(&stats->meta, meta);
	unsigned n = 0;

	if (stats->answer.nodes[value].type != JSON_OBJECT || fields == 0)
		return;
	if (list_reserve(&stats->objects, &stats->room, (size_t)stats->n + 1, STATS_OBJECTS,
			 sizeof *stats->objects) < 0 ||
	    is_known(stats, name[0] ? name : "top")) {
		stats->is_cut = true;
		return;
	}
	struct stats_object *object = &stats->objects[stats->n++];
	*object = (struct stats_object){.meta = meta, .value = value};
	(void)snprintf(object->name, sizeof object->name, "%s", name[0] ? name : "top");
	for (uint32_t i = json_first(fields); i < json_end(&stats->meta, fields) && n < MAX_FIELDS;
	     i = stats->meta.nodes[i].end, n++)
		list_field(stats, i, value, name, depth + 1);
}

const char *stats_take_answer(struct stats *stats, char *text, size_t length)
{
	const char *why;

	stats->n = 0;
	stats->is_cut = false;
	uint32_t value = unwrap(&stats->answer, text, length, &why);
	if (value == 0)
		return why;
	list_struct(stats, stats->top, value, "", 0);
	return stats->n > 0 ? NULL : "the answer does not match the scheduler's description";
}

struct text stats_struct(const struct stats *stats, const struct stats_object *object)
{
	return stats->meta.nodes[object->meta].key;
}

/* ---- fields become entries ---------------------------------------------------------- */

static bool has_key(const struct stats_entries *entries, struct text key)
{
	for (unsigned kind = 0; kind < N_STATS_KINDS; kind++)
		for (size_t i = 0; i < entries->n[kind]; i++) {
			const struct ctprof_map_entry *entry = &entries->entries[kind][i];

			if (entry->key_len == key.len && memcmp(entry->key, key.p, key.len) == 0)
				return true;
		}
	return false;
}

/* Makes room for "NAME" or "NAME.KEY"; NULL if there is no room, or if it is not a valid key, or is
 * a duplicate. */
static struct ctprof_map_entry *add_entry(struct stats_entries *entries, enum stats_kind kind,
					  struct text name, struct text key)
{
	size_t length = name.len + (key.p ? 1 + key.len : 0);
	char *at = entries->keys + entries->used;

	if (length == 0 || length > MAX_KEY || length > sizeof entries->keys - entries->used ||
	    entries->n[kind] == STATS_ENTRIES)
		return NULL;
	memcpy(at, name.p, name.len);
	if (key.p) {
		at[name.len] = '.';
		memcpy(at + name.len + 1, key.p, key.len);
	}
	if (has_key(entries, (struct text){at, length}))
		return NULL;
	struct ctprof_map_entry *entry = &entries->entries[kind][entries->n[kind]++];
	*entry = (struct ctprof_map_entry){.key = at, .key_len = (uint32_t)length};
	entries->used += length;
	return entry;
}

static bool says_percent(const struct json *meta, uint32_t field)
{
	uint32_t desc = json_member(meta, field, "desc");
	struct text text = meta->nodes[desc].text;

	return desc && meta->nodes[desc].type == JSON_STRING && memchr(text.p, '%', text.len);
}

/* Returns the kind of a number, and its value in the unit of that kind. */
static enum stats_kind number_of(struct text text, bool is_float, bool is_percent, uint64_t *ret)
{
	char copy[64];
	char *end;

	if (!is_float && text_u64(text, ret))
		return STATS_NUMBERS;
	if (text.len >= sizeof copy)
		return STATS_TEXTS;
	memcpy(copy, text.p, text.len);
	copy[text.len] = '\0';
	double scaled = strtod(copy, &end) * (is_percent ? 100 : 1000);
	if (*end || !isfinite(scaled) || scaled < 0 || scaled > LARGEST)
		return STATS_TEXTS;
	*ret = (uint64_t)(scaled + 0.5);
	return is_percent ? STATS_PERCENT : STATS_THOUSANDTHS;
}

/* Reads a number or string; other values are left out. */
static void read_value(const struct json_node *node, struct text name, struct text key,
		       bool is_float, bool is_percent, struct stats_entries *ret)
{
	struct ctprof_map_entry *entry;
	uint64_t number = 0;

	if ((node->type != JSON_NUMBER && node->type != JSON_STRING) || node->text.len > MAX_TEXT)
		return;
	enum stats_kind kind = node->type == JSON_STRING
				       ? STATS_TEXTS
				       : number_of(node->text, is_float, is_percent, &number);
	entry = add_entry(ret, kind, name, key);
	if (!entry)
		return;
	entry->number = number;
	if (kind == STATS_TEXTS) {
		entry->text = node->text.p;
		entry->text_len = (uint32_t)node->text.len;
	}
}

static void read_each(const struct json *answer, uint32_t value, struct text name, bool is_float,
		      bool is_percent, struct stats_entries *ret)
{
	bool is_object = answer->nodes[value].type == JSON_OBJECT;
	char number[16];
	unsigned n = 0;

	for (uint32_t i = json_first(value); i < json_end(answer, value);
	     i = answer->nodes[i].end) {
		(void)snprintf(number, sizeof number, "%u", n++);
		read_value(&answer->nodes[i], name,
			   is_object ? answer->nodes[i].key : text_of(number), is_float, is_percent,
			   ret);
	}
}

/* Whether a field has _om_skip: its author declares it useless as a metric (masks of CPUs,
 * indices). */
static bool is_skipped(const struct json *meta, uint32_t field)
{
	return json_is(meta, json_member(meta, json_member(meta, field, "user"), "_om_skip"),
		       "true");
}

static void read_field(const struct stats *stats, uint32_t field, uint32_t object,
		       struct stats_entries *ret)
{
	const struct json *meta = &stats->meta;
	struct text name = meta->nodes[field].key;
	uint32_t value = json_find(&stats->answer, object, name);
	uint32_t dict = json_member(meta, field, "dict");
	uint32_t type = dict ? json_member(meta, dict, "datum") : json_member(meta, field, "array");

	if (value == 0 || is_skipped(meta, field))
		return;
	bool is_percent = says_percent(meta, field);
	if (type)
		read_each(&stats->answer, value, name, json_is(meta, type, "float"), is_percent,
			  ret);
	else
		read_value(&stats->answer.nodes[value], name, (struct text){NULL, 0},
			   json_is(meta, json_member(meta, field, "datum"), "float"), is_percent,
			   ret);
}

void stats_read(const struct stats *stats, const struct stats_object *object,
		struct stats_entries *ret)
{
	const struct json *meta = &stats->meta;
	uint32_t fields = fields_of(meta, object->meta);
	unsigned n = 0;

	memset(ret->n, 0, sizeof ret->n);
	ret->used = 0;
	for (uint32_t i = json_first(fields); i < json_end(meta, fields) && n < MAX_FIELDS;
	     i = meta->nodes[i].end, n++)
		read_field(stats, i, object->value, ret);
}

static void explain_struct(const struct json *meta, uint32_t one, struct stats_entries *ret)
{
	uint32_t fields = fields_of(meta, one);

	for (uint32_t i = json_first(fields); fields && i < json_end(meta, fields);
	     i = meta->nodes[i].end) {
		uint32_t desc = json_member(meta, i, "desc");
		struct ctprof_map_entry *entry;

		if (desc == 0 || meta->nodes[desc].type != JSON_STRING ||
		    meta->nodes[desc].text.len > MAX_TEXT)
			continue;
		entry = add_entry(ret, STATS_TEXTS, meta->nodes[one].key, meta->nodes[i].key);
		if (!entry)
			continue;
		entry->text = meta->nodes[desc].text.p;
		entry->text_len = (uint32_t)meta->nodes[desc].text.len;
	}
}

void stats_explain(const struct stats *stats, struct stats_entries *ret)
{
	const struct json *meta = &stats->meta;

	memset(ret->n, 0, sizeof ret->n);
	ret->used = 0;
	for (uint32_t i = json_first(stats->structs); i < json_end(meta, stats->structs);
	     i = meta->nodes[i].end)
		explain_struct(meta, i, ret);
}
