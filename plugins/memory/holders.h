/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes that hold each object, from the folded smaps of all processes, merged by object.
 * Workers add processes concurrently; all other functions must be called by one thread, after the
 * workers are done.
 */
#pragma once

#include <pthread.h>

#include "classify.h"
#include "elsewhere.h"
#include "fold.h"
#include "pool.h"

/* Objects and mappings beyond these numbers are counted and left out. */
#define HOLDERS_OBJECTS_MAX (1u << 18)
#define HOLDERS_RECORDS_MAX (1u << 20)
/* Maximum number of consumers of an object; if all objects together have
 * HOLDERS_RECORDS_MAX, only the largest of each are kept. */
#define HOLDERS_CONSUMERS_MAX (1u << 16)
#define HOLDERS_CONSUMERS_LEAST 64u
#define HOLDERS_PCOMM_MAX 64u

struct holders_process {
	int32_t pid;
	uint32_t pcomm_len;
	char pcomm[HOLDERS_PCOMM_MAX];
	uint64_t read_ns;
	/* After settling: its share of swapped-out shared memory, by object and
	 * by name; see holders_settle(). */
	uint64_t swap_by_object, swap_by_name;
};

/* The sums of several mappings of the same thing. */
struct backing {
	struct identity identity;
	enum object_kind kind;
	uint32_t label_len;
	char *label; /* the path; empty: none */
	uint32_t present;
	uint64_t vmas;
	uint64_t bytes[VMA_N_FIELDS];
};

struct consumer {
	const struct holders_process *process;
	uint64_t pss;
};

/* An object, over all processes. */
struct holders_object {
	struct backing backing;
	int32_t labelled_by; /* the process */
	uint64_t processes;
	/* Swap of the shared mappings: sum over all processes, and the maximum. */
	uint64_t swap_sum, swap_max;
	uint32_t n_consumers;
	size_t room_consumers;
	struct consumer *consumers; /* after settling: largest first */
};

/* A process's mappings of an object, or other memory of one label. */
struct holders_mapping {
	const struct holders_process *process;
	struct backing backing;
};

/* A shared mapping's name, over all processes. */
struct holders_name {
	struct text label;
	uint64_t vmas;
};

/* The swapped-out memory of a process that belongs to an object or a name. */
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
	const struct mounts *mounts;
	struct elsewhere elsewhere; /* those of other namespaces */
	unsigned wanted;            /* FOLD_*; FOLD_BY_NAME: swap is wanted */
	pthread_mutex_t lock;       /* protects everything below */
	struct pool processes;
	struct pool objects;
	struct pool names;
	struct pool mappings;
	size_t n_consumers; /* of all objects */
	struct swap_records by_object, by_name;
	uint64_t unreadable; /* processes */
	uint64_t dropped;    /* objects, mappings and records beyond the limits */
	bool out_of_memory;
};

/* host: used to read mounts of other namespaces; NULL: they are not read. */
void holders_init(struct holders *ret, const struct ctprof_host *host, const struct mounts *mounts,
		  unsigned wanted);
void holders_clear(struct holders *holders);

/* The data to keep of a process: only its share of objects; its own non-empty areas, too; or all
 * its mappings. */
enum holders_choice { HOLDERS_OBJECTS, HOLDERS_AREAS, HOLDERS_MAPPINGS };

/* Adds a finished fold, after sorting it by kind. */
void holders_add(struct holders *holders, const struct holders_process *process, struct fold *fold,
		 enum holders_choice choice);
/* Counts a process that could not be read. */
void holders_miss(struct holders *holders);

/*
 * Must be called after the last process: sorts everything, and divides swap.  By object: the
 * largest amount that a single process has, divided in proportion to the amounts of all.  By name:
 * the amount of each mapping, divided by the number of mappings of that name (as ChromeOS does).
 */
void holders_settle(struct holders *holders);

/* Returns the sum of PSS of all objects of a kind. */
uint64_t holders_sum_pss(const struct holders *holders, enum object_kind kind);
