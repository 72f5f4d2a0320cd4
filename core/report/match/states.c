/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "states.h"

#include <string.h>

#include "exits.h"

enum { BEFORE, AFTER };

#define NS_PER_US 1000
/* The most time that is taken from a running thread, as a multiple of its run time. */
#define MOST_STOLEN 4

/* In samples: on a CPU, or waiting for one. */
#define RUNNING N_STATE_TIMES

const char *const state_words[N_STATE_TIMES] = {
	[STATE_USER] = "user",         [STATE_SYSTEM] = "system",
	[STATE_RUNNABLE] = "runnable", [STATE_DISK] = "disk",
	[STATE_SWAP] = "swap-in",      [STATE_RECLAIM] = "reclaim",
	[STATE_SLEEPING] = "sleeping", [STATE_THROTTLED] = "throttled",
	[STATE_LOCK] = "lock",         [STATE_SOCKET] = "socket",
	[STATE_PIPE] = "pipe",         [STATE_TIMER] = "timer",
	[STATE_IDLE] = "idle",         [STATE_CHILD] = "child",
	[STATE_FILE] = "file",         [STATE_FAULT] = "fault",
	[STATE_STOPPED] = "stopped",   [STATE_OTHER] = "other",
	[STATE_UNKNOWN] = "unknown",
};

enum input {
	RUN,
	WAIT,
	USER,
	SYSTEM,
	BLKIO,
	SWAPIN,
	THRASHING,
	FREEPAGES,
	COMPACT,
	SAMPLES,
	ELAPSED,
	STATE,
	SLEEPS,
	OPEN,
	N_INPUTS
};

const char *const state_metrics[] = {
	[RUN] = "run_time_ns",
	[WAIT] = "wait_time_ns",
	[USER] = "utime_clock_ticks",
	[SYSTEM] = "stime_clock_ticks",
	[BLKIO] = "blkio_delay_total_ns",
	[SWAPIN] = "swapin_delay_total_ns",
	[THRASHING] = "thrashing_delay_total_ns",
	[FREEPAGES] = "freepages_delay_total_ns",
	[COMPACT] = "compact_delay_total_ns",
	[SAMPLES] = "state_samples",
	[ELAPSED] = "elapsed_us",
	[STATE] = "state",
	[SLEEPS] = "voluntary_csw",
	[OPEN] = "open_wait_ns",
	[N_INPUTS] = NULL,
};

struct states {
	const Side *sides;
	gint slots[SIDES][N_INPUTS];
	gint elapsed; /* slot in an exit record */
	gdouble window_ns, began_ns;
	GHashTable *groups; /* const Record * -> StateTimes */
};

States *states_new(const Side sides[SIDES], guint64 began)
{
	States *states = g_new0(States, 1);

	states->sides = sides;
	states->window_ns = sides[AFTER].intake->plan->options->elapsed_s * 1e9;
	states->began_ns = (gdouble)began * CPU_TICK_NS;
	states->groups = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	for (guint i = 0; i < N_INPUTS; i++)
		for (guint side = 0; side < SIDES; side++)
			states->slots[side][i] =
				layout_slot(&sides[side].layouts[TABLE_THREADS], state_metrics[i]);
	states->elapsed = layout_slot(&sides[AFTER].layouts[TABLE_EXITS], state_metrics[ELAPSED]);
	return states;
}

void states_free(States *states)
{
	g_hash_table_unref(states->groups);
	g_free(states);
}

const StateTimes *states_find(const States *states, const Record *group)
{
	return group ? g_hash_table_lookup(states->groups, group) : NULL;
}

static gboolean is_one_epoch(const States *states)
{
	return states->sides[BEFORE].instants_ns == states->sides[AFTER].instants_ns;
}

guint64 states_instants(const States *states)
{
	guint64 before = is_one_epoch(states) ? states->sides[BEFORE].instants : 0;
	guint64 after = states->sides[AFTER].instants;

	return after > before ? after - before : 0;
}

/* ---- samples ------------------------------------------------------------------ */

static gint find_state(const char *word, gsize len)
{
	for (gint i = STATE_SLEEPING + 1; i < N_STATE_TIMES; i++)
		if (strlen(state_words[i]) == len && memcmp(state_words[i], word, len) == 0)
			return i;
	return len == strlen("running") && memcmp(word, "running", len) == 0 ? RUNNING : -1;
}

/* Adds samples such as "idle@5 lock=3": 3 instants in "lock", and "idle" from the fifth on.
 * sign: 1 or -1. */
static void add_samples(const char *text, guint64 instants, gdouble sign,
			gdouble counts[RUNNING + 1])
{
	while (*text) {
		gsize len = strcspn(text, "@= ");
		gchar *end = NULL;

		if (text[len] != '@' && text[len] != '=')
			return;
		guint64 number = g_ascii_strtoull(text + len + 1, &end, 10);
		gint state = find_state(text, len);
		if (text[len] == '@')
			number = number <= instants && number > 0 ? instants - number + 1 : 0;
		if (state >= 0)
			counts[state] += sign * (gdouble)number;
		text = *end == ' ' ? end + 1 : end;
		if (end == text && *text)
			return;
	}
}

static const char *samples_at(const States *states, const StateThread *thread, guint side)
{
	return rows_text(&thread->rows[side].rows, 0, states->slots[side][SAMPLES]);
}

static const char *samples_of_ended(const States *states, const RosterEntry *entry)
{
	g_autofree char *name =
		g_strdup_printf("%d:%d:%" G_GUINT64_FORMAT, entry->tgid, entry->tid, entry->start);

	return g_hash_table_lookup(states->sides[AFTER].ended, name);
}

/* Counts a thread's samples in the window, by state.  Returns their sum. */
static gdouble count_samples(const States *states, const StateThread *thread,
			     gdouble ret_counts[RUNNING + 1])
{
	const char *after = thread->is_there ? samples_at(states, thread, AFTER)
					     : samples_of_ended(states, thread->entry);
	const char *before = thread->was_there && is_one_epoch(states)
				     ? samples_at(states, thread, BEFORE)
				     : NULL;
	gdouble sum = 0;

	if (after)
		add_samples(after, states->sides[AFTER].instants, 1, ret_counts);
	if (after && before)
		add_samples(before, states->sides[BEFORE].instants, -1, ret_counts);
	for (guint i = 0; i <= RUNNING; i++) {
		ret_counts[i] = MAX(ret_counts[i], 0);
		sum += ret_counts[i];
	}
	return sum;
}

/* ---- one thread ----------------------------------------------------------------- */

/* FALSE: a side lacks the input. */
static gboolean find_values(const States *states, const StateThread *thread, enum input input,
			    guint64 ret_values[SIDES])
{
	for (guint side = 0; side < SIDES; side++)
		if (!rows_read(&thread->rows[side].rows, 0, states->slots[side][input],
			       &ret_values[side]))
			return FALSE;
	return TRUE;
}

/* Returns the growth in the window; 0: not known. */
static gdouble change_of(const States *states, const StateThread *thread, enum input input)
{
	guint64 values[SIDES];

	return find_values(states, thread, input, values) && values[AFTER] > values[BEFORE]
		       ? (gdouble)(values[AFTER] - values[BEFORE])
		       : 0;
}

/* Whether the thread was runnable all the time: at both ends, without sleeping in between.  Threads
 * that are stopped, frozen or traced do sleep; throttled ones do not. */
static gboolean is_runnable(const States *states, const StateThread *thread)
{
	guint64 state[SIDES], sleeps[SIDES], any[SIDES];

	return find_values(states, thread, STATE, state) && state[BEFORE] == 'R' &&
	       state[AFTER] == 'R' && find_values(states, thread, SLEEPS, sleeps) &&
	       sleeps[BEFORE] == sleeps[AFTER] && find_values(states, thread, RUN, any) &&
	       find_values(states, thread, WAIT, any);
}

/* Adds the waits in progress at the ends of the window.  A thread that sleeps may have one, too:
 * since 6.12 it stays in its run queue for a while (delayed dequeue), and if it is moved to another
 * CPU meanwhile, the kernel takes its sleep for a wait, and counts it when it next runs.
 */
static gdouble complete_wait(const States *states, const StateThread *thread, gdouble wait,
			     const guint64 open[SIDES])
{
	guint64 state[SIDES];
	gboolean sleeps = find_values(states, thread, STATE, state) && state[AFTER] != 'R';

	return wait + (sleeps ? 0 : (gdouble)open[AFTER]) - (gdouble)open[BEFORE];
}

/* Returns how long the thread lived in the window; negative: unknown. */
static gdouble life_of(const States *states, const StateThread *thread)
{
	gdouble start = (gdouble)thread->entry->start * CPU_TICK_NS - states->began_ns;
	gdouble from = thread->was_there ? 0 : start, to = states->window_ns;
	guint64 elapsed;

	if (!thread->is_there) {
		if (!thread->ended ||
		    !rows_read(&thread->ended->rows, 0, states->elapsed, &elapsed))
			return -1;
		to = start + (gdouble)elapsed * NS_PER_US;
	}
	return CLAMP(to - from, 0, states->window_ns);
}

static gdouble take(gdouble wanted, gdouble *rest)
{
	gdouble taken = CLAMP(wanted, 0, *rest);

	*rest -= taken;
	return taken;
}

/* Divides the wait for a CPU, and the rest of a thread's sleep, by its samples.  Waits that are
 * already in the kernel's sums were sampled, too, and are subtracted. */
static void divide(const States *states, const StateThread *thread, StateTimes *times,
		   const gdouble known[N_STATE_TIMES], gdouble life, gdouble sleep, gdouble rest)
{
	gdouble counts[RUNNING + 1] = {0}, left = 0;
	gdouble all = count_samples(states, thread, counts), throttled = counts[STATE_THROTTLED];
	gdouble n = all - throttled - counts[RUNNING];

	if (states_instants(states) == 0) {
		times->ns[STATE_SLEEPING] += rest;
		return;
	}
	if (throttled > 0)
		throttled = MIN(life * throttled / all, known[STATE_RUNNABLE]);
	times->ns[STATE_THROTTLED] += throttled;
	times->ns[STATE_RUNNABLE] -= throttled;
	counts[STATE_THROTTLED] = 0;
	times->looks = MAX(times->looks, all);
	times->sampled += rest;
	times->instants = MAX(times->instants, n);
	if (sleep > 0) {
		counts[STATE_FILE] = MAX(counts[STATE_FILE] - n * known[STATE_DISK] / sleep, 0);
		counts[STATE_FAULT] = MAX(counts[STATE_FAULT] - n * known[STATE_SWAP] / sleep, 0);
	}
	for (guint i = 0; i < N_STATE_TIMES; i++)
		left += counts[i];
	if (left <= 0)
		times->ns[STATE_UNKNOWN] += rest;
	for (guint i = 0; i < N_STATE_TIMES && left > 0; i++)
		times->ns[i] += rest * counts[i] / left;
}

static void add_thread(const States *states, StateTimes *times, const StateThread *thread,
		       gdouble life)
{
	gdouble known[N_STATE_TIMES] = {0};
	gdouble run = change_of(states, thread, RUN), wait = change_of(states, thread, WAIT);
	gdouble user = change_of(states, thread, USER), system = change_of(states, thread, SYSTEM);
	guint64 open[SIDES], disk[SIDES];

	if (states->slots[AFTER][RUN] < 0)
		run = (user + system) * CPU_TICK_NS;
	known[STATE_SYSTEM] = user + system > 0 ? run * system / (user + system) : 0;
	known[STATE_USER] = run - known[STATE_SYSTEM];
	/* Rows are read one after the other, so a busy thread may have run longer than the
	 * window. */
	gdouble most = MAX(life - run, 0);
	/* The kernel counts a wait when it ends.  A wait in progress is either read separately, or
	 * known because the thread never slept.  Interrupts and a hypervisor also take time from a
	 * running thread; that is no wait, but it does not take most of the thread's time. */
	gdouble all = wait;
	if (find_values(states, thread, OPEN, open))
		all = CLAMP(complete_wait(states, thread, wait, open), 0, most);
	else if (is_runnable(states, thread) && (wait > most || most - wait > MOST_STOLEN * run))
		all = most;
	times->uncounted += all - wait;
	wait = all;
	gdouble rest = MAX(most - wait, 0), sleep = rest;
	known[STATE_RUNNABLE] = wait;
	known[STATE_DISK] = take(change_of(states, thread, BLKIO), &rest);
	/* A page that was evicted too early and is swapped in counts as both. */
	known[STATE_SWAP] =
		take(MAX(change_of(states, thread, SWAPIN), change_of(states, thread, THRASHING)),
		     &rest);
	known[STATE_RECLAIM] = take(
		change_of(states, thread, FREEPAGES) + change_of(states, thread, COMPACT), &rest);
	for (guint i = 0; i < N_STATE_TIMES; i++)
		times->ns[i] += known[i];
	divide(states, thread, times, known, life, sleep, rest);
	times->threads++;
	times->uncounted_disk +=
		thread->was_there && thread->is_there && !find_values(states, thread, BLKIO, disk);
}

void states_add(States *states, const Record *group, const StateThread *thread)
{
	StateTimes *times = g_hash_table_lookup(states->groups, group);
	gdouble life = life_of(states, thread);

	if (!times) {
		times = g_new0(StateTimes, 1);
		g_hash_table_insert(states->groups, (gpointer)(uintptr_t)group, times);
	}
	if (life < 0)
		times->left_out++;
	else
		add_thread(states, times, thread, life);
}
