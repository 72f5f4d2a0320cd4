/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An object whose members are named with dots: "memory.max" is max in memory. */
#pragma once

#include "schema.h"

/* The text of a leaf in tree.values, of a value that is present. */
struct leaf {
	bool present;
	size_t at, len;
};

struct tree {
	struct shape shape; /* the leaves: a field is written whether present or not */
	size_t skip;        /* length of the part of their names for the object itself */
	uint32_t *order;    /* indices of leaves, in the order of writing */
	struct leaf *leaves;
	uint8_t *absences; /* of the leaves, as written in "absent" */
	size_t n_present;
	bool partial; /* only present values are written, including fields */
	struct json values;
};

/* With the fields of a place.  -ENOMEM. */
int tree_init(struct tree *tree, size_t place);
void tree_free(struct tree *tree);
/* -EEXIST: the place is taken, the kinds disagree, or there are too many dots.
 * -ENOMEM. */
int tree_add(struct tree *tree, const struct ctprof_metric_info *info);
/* No more metrics.  -ENOMEM. */
int tree_seal(struct tree *tree);

/* Forgets the values. */
void tree_clear(struct tree *tree);
/* Takes the values of a row of that scope; keeps no borrowed data.  -ENOMEM if a
 * value was lost since tree_clear(). */
int tree_load(struct tree *tree, uint32_t scope, const uint64_t *values, const uint8_t *states);
/* Drops the values of that scope that are not in changed (by slot). */
void tree_restrict(struct tree *tree, uint32_t scope, const uint8_t *changed);
/* Whether there is anything to write. */
bool tree_has_any(const struct tree *tree);
/* Whether a wanted value, or one of a field, is absent. */
bool tree_has_absent(const struct tree *tree);

/* Writes '{' and the members; false if there were none. */
bool tree_write_open(const struct tree *tree, struct json *json);
/* Writes "absent" and '}'. comma: members precede it. */
void tree_write_close(const struct tree *tree, struct json *json, bool comma);
