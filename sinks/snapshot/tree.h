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
	size_t skip;        /* what of their names stands for the object itself */
	uint32_t *order;    /* of the leaves, as they are written */
	struct leaf *leaves;
	uint8_t *absences; /* of the leaves, as told in "absent" */
	size_t n_present;
	struct json values;
};

/* With the fields of a place.  -ENOMEM. */
int tree_init(struct tree *tree, size_t place);
void tree_free(struct tree *tree);
/* -EEXIST: the place is taken by another, the kinds disagree, or there are too many
 * dots.  -ENOMEM. */
int tree_add(struct tree *tree, const struct ctprof_metric_info *info);
/* No more metrics.  -ENOMEM. */
int tree_seal(struct tree *tree);

/* Forgets the values. */
void tree_clear(struct tree *tree);
/* Takes the values of a row of that scope; keeps nothing that was lent.  -ENOMEM if a
 * value was lost since tree_clear(). */
int tree_load(struct tree *tree, uint32_t scope, const uint64_t *values, const uint8_t *states);
/* Whether a wanted value, or one of a field, is absent. */
bool tree_has_absent(const struct tree *tree);

/* '{' and the members; false when there were none. */
bool tree_write_open(const struct tree *tree, struct json *json);
/* What is absent, and '}'.  comma: there are members before. */
void tree_write_close(const struct tree *tree, struct json *json, bool comma);
