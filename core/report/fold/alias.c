/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "alias.h"

#include <string.h>

#include "derived.h"

/* No alias is the name of a metric. */
const Alias aliases[] = {
	{"threads", "thread_count"},
	{"cpu", "run_time_ns"},
	{"usr", "utime_clock_ticks"},
	{"sys", "stime_clock_ticks"},
	{"waiting", "wait_time_ns"},
	{"turn", "avg_turn_wait_ns"},
	{"switches", "context_switches"},
	{"read", "read_bytes"},
	{"write", "write_bytes"},
	{"pss", "smaps_pss_bytes"},
	{"uss", "uss_bytes"},
	{"rss", "rss_bytes"},
	{"swap", "swap_bytes"},
	{"heap", "live_heap_estimate"},
	{NULL, NULL},
};

const char *alias_metric(const char *name)
{
	for (const Alias *alias = aliases; alias->name; alias++)
		if (strcmp(alias->name, name) == 0)
			return alias->metric;
	return name;
}

static void add_entry(GString *list, gboolean out, const char *metric)
{
	g_string_append_printf(list, "%s%s%s", list->len ? "," : "", out ? "-" : "", metric);
}

char *alias_inputs(const char *list)
{
	g_auto(GStrv) entries = g_strsplit(list, ",", -1);
	GString *text = g_string_new(NULL);

	for (guint i = 0; entries[i]; i++) {
		const char *entry = g_strstrip(entries[i]);
		gboolean out = entry[0] == '-';
		const char *metric = alias_metric(entry + (out ? 1 : 0));
		const struct derived *derived = derived_find(metric);

		if (!derived)
			add_entry(text, out, metric);
		for (guint k = 0; derived && k < DERIVED_MAX_INPUTS && derived->inputs[k]; k++)
			add_entry(text, out, derived->inputs[k]);
	}
	return g_string_free(text, FALSE);
}

const char *alias_of(const char *metric)
{
	for (const Alias *alias = aliases; alias->name; alias++)
		if (strcmp(alias->metric, metric) == 0)
			return alias->name;
	return NULL;
}
