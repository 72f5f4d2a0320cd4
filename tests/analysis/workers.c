/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "workers.h"

void workers_add(Sample *sample, gint32 tid, const char *pcomm, const char *comm,
		 const char *cgroup, guint64 run_time)
{
	sample_thread(sample, tid, tid, pcomm, comm, cgroup);
	sample_u64(sample, "run_time_ns", run_time);
}

/* Adds a thread for each name of a blank-separated list, as pcomm, comm and cgroup. */
Sample *workers_new(const char *names)
{
	Sample *sample = sample_new();
	g_auto(GStrv) list = g_strsplit(names, " ", -1);

	for (guint i = 0; list[i]; i++)
		workers_add(sample, (gint32)i + 1, list[i], list[i], list[i], 10);
	return sample;
}

AnalysisOptions workers_options(GroupBy group_by, char *metrics)
{
	static char shown[] = "primary,derived";

	return (AnalysisOptions){.group_by = group_by, .metrics = metrics, .sections = shown};
}

/* Returns "GROUP A>B" for each joined group, "-GROUP" and "+GROUP" for those of one side. */
char *workers_dump(const struct ctprof_report *report)
{
	g_autoptr(GString) out = g_string_new(NULL);
	const struct ctprof_report_section *section = sample_section(report, "primary");

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = &section->lines[i];
		g_autofree char *group = sample_group(line);

		if (line->flags & CTPROF_LINE_HEADING)
			continue;
		g_string_append(out, out->len ? " " : "");
		g_string_append_printf(out, "%s %" G_GUINT64_FORMAT, group, line->threads[0]);
		if (report->flags & CTPROF_REPORT_COMPARE)
			g_string_append_printf(out, ">%" G_GUINT64_FORMAT, line->threads[1]);
	}
	for (guint side = 0; side < 2; side++)
		for (guint64 i = 0; i < report->n_only[side]; i++)
			g_string_append_printf(out, " %c%s", side ? '+' : '-',
					       report->only[side][i].names[0]);
	return g_strdup(out->str);
}

/* Makes services on two sides: one stays the same, the second one grows, a third appears, a fourth
 * disappears. */
void workers_new_pair(Sample **ret_a, Sample **ret_b)
{
	Sample *a = sample_new(), *b = sample_new();

	workers_add(a, 1, "idle", "idle", "/idle", 1000);
	workers_add(b, 1, "idle", "idle", "/idle", 1000);
	workers_add(a, 2, "busy", "b-1", "/busy", 100);
	workers_add(a, 3, "busy", "b-2", "/busy", 300);
	workers_add(b, 2, "busy", "b-1", "/busy", 500);
	workers_add(b, 3, "busy", "b-2", "/busy", 900);
	sample_u64(b, "wait_sum", 8);
	workers_add(b, 4, "fresh", "f", "/fresh", 5);
	workers_add(a, 5, "gone", "g", "/gone", 5);
	*ret_a = a;
	*ret_b = b;
}
