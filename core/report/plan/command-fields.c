/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command-fields.h"

#define COMMAND_NAME "command"

#define COMMAND_FIELD(name_, unit_, ladder_)                                                       \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_report_field), .ladder = (ladder_),            \
		.name = (name_), .header = (name_), .unit = (unit_), .tags = ""                    \
	}

enum { WALL, USER, SYSTEM, CPUS, MAX_RSS, MINFLT, MAJFLT, VOLUNTARY, NONVOLUNTARY, N_FIELDS };

static const struct ctprof_report_field fields[N_FIELDS] = {
	[WALL] = COMMAND_FIELD("wall_ns", "ns", CTPROF_LADDER_NS),
	[USER] = COMMAND_FIELD("user_ns", "ns", CTPROF_LADDER_NS),
	[SYSTEM] = COMMAND_FIELD("system_ns", "ns", CTPROF_LADDER_NS),
	[CPUS] = COMMAND_FIELD("cpus", "ratio", CTPROF_LADDER_RATIO),
	[MAX_RSS] = COMMAND_FIELD("max_rss_bytes", "bytes", CTPROF_LADDER_BYTES),
	[MINFLT] = COMMAND_FIELD("minflt", "none", CTPROF_LADDER_UNITLESS),
	[MAJFLT] = COMMAND_FIELD("majflt", "none", CTPROF_LADDER_UNITLESS),
	[VOLUNTARY] = COMMAND_FIELD("voluntary_csw", "none", CTPROF_LADDER_UNITLESS),
	[NONVOLUNTARY] = COMMAND_FIELD("nonvoluntary_csw", "none", CTPROF_LADDER_UNITLESS),
};

const struct ctprof_report_field *command_field_find(const char *name)
{
	for (guint i = 0; i < N_FIELDS; i++)
		if (g_str_equal(fields[i].name, name))
			return &fields[i];
	return NULL;
}

void command_collect(const RunPlace *place, const CommandFacts *facts)
{
	const gdouble cpu = (gdouble)facts->user_ns + (gdouble)facts->system_ns;
	const gdouble values[N_FIELDS] = {
		[WALL] = (gdouble)facts->wall_ns,
		[USER] = (gdouble)facts->user_ns,
		[SYSTEM] = (gdouble)facts->system_ns,
		[CPUS] = cpu / (gdouble)MAX(facts->wall_ns, 1),
		[MAX_RSS] = (gdouble)facts->max_rss_bytes,
		[MINFLT] = (gdouble)facts->minflt,
		[MAJFLT] = (gdouble)facts->majflt,
		[VOLUNTARY] = (gdouble)facts->voluntary_csw,
		[NONVOLUNTARY] = (gdouble)facts->nonvoluntary_csw,
	};
	const char *name = store_text(place->runs->store, COMMAND_NAME);

	for (guint i = 0; i < N_FIELDS; i++)
		runs_put(place, FAMILY_COMMAND, &name, 1, &fields[i], values[i], FALSE);
}
