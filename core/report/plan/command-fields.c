/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command-fields.h"

#include <math.h>
#include <string.h>

#define COMMAND_NAME "command"
/* A phase begins at a mark, and ends at the next one or with the command. */
#define PHASE "phase."

/* Both sides run the same command, so each of its costs can be judged. */
#define COMMAND_COST(name, unit, ladder) COMMAND_FIELD(name, unit, ladder, CTPROF_MORE_IS_WORSE)
#define COMMAND_COUNT(name) COMMAND_FIELD(name, "none", CTPROF_LADDER_UNITLESS, 0)
#define COMMAND_FIELD(name_, unit_, ladder_, polarity_)                                            \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_report_field), .ladder = (ladder_),            \
		.name = (name_), .header = (name_), .unit = (unit_), .tags = "",                   \
		.polarity = (polarity_)                                                            \
	}

enum { WALL, USER, SYSTEM, CPUS, MAX_RSS, MINFLT, MAJFLT, VOLUNTARY, NONVOLUNTARY, N_FIELDS };

static const struct ctprof_report_field fields[N_FIELDS] = {
	[WALL] = COMMAND_COST("wall_ns", "ns", CTPROF_LADDER_NS),
	[USER] = COMMAND_COST("user_ns", "ns", CTPROF_LADDER_NS),
	[SYSTEM] = COMMAND_COST("system_ns", "ns", CTPROF_LADDER_NS),
	[CPUS] = COMMAND_FIELD("cpus", "ratio", CTPROF_LADDER_RATIO, 0),
	[MAX_RSS] = COMMAND_COST("max_rss_bytes", "bytes", CTPROF_LADDER_BYTES),
	[MINFLT] = COMMAND_COUNT("minflt"),
	[MAJFLT] = COMMAND_COST("majflt", "none", CTPROF_LADDER_UNITLESS),
	[VOLUNTARY] = COMMAND_COUNT("voluntary_csw"),
	[NONVOLUNTARY] = COMMAND_COST("nonvoluntary_csw", "none", CTPROF_LADDER_UNITLESS),
};

const struct ctprof_report_field *command_field_find(const char *name)
{
	for (guint i = 0; i < N_FIELDS; i++)
		if (g_str_equal(fields[i].name, name))
			return &fields[i];
	return g_str_has_prefix(name, PHASE) ? &fields[WALL] : NULL;
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
	struct ctprof_report_field field = fields[WALL];

	for (char **mark = facts->marks; mark && *mark; mark++) {
		const char *name = *mark + strspn(*mark, G_CSET_DIGITS);

		field.name = field.header =
			store_take(place->runs->store, g_strconcat(PHASE, name + 1, NULL));
		runs_put(place, command, &field, (gdouble)time_in(facts, name), FALSE);
	}
}

void command_collect(const RunPlace *place, const CommandFacts *facts)
{
	const gdouble cpu = (gdouble)facts->user_ns + (gdouble)facts->system_ns;
	const gdouble values[N_FIELDS] = {
		[WALL] = (gdouble)facts->wall_ns,
		[USER] = (gdouble)facts->user_ns,
		[SYSTEM] = (gdouble)facts->system_ns,
		[CPUS] = cpu / (gdouble)MAX(facts->wall_ns, 1),
		[MAX_RSS] = facts->max_rss_bytes > 0 ? (gdouble)facts->max_rss_bytes : NAN,
		[MINFLT] = (gdouble)facts->minflt,
		[MAJFLT] = (gdouble)facts->majflt,
		[VOLUNTARY] = (gdouble)facts->voluntary_csw,
		[NONVOLUNTARY] = (gdouble)facts->nonvoluntary_csw,
	};
	const RunsKey command = {.names = {store_text(place->runs->store, COMMAND_NAME)},
				 .n_names = 1,
				 .family = FAMILY_COMMAND};

	for (guint i = 0; i < N_FIELDS; i++)
		runs_put(place, &command, &fields[i], values[i], FALSE);
	collect_phases(place, &command, facts);
}
