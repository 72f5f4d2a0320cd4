/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an object of the file may hold: the format's fields, and the metrics it declares. */
#pragma once

#include "schema.h"
#include "text.h"

#define SHAPE_NONE UINT32_MAX

struct member {
	struct json_piece key;   /* "name": */
	enum value_kind kind;    /* as written */
	bool registered;         /* there is a metric, and this: */
	enum value_kind natural; /* what it is put as */
	uint32_t scope, slot;
};

struct shape {
	struct member *members; /* the fields, then other metrics */
	uint32_t n;
	uint32_t *buckets; /* open addressing; SHAPE_NONE: free */
	uint32_t n_buckets;
};

/* An empty one is all zero. */
int shape_add_fields(struct shape *shape, const struct schema_fields *fields);
/* A metric joins the field of its name, or becomes a member.  One whose place is
 * taken, or whose values cannot be what the field holds, gets none.  -ENOMEM. */
int shape_add_metric(struct shape *shape, const struct ctprof_metric *metric, uint32_t slot);
void shape_free(struct shape *shape);

/* The member of that name, or SHAPE_NONE. */
uint32_t shape_find(const struct shape *shape, struct text name);

/* The text whose bytes stand under that name, NAME_hex, or SHAPE_NONE. */
uint32_t shape_find_hex(const struct shape *shape, struct text name);

static inline struct text member_name(const struct member *member)
{
	return (struct text){member->key.p + 1, member->key.len - 3};
}
