/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Section command: what wait4() reports for the command of ctprof stat and its children,
 * including children in no capture. */
#include <string.h>

#include "report/draft/draft.h"
#include "report/plan/command-fields.h"

/* Returns the column of a number: counts are shown in full, and nothing is judged. */
static struct ctprof_report_field column_of(const CommandNumber *number)
{
	struct ctprof_report_field field = number->field;

	field.header = number->heading;
	field.polarity = 0;
	if (field.ladder == CTPROF_LADDER_UNITLESS)
		field.ladder = CTPROF_LADDER_NONE;
	return field;
}

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
	static const struct ctprof_report_field line = TEXT_FIELD("command", "COMMAND"),
						status = TEXT_FIELD("status", "STATUS");
	const CommandFacts *facts = draft->plan->options->command;

	if (!facts)
		return;
	Table *table = tables_add(draft->tables, section->name, section->heading, NULL, 0);
	table_add_fields(table, &line, 1);
	for (guint i = 0; i < N_COMMAND_NUMBERS; i++) {
		const struct ctprof_report_field column = column_of(&command_numbers[i]);

		table_add_fields(table, &column, 1);
	}
	table_add_fields(table, &status, 1);
	struct ctprof_cell *cell = table_line(table, 0, 0);
	draft_put_same(draft, cell++, value_of_text(facts->line));
	for (guint i = 0; i < N_COMMAND_NUMBERS; i++)
		draft_put_same(draft, cell++, command_value(facts, &command_numbers[i]));
	draft_put_same(draft, cell, status_of(draft, facts));
	add_notes(draft, table, facts);
}

const Section section_command = {
	.name = "command",
	.heading = "Command",
	.help = "stat: time, CPU and memory of COMMAND and its children",
	.place = {-4, -4},
	.draft = draft_command,
};
