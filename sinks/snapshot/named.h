/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes and reads records of "objects", the rows that a source defines. */
#pragma once

#include "cells.h"

struct named {
	struct shape shape; /* the names of the group and the object, then metrics */
	char **groups;      /* the slot groups that have a metric, by struct member.group */
	uint32_t n_groups;
	uint8_t *states; /* state of each member of the current record */
	bool has_absent; /* it was read already */
	uint32_t nth;    /* index among the objects of that name, as last read */
};

/* The struct must be all zeros. 0 or -ENOMEM. */
int named_init(struct named *named);
void named_free(struct named *named);
/* Adds a metric of object scope.  0, -EEXIST: a member already has the name; or -ENOMEM. */
int named_add(struct named *named, const struct ctprof_metric_info *info, enum value_kind natural);
/* Must be called after the last metric.  0 or -ENOMEM. */
int named_seal(struct named *named);

/* Writes the record of a row, after a comma if requested.  Returns false, and writes nothing, if no
 * metric of its group has a place. */
bool named_write(struct named *named, struct json *json, bool comma, const struct source_row *row);
/* Writes '{' and the members that identify the object. */
void named_write_name(struct json *json, const struct ctprof_target *target, uint32_t nth);
/* Reads a record and puts it into a row of its own; records of a group without metrics are skipped.
 * partial: members that the record lacks stay unchanged. */
void named_read(struct named *named, struct pull *pull, struct cells *cells,
		const struct ctprof_host *host, const struct ctprof_input *input, bool partial);
