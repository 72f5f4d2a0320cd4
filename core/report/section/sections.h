/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections a report is made of, in the order they are listed. */
#pragma once

enum section_id {
	SECTION_PRIMARY,
	SECTION_DELAY,
	SECTION_DERIVED,
	SECTION_CGROUP_STATS,
	SECTION_CGROUP_LIMITS,
	SECTION_MEMORY_STAT,
	SECTION_MEMORY_EVENTS,
	SECTION_PRESSURE,
	SECTION_HOST_PRESSURE,
	SECTION_SMAPS,
	SECTION_CATEGORIES,
	SECTION_SCHED_EXT,
	SECTION_HOST,
	N_SECTIONS
};

struct section {
	const char *name;    /* as --sections takes it */
	const char *heading; /* as drawn */
	const char *help;    /* one clause */
	unsigned int flags;  /* SECTION_* */
};

#define SECTION_OF_CGROUPS 1u /* only with --group-by cgroup */
#define SECTION_SHOW_NAMED 2u /* in show only when --sections names it */
#define SECTION_NAMED 4u      /* in both only when an option asks for it */

/* N_SECTIONS by id, then one with a NULL name. */
extern const struct section sections[];
