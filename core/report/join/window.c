/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "window.h"

enum { BEFORE, AFTER };

/* What becomes of a metric's values. */
enum rule {
	RULE_SUM,  /* what was counted in between */
	RULE_HIGH, /* the highest, if it rose */
	RULE_LOW,  /* the lowest but 0, if it fell */
	RULE_ENDS, /* what each side has */
};

/* A metric and where rows hold it. */
typedef struct joint {
	enum rule rule;
	gint slots[SIDES]; /* -1: that side does not have it */
	gboolean restarts; /* with the program */
} Joint;

typedef struct window {
	Side *sides;
	Namer *namer;
	Store *store;
	guint64 began;
	GArray *joints; /* Joint */
	RosterRow rows[SIDES];
	struct ctprof_report_window *counts;
} Window;

/* ---- pairs ---- */

/* Goes through both rosters: the same thread, or one that only one side has. */
typedef struct walk {
	const Roster *rosters[SIDES];
	guint at[SIDES];
	const RosterEntry *pair[SIDES]; /* NULL: that side does not have it */
} Walk;

static gboolean walk_next(Walk *walk)
{
	const RosterEntry *next[SIDES];
	gint order = 0;

	for (guint side = 0; side < SIDES; side++) {
		const Roster *roster = walk->rosters[side];

		next[side] = walk->at[side] < roster_length(roster)
				     ? roster_entry(roster, walk->at[side])
				     : NULL;
	}
	if (!next[BEFORE] && !next[AFTER])
		return FALSE;
	order = !next[AFTER]    ? -1
		: !next[BEFORE] ? 1
				: roster_entry_compare(next[BEFORE], next[AFTER]);
	walk->pair[BEFORE] = order <= 0 ? next[BEFORE] : NULL;
	walk->pair[AFTER] = order >= 0 ? next[AFTER] : NULL;
	walk->at[BEFORE] += order <= 0;
	walk->at[AFTER] += order >= 0;
	return TRUE;
}

static Walk walk_of(const Side *sides)
{
	return (Walk){.rosters = {sides[BEFORE].roster, sides[AFTER].roster}};
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

/* A sum is of rows that have it on both sides. */
static void join_sum(Window *window, const Joint *joint)
{
	guint8 before = state_at(window, joint, BEFORE), after = state_at(window, joint, AFTER);

	if (before == CTPROF_PRESENT && after == CTPROF_PRESENT) {
		/* The program is another one, its memory is new. */
		if (value_at(window, joint, AFTER) < value_at(window, joint, BEFORE))
			lose(window, joint, CTPROF_ABSENT_INVALID);
	} else {
		lose(window, joint, after == CTPROF_PRESENT ? before : after);
	}
}

/* Whether the peak was reached in between. */
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

/* A thread that was there all the time. */
static void join_matched(Window *window)
{
	for (guint i = 0; i < window->joints->len; i++) {
		const Joint *joint = &g_array_index(window->joints, Joint, i);

		if (joint->rule == RULE_SUM)
			join_sum(window, joint);
		else if (joint->rule != RULE_ENDS)
			join_peak(window, joint);
	}
}

/* One that began in between: it had nothing before. */
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

/* One of which only one capture knows, though it was there at both, or may have
 * been: what it counted is missing. */
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
		/* No peak of before is one of the window. */
		if (joint->rule == RULE_HIGH || joint->rule == RULE_LOW)
			set_state(window, joint, BEFORE, CTPROF_ABSENT_INAPPLICABLE);
	}
}

/* Whether it cannot be one thread: what the kernel counts never falls, but a
 * thread that calls exec() takes its leader's number and start. */
static gboolean is_another(Window *window)
{
	for (guint i = 0; i < window->joints->len; i++) {
		const Joint *joint = &g_array_index(window->joints, Joint, i);

		if (joint->rule == RULE_SUM && !joint->restarts && is_paired(window, joint) &&
		    value_at(window, joint, AFTER) < value_at(window, joint, BEFORE))
			return TRUE;
	}
	return FALSE;
}

/* ---- the fold ---- */

/* Puts the rows into their group's records; ghost: the side that has no such
 * thread, or SIDES. */
static void put_rows(Window *window, const RosterEntry *const pair[SIDES], guint ghost)
{
	const RosterEntry *last = pair[AFTER] ? pair[AFTER] : pair[BEFORE];
	const RosterRow *named = &window->rows[pair[AFTER] ? AFTER : BEFORE];
	RecordKey literal = {.start = 0}, key;

	for (guint i = 0; i < KEY_NAMES; i++)
		literal.names[i] = named->names[i];
	if (window->namer->axis->by_thread) {
		literal.tid = last->tid;
		literal.start = last->start;
		key = literal;
	} else {
		namer_key(window->namer, &literal, &key);
	}
	for (guint side = 0; side < SIDES; side++) {
		RecordSet *set = &window->sides[side].sets[TABLE_THREADS];
		Record *record = record_set_take(set, &key);

		window->rows[side].target.tgid = last->tgid;
		window->rows[side].target.tid = last->tid;
		record_add(record, set->layout, window->store, &window->rows[side].rows, 0,
			   side == ghost ? 0 : pair[side]->start);
		record->n_ghosts += side == ghost;
	}
}

static void read_row(Window *window, const RosterEntry *const pair[SIDES], guint side)
{
	roster_read(window->sides[side].roster, pair[side], &window->rows[side]);
}

static void fold_gone(Window *window, const RosterEntry *const pair[SIDES])
{
	const RosterEntry *const one[SIDES] = {pair[BEFORE], NULL};

	window->counts->n_gone++;
	read_row(window, one, BEFORE);
	join_unknown(window, BEFORE, CTPROF_ABSENT_VANISHED);
	put_rows(window, one, AFTER);
}

static void fold_new(Window *window, const RosterEntry *const pair[SIDES], gboolean is_born)
{
	const RosterEntry *const one[SIDES] = {NULL, pair[AFTER]};

	window->counts->n_born++;
	read_row(window, one, AFTER);
	if (is_born)
		join_born(window);
	else
		join_unknown(window, AFTER, CTPROF_ABSENT_SKIPPED);
	put_rows(window, one, BEFORE);
}

static void fold_pair(Window *window, const RosterEntry *const pair[SIDES])
{
	for (guint side = 0; side < SIDES; side++) {
		window->counts->threads[side] += pair[side] != NULL;
		if (pair[side])
			read_row(window, pair, side);
	}
	if (!pair[AFTER]) {
		fold_gone(window, pair);
	} else if (!pair[BEFORE]) {
		fold_new(window, pair, pair[AFTER]->start >= MAX(window->began, 1));
	} else if (is_another(window)) {
		fold_gone(window, pair);
		fold_new(window, pair, FALSE);
	} else {
		join_matched(window);
		put_rows(window, pair, SIDES);
	}
}

static enum rule rule_of(const Measure *measure)
{
	switch (measure->kind) {
	case CTPROF_COUNTER:
		return RULE_SUM;
	case CTPROF_PEAK:
		return RULE_HIGH;
	case CTPROF_LOW:
		return RULE_LOW;
	default:
		return RULE_ENDS;
	}
}

static gint slot_of(const Layout *layout, const Measure *measure)
{
	gint place = layout_find(layout, measure);

	return place < 0 ? -1 : (gint)g_array_index(layout->bindings, Binding, (guint)place).slot;
}

static GArray *list_joints(const Side *sides, const Measures *measures)
{
	GArray *joints = g_array_new(FALSE, FALSE, sizeof(Joint));

	for (guint i = 0; i < measures->list->len; i++) {
		const Measure *measure = g_ptr_array_index(measures->list, i);
		Joint joint = {
			.rule = rule_of(measure),
			.restarts = (measure->flags & CTPROF_METRIC_RESTARTS) != 0,
		};

		if (!measure->fold)
			continue;
		for (guint side = 0; side < SIDES; side++)
			joint.slots[side] = slot_of(&sides[side].layouts[TABLE_THREADS], measure);
		g_array_append_val(joints, joint);
	}
	return joints;
}

/* Names that threads had before say nothing about what they are called now. */
static void add_names(const Side *sides, Namer *namer)
{
	Walk walk = walk_of(sides);

	while (walk_next(&walk)) {
		guint side = walk.pair[AFTER] ? AFTER : BEFORE;
		RecordKey key = {.start = 0};

		roster_names(sides[side].roster, walk.pair[side], key.names);
		namer_add(namer, &key);
	}
}

void window_fold(Side sides[SIDES], const Intake *intake, Namer *namer, guint64 began,
		 struct ctprof_report_window *ret_counts)
{
	g_autoptr(GArray) joints = list_joints(sides, &intake->measures[TABLE_THREADS]);
	Window window = {
		.sides = sides,
		.namer = namer,
		.store = intake->store,
		.began = began,
		.joints = joints,
		.counts = ret_counts,
	};

	*ret_counts = (struct ctprof_report_window){.struct_size = sizeof *ret_counts};
	for (guint side = 0; side < SIDES; side++) {
		roster_sort(sides[side].roster);
		roster_row_init(&window.rows[side], &sides[side].layouts[TABLE_THREADS]);
	}
	add_names(sides, namer);
	for (Walk walk = walk_of(sides); walk_next(&walk);)
		fold_pair(&window, walk.pair);
	for (guint side = 0; side < SIDES; side++)
		roster_row_clear(&window.rows[side]);
}
