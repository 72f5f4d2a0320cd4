/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "account.h"

#include <math.h>

#include "chart.h"
#include "ctprof/numbers.h"

enum { USER, SYSTEM, RAN, WAITING, DISK, N_PARTS };

/* Threads run, wait for a CPU or for a disk, one at a time: these add up. */
static const struct part {
	const char *class, *name, *field;
} parts[N_PARTS] = {
	[USER] = {"user", "running, user mode", "user"},
	[SYSTEM] = {"system", "running, kernel", "system"},
	[RAN] = {"ran", "running, mode not known", "cpu"},
	[WAITING] = {"waiting", "waiting for a CPU", "waiting"},
	[DISK] = {"disk", "waiting for block I/O", "disk_wait"},
};

/* These overlap with those and with each other, and are in no sum. */
static const struct part within[] = {
	{NULL, "swap-in", "swap_wait"},
	{NULL, "memory reclaim", "reclaim"},
	{NULL, "compaction", "compaction"},
	{NULL, "thrashing page cache", "thrashing"},
};

#define REST_CLASS "rest"
#define REST_NAME "asleep, or not measured"

/* A line, and which of its sides is looked at. */
struct look {
	const struct ctprof_report *report;
	const struct ctprof_report_section *section;
	const struct ctprof_report_line *line;
	unsigned int side;
};

static const struct ctprof_value *value_of(const struct look *look, const char *name)
{
	guint64 field = markup_find_field(look->section, name);

	return &drawing_cell_of(look->line, field)->value[look->side];
}

static double number_of(const struct look *look, const char *name)
{
	return markup_number(value_of(look, name));
}

/* What the pool used: ticks know only in which mode, and not of what is too short for
 * them.  NAN: not measured, or not known by that name. */
static double part_of(const struct look *look, guint i)
{
	double user = number_of(look, "user"), system = number_of(look, "system");
	double value = number_of(look, parts[i].field), cpu = number_of(look, "cpu");
	gboolean has_modes = user + system > 0;

	switch (i) {
	case USER:
	case SYSTEM:
		return has_modes ? cpu * value / (user + system) : NAN;
	case RAN:
		return has_modes ? NAN : cpu;
	default:
		return value;
	}
}

static GArray *parts_of(const struct look *look, double *ret_sum)
{
	GArray *found = chart_parts_new();

	*ret_sum = 0;
	for (guint i = 0; i < N_PARTS; i++) {
		double value = part_of(look, i);

		if (isnan(value))
			continue;
		chart_add(found, parts[i].class, parts[i].name, value, CTPROF_LADDER_NONE);
		*ret_sum += value;
	}
	return found;
}

gboolean account_is_there(const struct ctprof_report_section *section)
{
	return markup_find_role(section, CTPROF_FIELD_CPU) < section->n_fields &&
	       markup_find_role(section, CTPROF_FIELD_WAITING) < section->n_fields;
}

void account_put_bar(FILE *stream, const struct ctprof_report *report,
		     const struct ctprof_report_section *section,
		     const struct ctprof_report_line *line)
{
	const struct look look = {report, section, line, drawing_is_compare(report) ? 1 : 0};
	double sum;
	g_autoptr(GArray) found = parts_of(&look, &sum);

	if (sum > 0)
		chart_put_bar(stream, "mix", "time account", found, sum);
}

void account_put_key(FILE *stream)
{
	fputs("<ul class=\"legend\">", stream);
	for (guint i = 0; i < N_PARTS; i++)
		fprintf(stream, "<li><i class=\"%s\"></i>%s</li>", parts[i].class, parts[i].name);
	fputs("</ul>\n", stream);
}

static void put_row(FILE *stream, const char *class, const char *name, double value, double whole,
		    const struct ctprof_value *measured)
{
	char shown[CTPROF_SHORT_ROOM];
	const char *why = measured ? markup_why(measured) : NULL;

	ctprof_number_short(CTPROF_LADDER_NONE, value, shown);
	fprintf(stream, "<tr><th scope=\"row\">");
	if (class)
		fprintf(stream, "<i class=\"%s\"></i>", class);
	fprintf(stream, "%s</th>", name);
	if (isnan(value))
		fprintf(stream, "<td colspan=\"2\" class=\"n\">not measured%s%s</td></tr>\n",
			why ? ": " : "", why ? why : "");
	else if (whole > 0)
		fprintf(stream, "<td class=\"n\">%s%s</td><td class=\"n\">%.0f %%</td></tr>\n",
			measured && drawing_is_partial(measured) ? "~" : "", shown,
			value / whole * 100);
	else
		fprintf(stream, "<td class=\"n\">%s</td><td></td></tr>\n", shown);
}

static void put_table(FILE *stream, const struct look *look, double sum, double threads)
{
	double whole = MAX(threads, sum);

	fputs("<table><thead><tr><th scope=\"col\">part</th><th scope=\"col\" class=\"n\">threads "
	      "at any time</th><th scope=\"col\" class=\"n\">share</th></tr></thead><tbody>\n",
	      stream);
	for (guint i = 0; i < N_PARTS; i++) {
		double value = part_of(look, i);

		/* CPU time has one name or the others. */
		if (i >= WAITING || !isnan(value))
			put_row(stream, parts[i].class, parts[i].name, value, whole,
				value_of(look, i >= WAITING ? parts[i].field : "cpu"));
	}
	put_row(stream, REST_CLASS, REST_NAME, whole - sum, whole, NULL);
	fputs("</tbody><tfoot>\n", stream);
	put_row(stream, NULL, "threads", whole, whole, NULL);
	fputs("</tfoot></table>\n", stream);
}

static void put_within(FILE *stream, const struct look *look)
{
	gboolean is_first = TRUE;

	for (guint i = 0; i < G_N_ELEMENTS(within); i++) {
		double value = number_of(look, within[i].field);
		char shown[CTPROF_SHORT_ROOM];

		if (!(value > 0))
			continue;
		ctprof_number_short(CTPROF_LADDER_NONE, value, shown);
		fprintf(stream, "%s%s %s", is_first ? "<p class=\"note\">Within these: " : ", ",
			within[i].name, shown);
		is_first = FALSE;
	}
	fputs(is_first ? "" : "</p>\n", stream);
}

static void put_side(FILE *stream, const struct look *look, const char *caption)
{
	double sum, threads = number_of(look, "threads");
	g_autoptr(GArray) found = parts_of(look, &sum);

	if (!isnan(threads) && threads > sum)
		chart_add(found, REST_CLASS, REST_NAME, threads - sum, CTPROF_LADDER_NONE);
	fputs("<div class=\"account\">", stream);
	if (caption)
		fputs("<h3>", stream);
	markup_put(stream, caption ? caption : "");
	fputs(caption ? "</h3>" : "", stream);
	chart_put_bar(stream, "stack", "time account", found, MAX(threads, sum));
	put_table(stream, look, sum, isnan(threads) ? sum : threads);
	put_within(stream, look);
	fputs("</div>\n", stream);
}

void account_put(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_section *section, const struct ctprof_report_line *line)
{
	struct look look = {report, section, line, drawing_is_compare(report) ? 1 : 0};

	if (!drawing_is_compare(report) || drawing_window(report)) {
		put_side(stream, &look, NULL);
		return;
	}
	for (look.side = 0; look.side < 2; look.side++) {
		g_autofree char *name = markup_name_file(report->files[look.side]);

		put_side(stream, &look, name);
	}
}
