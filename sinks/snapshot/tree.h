/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An object whose members are named with dots: "memory.max" is max in memory. */
#pragma once

#include "schema.h"

struct tree;

/* NULL: out of memory. */
struct tree *tree_new(void);
void tree_free(struct tree *tree);

/*
 * Adds the leaf `path` for the metric `name` of which path is the end.  A field
 * is written whether present or not; a metric joins its field, or is written
 * when present.  -EEXIST: the place is taken by another, the kinds disagree,
 * or there are too many dots.  -ENOMEM.
 */
int tree_add_field(struct tree *tree, const char *path, const struct schema_field *field);
int tree_add_metric(struct tree *tree, const char *path, const struct ctprof_metric_info *info);

/* Forgets the values. */
void tree_clear(struct tree *tree);
/* Takes the values of a row of that scope; keeps nothing that was lent. */
void tree_load(struct tree *tree, uint32_t scope, const uint64_t *values, const uint8_t *states);
/* 0, or -ENOMEM if a value was lost since tree_clear(). */
int tree_error(const struct tree *tree);

/* Whether a value is present. */
bool tree_has_values(const struct tree *tree);
/* Whether a wanted value, or one of a field, is absent. */
bool tree_has_absent(const struct tree *tree);

/* '{' and the members; false when there were none. */
bool tree_write_open(const struct tree *tree, struct json *json);
/* What is absent, and '}'.  comma: there are members before. */
void tree_write_close(const struct tree *tree, struct json *json, bool comma);
