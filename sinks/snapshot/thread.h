/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thread records: the format's fields, further metrics, and what is absent.  Records of
 * threads that ended: all their metrics beside tid and tgid. */
#pragma once

#include "schema.h"

struct thread_writer;

/* place: SCHEMA_THREAD or SCHEMA_EXIT.  NULL: out of memory. */
struct thread_writer *thread_writer_new(size_t place);
void thread_writer_free(struct thread_writer *writer);

/* Binds a field of the format, or adds to "extra".  -EEXIST: of another type
 * than the field, there twice, or of a name that records use; -ENOMEM. */
int thread_writer_add(struct thread_writer *writer, const struct ctprof_metric_info *info);
/* No more metrics.  -ENOMEM. */
int thread_writer_seal(struct thread_writer *writer);

/* One record; values and states as in struct ctprof_rows. */
void thread_write(struct thread_writer *writer, struct json *json,
		  const struct ctprof_target *target, const uint64_t *values,
		  const uint8_t *states);
/* The sets the records' "presence" refers to. */
void thread_write_presence_sets(const struct thread_writer *writer, struct json *json);
