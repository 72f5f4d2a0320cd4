/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shape.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "growth.h"

#define FIRST_BUCKETS 16

void shape_free(struct shape *shape)
{
	for (uint32_t i = 0; i < shape->n; i++)
		free(shape->members[i].key.p - 1);
	free(shape->members);
	free(shape->buckets);
	*shape = (struct shape){0};
}

/* FNV-1a. */
static uint32_t shape_hash(struct text name)
{
	uint32_t hash = 0x811c9dc5u;

	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (unsigned char)name.p[i]) * 0x01000193u;
	return hash ^ hash >> 16;
}

/* Returns the bucket with the name, or the free one where it belongs. */
static uint32_t *shape_find_bucket(const struct shape *shape, struct text name)
{
	uint32_t mask = shape->n_buckets - 1;
	uint32_t at = shape_hash(name) & mask;

	for (;; at = (at + 1) & mask) {
		uint32_t i = shape->buckets[at];
		if (i == SHAPE_NONE)
			return &shape->buckets[at];

		struct text other = member_name(&shape->members[i]);
		if (other.len == name.len && memcmp(other.p, name.p, name.len) == 0)
			return &shape->buckets[at];
	}
}

uint32_t shape_find(const struct shape *shape, struct text name)
{
	return shape->n > 0 ? *shape_find_bucket(shape, name) : SHAPE_NONE;
}

uint32_t shape_find_hex(const struct shape *shape, struct text name)
{
	static const char suffix[] = "_hex";
	const size_t len = sizeof suffix - 1;

	if (name.len <= len || memcmp(name.p + name.len - len, suffix, len) != 0)
		return SHAPE_NONE;
	uint32_t i = shape_find(shape, (struct text){name.p, name.len - len});
	enum value_kind kind = i == SHAPE_NONE ? VALUE_U64 : shape->members[i].kind;
	return kind == VALUE_TEXT || kind == VALUE_OPT_TEXT ? i : SHAPE_NONE;
}

/* The new buckets are filled from the members. */
static int shape_grow_buckets(struct shape *shape)
{
	uint32_t n_buckets = shape->n_buckets > 0 ? shape->n_buckets * 2 : FIRST_BUCKETS;
	uint32_t *buckets = reallocarray(shape->buckets, n_buckets, sizeof *buckets);

	if (!buckets)
		return -ENOMEM;
	shape->buckets = buckets;
	shape->n_buckets = n_buckets;
	for (uint32_t i = 0; i < n_buckets; i++)
		buckets[i] = SHAPE_NONE;
	for (uint32_t i = 0; i < shape->n; i++)
		*shape_find_bucket(shape, member_name(&shape->members[i])) = i;
	return 0;
}

static int shape_add(struct shape *shape, const char *name, const struct member *model)
{
	struct member member = *model;

	if (2 * (shape->n + 1) > shape->n_buckets && shape_grow_buckets(shape) < 0)
		return -ENOMEM;
	struct member *members = array_room(shape->members, shape->n, sizeof *members);
	if (members)
		shape->members = members;
	if (!members || json_piece_make(",\"", name, strlen(name), "\":", &member.key) < 0)
		return -ENOMEM;
	member.key.p++;
	member.key.len--;
	members[shape->n] = member;
	*shape_find_bucket(shape, member_name(&members[shape->n])) = shape->n;
	shape->n++;
	return 0;
}

int shape_add_field(struct shape *shape, const char *name, enum value_kind kind)
{
	int r = shape_add(shape, name, &(struct member){.kind = kind});

	shape->n_fields = shape->n;
	return r;
}

int shape_add_metric(struct shape *shape, const struct ctprof_metric_info *info,
		     enum value_kind natural)
{
	const struct ctprof_metric *metric = info->metric;
	uint32_t i = shape_find(shape, (struct text){metric->name, strlen(metric->name)});
	struct member model = {
		.kind = natural,
		.registered = true,
		.wanted = info->wanted != 0,
		.natural = natural,
		.scope = metric->scope,
		.slot = info->index,
	};

	if (i == SHAPE_NONE)
		return shape_add(shape, metric->name, &model);
	struct member *field = &shape->members[i];
	if (field->registered || !value_accepts(field->kind, natural))
		return -EEXIST;
	model.key = field->key;
	model.kind = field->kind;
	*field = model;
	return 0;
}

size_t shape_write(const struct shape *shape, struct json *json, uint32_t first, uint32_t end,
		   uint32_t group, const char *before, const struct source_row *row,
		   uint8_t *ret_states)
{
	size_t written = 0;

	for (uint32_t i = first; i < end; i++) {
		const struct member *member = &shape->members[i];

		if (!member->registered || member->group != group ||
		    (row->changed && !row->changed[member->slot]))
			continue;
		ret_states[i] = member_state(member, row->values, row->states);
		if (ret_states[i] != CTPROF_PRESENT)
			continue;
		json_raw(json, before, written == 0 ? strlen(before) : 0);
		member_write_key(json, member, !before[0] || written > 0);
		written++;
		if (!(row->before && member->kind == VALUE_HISTOGRAM &&
		      growth_write(json, row->before, member->slot, row->values[member->slot])) &&
		    !value_write(member->kind, json, row->values[member->slot]))
			value_write_hex(json, member_name(member), row->values[member->slot]);
	}
	return written;
}

bool shape_has_absent(const struct shape *shape, const uint8_t *states)
{
	for (uint32_t i = 0; i < shape->n; i++)
		if (states[i] != CTPROF_PRESENT)
			return true;
	return false;
}
