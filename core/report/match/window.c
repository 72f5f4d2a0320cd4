/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "window.h"

#include <string.h>

#include "exits.h"
#include "frame/percentile.h"

enum { BEFORE, AFTER };

/* How a metric's values are combined. */
enum rule {
	RULE_SUM,   /* what was counted in between */
	RULE_HIGH,  /* the highest, if it rose */
	RULE_LOW,   /* the lowest above 0, if it fell */
	RULE_SINCE, /* a histogram: what was counted in between, on the second side alone */
	RULE_ENDS,  /* each side's own value */
};

/* A metric and its slots in rows. */
typedef struct joint {
	enum rule rule;
	gint slots[SIDES]; /* -1: that side does not have it */
	gint exit_slot;    /* slot in an exit record, or -1 */
	const Measure *measure;
	gboolean restarts; /* reset to 0, with new memory, when another program is executed */
} Joint;

typedef struct window {
	Side *sides;
	Namer *namer;
	Arena *arena; /* for the histograms of one pair */
	guint64 began;
	GArray *joints; /* Joint */
	RosterRow rows[SIDES], ended;
	/* The names of the thread added last, and the records of its group; NULL: none yet. */
	RecordKey names;
	Record *records[SIDES];
	CpuSlots cpu[SIDES];
	Exits *exits;
	const Joint *times[CPU_SYSTEM + 1]; /* slots of the CPU time; NULL: missing */
	guint64 rests[CPU_SYSTEM + 1];      /* parts of ticks, carried to the next ended thread */
	Record *last;                       /* for the newer side, to which rows were added last */
	WindowResult *result;
} Window;

static RosterWalk walk_of(const Side *sides)
{
	return (RosterWalk){.rosters = {sides[BEFORE].roster, sides[AFTER].roster}};
}

/* ---- values of a pair of rows ---- */

static guint8 *state_of(Window *window, const Joint *joint, guint side)
{
	return joint->slots[side] < 0 ? NULL : &window->rows[side].states[joint->slots[side]];
}

static guint8 state_at(Window *window, const Joint *joint, guint side)
{
	const guint8 *state = state_of(window, joint, side);

	return state ? *state : CTPROF_ABSENT_UNSUPPORTED;
}

static void set_state(Window *window, const Joint *joint, guint side, guint8 state)
{
	guint8 *at = state_of(window, joint, side);

	if (at)
		*at = state;
}

static void set_value(Window *window, const Joint *joint, guint side, guint64 value)
{
	set_state(window, joint, side, CTPROF_PRESENT);
	if (joint->slots[side] >= 0)
		window->rows[side].values[joint->slots[side]] = value;
}

static guint64 value_at(const Window *window, const Joint *joint, guint side)
{
	return window->rows[side].values[joint->slots[side]];
}

static gboolean is_paired(Window *window, const Joint *joint)
{
	return state_at(window, joint, BEFORE) == CTPROF_PRESENT &&
	       state_at(window, joint, AFTER) == CTPROF_PRESENT;
}

static void lose(Window *window, const Joint *joint, guint8 why)
{
	set_state(window, joint, BEFORE, why);
	set_state(window, joint, AFTER, why);
}

static gboolean has_fallen(Window *window, const Joint *joint)
{
	return is_paired(window, joint) &&
	       value_at(window, joint, AFTER) < value_at(window, joint, BEFORE);
}

/* A sum includes only threads that have a value on both sides. */
static void join_sum(Window *window, const Joint *joint)
{
	guint8 before = state_at(window, joint, BEFORE), after = state_at(window, joint, AFTER);

	if (before != CTPROF_PRESENT || after != CTPROF_PRESENT)
		lose(window, joint, after == CTPROF_PRESENT ? before : after);
	else if (has_fallen(window, joint) && joint->restarts)
		lose(window, joint, CTPROF_ABSENT_INVALID);
	else if (has_fallen(window, joint))
		set_value(window, joint, AFTER, value_at(window, joint, BEFORE));
}

/* Whether the peak was reached in the window. */
static gboolean is_new_peak(const Window *window, const Joint *joint)
{
	guint64 before = value_at(window, joint, BEFORE), after = value_at(window, joint, AFTER);

	if (joint->rule == RULE_HIGH)
		return after > before;
	return after != 0 && (before == 0 || after < before);
}

static void join_peak(Window *window, const Joint *joint)
{
	guint8 before = state_at(window, joint, BEFORE);

	if (is_paired(window, joint)) {
		if (!is_new_peak(window, joint))
			set_state(window, joint, AFTER, CTPROF_ABSENT_INAPPLICABLE);
	} else if (state_at(window, joint, AFTER) == CTPROF_PRESENT) {
		set_state(window, joint, AFTER, before);
	}
	set_state(window, joint, BEFORE, CTPROF_ABSENT_INAPPLICABLE);
}

/* Joins a histogram: the second side gets what was counted in between, the first gets nothing. */
static void join_since(Window *window, const Joint *joint)
{
	guint8 before = state_at(window, joint, BEFORE);

	if (is_paired(window, joint)) {
		guint64 *after = &window->rows[AFTER].values[joint->slots[AFTER]];

		*after = histogram_since(window->arena, value_at(window, joint, BEFORE), *after);
		before = *after ? CTPROF_PRESENT : CTPROF_ABSENT_INVALID;
	}
	if (state_at(window, joint, AFTER) == CTPROF_PRESENT)
		set_state(window, joint, AFTER, before);
	set_state(window, joint, BEFORE, CTPROF_ABSENT_INAPPLICABLE);
}

/* Joins a thread that is in both captures. */
static void join_matched(Window *window)
{
	arena_reset(window->arena);
	for (guint i = 0; i < window->joints->len; i++) {
		const Joint *joint = &g_array_index(window->joints, Joint, i);

		if (joint->rule == RULE_SUM)
			join_sum(window, joint);
		else if (joint->rule == RULE_SINCE)
			join_since(window, joint);
		else if (joint->rule != RULE_ENDS)
			join_peak(window, joint);
	}
}

/* Joins a thread that started in between: its counters were 0 before. */
static void join_born(Window *window)
{
	for (guint i = 0; i < window->joints->len; i++) {
		const Joint *joint = &g_array_index(window->joints, Joint, i);
		guint8 after = state_at(window, joint, AFTER);

		if (joint->rule != RULE_SUM)
			set_state(window, joint, BEFORE, CTPROF_ABSENT_INAPPLICABLE);
		else if (after == CTPROF_PRESENT)
			set_value(window, joint, BEFORE, 0);
		else
			set_state(window, joint, BEFORE, after);
	}
}

/* Joins a thread that only one capture has and whose counts are unknown: it ended without a record,
 * or may have existed before the window. */
static void join_unknown(Window *window, guint side, guint8 why)
{
	for (guint i = 0; i < window->joints->len; i++) {
		const Joint *joint = &g_array_index(window->joints, Joint, i);

		if (joint->rule == RULE_ENDS)
			set_state(window, joint, !side, CTPROF_ABSENT_INAPPLICABLE);
		else if (state_at(window, joint, side) != CTPROF_ABSENT_INAPPLICABLE)
			lose(window, joint, why);
		else
			lose(window, joint, CTPROF_ABSENT_INAPPLICABLE);
		/* An earlier peak is not a peak of the window. */
		if (joint->rule != RULE_SUM && joint->rule != RULE_ENDS)
			set_state(window, joint, BEFORE, CTPROF_ABSENT_INAPPLICABLE);
	}
}

/* Whether the two cannot be the same thread.  The kernel's counters never fall, but a thread that
 * calls exec() takes its leader's ID and start.  Unless /proc is read in between, its time is
 * divided again into user and system ticks, and one of them may fall. */
static gboolean is_another(Window *window)
{
	for (guint i = 0; i < window->joints->len; i++) {
		const Joint *joint = &g_array_index(window->joints, Joint, i);

		if (joint->rule == RULE_SUM && joint->measure->unit != CTPROF_UNIT_TICKS &&
		    !joint->restarts && has_fallen(window, joint))
			return TRUE;
	}
	return FALSE;
}

/* ---- threads that ended ---- */

static guint8 exit_state(const Window *window, const Joint *joint)
{
	return joint->exit_slot < 0 ? CTPROF_ABSENT_VANISHED
				    : window->ended.states[joint->exit_slot];
}

static void end_sum(Window *window, const Joint *joint, gboolean was_there, gboolean is_born)
{
	guint64 ended = joint->exit_slot < 0 ? 0 : window->ended.values[joint->exit_slot];
	guint8 state = exit_state(window, joint);

	if (!was_there && is_born && state == CTPROF_PRESENT)
		set_value(window, joint, BEFORE, 0);
	else if (!was_there && is_born)
		set_state(window, joint, BEFORE, state);
	else if (!was_there)
		set_state(window, joint, BEFORE, CTPROF_ABSENT_SKIPPED);
	guint8 before = state_at(window, joint, BEFORE);
	if (before == CTPROF_PRESENT && state == CTPROF_PRESENT &&
	    ended >= value_at(window, joint, BEFORE))
		set_value(window, joint, AFTER, ended);
	else
		lose(window, joint, before == CTPROF_PRESENT ? CTPROF_ABSENT_VANISHED : before);
}

static void end_peak(Window *window, const Joint *joint, gboolean was_there, gboolean is_born)
{
	gboolean is_new = exit_state(window, joint) == CTPROF_PRESENT &&
			  window->ended.values[joint->exit_slot] > 0;

	if (is_new) {
		set_value(window, joint, AFTER, window->ended.values[joint->exit_slot]);
		is_new = was_there ? is_paired(window, joint) && is_new_peak(window, joint)
				   : is_born;
	}
	if (!is_new)
		set_state(window, joint, AFTER, CTPROF_ABSENT_INAPPLICABLE);
	set_state(window, joint, BEFORE, CTPROF_ABSENT_INAPPLICABLE);
}

/* Joins a thread that has an exit record. */
static void join_ended(Window *window, gboolean was_there, gboolean is_born)
{
	for (guint i = 0; i < window->joints->len; i++) {
		const Joint *joint = &g_array_index(window->joints, Joint, i);

		if (joint->rule == RULE_SUM) {
			end_sum(window, joint, was_there, is_born);
		} else if (joint->rule == RULE_SINCE) {
			lose(window, joint, CTPROF_ABSENT_VANISHED);
		} else if (joint->rule != RULE_ENDS) {
			end_peak(window, joint, was_there, is_born);
		} else {
			if (!was_there)
				set_state(window, joint, BEFORE, CTPROF_ABSENT_INAPPLICABLE);
			set_state(window, joint, AFTER, CTPROF_ABSENT_INAPPLICABLE);
		}
	}
}

/* Replaces the record's own CPU time by the time that it represents; carries the rest of a tick
 * over to the next record. */
static void charge(Window *window, const CpuTime *time)
{
	const guint64 shares[] = {time->run, time->user, time->system};

	for (guint i = 0; i < G_N_ELEMENTS(shares); i++) {
		const Joint *joint = window->times[i];
		guint64 unit = i == CPU_RUN ? 1 : CPU_TICK_NS;

		if (!joint || !is_paired(window, joint))
			continue;
		window->rests[i] = fold_add_saturated(window->rests[i], shares[i]);
		set_value(window, joint, AFTER,
			  fold_add_saturated(value_at(window, joint, BEFORE),
					     window->rests[i] / unit));
		window->rests[i] %= unit;
	}
}

/* ---- the fold ---- */

/* Finds the group with these names, and its records on both sides. */
static void find_group(Window *window, const RosterEntry *thread, const RecordKey *names)
{
	RecordKey key = *names;

	if (window->namer->axis->by_thread) {
		key.tid = thread->tid;
		key.start = thread->start;
	} else {
		namer_key(window->namer, names, &key);
	}
	window->names = *names;
	for (guint side = 0; side < SIDES; side++)
		window->records[side] =
			record_set_take(&window->sides[side].sets[TABLE_THREADS], &key);
}

/* Adds the rows to their group.  ghosts: the sides that do not have the thread. */
static void put_rows(Window *window, const RosterEntry *last, const RecordKey *names,
		     const gboolean ghosts[SIDES], gboolean in_part, gboolean has_ended)
{
	RecordKey literal = *names;

	literal.of_command = exits_is_of_command(window->exits, last);
	/* In most cases the group is that of the previous thread. */
	if (!window->records[0] || window->namer->axis->by_thread ||
	    !record_key_equal(&literal, &window->names))
		find_group(window, last, &literal);
	if (!window->namer->axis->by_thread)
		namer_watch(window->namer, &window->records[0]->key, last->tid);
	for (guint side = 0; side < SIDES; side++) {
		Record *record = window->records[side];

		window->rows[side].target.tgid = last->tgid;
		window->rows[side].target.tid = last->tid;
		record_add(record, window->namer->store, &window->rows[side].rows, 0,
			   ghosts[side] ? 0 : last->start);
		record->n_ghosts += ghosts[side] ? 1 : 0;
		window->last = record;
		for (guint i = 0; in_part && i < G_N_ELEMENTS(window->times); i++)
			if (window->times[i] && is_paired(window, window->times[i]))
				record_miss(record, window->times[i]->measure,
					    CTPROF_ABSENT_VANISHED);
	}
	const StateThread thread = {
		.rows = window->rows,
		.ended = has_ended ? &window->ended : NULL,
		.entry = last,
		.was_there = !ghosts[BEFORE],
		.is_there = !ghosts[AFTER],
	};
	states_add(window->result->states, window->records[AFTER], &thread);
	members_add(window->result->members, window->records[AFTER], &thread,
		    names->names[window->namer->axis->n_names - 1]);
}

/* Returns the names in a row that was read. */
static RecordKey names_in(Window *window, guint side)
{
	RecordKey names = {.start = 0};

	(void)side_name_thread(&window->sides[side], &window->rows[side].rows, 0, &names);
	return names;
}

static RecordKey read_row(Window *window, const RosterEntry *entry, guint side)
{
	roster_read(window->sides[side].roster, entry, &window->rows[side]);
	return names_in(window, side);
}

/* Adds the CPU time of a thread that still exists. */
static void count_cpu(Window *window)
{
	CpuTime times[SIDES];

	for (guint side = 0; side < SIDES; side++)
		if (!cpu_time_of(&window->cpu[side], &window->rows[side], &times[side]))
			return;
	window->result->has_cpu = TRUE;
	if (times[AFTER].run > times[BEFORE].run)
		window->result->threads_ns = fold_add_saturated(
			window->result->threads_ns, times[AFTER].run - times[BEFORE].run);
}

static void fold_ended(Window *window, const RosterEntry *thread, const RosterEntry *record,
		       gboolean is_born)
{
	static const gboolean ghosts[][SIDES] = {{TRUE, TRUE}, {FALSE, TRUE}};
	RecordKey names;
	CpuTime time = exits_share(window->exits, record);
	gboolean is_charged = thread || is_born;
	gboolean is_exact = exits_is_exact(window->exits, record);
	guint64 *sum = is_exact ? &window->result->exact_ns : &window->result->divided_ns;

	roster_read(window->sides[AFTER].exits, record, &window->ended);
	if (thread)
		names = read_row(window, thread, BEFORE);
	else
		exits_names(window->exits, record, &names);
	join_ended(window, thread != NULL, is_born);
	if (is_charged) {
		charge(window, &time);
		*sum = fold_add_saturated(*sum, time.run);
	}
	put_rows(window, thread ? thread : record, &names, ghosts[thread != NULL],
		 is_charged && !is_exact, TRUE);
	if (!thread && is_born) {
		window->last->n_short++;
		window->last->short_ns = fold_add_saturated(window->last->short_ns, time.run);
		window->result->short_ns = fold_add_saturated(window->result->short_ns, time.run);
	}
	window->result->counts.n_recorded += thread != NULL;
	window->result->counts.n_unseen += thread == NULL;
}

static void fold_gone(Window *window, const RosterEntry *thread)
{
	const RosterEntry *record = exits_find(window->exits, thread);

	window->result->counts.n_gone++;
	if (record) {
		fold_ended(window, thread, record, FALSE);
		return;
	}
	const RecordKey names = read_row(window, thread, BEFORE);
	join_unknown(window, BEFORE, CTPROF_ABSENT_VANISHED);
	put_rows(window, thread, &names, (const gboolean[]){FALSE, TRUE}, FALSE, FALSE);
}

static void fold_new(Window *window, const RosterEntry *thread, gboolean is_born)
{
	window->result->counts.n_born++;
	const RecordKey names = read_row(window, thread, AFTER);
	if (is_born) {
		join_born(window);
		count_cpu(window);
	} else {
		join_unknown(window, AFTER, CTPROF_ABSENT_SKIPPED);
	}
	put_rows(window, thread, &names, (const gboolean[]){TRUE, FALSE}, FALSE, FALSE);
}

static void fold_pair(Window *window, const RosterEntry *const pair[SIDES])
{
	for (guint side = 0; side < SIDES; side++) {
		window->result->counts.threads[side] += pair[side] != NULL;
		if (pair[side])
			roster_read(window->sides[side].roster, pair[side], &window->rows[side]);
	}
	if (!pair[AFTER]) {
		fold_gone(window, pair[BEFORE]);
	} else if (!pair[BEFORE]) {
		fold_new(window, pair[AFTER], pair[AFTER]->start >= MAX(window->began, 1));
	} else if (is_another(window)) {
		fold_gone(window, pair[BEFORE]);
		fold_new(window, pair[AFTER], FALSE);
	} else {
		const RecordKey names = names_in(window, AFTER);

		join_matched(window);
		count_cpu(window);
		put_rows(window, pair[AFTER], &names, (const gboolean[]){FALSE, FALSE}, FALSE,
			 FALSE);
	}
}

static enum rule rule_of(const Measure *measure)
{
	return measure->kind == CTPROF_COUNTER     ? RULE_SUM
	       : measure->kind == CTPROF_PEAK      ? RULE_HIGH
	       : measure->kind == CTPROF_LOW       ? RULE_LOW
	       : measure->kind == CTPROF_HISTOGRAM ? RULE_SINCE
						   : RULE_ENDS;
}

static GArray *list_joints(const Side *sides)
{
	const Intake *intake = sides[AFTER].intake;
	const Measures *measures = &intake->measures[TABLE_THREADS];
	GArray *joints = g_array_new(FALSE, FALSE, sizeof(Joint));

	for (guint i = 0; i < measures->list->len; i++) {
		const Measure *measure = g_ptr_array_index(measures->list, i);
		const Measure *ended =
			measures_find(&intake->measures[TABLE_EXITS], measure->field.name);
		Joint joint = {
			.rule = rule_of(measure),
			.restarts = (measure->flags & CTPROF_METRIC_RESTARTS) != 0,
			.exit_slot = ended && ended->unit == measure->unit
					     ? layout_slot(&sides[AFTER].layouts[TABLE_EXITS],
							   ended->field.name)
					     : -1,
			.measure = measure,
		};

		if (!measure->fold)
			continue;
		for (guint side = 0; side < SIDES; side++)
			joint.slots[side] = layout_slot(&sides[side].layouts[TABLE_THREADS],
							measure->field.name);
		g_array_append_val(joints, joint);
	}
	return joints;
}

static const Joint *find_joint(const GArray *joints, const char *name)
{
	for (guint i = 0; i < joints->len; i++)
		if (strcmp(g_array_index(joints, Joint, i).measure->field.name, name) == 0)
			return &g_array_index(joints, Joint, i);
	return NULL;
}

/* Collects names and charges before any thread is folded.  Only a thread's last name is added: it
 * determines the group. */
static void note_threads(Window *window)
{
	const RosterEntry *record;
	gboolean is_born;
	guint at = 0;

	for (RosterWalk walk = walk_of(window->sides); roster_walk_next(&walk);) {
		guint side = walk.pair[AFTER] ? AFTER : BEFORE;

		exits_note(window->exits, walk.pair);
		side_read_names(&window->sides[side], walk.pair[side], &window->rows[side]);
		const RecordKey names = names_in(window, side);
		namer_add(window->namer, &names);
	}
	exits_divide(window->exits);
	while ((record = exits_next(window->exits, &at, &is_born))) {
		RecordKey names;

		exits_names(window->exits, record, &names);
		namer_add(window->namer, &names);
	}
}

static void window_init(Window *window)
{
	Side *sides = window->sides;

	for (guint side = 0; side < SIDES; side++) {
		const Layout *layout = &sides[side].layouts[TABLE_THREADS];

		roster_sort(sides[side].roster);
		roster_row_init(&window->rows[side], sides[side].roster);
		window->cpu[side] = cpu_slots_of(layout);
	}
	roster_sort(sides[AFTER].exits);
	roster_row_init(&window->ended, sides[AFTER].exits);
	for (guint i = 0; i < G_N_ELEMENTS(window->times); i++)
		window->times[i] = find_joint(window->joints, cpu_metrics[i]);
}

void window_fold(Side sides[SIDES], Namer *namer, guint64 began, WindowResult *ret_result)
{
	g_autoptr(GArray) joints = list_joints(sides);
	g_autoptr(Arena) arena = arena_new();
	const RosterEntry *record;
	gboolean is_born;
	guint at = 0;
	Window window = {
		.arena = arena,
		.sides = sides,
		.namer = namer,
		.began = began,
		.joints = joints,
		.result = ret_result,
	};

	*ret_result = (WindowResult){
		.counts = {.struct_size = sizeof ret_result->counts,
			   .flags = (sides[AFTER].has_exits ? CTPROF_WINDOW_HAS_EXITS : 0) |
				    (sides[AFTER].exits_lost > 0 ? CTPROF_WINDOW_LOST_EXITS : 0)}};
	ret_result->states = states_new(sides, began);
	if (sides[AFTER].intake->plan->wants_digest && !namer->axis->by_thread)
		ret_result->members = members_new(sides);
	window_init(&window);
	g_autoptr(Exits) exits = exits_new(sides, began);
	window.exits = exits;
	note_threads(&window);
	for (RosterWalk walk = walk_of(sides); roster_walk_next(&walk);)
		fold_pair(&window, walk.pair);
	while ((record = exits_next(exits, &at, &is_born)))
		fold_ended(&window, NULL, record, is_born);
	ret_result->ended_ns = exits_total(exits, ret_result->parents);
	for (guint side = 0; side < SIDES; side++)
		roster_row_clear(&window.rows[side]);
	roster_row_clear(&window.ended);
}
