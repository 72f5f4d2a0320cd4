/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An object whose members are named with dots: "memory.max" is max in memory. */
#pragma once

#include "schema.h"

/* The text of a present value of a leaf, in tree.values. */
struct leaf {
	bool present;
	size_t at, len;
};

struct tree {
	struct shape shape; /* the leaves: a field is written whether present or not */
	size_t skip;        /* length of the part of the names that stands for the object itself */
	uint32_t *order;    /* indices of leaves, in the order of writing */
	struct leaf *leaves;
	uint8_t *absences; /* reasons of the leaves, as written in "absent" */
	size_t n_present;
	bool partial; /* only present values are written, including fields */
	struct json values;
};

/* Starts with the fields of a place.  0 or -ENOMEM. */
int tree_init(struct tree *tree, size_t place);
void tree_free(struct tree *tree);
/* 0, -EEXIST: the place is taken, the kinds disagree, or there are too many dots; or -ENOMEM. */
int tree_add(struct tree *tree, const struct ctprof_metric_info *info);
/* Must be called after the last metric.  0 or -ENOMEM. */
int tree_seal(struct tree *tree);

/* Forgets the values. */
void tree_clear(struct tree *tree);
/* Takes the values of a row of that scope, without keeping borrowed data.  -ENOMEM if a value was
 * lost since tree_clear(). */
int tree_load(struct tree *tree, uint32_t scope, const uint64_t *values, const uint8_t *states);
/* Drops the values of that scope that are not in changed (by slot). */
void tree_restrict(struct tree *tree, uint32_t scope, const uint8_t *changed);
/* Whether any value must be written. */
bool tree_has_any(const struct tree *tree);

/* Writes '{' and the members; false if there are none. */
bool tree_write_open(const struct tree *tree, struct json *json);
/* Writes "absent" and '}'. comma: members precede it. */
void tree_write_close(const struct tree *tree, struct json *json, bool comma);
