/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who holds what: the folded smaps of all processes, put together by object.
 * Workers add processes at once; the rest is for one thread, when they are done.
 */
#pragma once

#include <pthread.h>

#include "classify.h"
#include "fold.h"
#include "pool.h"

/* Beyond these, objects and mappings are counted and left out. */
#define HOLDERS_OBJECTS_MAX (1u << 18)
#define HOLDERS_RECORDS_MAX (1u << 20)
/* Of an object's consumers the biggest are named. */
#define HOLDERS_CONSUMERS_MAX 64u
#define HOLDERS_PCOMM_MAX 64u

struct holders_process {
	int32_t pid;
	uint32_t pcomm_len;
	char pcomm[HOLDERS_PCOMM_MAX];
	uint64_t read_ns;
	/* Settled: its part of what is swapped out of shared memory, by object
	 * and by name; see holders_settle(). */
	uint64_t swap_by_object, swap_by_name;
};

/* What several mappings show, in sum. */
struct backing {
	struct identity identity;
	enum object_kind kind;
	uint32_t label_len;
	char *label; /* the path; empty: it has none */
	uint32_t present;
	uint64_t vmas;
	uint64_t bytes[VMA_N_FIELDS];
};

struct consumer {
	const struct holders_process *process;
	uint64_t pss;
};

/* A backing object, over all processes. */
struct holders_object {
	struct backing backing;
	uint64_t processes;
	/* Swap of the shared mappings: over all processes, and the most of one. */
	uint64_t swap_sum, swap_max;
	uint32_t n_consumers;
	size_t room_consumers;
	struct consumer *consumers; /* the biggest; settled: biggest first */
};

/* Of a process that was chosen: an object, or other memory of one label. */
struct holders_mapping {
	const struct holders_process *process;
	struct backing backing;
};

/* A shared mapping's name, over all processes. */
struct holders_name {
	struct text label;
	uint64_t vmas;
};

/* What a process has swapped out of an object, or a name. */
struct swap_record {
	struct holders_process *process;
	const void *of; /* struct holders_object or holders_name */
	uint64_t bytes;
};

struct swap_records {
	struct swap_record *at;
	size_t n, room;
};

struct holders {
	pthread_mutex_t lock; /* of all that follows, but mounts and wanted */
	const struct mounts *mounts;
	unsigned wanted; /* FOLD_*; FOLD_BY_NAME: anything of swap */
	struct pool processes;
	struct pool objects;
	struct pool names;
	struct pool mappings;
	struct swap_records by_object, by_name;
	uint64_t unreadable; /* processes */
	uint64_t dropped;    /* objects, mappings and records beyond the limits */
	bool out_of_memory;
};

void holders_init(struct holders *ret, const struct mounts *mounts, unsigned wanted);
void holders_clear(struct holders *holders);

/* A finished fold, which is sorted by kind on the way; chosen: keep its
 * mappings too. */
void holders_add(struct holders *holders, const struct holders_process *process, struct fold *fold,
		 bool chosen);
/* A process that could not be read. */
void holders_miss(struct holders *holders);

/*
 * No process comes any more: sorts everything, and shares swap out.  By object:
 * of the most that one process has of it, in proportion to what each has.  By
 * name: each mapping's, divided by the mappings of that name (as ChromeOS does).
 */
void holders_settle(struct holders *holders);

/* Proportional sizes of all objects of a kind. */
uint64_t holders_sum_pss(const struct holders *holders, enum object_kind kind);
