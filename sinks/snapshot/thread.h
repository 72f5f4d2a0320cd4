/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes thread records: the format's fields, further metrics, and what is absent.  Records of
 * ended threads have tid, tgid and all their metrics. */
#pragma once

#include "presence.h"
#include "schema.h"

struct thread_writer {
	struct shape shape;        /* the format's fields, then those of "extra" */
	struct json_piece *absent; /* of the fields: ,"name":0 */
	uint8_t *states;           /* states of the members in the row being written */
	uint32_t *inexact;         /* members whose bytes are not UTF-8, as above */
	bool flat;                 /* no "extra": its members are the record's own */
	struct presence presence;  /* the sets that "presence" in the records refers to */
};

/* place: SCHEMA_THREAD or SCHEMA_EXIT; must be all zeros.  0 or -ENOMEM. */
int thread_writer_init(struct thread_writer *writer, size_t place);
void thread_writer_free(struct thread_writer *writer);

/* Binds a field of the format, or adds to "extra".  0, -EEXIST: its type differs from the field's,
 * it was already added, or records use its name; or -ENOMEM. */
int thread_writer_add(struct thread_writer *writer, const struct ctprof_metric_info *info);
/* Must be called after the last metric.  0 or -ENOMEM. */
int thread_writer_seal(struct thread_writer *writer);

/* Writes one record.  The record of a thread's changes has the members that changed, and in
 * "presence" those that are now absent. */
void thread_write(struct thread_writer *writer, struct json *json, const struct source_row *row);
