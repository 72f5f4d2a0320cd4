/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The members that an object of the file can have, for both writer and reader: the format's fields,
 * and the registered metrics.
 */
#pragma once

#include "text.h"
#include "value.h"

#define SHAPE_NONE UINT32_MAX

struct kept_row;

struct member {
	struct json_piece key;   /* "name":, preceded by a comma */
	enum value_kind kind;    /* as written */
	bool registered;         /* it has a metric, and the following: */
	bool wanted;             /* its absence is written */
	enum value_kind natural; /* the kind it is put as */
	uint32_t scope, slot;
	uint32_t group; /* slot group, for metrics of objects; otherwise 0 */
};

/* A row to be written. */
struct source_row {
	const struct ctprof_target *target;
	const uint64_t *values; /* by slot, as in struct ctprof_rows; NULL: there are no slots */
	const uint8_t *states;
	const uint8_t *changed;        /* by slot: the values to be written; NULL: all */
	const struct kept_row *before; /* the previous values of a thread that changed */
	uint32_t nth;                  /* index of an object that changed, as in struct kept_row */
};

struct shape {
	struct member *members; /* the fields, then other metrics */
	uint32_t n, n_fields;
	uint32_t *buckets; /* open addressing; SHAPE_NONE: free */
	uint32_t n_buckets;
};

/* Adds a field; an empty shape is all zeros.  The name must be new.  0 or -ENOMEM. */
int shape_add_field(struct shape *shape, const char *name, enum value_kind kind);
/* Adds a metric, which joins the field of its name or becomes a member.  0, -EEXIST: its place is
 * taken, or the field cannot represent its values; or -ENOMEM. */
int shape_add_metric(struct shape *shape, const struct ctprof_metric_info *info,
		     enum value_kind natural);
void shape_free(struct shape *shape);

/* Returns the member of that name, or SHAPE_NONE. */
uint32_t shape_find(const struct shape *shape, struct text name);

/* Returns the text member whose bytes are the member of that name, NAME_hex; or SHAPE_NONE. */
uint32_t shape_find_hex(const struct shape *shape, struct text name);

/*
 * Writes the present values of the metrics of a group among the members first..end, after `before`
 * if there are any; returns their number.  *ret_states: the states of these members.
 */
size_t shape_write(const struct shape *shape, struct json *json, uint32_t first, uint32_t end,
		   uint32_t group, const char *before, const struct source_row *row,
		   uint8_t *ret_states);
/* Whether any member is absent. */
bool shape_has_absent(const struct shape *shape, const uint8_t *states);

static inline struct text member_name(const struct member *member)
{
	return (struct text){member->key.p + 1, member->key.len - 3};
}

static inline void member_write_key(struct json *json, const struct member *member, bool comma)
{
	json_raw(json, member->key.p - comma, member->key.len + comma);
}

/* Returns the member's state in a row; a value that does not fit the member's kind is invalid. */
static inline uint8_t member_state(const struct member *member, const uint64_t *values,
				   const uint8_t *states)
{
	if (!member->registered)
		return CTPROF_ABSENT_SKIPPED;
	if (states[member->slot] == CTPROF_PRESENT &&
	    !value_fits(member->kind, values[member->slot]))
		return CTPROF_ABSENT_INVALID;
	return states[member->slot];
}
