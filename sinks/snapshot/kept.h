/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows of a sample, kept for comparison with the next sample of a recording, or filled while a
 * recording is read.
 */
#pragma once

#include <stdbool.h>

#include "ctprof/sink.h"

/* In the order of a snapshot: values common to all threads come first. */
enum kept_class {
	KEPT_HOST,
	KEPT_THREAD,
	KEPT_EXIT,
	KEPT_CGROUP,
	KEPT_OBJECT,
	KEPT_CAPTURE,
	KEPT_N_CLASSES,
};

/* Maximum number of objects of one group and name that are distinguished. */
#define KEPT_MAX_NTH 256

struct kept_row {
	struct ctprof_target target; /* path: the row's own; group: borrowed */
	uint32_t nth;                /* index among the objects of this name, from 0 */
	uint32_t hash;
	uint64_t sample;       /* the last sample that it was in; 0: dropped */
	struct kept_row *next; /* next in its bucket */
	uint8_t *states;       /* n_slots, enum ctprof_absence */
	uint64_t values[];     /* n_slots; texts, CPUs and maps are the row's own */
};

/* The rows of one class, in order of arrival. */
struct kept_rows {
	uint8_t *types; /* types of the slots: enum ctprof_type */
	uint32_t n_slots;
	uint32_t n_buckets; /* a power of two, or 0 */
	struct kept_row **buckets;
	struct kept_row **rows;
	size_t n;
	uint64_t sample; /* being taken, from 1 */
	bool is_sorted;  /* no row was added after kept_sort() */
};

struct kept {
	struct kept_rows of[KEPT_N_CLASSES];
};

/* The scope of the rows of each class. */
extern const uint32_t kept_scopes[KEPT_N_CLASSES];
/* Returns the class whose rows have values of that scope; KEPT_N_CLASSES: unknown. */
enum kept_class kept_class_of(uint32_t scope);

/* An empty struct kept is all zeros. */
void kept_free(struct kept *kept);
/* Sets the type of a slot; must be called before there are rows.  0 or -ENOMEM. */
int kept_set_type(struct kept_rows *rows, uint32_t slot, uint32_t type);

/* Orders the entries of a map by key; keeps only the last of those with equal keys.  Returns how
 * many stay. */
size_t kept_order_entries(struct ctprof_map_entry *entries, size_t n);

/* Begins another sample: no row has been seen in it. */
void kept_begin(struct kept *kept);
/* Returns the row of that target, or NULL. */
struct kept_row *kept_find(const struct kept_rows *rows, const struct ctprof_target *target,
			   uint32_t nth);
/*
 * Finds or adds the row of that target and marks it as seen; in a new row all values are absent as
 * UNSUPPORTED.  If an object of that name was already seen in this sample, takes another row. 0,
 * -ENOMEM, or -EINVAL: too many of one name.
 */
int kept_take(struct kept_rows *rows, const struct ctprof_target *target, struct kept_row **ret_row,
	      bool *ret_is_new);
/* Like kept_take(), for the row with index nth among those of that target. */
int kept_take_nth(struct kept_rows *rows, const struct ctprof_target *target, uint32_t nth,
		  struct kept_row **ret_row, bool *ret_is_new);
/* Appends a row, whatever its target; NULL: out of memory. */
struct kept_row *kept_append(struct kept_rows *rows, const struct ctprof_target *target,
			     uint32_t nth);
void kept_clear(struct kept_rows *rows);
/* Like kept_clear(), but also frees the slots. */
void kept_rows_free(struct kept_rows *rows);

/* Sets one value (as in struct ctprof_rows; copied) or, unless state is PRESENT, the reason for its
 * absence.  0 or -ENOMEM. */
int kept_set(const struct kept_rows *rows, struct kept_row *row, uint32_t slot, uint8_t state,
	     uint64_t bits);
/* Sets *ret_changed, by slot, to 1 for values that differ from the row's, otherwise to 0; returns
 * their number. */
int kept_compare(const struct kept_rows *rows, const struct kept_row *row, const uint64_t *values,
		 const uint8_t *states, uint8_t *ret_changed);
/* Sets the values that changed.  0 or -ENOMEM. */
int kept_update(const struct kept_rows *rows, struct kept_row *row, const uint64_t *values,
		const uint8_t *states, const uint8_t *changed);

/* Makes all values of a row absent as UNSUPPORTED. */
void kept_reset(const struct kept_rows *rows, struct kept_row *row);
/* Frees the rows whose last sample was before `since`; first calls each(), unless NULL, for
 * them. */
void kept_sweep(struct kept_rows *rows, uint64_t since,
		void (*each)(void *context, const struct kept_row *row), void *context);
/* Sorts threads by (tgid, tid), cgroups by path. */
void kept_sort(struct kept_rows *rows);
