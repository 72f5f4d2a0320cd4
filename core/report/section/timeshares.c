/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Section states: what the threads of each group did with the time of a window. */
#include "timeshares.h"
#include "report/draft/draft.h"
#include "report/match/states.h"
#include "report/stats/interval.h"

#define CONFIDENCE 0.95
/* The number of states shown on the first screen. */
#define MOST_TOLD 3

enum { TIME, SHARE, LOW, HIGH, N_FIELDS };

static const struct ctprof_report_field fields[N_FIELDS] = {
	[TIME] = TABLE_FIELD("thread_time_ns", "TIME", "ns", CTPROF_LADDER_NS, 0),
	[SHARE] = SHARE_FIELD("share", "SHARE"),
	[LOW] = SHARE_FIELD("share_low", "LOW"),
	[HIGH] = SHARE_FIELD("share_high", "HIGH"),
};

static gdouble sum_of(const StateTimes *times)
{
	gdouble sum = 0;

	for (guint i = 0; i < N_STATE_TIMES; i++)
		sum += times->ns[i];
	return sum;
}

/* States in which a thread did something or waited for something. */
static gdouble activity_of(const StateTimes *times)
{
	return sum_of(times) - times->ns[STATE_IDLE] - times->ns[STATE_TIMER] -
	       times->ns[STATE_SLEEPING] - times->ns[STATE_UNKNOWN] - times->ns[STATE_STOPPED];
}

static const StateTimes *times_of(const Draft *draft, const Group *group)
{
	const StateTimes *times = states_find(draft->window->states, group->sides[1]);

	return times && times->threads > 0 ? times : NULL;
}

/* The samples of a sleep divide only a part of the time, so their error applies to that part. */
static void put_interval(const Draft *draft, struct ctprof_cell *cells, const StateTimes *times,
			 enum state_time state, gdouble sum)
{
	gdouble n = state == STATE_THROTTLED ? times->looks : times->instants, low, high;
	gdouble divided = state == STATE_THROTTLED ? sum : times->sampled;

	if (divided <= 0)
		return;
	interval_of_share(MIN(times->ns[state] / divided, 1) * n, n, CONFIDENCE, &low, &high);
	draft_put_same(draft, &cells[LOW], value_of_real(low * divided / sum * 100));
	draft_put_same(draft, &cells[HIGH], value_of_real(high * divided / sum * 100));
}

static void add_state(const Draft *draft, Table *table, const Group *group, const StateTimes *times,
		      enum state_time state)
{
	gdouble sum = sum_of(times), ns = times->ns[state];
	struct ctprof_cell *cells = draft_group_part(table, group, state_words[state]);

	draft_put_same(draft, &cells[TIME], value_of_real(ns));
	draft_put_same(draft, &cells[SHARE], value_of_real(ns / sum * 100));
	if (state > STATE_SLEEPING)
		put_interval(draft, cells, times, state, sum);
}

static gdouble weigh(const Draft *draft, const Group *group, gconstpointer data)
{
	const StateTimes *times = times_of(draft, group);

	(void)data;
	return times ? MAX(activity_of(times), 0) : -1;
}

static void draft_states(const Draft *draft, const Section *section)
{
	guint limit = draft->view->limit;
	guint64 uncounted = 0;

	if (!draft->window ||
	    (states_instants(draft->window->states) == 0 && !draft->plan->options->sections))
		return;
	g_autoptr(GPtrArray) list = draft_heaviest(draft, weigh, NULL);
	Table *table =
		draft_wide(draft, section->name, section->heading, draft->plan->axis->header);
	table_add_fields(table, fields, G_N_ELEMENTS(fields));
	for (guint i = 0; i < list->len; i++) {
		const Group *group = g_ptr_array_index(list, i);
		const StateTimes *times = times_of(draft, group);

		uncounted += times->uncounted_disk;
		for (guint state = 0; state < N_STATE_TIMES; state++) {
			if (times->ns[state] <= 0)
				continue;
			if (limit > 0 && i >= limit)
				table->section.n_cut++;
			else
				add_state(draft, table, group, times, state);
		}
	}
	table_note(table,
		   "states add up to the time; throttled, and from lock on, are estimated from "
		   "%" G_GUINT64_FORMAT " samples, with 95 %% intervals",
		   states_instants(draft->window->states));
	if (uncounted > 0)
		table_note(
			table,
			"threads whose block I/O is part of their other sleep, as the kernel does "
			"not count it: %" G_GUINT64_FORMAT,
			uncounted);
	if (table->lines->len == 0)
		tables_drop(draft->tables);
}

char *timeshares_text(const Draft *draft, const Group *group)
{
	const StateTimes *times = draft->window ? times_of(draft, group) : NULL;
	g_autoptr(GString) text = g_string_new(NULL);
	guint used = 0; /* bits */

	if (!times || states_instants(draft->window->states) == 0)
		return NULL;
	gdouble sum = sum_of(times);
	for (guint n = 0; n < MOST_TOLD; n++) {
		guint most = N_STATE_TIMES;

		for (guint i = 0; i < N_STATE_TIMES; i++)
			if (!(used >> i & 1) &&
			    (most == N_STATE_TIMES || times->ns[i] > times->ns[most]))
				most = i;
		used |= 1u << most;
		gint percent = (gint)(times->ns[most] / sum * 100 + 0.5);
		if (percent > 0)
			g_string_append_printf(text, "%s%s %d%%", text->len ? " " : "",
					       state_words[most], percent);
	}
	return g_strdup(text->str);
}

const Section section_states = {
	.name = SECTION_STATES,
	.heading = "What threads did with their time",
	.help = "of a window: the time of each group by state, and with --states what it waited for",
	.flags = SECTION_TOLD_IN_DIGEST,
	.place = {4, 4},
	.draft = draft_states,
	.metrics = state_metrics,
};
