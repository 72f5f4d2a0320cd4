/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A document being written, either a file of its own or a frame of a recording. */
#pragma once

#include "kept.h"
#include "named.h"
#include "stream.h"
#include "thread.h"
#include "tree.h"

struct series;
struct replay;

struct snapshot {
	const struct ctprof_host *host;
	struct stream *stream;
	struct json *json; /* the stream's */
	struct thread_writer threads, exits;
	struct named named;
	struct tree cgroup;
	struct tree objects[SCHEMA_N_OBJECTS];
	struct ctprof_capture given; /* at begin(): its metrics, valid until end() */
	struct json capture;         /* rendered at begin(), written at end() */
	struct series *series;       /* the recording; NULL: a single document */
	struct replay *replay;       /* samples of the file read last, or NULL */
	uint64_t began_monotonic_ns;
	uint64_t n_written;               /* members of the list being written */
	uint64_t n_slots[KEPT_N_CLASSES]; /* minimum number of slots of a row */
	enum kept_class at;               /* class of the rows that can be written now */
	bool sealed;                      /* the metrics are settled */
	bool host_seen, capture_seen, exits_seen, objects_seen;
};

/* Each writes a part of a whole document; they must be called in this order. */
void snapshot_write_head(struct snapshot *self, uint64_t realtime_ns);
int snapshot_write_row(struct snapshot *self, enum kept_class class, const struct source_row *row);
/* Writes everything between the rows written last and those of that class. */
void snapshot_advance(struct snapshot *self, enum kept_class class);
void snapshot_write_end(struct snapshot *self, const struct ctprof_capture_end *end);

/* Writes a member of "cgroup_stats" from the values in its tree. */
void snapshot_write_cgroup(struct snapshot *self, const struct ctprof_target *target);
