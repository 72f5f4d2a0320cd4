/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of "objects": rows that a source named itself. */
#pragma once

#include "ctprof/sink.h"
#include "json.h"

/* Members a record has whatever its group: no metric can have their names. */
#define NAMED_GROUP "group"
#define NAMED_NAME "name"
#define NAMED_ABSENT "absent"

struct named_writer;

/* NULL: out of memory. */
struct named_writer *named_writer_new(void);
void named_writer_free(struct named_writer *writer);
/* A metric of object scope.  -EEXIST: its name is a member's already; -ENOMEM. */
int named_writer_add(struct named_writer *writer, const struct ctprof_metric_info *info);
/* Writes the record of a row, behind a comma if so asked; false: nothing, for
 * none of its group's metrics has a place. */
bool named_write(struct named_writer *writer, struct json *json, bool comma,
		 const struct ctprof_target *target, const uint64_t *values, const uint8_t *states);
