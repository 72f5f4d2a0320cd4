/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/plan/sections.h"

#include <string.h>

#include "report/section/choices.h"
#include "report/section/memory/rows.h"

/* Each section is defined in the file that drafts its tables. */
extern const Section section_command;
extern const Section section_host_state, section_findings, section_pools, section_history;
extern const Section section_primary, section_delay, section_derived;
extern const Section section_cgroup_stats, section_cgroup_limits, section_memory_stat,
	section_memory_events, section_pressure;
extern const Section section_account, section_host_pressure, section_sched_ext, section_host;
extern const Section section_smaps, section_categories, section_wait, section_states;
extern const Section view_areas, view_object, view_pools, view_ledger, view_processes, view_process,
	view_shared, view_tmpfs, view_sysv, view_categories;

const Section *const sections[] = {
	&section_command,
	&section_host_state,
	&section_findings,
	&section_pools,
	&section_history,
	&section_account,
	&section_primary,
	&section_delay,
	&section_derived,
	&section_states,
	&section_wait,
	&section_cgroup_stats,
	&section_cgroup_limits,
	&section_memory_stat,
	&section_memory_events,
	&section_pressure,
	&section_host_pressure,
	&section_smaps,
	&section_categories,
	&section_sched_ext,
	&section_host,
	&view_pools,
	&view_ledger,
	&view_processes,
	&view_process,
	&view_areas,
	&view_shared,
	&view_object,
	&view_tmpfs,
	&view_sysv,
	&view_categories,
	NULL,
};

const MeasureChoice section_choices[N_TABLES] = {
	[TABLE_CGROUPS] = cgroups_choose,
	[TABLE_HOST] = host_choose,
	[TABLE_PROCESSES] = rows_choose_process,
	[TABLE_SINGLE_OBJECTS] = rows_choose_object,
};

/* plan->sections has a bit for each section. */
G_STATIC_ASSERT(G_N_ELEMENTS(sections) - 1 <= 32);

const Section *section_find(const char *name, gboolean view)
{
	for (guint i = 0; sections[i]; i++)
		if (!(sections[i]->flags & SECTION_VIEW) == !view &&
		    strcmp(sections[i]->name, name) == 0)
			return sections[i];
	return NULL;
}

guint32 section_bit(const Section *section)
{
	guint i = 0;

	while (sections[i] != section)
		i++;
	return 1u << i;
}
