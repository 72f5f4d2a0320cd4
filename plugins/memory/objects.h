/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The groups of objects, which are put one after another, and the code they share. */
#pragma once

#include "descriptor.h"
#include "holders.h"
#include "ledger.h"
#include "mounts.h"
#include "pool.h"
#include "sysv.h"
#include "walk.h"

#define OBJECT_METRICS_MAX 16u
/* The value of the option pid for all processes. */
#define EVERY_PROCESS 0

enum object_group_id {
	GROUP_LEDGER,
	GROUP_TMPFS,
	GROUP_FILES,
	GROUP_SYSV,
	GROUP_SHARED,
	GROUP_SWAP,
	GROUP_MAPPINGS,
	N_OBJECT_GROUPS,
};

struct objects;

struct object_group {
	const char *name;
	const struct ctprof_metric *metrics;
	size_t n_metrics;
	/* Adds rows, from objects->next on: 0 if there are no more, -ENOSPC if the
	 * batch is full, or another -errno. */
	int (*emit)(struct objects *objects, struct ctprof_batch *batch);
	/* Optional: reports missing data, after all rows. */
	void (*end)(struct objects *objects);
};

extern const struct object_group ledger_group, tmpfs_group, files_group, sysv_group, shared_group,
	swap_group, mappings_group;

struct objects {
	const struct ctprof_host *host;
	struct smaps_limits *limits;
	uint32_t slots[N_OBJECT_GROUPS][OBJECT_METRICS_MAX];
	bool wanted[N_OBJECT_GROUPS];
	int32_t *pids; /* processes whose mappings are wanted, ascending */
	size_t n_pids;
	/* Valid from start() on. */
	int mounts_error; /* -errno if they could not be read */
	struct mounts mounts;
	bool holding; /* processes are read into holders */
	struct holders holders;
	/* The members below are used while rows are added. */
	unsigned group;    /* the current one */
	size_t next;       /* its row */
	struct pool names; /* of its rows */
	bool settled;
	int sysv_error; /* -errno if they could not be read; 1: not read yet */
	struct sysv sysv;
	struct ledger *ledger; /* NULL: not made yet */
	struct walk *walk;     /* NULL: not made yet */
};

/* One row in a table of object metrics. */
#define OBJECT_METRIC(group, flags_, kind, unit, name, help, origin)                               \
	METRIC_ROW(kind, unit, OBJECT, name, group, help, origin, .flags = flags_)

#define OBJECT_GROUP_METRICS(table) .metrics = table, .n_metrics = sizeof table / sizeof table[0]

/* Reads the option pid and declares the metrics; on failure nothing needs to be freed.  limits
 * apply to all reads that take the mmap lock, and must outlive the objects. */
int objects_open(struct objects *ret, const struct ctprof_host *host, struct smaps_limits *limits);
void objects_close(struct objects *objects);
/* Must be called once it is known which metrics are wanted. */
void objects_start(struct objects *objects);
/* Forgets everything, for another capture. */
void objects_again(struct objects *objects);
/* Adds rows to an object batch; is called again until it adds none. */
int objects_emit(struct objects *objects, struct ctprof_batch *batch);

/* Reads segments on the first call; 0 or -errno. */
int objects_read_sysv(struct objects *objects);
/* Settles the holders on the first call. */
void objects_settle(struct objects *objects);

/* ---- putting ----------------------------------------------------------- */

/* The destination of a row's values. */
struct object_row {
	const struct ctprof_host *host;
	struct ctprof_batch *batch;
	uint64_t row;
	const uint32_t *slots;
};

/* Adds a row with a name; returns the host's result. */
int object_row_add(struct objects *objects, enum object_group_id group, struct ctprof_batch *batch,
		   struct text name, struct object_row *ret);
void object_row_put(const struct object_row *row, unsigned metric, uint64_t value);
void object_row_put_text(const struct object_row *row, unsigned metric, struct text text);
void object_row_put_word(const struct object_row *row, unsigned metric, const char *word);
void object_row_put_amount(const struct object_row *row, unsigned metric, struct amount amount);
/* Puts a device as "0:27". */
void object_row_put_device(const struct object_row *row, unsigned metric, uint32_t major,
			   uint32_t minor);
