/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read-object.h"

#include "presence.h"

/* No metric's name is longer than 64; members below longer names are ignored. */
#define NAME_SIZE 128

struct walk {
	struct pull *pull;
	const struct shape *shape;
	struct cells *cells;
	uint8_t *states;
	bool has_absent;
	char name[NAME_SIZE]; /* name of the member being read, including its dots */
};

static void walk_members(struct walk *walk, size_t prefix, bool top);

static bool is_map(const struct member *member)
{
	return member->kind == VALUE_MAP || member->kind == VALUE_TEXTS;
}

/* Reads the value of the member whose name is len bytes long. */
static void walk_value(struct walk *walk, size_t len)
{
	struct text name = {walk->name, len};
	uint32_t i = shape_find(walk->shape, name);
	bool nested = pull_peek(walk->pull) == '{';

	/* A metric whose place is taken by an object has a definition, but no value. */
	if (i != SHAPE_NONE && (!nested || is_map(&walk->shape->members[i]))) {
		cells_read(walk->cells, walk->pull, walk->shape, i);
		return;
	}
	if (nested) {
		walk->name[len] = '.';
		walk_members(walk, len + 1, false);
		return;
	}
	cells_read_other(walk->cells, walk->pull, walk->shape, name);
}

/* Reads members that are not values; false if this member is a value. */
static bool walk_special(struct walk *walk, struct text key)
{
	uint32_t path = shape_find(walk->shape, (struct text){OBJECT_PATH, strlen(OBJECT_PATH)});

	if (text_equal(key, "absent")) {
		if (walk->has_absent)
			pull_fail_twice(walk->pull, key);
		walk->has_absent = true;
		presence_read_set(walk->pull, walk->shape, walk->states);
		return true;
	}
	if (path == SHAPE_NONE || !text_equal(key, "path_hex"))
		return false;
	cells_read_hex(walk->cells, walk->pull, walk->shape, path);
	return true;
}

static void walk_members(struct walk *walk, size_t prefix, bool top)
{
	struct pull_list list;
	struct text key;

	pull_open(walk->pull, '{', &list);
	while (pull_more(walk->pull, &list) && pull_key(walk->pull, &key)) {
		if (top && walk_special(walk, key))
			continue;
		/* There must be room for a dot after the name. */
		if (key.len >= sizeof walk->name - prefix) {
			pull_skip(walk->pull);
			continue;
		}
		memcpy(walk->name + prefix, key.p, key.len);
		walk_value(walk, prefix + key.len);
	}
}

void object_read(struct pull *pull, const struct shape *shape, struct cells *cells, uint8_t *states,
		 const char *prefix)
{
	struct walk walk = {.pull = pull, .shape = shape, .cells = cells, .states = states};
	size_t len = strlen(prefix);

	cells_begin(cells, pull, shape->n);
	if (shape->n > 0)
		memset(states, CTPROF_PRESENT, shape->n);
	memcpy(walk.name, prefix, len);
	walk_members(&walk, len, true);
}
