/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>

#include "presence.h"

#define MAX_DEPTH 8
/* The only member of the object that is not named after a metric. */
#define RESERVED "absent"

int tree_init(struct tree *tree, size_t place)
{
	if (place < SCHEMA_N_OBJECTS)
		tree->skip = strlen(schema_objects[place].prefix);
	if (json_init(&tree->values, JSON_ROOM) < 0 || schema_add_fields(&tree->shape, place) < 0)
		return -ENOMEM;
	tree->order = calloc(tree->shape.n + 1, sizeof *tree->order);
	/* The fields of an object must be adjacent. */
	for (uint32_t i = 0; tree->order && i < tree->shape.n; i++)
		tree->order[i] = i;
	return tree->order ? 0 : -ENOMEM;
}

void tree_free(struct tree *tree)
{
	shape_free(&tree->shape);
	json_free(&tree->values);
	free(tree->order);
	free(tree->leaves);
	free(tree->absences);
}

static struct text tree_path(const struct tree *tree, uint32_t leaf)
{
	struct text name = member_name(&tree->shape.members[leaf]);

	return (struct text){name.p + tree->skip, name.len - tree->skip};
}

/* Returns the length of the objects that both paths begin with. */
static size_t find_shared(struct text a, struct text b)
{
	size_t shared = 0;

	for (size_t i = 0; i < a.len && i < b.len && a.p[i] == b.p[i]; i++)
		if (a.p[i] == '.')
			shared = i + 1;
	return shared;
}

/* Whether path is nested in the path of a value. */
static bool is_below(struct text path, struct text value)
{
	return path.len > value.len && path.p[value.len] == '.' &&
	       memcmp(path.p, value.p, value.len) == 0;
}

static size_t count_dots(struct text path)
{
	size_t n = 0;

	for (size_t i = 0; i < path.len; i++)
		n += path.p[i] == '.';
	return n;
}

/* Finds the position of a new leaf: after those leaves with which it shares the most objects. */
static int tree_find_place(const struct tree *tree, struct text path, uint32_t *ret_at)
{
	uint32_t at = tree->shape.n;
	size_t most = 0;

	if (text_equal(path, RESERVED) || count_dots(path) >= MAX_DEPTH)
		return -EEXIST;
	for (uint32_t i = 0; i < tree->shape.n; i++) {
		struct text other = tree_path(tree, tree->order[i]);
		size_t shared = find_shared(path, other);

		if (is_below(path, other) || is_below(other, path))
			return -EEXIST;
		if (shared > 0 && shared >= most) {
			most = shared;
			at = i + 1;
		}
	}
	*ret_at = at;
	return 0;
}

int tree_add(struct tree *tree, const struct ctprof_metric_info *info)
{
	struct text name = {info->metric->name, strlen(info->metric->name)};
	enum value_kind natural = value_kind_of(info);
	uint32_t n = tree->shape.n, at;

	if (shape_find(&tree->shape, name) != SHAPE_NONE)
		return shape_add_metric(&tree->shape, info, natural);
	int r = tree_find_place(tree, (struct text){name.p + tree->skip, name.len - tree->skip},
				&at);
	if (r < 0)
		return r;
	uint32_t *order = reallocarray(tree->order, n + 1, sizeof *order);
	if (!order)
		return -ENOMEM;
	tree->order = order;
	r = shape_add_metric(&tree->shape, info, natural);
	if (r < 0)
		return r;
	memmove(order + at + 1, order + at, (n - at) * sizeof *order);
	order[at] = n;
	return 0;
}

int tree_seal(struct tree *tree)
{
	/* "extra" may have no leaves. */
	tree->leaves = calloc(tree->shape.n + 1, sizeof *tree->leaves);
	tree->absences = calloc(tree->shape.n + 1, sizeof *tree->absences);
	if (!tree->leaves || !tree->absences)
		return -ENOMEM;
	tree_clear(tree);
	return 0;
}

static void tree_set_absent(struct tree *tree, uint32_t i, uint8_t why)
{
	bool is_known = i < tree->shape.n_fields || tree->shape.members[i].wanted;

	tree->absences[i] = is_known ? why : CTPROF_PRESENT;
}

void tree_clear(struct tree *tree)
{
	tree->values.used = 0;
	tree->values.error = 0;
	tree->n_present = 0;
	tree->partial = false;
	for (uint32_t i = 0; i < tree->shape.n; i++) {
		tree->leaves[i].present = false;
		tree_set_absent(tree, i, CTPROF_ABSENT_SKIPPED);
	}
}

/* Returns the last part of the leaf's path. */
static struct text tree_key(const struct tree *tree, uint32_t leaf)
{
	struct text path = tree_path(tree, leaf);
	const char *dot = memrchr(path.p, '.', path.len);
	size_t before = dot ? (size_t)(dot + 1 - path.p) : 0;

	return (struct text){path.p + before, path.len - before};
}

/* Renders the value and, if it is a text that is not UTF-8, the member with its bytes. */
static void tree_render(struct tree *tree, uint32_t i, enum value_kind kind, uint64_t bits)
{
	struct leaf *leaf = &tree->leaves[i];

	leaf->at = tree->values.used;
	if (!value_write(kind, &tree->values, bits))
		value_write_hex(&tree->values, tree_key(tree, i), bits);
	leaf->len = tree->values.used - leaf->at;
	leaf->present = true;
}

int tree_load(struct tree *tree, uint32_t scope, const uint64_t *values, const uint8_t *states)
{
	for (uint32_t i = 0; i < tree->shape.n; i++) {
		const struct member *member = &tree->shape.members[i];

		if (!member->registered || member->scope != scope)
			continue;
		uint8_t state = member_state(member, values, states);
		if (state != CTPROF_PRESENT) {
			tree_set_absent(tree, i, state);
			continue;
		}
		tree_render(tree, i, member->kind, values[member->slot]);
		tree->absences[i] = CTPROF_PRESENT;
		tree->n_present++;
	}
	return tree->values.error;
}

void tree_restrict(struct tree *tree, uint32_t scope, const uint8_t *changed)
{
	tree->partial = true;
	for (uint32_t i = 0; i < tree->shape.n; i++) {
		const struct member *member = &tree->shape.members[i];

		if (member->registered && (member->scope != scope || changed[member->slot]))
			continue;
		tree->leaves[i].present = false;
		tree->absences[i] = CTPROF_PRESENT;
	}
}

bool tree_has_any(const struct tree *tree)
{
	for (uint32_t i = 0; i < tree->shape.n; i++)
		if (tree->leaves[i].present)
			return true;
	return shape_has_absent(&tree->shape, tree->absences);
}

static void tree_write_leaf(const struct tree *tree, struct json *json, uint32_t i)
{
	const struct leaf *leaf = &tree->leaves[i];
	const char *absent = value_absent(tree->shape.members[i].kind);
	struct text key = tree_key(tree, i);

	json_literal(json, "\"");
	json_raw(json, key.p, key.len);
	json_literal(json, "\":");
	if (leaf->present)
		json_raw(json, tree->values.data + leaf->at, leaf->len);
	else
		json_raw(json, absent, strlen(absent));
}

/* Opens the objects named in path, which is the rest of a leaf's path. */
static void open_objects(struct json *json, struct text path)
{
	const char *dot;

	for (; (dot = memchr(path.p, '.', path.len)); path.p = dot + 1) {
		size_t len = (size_t)(dot - path.p);

		json_literal(json, "\"");
		json_raw(json, path.p, len);
		json_literal(json, "\":{");
		path.len -= len + 1;
	}
}

static void close_objects(struct json *json, size_t n)
{
	while (n-- > 0)
		json_literal(json, "}");
}

/* The leaves of an object are adjacent: before each leaf, the objects that it is not in are
 * closed. */
bool tree_write_open(const struct tree *tree, struct json *json)
{
	struct text before = {"", 0};
	bool any = false;

	json_literal(json, "{");
	for (uint32_t i = 0; i < tree->shape.n; i++) {
		uint32_t leaf = tree->order[i];

		if ((leaf >= tree->shape.n_fields || tree->partial) && !tree->leaves[leaf].present)
			continue;
		struct text path = tree_path(tree, leaf);
		size_t shared = find_shared(before, path);
		close_objects(json,
			      count_dots((struct text){before.p + shared, before.len - shared}));
		json_raw(json, ",", any);
		open_objects(json, (struct text){path.p + shared, path.len - shared});
		tree_write_leaf(tree, json, leaf);
		before = path;
		any = true;
	}
	close_objects(json, count_dots(before));
	return any;
}

void tree_write_close(const struct tree *tree, struct json *json, bool comma)
{
	if (shape_has_absent(&tree->shape, tree->absences)) {
		json_raw(json, ",", comma);
		json_literal(json, "\"" RESERVED "\":");
		presence_write_set(json, &tree->shape, tree->absences);
	}
	json_literal(json, "}");
}
