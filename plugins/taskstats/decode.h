/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel's struct taskstats holds, by version, and how to take it out. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"

/* What must be switched on in the kernel for a value to mean anything. */
enum taskstats_active {
	TASKSTATS_MEASURED = 1, /* the query was answered: always */
	TASKSTATS_CPU = 2,      /* CONFIG_TASK_DELAY_ACCT: sched_info feeds the cpu delay */
	TASKSTATS_BLOCK = 4,    /* kernel.task_delayacct=1: the other seven delays */
	TASKSTATS_XACCT = 8,    /* CONFIG_TASK_XACCT */
	TASKSTATS_ALL = 15,
};

enum {
	TASKSTATS_FIELD_CPU_COUNT = 0,
	TASKSTATS_FIELD_HIWATER_RSS = 32,
	TASKSTATS_FIELD_HIWATER_VM = 33,
	TASKSTATS_N_FIELDS,
};

/* A metric and where its value lies. */
struct taskstats_field {
	struct ctprof_metric metric;
	uint32_t needs;      /* enum taskstats_active */
	uint16_t since;      /* first struct version that has it */
	uint16_t offset;     /* in every version but 15 */
	uint16_t offset_v15; /* version 15 put max and min between the older fields */
	uint16_t scale;      /* what one unit of the kernel's counts, in the metric's unit */
};

extern const struct taskstats_field taskstats_fields[TASKSTATS_N_FIELDS];

struct taskstats_values {
	uint64_t present; /* bit i: value[i] was in the struct */
	uint64_t value[TASKSTATS_N_FIELDS];
	uint16_t version;
};

/*
 * Takes a reply's struct apart.  Fields its version does not have, or that lie
 * past its end, are not present.  -EBADMSG when it is shorter than version 8,
 * the oldest one known here, or calls itself older; *ret is then untouched.
 */
int taskstats_decode(const uint8_t *stats, size_t len, struct taskstats_values *ret);
