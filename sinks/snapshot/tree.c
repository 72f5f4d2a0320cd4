/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "presence.h"

#define NONE UINT32_MAX
#define MAX_DEPTH 8
/* The object's own members beside what is named by metrics. */
#define RESERVED "absent"

struct node {
	uint32_t leaf; /* NONE: an object */
	uint32_t parent, next, child, last_child;
	bool shown; /* has something to write */
};

struct leaf {
	uint32_t node;
	uint32_t scope; /* of the batch; 0: no metric */
	uint32_t index;
	enum value_kind kind;
	bool field;  /* written also when absent */
	bool wanted; /* told when absent */
	bool present;
	size_t at, len; /* its text in values */
};

/* Node 0 is the object itself. */
struct tree {
	struct node *nodes;
	struct json_piece *keys; /* of the nodes: `,"key":` */
	size_t n_nodes;
	struct leaf *leaves;
	struct json_piece *names; /* of the leaves: `"name"` */
	uint8_t *absences;        /* of the leaves, as told in "absent" */
	size_t n_leaves;
	size_t n_present;
	struct json values;
};

/* Adds the last child of parent; *ret_node is meaningless when this fails. */
static int tree_add_node(struct tree *tree, uint32_t parent, const char *key, size_t len,
			 uint32_t *ret_node)
{
	struct node *nodes = array_room(tree->nodes, tree->n_nodes, sizeof *nodes);
	if (nodes)
		tree->nodes = nodes;
	struct json_piece *keys = array_room(tree->keys, tree->n_nodes, sizeof *keys);
	if (keys)
		tree->keys = keys;
	if (!nodes || !keys || json_piece_make(",\"", key, len, "\":", &keys[tree->n_nodes]) < 0)
		return -ENOMEM;

	uint32_t node = (uint32_t)tree->n_nodes++;
	nodes[node] = (struct node){
		.leaf = NONE, .parent = parent, .next = NONE, .child = NONE, .last_child = NONE};
	if (parent != NONE) {
		uint32_t last = nodes[parent].last_child;

		if (last == NONE)
			nodes[parent].child = node;
		else
			nodes[last].next = node;
		nodes[parent].last_child = node;
	}
	*ret_node = node;
	return 0;
}

struct tree *tree_new(void)
{
	struct tree *tree = calloc(1, sizeof *tree);
	uint32_t root;

	if (!tree)
		return NULL;
	if (json_init(&tree->values, JSON_ROOM) < 0 ||
	    tree_add_node(tree, NONE, "", 0, &root) < 0) {
		tree_free(tree);
		return NULL;
	}
	return tree;
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	json_pieces_free(tree->keys, tree->n_nodes);
	json_pieces_free(tree->names, tree->n_leaves);
	json_free(&tree->values);
	free(tree->nodes);
	free(tree->leaves);
	free(tree->absences);
	free(tree);
}

static uint32_t tree_find_child(const struct tree *tree, uint32_t parent, const char *key,
				size_t len)
{
	uint32_t node = tree->nodes[parent].child;

	for (; node != NONE; node = tree->nodes[node].next) {
		const struct json_piece *other = &tree->keys[node]; /* with ,"": around */

		if (other->len == len + 4 && memcmp(other->p + 2, key, len) == 0)
			return node;
	}
	return NONE;
}

/* The node at path; made, with those above, when it is not there. */
static int tree_make_path(struct tree *tree, const char *path, uint32_t *ret_node)
{
	uint32_t node = 0;

	if (strcmp(path, RESERVED) == 0)
		return -EEXIST;
	for (unsigned int depth = 0; depth < MAX_DEPTH; depth++) {
		if (tree->nodes[node].leaf != NONE)
			return -EEXIST;

		size_t len = strcspn(path, ".");
		uint32_t child = tree_find_child(tree, node, path, len);
		int r = child == NONE ? tree_add_node(tree, node, path, len, &child) : 0;
		if (r < 0)
			return r;
		node = child;
		if (path[len] == '\0') {
			*ret_node = node;
			return 0;
		}
		path += len + 1;
	}
	return -EEXIST;
}

/* Makes node, which has nothing below, the leaf of the metric `name`. */
static int tree_add_leaf(struct tree *tree, uint32_t node, const char *name,
			 const struct leaf *model)
{
	if (tree->nodes[node].child != NONE)
		return -EEXIST;
	struct leaf *leaves = array_room(tree->leaves, tree->n_leaves, sizeof *leaves);
	if (leaves)
		tree->leaves = leaves;
	struct json_piece *names = array_room(tree->names, tree->n_leaves, sizeof *names);
	if (names)
		tree->names = names;
	uint8_t *absences = array_room(tree->absences, tree->n_leaves, sizeof *absences);
	if (absences)
		tree->absences = absences;
	if (!leaves || !names || !absences ||
	    json_piece_make("\"", name, strlen(name), "\"", &names[tree->n_leaves]) < 0)
		return -ENOMEM;
	tree->nodes[node].leaf = (uint32_t)tree->n_leaves;
	leaves[tree->n_leaves] = *model;
	leaves[tree->n_leaves].node = node;
	absences[tree->n_leaves++] = CTPROF_PRESENT;
	return 0;
}

int tree_add_field(struct tree *tree, const char *path, const struct schema_field *field)
{
	const struct leaf model = {.kind = field->kind, .field = true};
	uint32_t node;
	int r = tree_make_path(tree, path, &node);

	return r < 0 ? r : tree_add_leaf(tree, node, field->name, &model);
}

int tree_add_metric(struct tree *tree, const char *path, const struct ctprof_metric_info *info)
{
	struct leaf model = {
		.scope = info->metric->scope,
		.index = info->index,
		.kind = value_kind_of(info),
		.wanted = info->wanted != 0,
	};
	uint32_t node;
	int r = tree_make_path(tree, path, &node);

	if (r < 0)
		return r;
	uint32_t leaf = tree->nodes[node].leaf;
	if (leaf == NONE)
		return tree_add_leaf(tree, node, info->metric->name, &model);
	struct leaf *field = &tree->leaves[leaf];
	if (field->scope != 0 || !value_accepts(field->kind, model.kind))
		return -EEXIST;
	field->scope = model.scope;
	field->index = model.index;
	field->wanted = model.wanted;
	return 0;
}

static void tree_show(struct tree *tree, uint32_t node)
{
	for (; node != NONE && !tree->nodes[node].shown; node = tree->nodes[node].parent)
		tree->nodes[node].shown = true;
}

static void tree_set_absent(struct tree *tree, size_t i, uint8_t why)
{
	const struct leaf *leaf = &tree->leaves[i];
	bool told = leaf->field || leaf->wanted;

	tree->absences[i] = told ? why : CTPROF_PRESENT;
	if (leaf->field)
		tree_show(tree, leaf->node);
}

void tree_clear(struct tree *tree)
{
	tree->values.used = 0;
	tree->values.error = 0;
	tree->n_present = 0;
	for (size_t i = 0; i < tree->n_nodes; i++)
		tree->nodes[i].shown = false;
	for (size_t i = 0; i < tree->n_leaves; i++) {
		tree->leaves[i].present = false;
		tree_set_absent(tree, i, CTPROF_ABSENT_SKIPPED);
	}
}

/* The value's text, and behind a text that is no UTF-8 the member with its bytes. */
static void tree_render(struct tree *tree, struct leaf *leaf, uint64_t bits)
{
	struct json *json = &tree->values;
	const struct json_piece *key = &tree->keys[leaf->node];

	leaf->at = json->used;
	if (!value_write(leaf->kind, json, bits)) {
		json_raw(json, key->p, key->len - 2);
		json_literal(json, "_hex\":");
		json_hex(json, value_text(bits)->bytes, value_text(bits)->length);
	}
	leaf->len = json->used - leaf->at;
}

void tree_load(struct tree *tree, uint32_t scope, const uint64_t *values, const uint8_t *states)
{
	for (size_t i = 0; i < tree->n_leaves; i++) {
		struct leaf *leaf = &tree->leaves[i];

		if (leaf->scope != scope)
			continue;
		uint8_t state = states[leaf->index];
		if (state == CTPROF_PRESENT && !value_fits(leaf->kind, values[leaf->index]))
			state = CTPROF_ABSENT_INVALID;
		if (state != CTPROF_PRESENT) {
			tree_set_absent(tree, i, state);
			continue;
		}
		tree_render(tree, leaf, values[leaf->index]);
		leaf->present = true;
		tree->absences[i] = CTPROF_PRESENT;
		tree->n_present++;
		tree_show(tree, leaf->node);
	}
}

int tree_error(const struct tree *tree)
{
	return tree->values.error;
}

bool tree_has_values(const struct tree *tree)
{
	return tree->n_present > 0;
}

bool tree_has_absent(const struct tree *tree)
{
	for (size_t i = 0; i < tree->n_leaves; i++)
		if (tree->absences[i] != CTPROF_PRESENT)
			return true;
	return false;
}

static void tree_write_leaf(const struct tree *tree, struct json *json, const struct leaf *leaf)
{
	const char *absent = value_absent(leaf->kind);

	if (leaf->present)
		json_raw(json, tree->values.data + leaf->at, leaf->len);
	else
		json_raw(json, absent, strlen(absent));
}

/* As deep as MAX_DEPTH. */
static bool tree_write_members(const struct tree *tree, struct json *json, uint32_t parent)
{
	uint32_t child = tree->nodes[parent].child;
	size_t written = 0;

	for (; child != NONE; child = tree->nodes[child].next) {
		const struct node *node = &tree->nodes[child];
		size_t comma = written > 0 ? 0 : 1;

		if (!node->shown)
			continue;
		written++;
		json_raw(json, tree->keys[child].p + comma, tree->keys[child].len - comma);
		if (node->leaf != NONE) {
			tree_write_leaf(tree, json, &tree->leaves[node->leaf]);
			continue;
		}
		json_literal(json, "{");
		tree_write_members(tree, json, child);
		json_literal(json, "}");
	}
	return written > 0;
}

bool tree_write_open(const struct tree *tree, struct json *json)
{
	json_literal(json, "{");
	return tree_write_members(tree, json, 0);
}

void tree_write_close(const struct tree *tree, struct json *json, bool comma)
{
	if (tree_has_absent(tree)) {
		if (comma)
			json_literal(json, ",");
		json_literal(json, "\"" RESERVED "\":");
		presence_write_set(json, tree->names, tree->absences, tree->n_leaves);
	}
	json_literal(json, "}");
}
