/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Section command: what wait4() reports for the command of ctprof stat and its children,
 * including children in no capture. */
#include <string.h>

#include "report/draft/draft.h"

enum {
	COMMAND,
	WALL,
	USER,
	SYSTEM,
	CPUS,
	MAX_RSS,
	MINFLT,
	MAJFLT,
	VOLUNTARY,
	NONVOLUNTARY,
	STATUS,
	N_FIELDS,
};

#define TIME_FIELD(id, head) TABLE_FIELD(id, head, "ns", CTPROF_LADDER_NS, 0)

static const struct ctprof_report_field fields[N_FIELDS] = {
	[COMMAND] = TEXT_FIELD("command", "COMMAND"),
	[WALL] = TIME_FIELD("wall_ns", "WALL"),
	[USER] = TIME_FIELD("user_ns", "USER"),
	[SYSTEM] = TIME_FIELD("system_ns", "SYSTEM"),
	[CPUS] = TABLE_FIELD("cpus", "CPUS", "ratio", CTPROF_LADDER_RATIO, 0),
	[MAX_RSS] = BYTES_FIELD("max_rss_bytes", "MAX RSS"),
	[MINFLT] = COUNT_FIELD("minflt", "MINFLT"),
	[MAJFLT] = COUNT_FIELD("majflt", "MAJFLT"),
	[VOLUNTARY] = COUNT_FIELD("voluntary_csw", "VOLUNTARY"),
	[NONVOLUNTARY] = COUNT_FIELD("nonvoluntary_csw", "NONVOLUNTARY"),
	[STATUS] = TEXT_FIELD("status", "STATUS"),
};

static struct ctprof_value status_of(const Draft *draft, const CommandFacts *facts)
{
	return value_of_text(store_take(
		draft->store, facts->signal ? g_strdup_printf("signal %d", facts->signal)
					    : g_strdup_printf("exit %d", facts->exit_status)));
}

/* Returns a hint at the option that makes room for more records.  The source's name comes from a
 * file, so it is checked. */
static const char *room_for_more(const Draft *draft, const Side *side)
{
	const char *source = side->exits_source;

	if (!source || source[strspn(source, "abcdefghijklmnopqrstuvwxyz0123456789-_")])
		return "";
	return store_take(draft->store, g_strdup_printf(" (-O %s.buffer=SIZE)", source));
}

/* Notes where the values come from, and whether the rest of the report has all exits. */
static void add_notes(const Draft *draft, Table *table, const CommandFacts *facts)
{
	const Side *after = &draft->sides[1];

	table_note(table, "from wait4(): the command and all children that were waited for; "
			  "MAX RSS is that of the largest process");
	if (facts->exits_why)
		table_note(table, "no exit records: %s", facts->exits_why);
	else if (after->exits_lost > 0)
		table_note(table,
			   "exits incomplete: %" G_GUINT64_FORMAT
			   " records received, %" G_GUINT64_FORMAT " lost%s",
			   after->exits_received, after->exits_lost, room_for_more(draft, after));
	else
		table_note(table, "exit records: %" G_GUINT64_FORMAT ", none lost",
			   after->exits_received);
}

static void draft_command(const Draft *draft, const Section *section)
{
	const CommandFacts *facts = draft->plan->options->command;

	if (!facts)
		return;
	guint64 cpu_ns = facts->user_ns + facts->system_ns;
	const struct ctprof_value values[N_FIELDS] = {
		[COMMAND] = value_of_text(facts->line),
		[WALL] = value_of_number(facts->wall_ns),
		[USER] = value_of_number(facts->user_ns),
		[SYSTEM] = value_of_number(facts->system_ns),
		[CPUS] = value_of_real((gdouble)cpu_ns / (gdouble)facts->wall_ns),
		[MAX_RSS] = facts->max_rss_bytes > 0
				    ? value_of_number(facts->max_rss_bytes)
				    : (struct ctprof_value){.type = CTPROF_VALUE_ABSENT},
		[MINFLT] = value_of_number(facts->minflt),
		[MAJFLT] = value_of_number(facts->majflt),
		[VOLUNTARY] = value_of_number(facts->voluntary_csw),
		[NONVOLUNTARY] = value_of_number(facts->nonvoluntary_csw),
		[STATUS] = status_of(draft, facts),
	};
	Table *table = tables_add(draft->tables, section->name, section->heading, NULL, 0);

	table_add_fields(table, fields, N_FIELDS);
	struct ctprof_cell *cells = table_line(table, 0, 0);
	for (guint i = 0; i < N_FIELDS; i++)
		draft_put_same(draft, &cells[i], values[i]);
	add_notes(draft, table, facts);
}

const Section section_command = {
	.name = "command",
	.heading = "Command",
	.help = "stat: time, CPU and memory of COMMAND and its children",
	.place = {-4, -4},
	.draft = draft_command,
};
