/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "members.h"

#include "frame/units.h"

enum { BEFORE, AFTER };

#define PEAK_METRIC "hiwater_rss_bytes"

/* The sums of a group for one cost. */
typedef struct tally {
	gdouble total;
	Member thread, process; /* those with the most */
	Member current;         /* the process whose threads are being added */
} Tally;

typedef struct group_tallies {
	guint n_threads, n_processes;
	gint32 tgid; /* of the thread added last */
	Tally of[COST_RISEN + 1];
} GroupTallies;

/* The metrics whose sum is a cost. */
typedef struct sum {
	guint n; /* 0: the captures lack an input */
	gint slots[QUANTITY_INPUTS][SIDES];
	const Measure *measures[QUANTITY_INPUTS];
	const Fold *folds[QUANTITY_INPUTS];
} Sum;

struct members {
	Sum sums[COST_RISEN + 1];
	gint names[SIDES], peaks[SIDES];
	GHashTable *groups; /* const Record * -> GroupTallies */
};

/* Binds a formula.  FALSE: the cost is not a sum, or a side lacks an input. */
static gboolean bind(const Side sides[SIDES], const Formula *formula, Sum *ret_sum)
{
	const Measures *measures = &sides[AFTER].intake->measures[TABLE_THREADS];

	*ret_sum = (Sum){.n = 0};
	if (formula->form != FORM_SUM)
		return FALSE;
	for (guint i = 0; i < formula_n_inputs(formula); i++) {
		ret_sum->measures[i] = measures_find(measures, formula->inputs[i]);
		for (guint side = 0; side < SIDES; side++)
			ret_sum->slots[i][side] = layout_slot(&sides[side].layouts[TABLE_THREADS],
							      formula->inputs[i]);
		if (!ret_sum->measures[i] || !ret_sum->measures[i]->fold ||
		    ret_sum->slots[i][BEFORE] < 0 || ret_sum->slots[i][AFTER] < 0)
			return FALSE;
		ret_sum->folds[i] = ret_sum->measures[i]->fold;
		/* A process that maps a file does not hold the memory of its pages. */
		if (ret_sum->folds[i] == &fold_pss)
			ret_sum->folds[i] = &fold_pss_held;
	}
	ret_sum->n = formula_n_inputs(formula);
	return TRUE;
}

Members *members_new(const Side sides[SIDES])
{
	Members *members = g_new0(Members, 1);

	members->groups = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	for (guint side = 0; side < SIDES; side++) {
		members->names[side] = sides[side].labels[LABEL_COMM];
		members->peaks[side] =
			layout_slot(&sides[side].layouts[TABLE_THREADS], PEAK_METRIC);
	}
	for (guint i = 0; i < N_NAMED_COSTS; i++)
		for (guint k = 0; k < QUANTITY_FORMULAS; k++)
			if (bind(sides, &quantity_of_cost(i)->formulas[k], &members->sums[i]))
				break;
	members->sums[COST_RISEN] = members->sums[COST_PSS];
	return members;
}

void members_free(Members *members)
{
	g_hash_table_unref(members->groups);
	g_free(members);
}

/* Returns by how much a number grew.  PSS also changes if others begin or end to share the pages:
 * only as much of its change counts as the process's own pages changed by, if they were read. */
static gdouble growth_of(const Fold *fold, const guint64 values[SIDES])
{
	guint64 cells[SIDES][FOLD_MAX_CELLS] = {{0}};

	for (guint side = 0; side < SIDES; side++)
		fold->add(NULL, cells[side], TRUE, values[side]);
	gdouble growth = (gdouble)cells[AFTER][0] - (gdouble)cells[BEFORE][0];
	if (fold != &fold_pss_held || cells[BEFORE][1] == 0 || cells[AFTER][1] == 0)
		return growth;
	gdouble own = (gdouble)cells[AFTER][1] - (gdouble)cells[BEFORE][1];
	return growth > 0 ? CLAMP(own, 0, growth) : CLAMP(own, growth, 0);
}

/* Returns the amount that the thread adds; 0: not known. */
static gdouble amount_of(const Sum *sum, const StateThread *thread)
{
	gdouble amount = 0;

	for (guint i = 0; i < sum->n; i++) {
		gdouble scale = sum->measures[i]->unit == CTPROF_UNIT_KIB ? KIB : 1;
		guint64 values[SIDES];

		for (guint side = 0; side < SIDES; side++)
			if (!rows_read(&thread->rows[side].rows, 0, sum->slots[i][side],
				       &values[side]))
				return 0;
		amount += growth_of(sum->folds[i], values) * scale;
	}
	return amount;
}

/* Returns by how much more memory the process holds than ever before the window; if its peak was
 * not read, by how much its memory grew. */
static gdouble risen_of(const Members *members, const StateThread *thread, gdouble growth)
{
	const RosterRow *before = &thread->rows[BEFORE], *after = &thread->rows[AFTER];
	guint64 cells[FOLD_MAX_CELLS] = {0}, memory;
	gint slot = members->peaks[AFTER];

	if (members->peaks[BEFORE] < 0 || slot < 0 || !(growth > 0))
		return growth;
	/* The rows are joined: of peaks, only those of the window are left. */
	if (after->states[slot] == CTPROF_ABSENT_INAPPLICABLE)
		return 0;
	if (after->states[slot] != CTPROF_PRESENT ||
	    !rows_read(&after->rows, 0, members->sums[COST_PSS].slots[0][AFTER], &memory))
		return growth;
	fold_pss_held.add(NULL, cells, TRUE, memory);
	gdouble peak = (gdouble)before->values[members->peaks[BEFORE]];
	return cells[2] > 0 ? CLAMP((gdouble)cells[2] * KIB - peak, 0, growth) : growth;
}

static const char *name_of(const Members *members, const StateThread *thread, const char *name)
{
	guint side = thread->is_there ? AFTER : BEFORE;
	const char *own = thread->is_there || thread->was_there
				  ? rows_text(&thread->rows[side].rows, 0, members->names[side])
				  : NULL;

	return own ? own : name;
}

static GroupTallies *tallies_of(const Members *members, const Record *group)
{
	return members && group ? g_hash_table_lookup(members->groups, group) : NULL;
}

static void add_amount(Tally *tally, const Member *thread)
{
	tally->total += thread->amount;
	if (thread->amount > tally->thread.amount)
		tally->thread = *thread;
	if (tally->current.tgid == thread->tgid) {
		tally->current.tid = 0;
		tally->current.amount += thread->amount;
	} else {
		tally->current = *thread;
	}
	if (tally->current.amount > tally->process.amount)
		tally->process = tally->current;
}

void members_add(Members *members, const Record *group, const StateThread *thread, const char *name)
{
	Member member = {.tgid = thread->entry->tgid, .tid = thread->entry->tid};

	if (!members)
		return;
	GroupTallies *tallies = tallies_of(members, group);
	member.name = name_of(members, thread, name);
	if (!tallies) {
		tallies = g_new0(GroupTallies, 1);
		g_hash_table_insert(members->groups, (gpointer)(uintptr_t)group, tallies);
	}
	tallies->n_threads++;
	tallies->n_processes += tallies->tgid != member.tgid;
	tallies->tgid = member.tgid;
	for (guint i = 0; i < N_NAMED_COSTS; i++) {
		member.amount = amount_of(&members->sums[i], thread);
		add_amount(&tallies->of[i], &member);
		if (i != COST_PSS)
			continue;
		member.amount = risen_of(members, thread, member.amount);
		add_amount(&tallies->of[COST_RISEN], &member);
	}
}

gboolean members_leader(const Members *members, const Record *group, guint cost, gdouble least,
			Member *ret_leader, gdouble *ret_share)
{
	const GroupTallies *tallies = tallies_of(members, group);

	if (!tallies || tallies->n_threads < 2 || !(tallies->of[cost].total > 0))
		return FALSE;
	const Tally *tally = &tallies->of[cost];
	if (tally->thread.amount >= least * tally->total)
		*ret_leader = tally->thread;
	else if (tallies->n_processes > 1)
		*ret_leader = tally->process;
	else
		return FALSE;
	*ret_share = MIN(ret_leader->amount / tally->total, 1);
	return *ret_share >= least;
}

gboolean members_total(const Members *members, const Record *group, guint cost, gdouble *ret_total)
{
	const GroupTallies *tallies = tallies_of(members, group);

	if (!tallies || members->sums[cost].n == 0)
		return FALSE;
	*ret_total = tallies->of[cost].total;
	return TRUE;
}
