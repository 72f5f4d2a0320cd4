/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cost.h"

#include <string.h>

#define NS_PER_S 1e9
#define USER_HZ 100
/* A thread that has just begun has no average to speak of. */
#define LEAST_AGE_S 1
#define CGROUP "cgroup"
#define STATE "state"
#define PSS_MAP "smaps_rollup_kib"

#define SHORT_FIELD(id, head, unit_, ladder_)                                                      \
	TABLE_FIELD(id, head, unit_, CTPROF_LADDER_##ladder_, CTPROF_FIELD_SHORT)
#define HIDDEN_FIELD(id, unit_) TABLE_FIELD(id, id, unit_, CTPROF_LADDER_NONE, CTPROF_FIELD_HIDDEN)

static const struct ctprof_report_field fields[N_COSTS] = {
	[COST_CPU] = TABLE_FIELD("cpu", "CPU", "cpus", CTPROF_LADDER_NONE,
				 CTPROF_FIELD_SHORT | CTPROF_FIELD_BARS),
	[COST_USER] = HIDDEN_FIELD("user", "cpus"),
	[COST_SYSTEM] = HIDDEN_FIELD("system", "cpus"),
	[COST_WAITING] = SHORT_FIELD("waiting", "WAITING", "threads", NONE),
	[COST_TURN] = SHORT_FIELD("turn", "A TURN", "ns", NS),
	[COST_RUNNABLE] = SHORT_FIELD("runnable", "R", "threads", NONE),
	[COST_BLOCKED] = SHORT_FIELD("blocked", "D", "threads", NONE),
	[COST_SWITCHES] = SHORT_FIELD("switches", "SWITCH/s", "1/s", UNITLESS),
	[COST_READ] = SHORT_FIELD("read", "READ/s", "bytes/s", BYTES),
	[COST_WRITE] = SHORT_FIELD("write", "WRITE/s", "bytes/s", BYTES),
	[COST_PSS] = SHORT_FIELD("pss", "PSS", "bytes", BYTES),
	[COST_HEAP] = HIDDEN_FIELD("heap", "bytes"),
	[COST_DISK_WAIT] = HIDDEN_FIELD("disk_wait", "threads"),
	[COST_SWAP_WAIT] = HIDDEN_FIELD("swap_wait", "threads"),
	[COST_RECLAIM] = HIDDEN_FIELD("reclaim", "threads"),
	[COST_COMPACTION] = HIDDEN_FIELD("compaction", "threads"),
	[COST_THRASHING] = HIDDEN_FIELD("thrashing", "threads"),
	[COST_FAULTS] = HIDDEN_FIELD("major_faults", "1/s"),
	[COST_WAKEUPS] = HIDDEN_FIELD("wakeups", "1/s"),
};

enum how {
	RATE,       /* the sum of both inputs, per second */
	QUOTIENT,   /* the first through the second */
	LEVEL,      /* what there is now */
	DIFFERENCE, /* likewise, of two */
	STATES,     /* how many threads have the state that is named second */
};

/* Of several rows for one cost the first one that gives a value counts. */
static const struct making {
	enum cost cost;
	enum how how;
	const char *inputs[2];
	gdouble scale;
} makings[] = {
	{COST_CPU, RATE, {"run_time_ns", NULL}, 1 / NS_PER_S},
	{COST_CPU, RATE, {"utime_clock_ticks", "stime_clock_ticks"}, 1.0 / USER_HZ},
	{COST_USER, RATE, {"utime_clock_ticks", NULL}, 1.0 / USER_HZ},
	{COST_SYSTEM, RATE, {"stime_clock_ticks", NULL}, 1.0 / USER_HZ},
	{COST_WAITING, RATE, {"wait_time_ns", NULL}, 1 / NS_PER_S},
	{COST_WAITING, RATE, {"cpu_delay_total_ns", NULL}, 1 / NS_PER_S},
	{COST_TURN, QUOTIENT, {"wait_time_ns", "timeslices"}, 1},
	{COST_TURN, QUOTIENT, {"cpu_delay_total_ns", "cpu_delay_count"}, 1},
	{COST_RUNNABLE, STATES, {STATE, "R"}, 1},
	{COST_BLOCKED, STATES, {STATE, "D"}, 1},
	{COST_SWITCHES, RATE, {"voluntary_csw", "nonvoluntary_csw"}, 1},
	{COST_READ, RATE, {"read_bytes", NULL}, 1},
	{COST_WRITE, RATE, {"write_bytes", NULL}, 1},
	{COST_PSS, LEVEL, {PSS_MAP, NULL}, 1},
	{COST_HEAP, DIFFERENCE, {"allocated_bytes", "deallocated_bytes"}, 1},
	{COST_DISK_WAIT, RATE, {"blkio_delay_total_ns", NULL}, 1 / NS_PER_S},
	{COST_DISK_WAIT, RATE, {"iowait_sum", NULL}, 1 / NS_PER_S},
	{COST_SWAP_WAIT, RATE, {"swapin_delay_total_ns", NULL}, 1 / NS_PER_S},
	{COST_RECLAIM, RATE, {"freepages_delay_total_ns", NULL}, 1 / NS_PER_S},
	{COST_COMPACTION, RATE, {"compact_delay_total_ns", NULL}, 1 / NS_PER_S},
	{COST_THRASHING, RATE, {"thrashing_delay_total_ns", NULL}, 1 / NS_PER_S},
	{COST_FAULTS, RATE, {"majflt", NULL}, 1},
	{COST_WAKEUPS, RATE, {"nr_wakeups", NULL}, 1},
};

const char *const cost_metrics[] = {
	"run_time_ns",
	"utime_clock_ticks",
	"stime_clock_ticks",
	"wait_time_ns",
	"timeslices",
	"cpu_delay_total_ns",
	"cpu_delay_count",
	STATE,
	"voluntary_csw",
	"nonvoluntary_csw",
	"read_bytes",
	"write_bytes",
	"allocated_bytes",
	"deallocated_bytes",
	"blkio_delay_total_ns",
	"iowait_sum",
	"swapin_delay_total_ns",
	"freepages_delay_total_ns",
	"compact_delay_total_ns",
	"thrashing_delay_total_ns",
	"majflt",
	"nr_wakeups",
	NULL,
};

gboolean cost_is_made_of(enum cost cost, const char *metric)
{
	for (guint i = 0; i < G_N_ELEMENTS(makings); i++)
		for (guint k = 0; k < G_N_ELEMENTS(makings[i].inputs); k++)
			if (makings[i].cost == cost && makings[i].how != STATES &&
			    g_strcmp0(makings[i].inputs[k], metric) == 0)
				return TRUE;
	return FALSE;
}

const Measure *cost_measure(const Draft *draft, enum cost cost)
{
	for (guint i = 0; i < G_N_ELEMENTS(makings); i++)
		if (makings[i].cost == cost)
			return draft_measure(draft, TABLE_THREADS, makings[i].inputs[0]);
	return NULL;
}

const struct ctprof_report_field *cost_field(enum cost cost)
{
	return &fields[cost];
}

gboolean cost_adds_up(enum cost cost)
{
	return cost != COST_TURN;
}

/* A group on its way to a cost. */
typedef struct source {
	const Draft *draft;
	const Group *group;
	const Layout *layouts[SIDES];
	guint side;
	gdouble seconds; /* that its counters count; 0: unknown */
} Source;

static gdouble seconds_of(const Draft *draft, const Group *group, guint side)
{
	const Record *record = group->sides[side];
	guint64 now = MAX(draft->plan->options->now[side], draft->sides[side].newest);

	if (draft->window)
		return draft->window->counts.seconds;
	if (!record || record->n_starts == 0)
		return 0;
	gdouble start = (gdouble)record->starts / (gdouble)record->n_starts;
	return MAX(((gdouble)now - start) / USER_HZ, LEAST_AGE_S);
}

static struct ctprof_value absent(const struct ctprof_value *value)
{
	return (struct ctprof_value){.n = value->n, .missing = value->missing, .why = value->why};
}

/* Whether it is of the side itself, not of what was counted between two. */
static gboolean is_held(const struct making *making)
{
	return making->how != RATE && making->how != QUOTIENT;
}

/* What is measured of an input; levels are of a side, whatever was counted since
 * the other. */
static gboolean take_input(const Source *source, const struct making *making, guint i,
			   struct ctprof_value *cost, gdouble *ret_number)
{
	const Measure *measure = draft_measure(source->draft, TABLE_THREADS, making->inputs[i]);
	gboolean grown = source->draft->window && !is_held(making);
	struct ctprof_value input;

	figure_input(measure, source->group, source->layouts, source->side, grown, &input);
	figure_cover(cost, &input);
	*ret_number = (gdouble)input.number;
	return input.type == CTPROF_VALUE_NUMBER;
}

static struct ctprof_value count_states(const Source *source, const struct making *making)
{
	const Measure *measure = draft_measure(source->draft, TABLE_THREADS, making->inputs[0]);
	const Record *record = source->group->sides[source->side];
	struct ctprof_value value = {.type = CTPROF_VALUE_ABSENT};
	g_autoptr(GArray) states = g_array_new(FALSE, FALSE, sizeof(MapItem));

	if (measure)
		record_value(record, source->layouts[source->side], measure, &value);
	if (value.type == CTPROF_VALUE_ABSENT)
		return absent(&value);
	value.type = CTPROF_VALUE_REAL;
	record_modes(record, source->layouts[source->side], measure, states);
	for (guint i = 0; i < states->len; i++)
		if (strcmp(g_array_index(states, MapItem, i).key, making->inputs[1]) == 0)
			value.real = (gdouble)g_array_index(states, MapItem, i).number;
	return value;
}

/* FALSE: there is no such value. */
static gboolean combine(const Source *source, const struct making *making, const gdouble numbers[2],
			gdouble *ret_real)
{
	switch (making->how) {
	case RATE:
		*ret_real = (numbers[0] + numbers[1]) / source->seconds;
		return source->seconds > 0;
	case QUOTIENT:
		*ret_real = numbers[0] / numbers[1];
		return numbers[1] > 0;
	default:
		*ret_real = MAX(numbers[0] - numbers[1], 0);
		return TRUE;
	}
}

static struct ctprof_value make(const Source *source, const struct making *making)
{
	struct ctprof_value value = {.type = CTPROF_VALUE_REAL};
	gdouble numbers[2] = {0, 0};
	gboolean is_there = TRUE;

	if (making->how == STATES)
		return count_states(source, making);
	for (guint i = 0; i < G_N_ELEMENTS(numbers) && making->inputs[i]; i++)
		is_there = take_input(source, making, i, &value, &numbers[i]) && is_there;
	if (!is_there || !combine(source, making, numbers, &value.real))
		return absent(&value);
	value.real *= making->scale;
	return value;
}

void costs_of_group(const Draft *draft, const Group *group, guint side, gboolean held_only,
		    Costs *ret_costs)
{
	const Source source = {
		.draft = draft,
		.group = group,
		.layouts = {&draft->sides[0].layouts[TABLE_THREADS],
			    &draft->sides[1].layouts[TABLE_THREADS]},
		.side = side,
		.seconds = seconds_of(draft, group, side),
	};

	*ret_costs = (Costs){{{.type = CTPROF_VALUE_ABSENT}}};
	for (guint i = 0; i < G_N_ELEMENTS(makings); i++) {
		const struct making *making = &makings[i];
		struct ctprof_value *cost = &ret_costs->of[making->cost];

		if (cost->type != CTPROF_VALUE_ABSENT || (held_only && !is_held(making)))
			continue;
		struct ctprof_value made = make(&source, making);
		/* The first one says why there is none. */
		if (made.type != CTPROF_VALUE_ABSENT || cost->missing == 0)
			*cost = made;
	}
}

struct ctprof_value cost_cgroup(const Draft *draft, const Group *group, guint side)
{
	const Measure *measure = draft_measure(draft, TABLE_THREADS, CGROUP);
	struct ctprof_value value = {.type = CTPROF_VALUE_ABSENT};

	if (measure)
		record_value(group->sides[side], &draft->sides[side].layouts[TABLE_THREADS],
			     measure, &value);
	return value;
}
