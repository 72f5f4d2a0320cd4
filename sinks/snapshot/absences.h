/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the file says is absent, and why: the other side of presence.h. */
#pragma once

#include "pull.h"
#include "shape.h"

/* Reads an object reason -> names into the states of the members it names; a
 * reason or name that is not known here is passed over. */
void absences_read(struct pull *pull, const struct shape *shape, uint8_t *states);

/* "presence_sets": only what is absent is kept of each. */
struct presence_sets {
	uint32_t *absences;
	size_t n_absences;
	uint32_t *ends; /* of the sets, in absences */
	uint32_t n;
};

void presence_sets_free(struct presence_sets *sets);
/* Reads the array; states: one for each member of shape, as scratch. */
void presence_sets_read(struct presence_sets *sets, struct pull *pull, const struct shape *shape,
			uint8_t *states);
/* The states of set i, which is one of them. */
void presence_sets_get(const struct presence_sets *sets, uint32_t i, uint8_t *states, uint32_t n);
