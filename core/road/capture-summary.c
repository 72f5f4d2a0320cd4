/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capture-summary.h"

#include "base/ui.h"
#include "row/absence.h"

/* Formats a number of things: "12 threads", "1 process". */
static char *count(guint64 n, const char *one, const char *ending)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " %s%s", n, one, n == 1 ? "" : ending);
}

static char *count_rows(gboolean leaders_only, guint64 n)
{
	return leaders_only ? count(n, "process", "es") : count(n, "thread", "s");
}

/* The reasons for absence, as worded in the summary. */
static const struct {
	guint32 why;
	const char *words;
	gboolean is_of_some; /* per thread; FALSE: for the host, and only for a part of a group */
} reasons[] = {
	{CTPROF_ABSENT_UNSUPPORTED, "not provided here", FALSE},
	{CTPROF_ABSENT_DENIED, "not permitted", TRUE},
	{CTPROF_ABSENT_VANISHED, "ended meanwhile", TRUE},
	{CTPROF_ABSENT_TIMEOUT, "no answer in time", TRUE},
	{CTPROF_ABSENT_INVALID, "not understood", TRUE},
};

/* Returns "; absent: io of 12 threads (not permitted): see 'ctprof doctor'", or "". */
static char *describe_absences(gboolean leaders_only, const GArray *absences)
{
	GString *text = g_string_new(NULL);

	for (guint r = 0; r < G_N_ELEMENTS(reasons); r++) {
		g_autoptr(GString) names = g_string_new(NULL);
		guint64 threads = 0;

		for (guint i = 0; i < absences->len; i++) {
			const Absence *absence = &g_array_index(absences, Absence, i);

			if (absence->why != reasons[r].why)
				continue;
			threads = MAX(threads, absence->threads);
			g_string_append_printf(names, "%s%s", names->len ? " " : "",
					       absence->group);
		}
		g_autofree char *rows = count_rows(leaders_only, threads);
		if (threads > 0)
			g_string_append_printf(text, "%s%s%s%s%s (%s)",
					       text->len ? ", " : "; absent: ",
					       reasons[r].is_of_some ? "" : "some of ", names->str,
					       reasons[r].is_of_some ? " of " : "",
					       reasons[r].is_of_some ? rows : "", reasons[r].words);
	}
	if (text->len > 0)
		g_string_append(text, ": see 'ctprof doctor'");
	return g_string_free(text, FALSE);
}

void capture_summarise(const CaptureResult *result, gboolean leaders_only, const Output *output)
{
	g_autofree char *threads = count(result->threads, "thread", "s");
	g_autofree char *processes = count(result->processes, "process", "es");
	g_autofree char *objects = count(result->objects, "object", "s");
	g_autofree char *absent = describe_absences(leaders_only, result->absences);
	g_autofree char *size = ui_format_size(output_bytes(output));
	g_autofree char *gone = result->vanished
					? g_strdup_printf(", %" G_GUINT64_FORMAT " gone meanwhile",
							  result->vanished)
					: g_strdup("");

	if (result->hides_threads)
		ui_warning("processes of other users are hidden, and absent: /proc is mounted with "
			   "hidepid (CAP_SYS_PTRACE, or 'mount -o remount,hidepid=0 /proc')");
	if (result->refused > 0)
		ui_warning("denied in %" G_GUINT64_FORMAT " processes, which are absent: /proc is "
			   "mounted with hidepid (CAP_SYS_PTRACE)",
			   result->refused);
	ui_note("%s%s%s%s%s%s, %.2f s (skew %.2f s)%s; %s: %s", leaders_only ? "" : threads,
		leaders_only ? "" : " in ", processes, gone, result->objects ? ", " : "",
		result->objects ? objects : "", result->seconds, result->skew, absent,
		output_label(output), size);
}
