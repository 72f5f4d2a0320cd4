/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of "objects", rows that a source named itself: written, and read back. */
#pragma once

#include "cells.h"

struct named {
	struct shape shape;      /* the group's and the object's name, then metrics */
	char **groups;           /* the slot groups that have a metric */
	uint32_t *member_groups; /* of the metrics: which of groups */
	uint32_t n_groups;
	uint8_t *states; /* of the members in the record at hand */
};

/* An empty one is all zero.  -ENOMEM. */
int named_init(struct named *named);
void named_free(struct named *named);
/* A metric of object scope.  -EEXIST: its name is a member's already; -ENOMEM. */
int named_add(struct named *named, const struct ctprof_metric_info *info, enum value_kind natural);
/* No more metrics.  -ENOMEM. */
int named_seal(struct named *named);

/* Writes the record of a row, after a comma if so asked; false: nothing, for
 * none of its group's metrics has a place. */
bool named_write(struct named *named, struct json *json, bool comma,
		 const struct ctprof_target *target, const uint64_t *values, const uint8_t *states);
/* Reads a record and puts it into a row of its own; one of a group without
 * metrics is passed over. */
void named_read(struct named *named, struct pull *pull, struct cells *cells,
		const struct ctprof_host *host, const struct ctprof_input *input);
