/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exits.h"

#include <string.h>

#define NS_PER_US 1000
/* The start in a record is computed from the time it was received: it is late by at
 * most this many ticks. */
#define START_SLACK 500
#define MAX_HOPS 64
#define INIT 1

/* The side with the thread of a record: none, the second, or only the first. */
enum mark { MARK_NONE, MARK_LIVES, MARK_GONE };

/* The ended processes whose time was charged to one process. */
typedef struct account {
	CpuTime charged;  /* in the window; run is unused */
	CpuTime before;   /* part of charged: used before the window */
	CpuTime known;    /* from exact records */
	CpuTime recorded; /* from other records */
	guint64 least;    /* part of recorded: the scheduler's count, which is never too high */
	guint64 slack;    /* possible error of charges, as ticks are truncated */
	gboolean is_old;  /* charged with unknown time from before the window */
	CpuTime rest;     /* the part to be divided */
} Account;

/* An exit record. */
typedef struct ended {
	CpuTime recorded; /* run is also the weight of its share */
	gint32 owner;     /* key of its account: a tgid, negative if its process lives */
	guint8 mark;      /* enum mark */
	guint8 is_exact;  /* the record has the final time */
} Ended;

struct exits {
	Side *sides;
	Intake *intake;
	const Roster *records;
	guint64 began;
	Ended *ended;         /* of each record */
	GHashTable *accounts; /* owner -> Account */
	RosterRow rows[SIDES], row;
	CpuSlots slots[SIDES];
	gint slot_run, slot_user, slot_system, slot_final;
	guint64 total;
};

/* ---- life ---- */

Exits *exits_new(Side sides[SIDES], guint64 began)
{
	Exits *exits = g_new0(Exits, 1);
	const Layout *layout = &sides[1].layouts[TABLE_EXITS];

	exits->sides = sides;
	exits->intake = sides[1].intake;
	exits->records = sides[1].exits;
	exits->began = began;
	exits->ended = g_new0(Ended, roster_length(exits->records) + 1);
	exits->accounts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	for (guint side = 0; side < SIDES; side++) {
		roster_row_init(&exits->rows[side], sides[side].roster);
		exits->slots[side] = cpu_slots_of(&sides[side].layouts[TABLE_THREADS]);
	}
	roster_row_init(&exits->row, exits->records);
	exits->slot_run = layout_slot(layout, cpu_metrics[CPU_RUN]);
	exits->slot_user = layout_slot(layout, CPU_EXIT_USER);
	exits->slot_system = layout_slot(layout, CPU_EXIT_SYSTEM);
	exits->slot_final = layout_slot(layout, CPU_EXIT_FINAL);
	return exits;
}

void exits_free(Exits *exits)
{
	for (guint side = 0; side < SIDES; side++)
		roster_row_clear(&exits->rows[side]);
	roster_row_clear(&exits->row);
	g_hash_table_unref(exits->accounts);
	g_free(exits->ended);
	g_free(exits);
}

/* ---- processes of records ---- */

static Ended *ended_of(const Exits *exits, const RosterEntry *record)
{
	return &exits->ended[record - roster_entry(exits->records, 0)];
}

/* Returns the index of a thread's exit record: the first with its ID that started when it did or
 * seems to have started slightly later; -1: there is none. */
static gint find_record(const Exits *exits, const RosterEntry *thread)
{
	guint64 start = MAX(thread->start, 1) - 1; /* ticks are truncated */
	guint at = roster_search(exits->records, thread->tgid, thread->tid, start);

	if (at == roster_length(exits->records))
		return -1;
	const RosterEntry *record = roster_entry(exits->records, at);
	if (record->tgid != thread->tgid || record->tid != thread->tid ||
	    record->start > thread->start + START_SLACK)
		return -1;
	return (gint)at;
}

/* Returns the process that had the PID when a thread started: PIDs are used again. */
static const RosterEntry *process_at(const Roster *roster, gint32 pid, guint64 start)
{
	const RosterEntry *process = roster_process_at(roster, pid, start);

	return process ? process : roster_process_at(roster, pid, start + START_SLACK);
}

/* Returns that process, and the capture that has it, if one does. */
static const RosterEntry *process_of(const Exits *exits, gint32 pid, guint64 start, guint *ret_side)
{
	const RosterEntry *process = process_at(exits->sides[1].roster, pid, start);

	*ret_side = process ? 1 : 0;
	if (process)
		return process;
	process = process_at(exits->sides[0].roster, pid, start);
	const RosterEntry *record = process_at(exits->records, pid, start);
	/* If a record is not marked, neither side has its process. */
	gboolean is_other = process && record && record->start > process->start &&
			    ended_of(exits, record)->mark == MARK_NONE;

	return is_other ? NULL : process;
}

/* Returns what is known about that process: its record, or else its row; NULL: nothing. */
static const RosterEntry *known_of(const Exits *exits, gint32 pid, guint64 start)
{
	guint side;
	const RosterEntry *process = process_of(exits, pid, start, &side);
	const RosterEntry *record = process_at(exits->records, pid, start);

	return record && (!process || record->start >= process->start) ? record : process;
}

static gint32 parent_of(const Exits *exits, gint32 pid, guint64 start)
{
	const RosterEntry *process = known_of(exits, pid, start);

	return process ? process->ppid : 0;
}

/* Returns the nearest ancestor that is alive, or that is unknown, like ctprof itself.  It has been
 * charged with the process's time, through the ancestors in between. */
static gint32 payer_of(const Exits *exits, gint32 pid, gint32 ppid, guint64 start)
{
	for (guint hops = 0; ppid > 0 && ppid != pid && hops < MAX_HOPS; hops++) {
		const RosterEntry *parent = known_of(exits, ppid, start);

		if (process_at(exits->sides[1].roster, ppid, start) || !parent)
			return ppid;
		pid = ppid;
		ppid = parent->ppid;
		start = parent->start;
	}
	return roster_process(exits->sides[1].roster, INIT) ? INIT : 0;
}

static Account *account_of(Exits *exits, gint32 pid)
{
	Account *account = g_hash_table_lookup(exits->accounts, GINT_TO_POINTER(pid));

	if (!account) {
		account = g_new0(Account, 1);
		g_hash_table_insert(exits->accounts, GINT_TO_POINTER(pid), account);
	}
	return account;
}

/* ---- sums ---- */

/* Adds what a living process has been charged with in the window. */
static void note_charges(Exits *exits, const RosterEntry *const pair[SIDES])
{
	CpuTime times[SIDES] = {{.run = 0}};

	if (pair[1]->tid != pair[1]->tgid)
		return;
	for (guint side = 0; side < SIDES; side++) {
		if (!pair[side])
			continue;
		roster_read(exits->sides[side].roster, pair[side], &exits->rows[side]);
		if (!cpu_time_of_children(&exits->slots[side], &exits->rows[side], &times[side]))
			return;
	}
	/* For a process that the first capture missed, earlier charges are unknown. */
	if (!pair[0] && pair[1]->start < exits->began)
		return;
	const CpuTime charged = cpu_time_subtract(&times[1], &times[0]);
	if (charged.user == 0 && charged.system == 0)
		return;
	Account *account = account_of(exits, pair[1]->tgid);
	cpu_time_add(&account->charged, &charged);
	account->slack += 2 * CPU_TICK_NS;
}

/* Adds the time that an ended process had used before the window, which is charged as well.  If it
 * could not be read, the charge says nothing about the window. */
static void note_before(Exits *exits, const RosterEntry *thread)
{
	const CpuSlots *slots = &exits->slots[0];
	RosterRow *row = &exits->rows[0];
	const Roster *roster = exits->sides[0].roster;
	const RosterEntry *leader = roster_process(roster, thread->tgid);
	CpuTime time = {.run = 0}, whole = {.run = 0};

	if (roster_process(exits->sides[1].roster, thread->tgid))
		return;
	Account *account = account_of(exits, payer_of(exits, thread->tgid,
						      parent_of(exits, thread->tgid, thread->start),
						      thread->start));
	if (leader)
		roster_read(roster, leader, row);
	gboolean has_whole = leader && cpu_time_of_process(slots, row, &whole);
	if (leader == thread && cpu_time_of_children(slots, row, &time))
		cpu_time_add(&account->before, &time);
	if (leader == thread && has_whole)
		cpu_time_add(&account->before, &whole);
	if (has_whole)
		return;
	roster_read(roster, thread, row);
	if (cpu_time_of(slots, row, &time))
		cpu_time_add(&account->before, &time);
	else
		account->is_old = TRUE;
}

void exits_note(Exits *exits, const RosterEntry *const pair[SIDES])
{
	gint found = find_record(exits, pair[1] ? pair[1] : pair[0]);

	if (found >= 0)
		exits->ended[found].mark = pair[1] ? MARK_LIVES : MARK_GONE;
	if (pair[1])
		note_charges(exits, pair);
	else
		note_before(exits, pair[0]);
}

/* Computes the CPU time in the window according to the record itself.  Returns a lower bound of the
 * run time. */
static guint64 read_recorded(Exits *exits, const RosterEntry *record, Ended *ended)
{
	RosterRow *row = &exits->row;
	CpuTime recorded = {.run = 0}, before = {.run = 0};
	guint64 final, least;

	roster_read(exits->records, record, row);
	(void)cpu_time_read(row, exits->slot_user, NS_PER_US, &recorded.user);
	(void)cpu_time_read(row, exits->slot_system, NS_PER_US, &recorded.system);
	(void)cpu_time_read(row, exits->slot_run, 1, &recorded.run);
	least = recorded.run;
	/* Ticks hit a short thread by chance, so this may be too high, but nothing else is known
	 * about a thread whose time was never updated. */
	recorded.run = MAX(recorded.run, fold_add_saturated(recorded.user, recorded.system));
	ended->is_exact = cpu_time_read(row, exits->slot_final, 1, &final) ? 1 : 0;
	if (ended->is_exact)
		least = recorded.run = final;
	ended->recorded = recorded;
	const Roster *roster = exits->sides[0].roster;
	guint at = roster_search(roster, record->tgid, record->tid, record->start + 1);
	if (ended->mark != MARK_GONE || at == 0)
		return least;
	row = &exits->rows[0];
	roster_read(roster, roster_entry(roster, at - 1), row);
	if (!cpu_time_of(&exits->slots[0], row, &before))
		before = (CpuTime){G_MAXUINT64, G_MAXUINT64, G_MAXUINT64};
	ended->recorded = cpu_time_subtract(&recorded, &before);
	return least > before.run ? least - before.run : 0;
}

static gboolean is_mine(const Exits *exits, guint at)
{
	guint8 mark = exits->ended[at].mark;

	return mark == MARK_GONE ||
	       (mark == MARK_NONE && roster_entry(exits->records, at)->start >= exits->began);
}

/* Adds the charge for the command of stat: ctprof waited for it, and is in no capture. */
static void note_command(Exits *exits)
{
	const CommandFacts *command = exits->intake->plan->options->command;
	const CpuTime charged = {.user = command ? command->user_ns : 0,
				 .system = command ? command->system_ns : 0};

	if (command)
		cpu_time_add(&account_of(exits, command->parent)->charged, &charged);
}

/* Whether the records are complete: none was lost, and each has the final time of its thread.  The
 * charges of parents then add nothing, and they belong to other windows as well: a parent is
 * charged with the whole life of a child. */
static gboolean are_complete(const Exits *exits)
{
	guint n = roster_length(exits->records);

	for (guint i = 0; i < n; i++)
		if (is_mine(exits, i) && !exits->ended[i].is_exact)
			return FALSE;
	return n > 0 && exits->sides[1].exits_lost == 0;
}

/* Computes the time that remains to be divided. */
static void settle(Account *account, gboolean are_complete)
{
	CpuTime *rest = &account->rest;

	if (are_complete)
		return;
	*rest = cpu_time_subtract(&account->charged, &account->before);
	rest->run = fold_add_saturated(rest->user, rest->system);
	*rest = cpu_time_subtract(rest, &account->known);
	if (account->recorded.run == 0 && account->known.run > 0 && rest->run <= account->slack)
		*rest = (CpuTime){.run = 0};
	/* A parent that ignores SIGCHLD is not charged. */
	if (account->is_old || rest->run < account->least) {
		*rest = account->recorded;
		rest->run = account->least;
	}
}

/* Notes a process that ended after the listener began and before the first capture reached it.  In
 * the window, its parent may be charged with all that the process and its children used in their
 * lives, and no record has that amount. */
static void note_missed(Exits *exits, const RosterEntry *record)
{
	guint side;

	if (!process_of(exits, record->tgid, record->start, &side))
		account_of(exits, payer_of(exits, record->tgid, record->ppid, record->start))
			->is_old = TRUE;
}

void exits_divide(Exits *exits)
{
	GHashTableIter iter;
	gpointer each;

	note_command(exits);
	for (guint i = 0; i < roster_length(exits->records); i++) {
		const RosterEntry *record = roster_entry(exits->records, i);
		Ended *ended = &exits->ended[i];
		/* No one is charged for an ended thread of a living process. */
		gboolean lives =
			process_at(exits->sides[1].roster, record->tgid, record->start) != NULL;

		if (!is_mine(exits, i)) {
			note_missed(exits, record);
			continue;
		}
		ended->owner = lives ? -record->tgid
				     : payer_of(exits, record->tgid, record->ppid, record->start);
		guint64 least = read_recorded(exits, record, ended);
		Account *account = account_of(exits, ended->owner);
		cpu_time_add(ended->is_exact ? &account->known : &account->recorded,
			     &ended->recorded);
		if (!ended->is_exact)
			account->least = fold_add_saturated(account->least, least);
	}
	gboolean whole = are_complete(exits);
	g_hash_table_iter_init(&iter, exits->accounts);
	while (g_hash_table_iter_next(&iter, NULL, &each)) {
		Account *account = each;

		settle(account, whole);
		exits->total = fold_add_saturated(
			exits->total, fold_add_saturated(account->known.run, account->rest.run));
	}
}

/* Inserts a parent into the list, which is sorted by time, the longest first. */
static void insert_parent(ChargedParent parents[EXITS_PARENTS], ChargedParent parent)
{
	for (guint i = 0; i < EXITS_PARENTS; i++) {
		ChargedParent other = parents[i];

		if (parent.ns < other.ns || (parent.ns == other.ns && parent.pid > other.pid))
			continue;
		parents[i] = parent;
		parent = other;
	}
}

/* Orphans are charged to init, which did not start them. */
guint64 exits_total(Exits *exits, ChargedParent ret_parents[EXITS_PARENTS])
{
	const Side *side = &exits->sides[1];
	GHashTableIter iter;
	gpointer pid, each;

	memset(ret_parents, 0, EXITS_PARENTS * sizeof *ret_parents);
	g_hash_table_iter_init(&iter, exits->accounts);
	while (g_hash_table_iter_next(&iter, &pid, &each)) {
		const Account *account = each;
		const RosterEntry *process = roster_process(side->roster, GPOINTER_TO_INT(pid));

		if (!process || GPOINTER_TO_INT(pid) <= INIT)
			continue;
		roster_read_texts(side->roster, process, &exits->rows[1]);
		const char *name = rows_text(&exits->rows[1].rows, 0, side->labels[LABEL_COMM]);
		const ChargedParent parent = {name ? store_text(exits->intake->store, name) : NULL,
					      GPOINTER_TO_INT(pid),
					      account->known.run + account->rest.run};
		if (name)
			insert_parent(ret_parents, parent);
	}
	return exits->total;
}

static guint64 share_of(guint64 total, guint64 part, guint64 whole)
{
	return whole == 0 ? 0 : (guint64)((gdouble)total * ((gdouble)part / (gdouble)whole));
}

gboolean exits_is_exact(const Exits *exits, const RosterEntry *record)
{
	return ended_of(exits, record)->is_exact != 0;
}

CpuTime exits_share(const Exits *exits, const RosterEntry *record)
{
	const Ended *ended = ended_of(exits, record);
	guint64 weight = ended->recorded.run;
	const Account *account =
		g_hash_table_lookup(exits->accounts, GINT_TO_POINTER(ended->owner));

	if (ended->is_exact)
		return ended->recorded;
	if (!account)
		return (CpuTime){.run = 0};
	return (CpuTime){
		share_of(account->rest.run, weight, account->recorded.run),
		share_of(account->rest.user, weight, account->recorded.run),
		share_of(account->rest.system, weight, account->recorded.run),
	};
}

/* ---- records ---- */

const RosterEntry *exits_find(const Exits *exits, const RosterEntry *thread)
{
	gint found = find_record(exits, thread);

	return found < 0 || exits->ended[found].mark != MARK_GONE
		       ? NULL
		       : roster_entry(exits->records, (guint)found);
}

const RosterEntry *exits_next(const Exits *exits, guint *at, gboolean *ret_is_born)
{
	while (*at < roster_length(exits->records)) {
		guint now = (*at)++;

		if (exits->ended[now].mark != MARK_NONE)
			continue;
		*ret_is_born = is_mine(exits, now);
		return roster_entry(exits->records, now);
	}
	return NULL;
}

gboolean exits_is_of_command(const Exits *exits, const RosterEntry *thread)
{
	gint32 pid = thread->tgid;
	guint64 start = thread->start;
	const AnalysisOptions *options = exits->intake->plan->options;
	gint32 above = options->runs && options->command ? options->command->parent : 0;

	for (guint hops = 0; above > 0 && pid > INIT && hops < MAX_HOPS; hops++) {
		const RosterEntry *process = known_of(exits, pid, start);

		/* ctprof's other children are hidden, so this process is the command. */
		if (process && process->ppid == above)
			return TRUE;
		pid = process ? process->ppid : 0;
		start = process ? process->start : 0;
	}
	return FALSE;
}

/* Returns one name of a process's key, by its index; NULL: the process is unknown. */
static const char *name_of(Exits *exits, gint32 pid, guint64 start, guint name)
{
	guint side;
	const RosterEntry *process = process_of(exits, pid, start, &side);
	RecordKey key;

	if (!process)
		return NULL;
	side_read_names(&exits->sides[side], process, &exits->rows[side]);
	(void)side_name_thread(&exits->sides[side], &exits->rows[side].rows, 0, &key);
	return key.names[name];
}

/* Returns the name from the nearest known ancestor: a process is in its parent's cgroup unless it
 * is moved. */
static const char *inherited_name(Exits *exits, const RosterEntry *record, guint name)
{
	gint32 pid = record->tgid;
	guint64 start = record->start;

	for (guint hops = 0; pid > 0 && hops < MAX_HOPS; hops++) {
		const char *name_there = name_of(exits, pid, start, name);
		const RosterEntry *process = known_of(exits, pid, start);

		if (name_there || !process || process->ppid == pid)
			return name_there;
		pid = process->ppid;
		start = process->start;
	}
	return NULL;
}

static void own_names(Exits *exits, const RosterEntry *record, const char *ret_names[KEY_NAMES])
{
	roster_read_texts(exits->records, record, &exits->row);
	side_name_exit(&exits->sides[1], &exits->row.rows, 0, ret_names);
}

/* Returns the name of the record's process for label i of the axis. */
static const char *process_name(Exits *exits, const RosterEntry *record, const char *const *own,
				guint i)
{
	const RosterEntry *leader = process_at(exits->records, record->tgid, record->start);
	const char *known = name_of(exits, record->tgid, record->start, i), *leaders[KEY_NAMES];

	if (known)
		return known;
	if (leader)
		own_names(exits, leader, leaders);
	known = leader ? leaders[EXIT_NAME_COMM] : own[EXIT_NAME_PCOMM];
	return label_name(exits->intake->plan->axis->labels[i], exits->intake->store,
			  known ? known : own[EXIT_NAME_COMM], record->tgid);
}

/* Returns the user of the record; NULL: unknown. */
static const char *user_name(Exits *exits, const RosterEntry *record)
{
	guint64 uid;

	roster_read(exits->records, record, &exits->row);
	return rows_read(&exits->row.rows, 0, exits->sides[1].exit_uid, &uid)
		       ? intake_user(exits->intake, uid)
		       : NULL;
}

/* Whether the cgroup of the record that was read last has been removed.  The thread may have been
 * moved there, so it need not have been in its parent's cgroup. */
static gboolean had_removed_cgroup(const Exits *exits)
{
	gint slot = exits->sides[1].exit_labels[LABEL_CGROUP];

	return slot >= 0 && exits->row.states[slot] == CTPROF_ABSENT_VANISHED;
}

/* Returns the name for a label that comes from the cgroup, the user or the process. */
static const char *other_name(Exits *exits, const RosterEntry *record, const char *const *own,
			      guint i)
{
	enum label label = exits->intake->plan->axis->labels[i];

	if (own[EXIT_NAME_CGROUP] && label_is_of_cgroup(label))
		return label_name(label, exits->intake->store, own[EXIT_NAME_CGROUP], record->tgid);
	const char *known = label == LABEL_USER ? user_name(exits, record) : NULL;
	if (!known && !(label_is_of_cgroup(label) && had_removed_cgroup(exits)))
		known = inherited_name(exits, record, i);
	return known ? known : store_text(exits->intake->store, NO_NAME);
}

void exits_names(Exits *exits, const RosterEntry *record, RecordKey *ret_key)
{
	const Axis *axis = exits->intake->plan->axis;
	const char *own[KEY_NAMES];

	*ret_key = (RecordKey){.start = 0};
	own_names(exits, record, own);
	for (guint i = 0; i < axis->n_names; i++) {
		enum label label = axis->labels[i];

		if (label == LABEL_COMM)
			ret_key->names[i] = own[EXIT_NAME_COMM];
		else if (label == LABEL_PCOMM || label == LABEL_PROCESS)
			ret_key->names[i] = process_name(exits, record, own, i);
		else
			ret_key->names[i] = other_name(exits, record, own, i);
	}
}
