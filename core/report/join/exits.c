/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exits.h"

#include <string.h>

#include "report/plan.h"

#define NS_PER_US 1000
/* The start in a record is reckoned from when it was received: at most so many ticks
 * too late. */
#define START_SLACK 500
#define MAX_HOPS 64
#define INIT 1

const char *const cpu_metrics[] = {
	"run_time_ns",        "utime_clock_ticks",  "stime_clock_ticks",
	"cutime_clock_ticks", "cstime_clock_ticks", NULL,
};

/* Why a thread's record is not one of a thread that neither side has. */
enum mark { MARK_NONE, MARK_LIVES, MARK_GONE };

/* Processes that ended, by who was charged with their time. */
typedef struct bucket {
	CpuTime charged; /* in the window; run: not used */
	CpuTime before;  /* of it: used before the window */
	CpuTime told;    /* by their records */
	guint64 least;   /* of it: what the scheduler had counted, which is never too much */
	CpuTime total;
} Bucket;

struct exits {
	const Side *sides;
	const Intake *intake;
	const Roster *records;
	guint64 began;
	guint8 *marks;       /* of each record */
	gint32 *owners;      /* tgid of the bucket of each */
	guint64 *weights;    /* by which each has a share of it */
	GHashTable *buckets; /* pid -> Bucket */
	RosterRow rows[SIDES], row;
	CpuSlots slots[SIDES];
	gint told_run, told_user, told_system;
	guint64 total;
};

/* ---- CPU time in rows ---- */

static gint slot_of(const Layout *layout, const char *name)
{
	for (guint i = 0; i < layout->bindings->len; i++) {
		const Binding *binding = &g_array_index(layout->bindings, Binding, i);

		if (strcmp(binding->measure->name, name) == 0)
			return (gint)binding->slot;
	}
	return -1;
}

CpuSlots cpu_slots_of(const Layout *layout)
{
	gint slots[G_N_ELEMENTS(cpu_metrics) - 1];

	for (guint i = 0; i < G_N_ELEMENTS(slots); i++)
		slots[i] = slot_of(layout, cpu_metrics[i]);
	return (CpuSlots){slots[CPU_RUN], slots[CPU_USER], slots[CPU_SYSTEM],
			  slots[CPU_CHILDREN_USER], slots[CPU_CHILDREN_SYSTEM]};
}

static gboolean number_at(const RosterRow *row, gint slot, guint64 unit, guint64 *ret_number)
{
	*ret_number = 0;
	if (slot < 0 || row->states[slot] != CTPROF_PRESENT)
		return FALSE;
	*ret_number = fold_multiply_saturated(row->values[slot], unit);
	return TRUE;
}

gboolean cpu_time_of(const CpuSlots *slots, const RosterRow *row, CpuTime *ret_time)
{
	gboolean has_user = number_at(row, slots->user, CPU_TICK_NS, &ret_time->user);
	gboolean has_system = number_at(row, slots->system, CPU_TICK_NS, &ret_time->system);

	if (number_at(row, slots->run, 1, &ret_time->run))
		return TRUE;
	ret_time->run = fold_add_saturated(ret_time->user, ret_time->system);
	return has_user && has_system;
}

static CpuTime children_time_of(const CpuSlots *slots, const RosterRow *row)
{
	CpuTime time = {.run = 0};

	(void)number_at(row, slots->children_user, CPU_TICK_NS, &time.user);
	(void)number_at(row, slots->children_system, CPU_TICK_NS, &time.system);
	return time;
}

static void add(CpuTime *sum, const CpuTime *part)
{
	sum->run = fold_add_saturated(sum->run, part->run);
	sum->user = fold_add_saturated(sum->user, part->user);
	sum->system = fold_add_saturated(sum->system, part->system);
}

static guint64 less(guint64 a, guint64 b)
{
	return a > b ? a - b : 0;
}

static CpuTime subtract(const CpuTime *a, const CpuTime *b)
{
	return (CpuTime){less(a->run, b->run), less(a->user, b->user), less(a->system, b->system)};
}

/* ---- life ---- */

Exits *exits_new(const Side sides[SIDES], const Intake *intake, guint64 began)
{
	Exits *exits = g_new0(Exits, 1);
	const Layout *layout = &sides[1].layouts[TABLE_EXITS];

	exits->sides = sides;
	exits->intake = intake;
	exits->records = sides[1].exits;
	exits->began = began;
	exits->marks = g_new0(guint8, roster_length(exits->records) + 1);
	exits->owners = g_new0(gint32, roster_length(exits->records) + 1);
	exits->weights = g_new0(guint64, roster_length(exits->records) + 1);
	exits->buckets = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	for (guint side = 0; side < SIDES; side++) {
		roster_row_init(&exits->rows[side], &sides[side].layouts[TABLE_THREADS]);
		exits->slots[side] = cpu_slots_of(&sides[side].layouts[TABLE_THREADS]);
	}
	roster_row_init(&exits->row, layout);
	exits->told_run = slot_of(layout, cpu_metrics[CPU_RUN]);
	exits->told_user = slot_of(layout, CPU_EXIT_USER);
	exits->told_system = slot_of(layout, CPU_EXIT_SYSTEM);
	return exits;
}

void exits_free(Exits *exits)
{
	for (guint side = 0; side < SIDES; side++)
		roster_row_clear(&exits->rows[side]);
	roster_row_clear(&exits->row);
	g_hash_table_unref(exits->buckets);
	g_free(exits->weights);
	g_free(exits->owners);
	g_free(exits->marks);
	g_free(exits);
}

/* ---- who is who ---- */

static guint record_at(const Exits *exits, const RosterEntry *record)
{
	return (guint)(record - roster_entry(exits->records, 0));
}

/* The record of a thread's end: of that number, and the first to start when it did
 * or seem to have started a little later.  -1: there is none. */
static gint find_record(const Exits *exits, const RosterEntry *thread)
{
	guint64 start = MAX(thread->start, 1) - 1; /* ticks are cut off */
	guint at = roster_search(exits->records, thread->tgid, thread->tid, start);

	if (at == roster_length(exits->records))
		return -1;
	const RosterEntry *record = roster_entry(exits->records, at);
	if (record->tgid != thread->tgid || record->tid != thread->tid ||
	    record->start > thread->start + START_SLACK)
		return -1;
	return (gint)at;
}

static const RosterEntry *process_of(const Exits *exits, gint32 pid)
{
	const RosterEntry *process = roster_process(exits->sides[1].roster, pid);

	return process ? process : roster_process(exits->sides[0].roster, pid);
}

static gint32 parent_of(const Exits *exits, gint32 pid)
{
	const RosterEntry *process = roster_process(exits->records, pid);

	if (!process)
		process = process_of(exits, pid);
	return process ? process->ppid : 0;
}

/* Whether anything is known of a process. */
static gboolean is_known(const Exits *exits, gint32 pid)
{
	return roster_process(exits->records, pid) || process_of(exits, pid);
}

/* The nearest ancestor that lives, or that nothing is known of, as of ctprof: it has
 * been charged with the process's time, by way of those between. */
static gint32 heir_of(const Exits *exits, gint32 pid, gint32 ppid)
{
	for (guint hops = 0; ppid > 0 && ppid != pid && hops < MAX_HOPS; hops++) {
		if (roster_process(exits->sides[1].roster, ppid) || !is_known(exits, ppid))
			return ppid;
		pid = ppid;
		ppid = parent_of(exits, pid);
	}
	return roster_process(exits->sides[1].roster, INIT) ? INIT : 0;
}

static Bucket *bucket_of(Exits *exits, gint32 pid)
{
	Bucket *bucket = g_hash_table_lookup(exits->buckets, GINT_TO_POINTER(pid));

	if (!bucket) {
		bucket = g_new0(Bucket, 1);
		g_hash_table_insert(exits->buckets, GINT_TO_POINTER(pid), bucket);
	}
	return bucket;
}

/* ---- sums ---- */

/* What a process that lives has been charged with since. */
static void note_charges(Exits *exits, const RosterEntry *const pair[SIDES])
{
	CpuTime times[SIDES] = {{.run = 0}};

	if (pair[1]->tid != pair[1]->tgid)
		return;
	for (guint side = 0; side < SIDES; side++) {
		if (!pair[side])
			continue;
		roster_read(exits->sides[side].roster, pair[side], &exits->rows[side]);
		times[side] = children_time_of(&exits->slots[side], &exits->rows[side]);
	}
	/* Of one that the first capture missed it is not known. */
	if (!pair[0] && pair[1]->start < exits->began)
		return;
	const CpuTime charged = subtract(&times[1], &times[0]);
	if (charged.user > 0 || charged.system > 0)
		add(&bucket_of(exits, pair[1]->tgid)->charged, &charged);
}

/* What a process that ended had used before is charged, too. */
static void note_before(Exits *exits, const RosterEntry *thread)
{
	RosterRow *row = &exits->rows[0];
	const RosterEntry *leader = roster_process(exits->sides[0].roster, thread->tgid);
	CpuTime time;

	if (roster_process(exits->sides[1].roster, thread->tgid))
		return;
	Bucket *bucket =
		bucket_of(exits, heir_of(exits, thread->tgid, parent_of(exits, thread->tgid)));
	roster_read(exits->sides[0].roster, thread, row);
	if (cpu_time_of(&exits->slots[0], row, &time))
		add(&bucket->before, &time);
	if (leader == thread) {
		time = children_time_of(&exits->slots[0], row);
		add(&bucket->before, &time);
	}
}

void exits_note(Exits *exits, const RosterEntry *const pair[SIDES])
{
	gint found = find_record(exits, pair[1] ? pair[1] : pair[0]);

	if (found >= 0)
		exits->marks[found] = pair[1] ? MARK_LIVES : MARK_GONE;
	if (pair[1])
		note_charges(exits, pair);
	else
		note_before(exits, pair[0]);
}

/* What a record itself says that the thread used, in the window; ret_least: at least. */
static CpuTime told_by(Exits *exits, const RosterEntry *record, guint64 *ret_least)
{
	RosterRow *row = &exits->row;
	CpuTime told = {.run = 0}, before = {.run = 0};

	roster_read(exits->records, record, row);
	(void)number_at(row, exits->told_user, NS_PER_US, &told.user);
	(void)number_at(row, exits->told_system, NS_PER_US, &told.system);
	(void)number_at(row, exits->told_run, 1, &told.run);
	*ret_least = told.run;
	/* Ticks hit a short thread by chance: that may be too much, but is all there is
	 * of one which had not been looked at since it began. */
	told.run = MAX(told.run, fold_add_saturated(told.user, told.system));
	const Roster *roster = exits->sides[0].roster;
	guint at = roster_search(roster, record->tgid, record->tid, record->start + 1);
	if (exits->marks[record_at(exits, record)] != MARK_GONE || at == 0)
		return told;
	row = &exits->rows[0];
	roster_read(roster, roster_entry(roster, at - 1), row);
	(void)cpu_time_of(&exits->slots[0], row, &before);
	*ret_least = less(*ret_least, before.run);
	return subtract(&told, &before);
}

static gboolean is_mine(const Exits *exits, guint at)
{
	const RosterEntry *record = roster_entry(exits->records, at);

	if (exits->marks[at] == MARK_LIVES)
		return FALSE;
	return exits->marks[at] == MARK_GONE || record->start >= exits->began;
}

/* What stat ran was waited for by ctprof, which is in no capture. */
static void note_command(Exits *exits)
{
	const CommandFacts *command = exits->intake->plan->options->command;
	const CpuTime charged = {.user = command ? command->user_ns : 0,
				 .system = command ? command->system_ns : 0};

	if (command)
		add(&bucket_of(exits, command->parent)->charged, &charged);
}

void exits_divide(Exits *exits)
{
	GHashTableIter iter;
	gpointer each;

	note_command(exits);
	for (guint i = 0; i < roster_length(exits->records); i++) {
		const RosterEntry *record = roster_entry(exits->records, i);
		/* Of a process that lives nobody is charged for a thread. */
		gboolean lives = roster_process(exits->sides[1].roster, record->tgid) != NULL;

		if (!is_mine(exits, i))
			continue;
		exits->owners[i] =
			lives ? -record->tgid : heir_of(exits, record->tgid, record->ppid);
		guint64 least;
		const CpuTime told = told_by(exits, record, &least);
		Bucket *bucket = bucket_of(exits, exits->owners[i]);
		exits->weights[i] = told.run;
		add(&bucket->told, &told);
		bucket->least = fold_add_saturated(bucket->least, least);
	}
	g_hash_table_iter_init(&iter, exits->buckets);
	while (g_hash_table_iter_next(&iter, NULL, &each)) {
		Bucket *bucket = each;

		bucket->total = subtract(&bucket->charged, &bucket->before);
		bucket->total.run = fold_add_saturated(bucket->total.user, bucket->total.system);
		/* A parent that ignores its children is charged with nothing. */
		if (bucket->total.run < bucket->least) {
			bucket->total = bucket->told;
			bucket->total.run = bucket->least;
		}
		exits->total = fold_add_saturated(exits->total, bucket->total.run);
	}
}

guint64 exits_total(const Exits *exits)
{
	return exits->total;
}

static guint64 share_of(guint64 total, guint64 part, guint64 whole)
{
	return whole == 0 ? 0 : (guint64)((gdouble)total * ((gdouble)part / (gdouble)whole));
}

CpuTime exits_share(const Exits *exits, const RosterEntry *record)
{
	guint at = record_at(exits, record);
	const Bucket *bucket =
		g_hash_table_lookup(exits->buckets, GINT_TO_POINTER(exits->owners[at]));

	if (!bucket)
		return (CpuTime){.run = 0};
	return (CpuTime){
		share_of(bucket->total.run, exits->weights[at], bucket->told.run),
		share_of(bucket->total.user, exits->weights[at], bucket->told.run),
		share_of(bucket->total.system, exits->weights[at], bucket->told.run),
	};
}

/* ---- records ---- */

const RosterEntry *exits_find(const Exits *exits, const RosterEntry *thread)
{
	gint found = find_record(exits, thread);

	return found < 0 || exits->marks[found] != MARK_GONE
		       ? NULL
		       : roster_entry(exits->records, (guint)found);
}

const RosterEntry *exits_next(const Exits *exits, guint *at, gboolean *ret_is_born)
{
	while (*at < roster_length(exits->records)) {
		guint now = (*at)++;

		if (exits->marks[now] != MARK_NONE)
			continue;
		*ret_is_born = is_mine(exits, now);
		return roster_entry(exits->records, now);
	}
	return NULL;
}

/* A process's name for a label, NULL: it is not known. */
static const char *name_of(const Exits *exits, gint32 pid, guint name)
{
	const RosterEntry *process = process_of(exits, pid);
	const char *names[KEY_NAMES];

	if (!process)
		return NULL;
	roster_names(exits->sides[roster_process(exits->sides[1].roster, pid) ? 1 : 0].roster,
		     process, names);
	return names[name];
}

/* A process is in its parent's cgroup unless somebody moves it. */
static const char *inherited_name(const Exits *exits, const RosterEntry *record, guint name)
{
	gint32 pid = record->tgid;

	for (guint hops = 0; pid > 0 && hops < MAX_HOPS; hops++) {
		const char *known = name_of(exits, pid, name);
		gint32 parent = parent_of(exits, pid);

		if (known || parent == pid)
			return known;
		pid = parent;
	}
	return NULL;
}

void exits_names(const Exits *exits, const RosterEntry *record, const char *ret_names[KEY_NAMES])
{
	const Axis *axis = exits->intake->axis;
	const RosterEntry *leader = roster_process(exits->records, record->tgid);
	const char *own[KEY_NAMES], *leaders[KEY_NAMES];

	roster_names(exits->records, record, own);
	if (leader)
		roster_names(exits->records, leader, leaders);
	for (guint i = 0; i < KEY_NAMES; i++) {
		const char *known = NULL;

		ret_names[i] = i < axis->n_names ? own[0] : NULL;
		if (i >= axis->n_names || axis->labels[i] == LABEL_COMM)
			continue;
		if (axis->labels[i] == LABEL_PCOMM) {
			known = name_of(exits, record->tgid, i);
			ret_names[i] = known ? known : leader ? leaders[0] : own[0];
		} else {
			known = inherited_name(exits, record, i);
			ret_names[i] = known ? known : store_text(exits->intake->store, NO_NAME);
		}
	}
}
