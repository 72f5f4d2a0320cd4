/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command-fields.h"

#include <math.h>
#include <string.h>

#define COMMAND_NAME "command"
/* A phase begins at a mark, and ends at the next one or with the command. */
#define PHASE "phase."
#define WALL 0 /* index of the number that a phase is a part of */

#define COMMAND_COST(name, unit, ladder) COMMAND_FIELD(name, unit, ladder, CTPROF_MORE_IS_WORSE)
#define COMMAND_COUNT(name) COMMAND_FIELD(name, "none", CTPROF_LADDER_UNITLESS, 0)
#define COMMAND_FIELD(name_, unit_, ladder_, polarity_)                                            \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_report_field), .ladder = (ladder_),            \
		.name = (name_), .header = (name_), .unit = (unit_), .tags = "",                   \
		.polarity = (polarity_)                                                            \
	}
#define AT(member) G_STRUCT_OFFSET(CommandFacts, member)

/* Both sides run the same command, so each of its costs can be judged. */
const CommandNumber command_numbers[N_COMMAND_NUMBERS] = {
	{COMMAND_COST("wall_ns", "ns", CTPROF_LADDER_NS), "WALL", AT(wall_ns)},
	{COMMAND_COST("user_ns", "ns", CTPROF_LADDER_NS), "USER", AT(user_ns)},
	{COMMAND_COST("system_ns", "ns", CTPROF_LADDER_NS), "SYSTEM", AT(system_ns)},
	{COMMAND_FIELD("cpus", "ratio", CTPROF_LADDER_RATIO, 0), "CPUS", 0},
	{COMMAND_COST("max_rss_bytes", "bytes", CTPROF_LADDER_BYTES), "MAX RSS", AT(max_rss_bytes)},
	{COMMAND_COUNT("minflt"), "MINFLT", AT(minflt)},
	{COMMAND_COST("majflt", "none", CTPROF_LADDER_UNITLESS), "MAJFLT", AT(majflt)},
	{COMMAND_COUNT("voluntary_csw"), "VOLUNTARY", AT(voluntary_csw)},
	{COMMAND_COST("nonvoluntary_csw", "none", CTPROF_LADDER_UNITLESS), "NONVOLUNTARY",
	 AT(nonvoluntary_csw)},
};

struct ctprof_value command_value(const CommandFacts *facts, const CommandNumber *number)
{
	guint64 known;

	if (number->offset == 0)
		return value_of_real(((gdouble)facts->user_ns + (gdouble)facts->system_ns) /
				     (gdouble)MAX(facts->wall_ns, 1));
	memcpy(&known, (const char *)facts + number->offset, sizeof known);
	if (number->offset == AT(max_rss_bytes) && known == 0)
		return (struct ctprof_value){.type = CTPROF_VALUE_ABSENT};
	return value_of_number(known);
}

const struct ctprof_report_field *command_field_find(const char *name)
{
	for (guint i = 0; i < N_COMMAND_NUMBERS; i++)
		if (g_str_equal(command_numbers[i].field.name, name))
			return &command_numbers[i].field;
	return g_str_has_prefix(name, PHASE) ? &command_numbers[WALL].field : NULL;
}

/* Returns the sum of the phases of that name. */
static guint64 time_in(const CommandFacts *facts, const char *name)
{
	guint64 sum = 0;

	for (char **mark = facts->marks; *mark; mark++) {
		char *own;
		guint64 begin = g_ascii_strtoull(*mark, &own, 10);
		guint64 end = mark[1] ? g_ascii_strtoull(mark[1], NULL, 10) : facts->wall_ns;

		if (g_str_equal(own, name))
			sum += MAX(end, begin) - begin;
	}
	return sum;
}

static void collect_phases(const RunPlace *place, const RunsKey *command, const CommandFacts *facts)
{
	struct ctprof_report_field field = command_numbers[WALL].field;

	for (char **mark = facts->marks; mark && *mark; mark++) {
		const char *name = *mark + strspn(*mark, G_CSET_DIGITS);

		field.name = field.header =
			store_take(place->runs->store, g_strconcat(PHASE, name + 1, NULL));
		runs_put(place, command, &field, (gdouble)time_in(facts, name), FALSE);
	}
}

void command_collect(const RunPlace *place, const CommandFacts *facts)
{
	const RunsKey command = {.names = {store_text(place->runs->store, COMMAND_NAME)},
				 .n_names = 1,
				 .family = FAMILY_COMMAND};

	for (guint i = 0; i < N_COMMAND_NUMBERS; i++) {
		const struct ctprof_value value = command_value(facts, &command_numbers[i]);
		gdouble number = NAN;

		(void)value_to_number(&value, &number);
		runs_put(place, &command, &command_numbers[i].field, number, FALSE);
	}
	collect_phases(place, &command, facts);
}
