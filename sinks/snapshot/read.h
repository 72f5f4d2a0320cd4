/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads documents back, a whole one or the changes of another sample; see docs/file-format.md. */
#pragma once

#include "named.h"
#include "read-thread.h"
#include "schema.h"
#include "unzstd.h"

/*
 * Threads come before the definitions of their values and the sets of absent ones, and there are
 * too many to keep.  In our files these are in a frame of their own, which is read first; other
 * files are read twice.
 */
enum pass {
	PASS_SKIM, /* reads all that is needed to fill rows, and checks that the file is complete */
	PASS_SETS, /* presence_sets only, if they came before the metrics */
	PASS_FILL,
	PASS_TAIL,  /* the second frame alone, ahead of PASS_ONCE */
	PASS_ONCE,  /* all that is not in that frame */
	PASS_DELTA, /* for a frame of changes, which needs only this pass */
};

/* The scopes with a single row. */
enum { ROW_HOST, ROW_CAPTURE, N_SINGLE_ROWS };

struct reader {
	const struct ctprof_host *host;
	const struct ctprof_input *input;
	/* Called in PASS_DELTA for an item of "gone", which no longer exists. */
	void (*gone)(struct reader *reader, const struct ctprof_target *target, uint32_t nth);
	void *context; /* for gone() */

	struct unzstd *unzstd;
	struct pull pull;
	struct cells cells;
	struct thread_reader threads, exits, *of; /* of: that of the part being read */
	struct named named;
	struct shape cgroup, objects[SCHEMA_N_OBJECTS], lost; /* lost: records of "gone" */
	uint8_t *states;                                      /* states of an object being read */
	struct json path;
	bool has_scope[N_SINGLE_ROWS]; /* a metric of it */
	bool is_null[SCHEMA_N_OBJECTS];
	struct row rows[N_SINGLE_ROWS];
	uint64_t tail; /* where the second frame begins, or 0 */
	enum pass pass;
	uint32_t seen;    /* members of the top object in this pass, a bit each */
	uint32_t in_tail; /* those seen in PASS_TAIL */
	bool own;         /* written by ctprof, with its rules */
	bool sealed;      /* the metrics are settled */
	bool faulted;     /* the text is invalid */
};

/* The caller sets host, input, gone and context before.  0 or -ENOMEM. */
int reader_init(struct reader *reader);
void reader_free(struct reader *reader);
/* Reads the document, which must be all of the input. 0 or -errno. */
int reader_read(struct reader *reader);
/* Reads a frame of changes to the documents and frames read before. */
int reader_read_delta(struct reader *reader);

/* Reads our files, or the reference's.  tail: as in struct seek_table.  0 or -errno, which
 * input->fault() has explained, except for -ENOMEM. */
int read_snapshot(const struct ctprof_host *host, const struct ctprof_input *input, uint64_t tail);
