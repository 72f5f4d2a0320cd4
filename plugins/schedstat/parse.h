/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the kernel's file schedstat, versions 15 to 17; pure: accepts any bytes. */
#pragma once

#include "ctprof/plugin.h"
#include "slots.h"
#include "text.h"

#define SCHEDSTAT_VERSION_MIN 15u
#define SCHEDSTAT_VERSION_MAX 17u

/* Values of a CPU, in the order of the file (its second column is always 0). */
enum {
	CPU_YIELDS,
	CPU_SCHEDULES,
	CPU_GOIDLE,
	CPU_WAKEUPS,
	CPU_WAKEUPS_LOCAL,
	CPU_COUNTED_ALWAYS, /* values before it only if kernel.sched_schedstats is 1 */
	CPU_RUN_TIME = CPU_COUNTED_ALWAYS,
	CPU_DELAY,
	CPU_TIMESLICES,
	N_CPU_VALUES,
};

/* The state of the CPU when a domain is balanced. */
enum { BALANCE_BUSY, BALANCE_IDLE, BALANCE_NEWIDLE, N_BALANCES };

/* Values of a domain for each of these states. */
enum {
	BALANCE_COUNT,
	BALANCE_BALANCED,
	BALANCE_FAILED,
	BALANCE_IMBALANCE,
	BALANCE_LOAD,
	BALANCE_UTIL,
	BALANCE_TASK,
	BALANCE_MISFIT,
	BALANCE_PULLED,
	BALANCE_PULLED_HOT,
	BALANCE_NOBUSYQ,
	BALANCE_NOBUSYG,
	N_BALANCE_VALUES,
};

#define DOMAIN_VALUE(when, what) ((when)*N_BALANCE_VALUES + (what))

/* The number of all values of a domain. */
enum {
	DOMAIN_ACTIVE_COUNT = N_BALANCES * N_BALANCE_VALUES,
	DOMAIN_ACTIVE_FAILED,
	DOMAIN_ACTIVE_PUSHED,
	DOMAIN_WAKE_REMOTE,
	DOMAIN_WAKE_AFFINE,
	N_DOMAIN_VALUES,
};

/* Sums over the domains of a level. */
#define N_LEVEL_VALUES 9u
/* The domain value that each level value is the sum of. */
extern const uint8_t schedstat_level_values[N_LEVEL_VALUES];

/* The start of each kind of metrics in schedstat_metrics. */
enum {
	SCHEDSTAT_HOST,
	SCHEDSTAT_LEVEL = SCHEDSTAT_HOST + N_CPU_VALUES,
	SCHEDSTAT_CPU = SCHEDSTAT_LEVEL + N_LEVEL_VALUES,
	SCHEDSTAT_DOMAIN = SCHEDSTAT_CPU + N_CPU_VALUES,
	SCHEDSTAT_DOMAIN_LEVEL = SCHEDSTAT_DOMAIN + N_DOMAIN_VALUES,
	SCHEDSTAT_DOMAIN_CPUS,
	SCHEDSTAT_N_METRICS,
};

extern const struct ctprof_metric schedstat_metrics[SCHEDSTAT_N_METRICS];

struct schedstat_rows {
	struct text rest; /* of the file */
	uint32_t version;
	struct text cpu; /* number in the last line about a CPU */
};

/* A line about a CPU or, if domain is not empty, about a domain of that CPU. */
struct schedstat_row {
	struct text cpu;    /* "cpu0" */
	struct text domain; /* "domain0" */
	struct text level;  /* name such as "MC"; before version 17 the same as domain */
	struct text mask;   /* of its CPUs */
	uint32_t n;         /* number of values */
	/* UNSUPPORTED: not in this version; INVALID: not a number, or the columns do not match the
	 * version. */
	struct slots_value values[N_DOMAIN_VALUES];
};

/* Begins with the line of the version; false if there is none. */
bool schedstat_begin(struct text text, struct schedstat_rows *ret);
/* Takes the next row; false if there are no more. */
bool schedstat_take(struct schedstat_rows *rows, struct schedstat_row *ret);
/* Adds a value to a sum.  Once a value is absent, the sum is invalid. */
void schedstat_add(struct slots_value *sum, const struct slots_value *value);

/*
 * Stores the CPUs of a mask such as "3,00000001" in cpus, ascending.  Returns their number, or 0 if
 * the mask is empty, malformed, or has more than max CPUs.
 */
size_t schedstat_mask(struct text mask, uint32_t *cpus, size_t max);
