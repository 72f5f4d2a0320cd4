/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads records of living and of ended threads into rows. */
#pragma once

#include "cells.h"
#include "presence.h"

struct thread_reader {
	struct shape shape; /* the format's fields, then those of "extra" */
	uint32_t scope;     /* of the rows */
	bool flat;          /* no "extra": all members are the record's own */
	bool partial;       /* values that a record lacks stay unchanged */
	const char *where;  /* for a message */
	struct presence_sets sets;
	bool sets_delayed; /* the sets came before the metrics */
	uint8_t *gates;    /* for each member: the gate that shows whether it was measured */
	uint8_t *states;   /* states of the members in the record being read */
	uint32_t *wanted;  /* members that have a metric */
	uint32_t n_wanted;
	uint32_t set; /* number of the set in states, or PRESENCE_NO_SET */
	bool has_states, has_extra;
	char expected[64]; /* for a message */
};

/* Begins with the format's fields of SCHEMA_THREAD or SCHEMA_EXIT.  0 or -ENOMEM. */
int thread_reader_init(struct thread_reader *reader, size_t place);
void thread_reader_free(struct thread_reader *reader);
/* Must be called after the last metric.  0 or -ENOMEM. */
int thread_reader_seal(struct thread_reader *reader);

/* Reads the array of sets that the records refer to, after thread_reader_seal(). */
void thread_reader_read_sets(struct thread_reader *reader, struct pull *pull);
/* Must be called before the sets of another frame are read. */
void thread_reader_clear_sets(struct thread_reader *reader);
/* Skips a record, with all checks, but without reading its values. */
void thread_reader_skip(const struct thread_reader *reader, struct pull *pull);
/* Reads a record and puts it into a row of its own. */
void thread_reader_read(struct thread_reader *reader, struct pull *pull, struct cells *cells,
			const struct ctprof_host *host, const struct ctprof_input *input);
