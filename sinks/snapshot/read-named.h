/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of "objects" into rows: the other side of named.h. */
#pragma once

#include "absences.h"
#include "cells.h"

/* A slot group of objects. */
struct named_group {
	char *name;
};

struct named_reader {
	struct shape shape;         /* the group's and the object's name, then metrics */
	struct named_group *groups; /* those that have a metric */
	uint32_t *member_groups;    /* of the members: which of groups */
	uint32_t n_groups;
	uint8_t *states; /* of the members in the record being read */
};

/* -ENOMEM. */
int named_reader_init(struct named_reader *reader);
void named_reader_free(struct named_reader *reader);
/* A metric of object scope.  -ENOMEM. */
int named_reader_add(struct named_reader *reader, const struct ctprof_metric *metric,
		     uint32_t slot);
/* No more metrics.  -ENOMEM. */
int named_reader_seal(struct named_reader *reader);

/* Reads a record and puts it into a row of its own; one of a group without
 * metrics is passed over. */
void named_reader_read(struct named_reader *reader, struct pull *pull, struct cells *cells,
		       const struct ctprof_host *host, const struct ctprof_input *input);
