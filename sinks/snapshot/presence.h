/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The absent values and their reasons: objects reason -> names.  Most rows lack the same values for
 * the same reasons, so each distinct set is stored once and rows refer to it by number.  States are
 * enum ctprof_absence, one for each member of a shape.
 */
#pragma once

#include "pull.h"
#include "shape.h"

/* Maximum number of stored sets; rows with further sets contain them in full. */
#define PRESENCE_MAX_SETS 65536
/* A value that is not the number of a set. */
#define PRESENCE_NO_SET UINT32_MAX

/* The sets over a shape. */
struct presence {
	const struct shape *shape;
	struct presence_set **sets; /* by number */
	uint32_t n_sets;
	uint32_t last; /* the set of the previous row, or PRESENCE_NO_SET */
	void *tree;    /* index of the sets, by their states; see tsearch() */
};

/* Begins without sets; the shape must outlive it unchanged. */
void presence_init(struct presence *presence, const struct shape *shape);
/* Forgets the sets. */
void presence_clear(struct presence *presence);

/* Writes the number of the set with these states, or the set itself if there is
 * no room for another. */
void presence_write_ref(struct presence *presence, struct json *json, const uint8_t *states);
/* Writes all sets as an array. */
void presence_write_sets(const struct presence *presence, struct json *json);

/* Writes one set: the object reason -> names.  Names of present values do not appear. */
void presence_write_set(struct json *json, const struct shape *shape, const uint8_t *states);

/* Reads such an object into the states of the members it names; unknown names are ignored. */
void presence_read_set(struct pull *pull, const struct shape *shape, uint8_t *states);

/* "presence_sets" as read: only the absent members of each set are stored. */
struct presence_sets {
	uint32_t *absences;
	size_t n_absences;
	uint32_t *ends; /* for each set: where it ends in absences */
	uint32_t n;
};

void presence_sets_free(struct presence_sets *sets);
/* Reads the array; states: scratch. */
void presence_sets_read(struct presence_sets *sets, struct pull *pull, const struct shape *shape,
			uint8_t *states);
/* Gets the states of set i, which must exist. */
void presence_sets_get(const struct presence_sets *sets, uint32_t i, uint8_t *states, uint32_t n);
