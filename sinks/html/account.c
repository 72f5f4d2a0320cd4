/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "account.h"

#include <math.h>

#include "chart.h"
#include "ctprof/numbers.h"

enum { USER, SYSTEM, RAN, WAITING, DISK, N_PARTS };

/* A thread does only one of these at a time, so their times add up. */
static const struct part {
	const char *class, *name, *field;
} kinds[N_PARTS] = {
	[USER] = {"user", "running, user mode", "user"},
	[SYSTEM] = {"system", "running, kernel", "system"},
	[RAN] = {"ran", "running, mode not known", "cpu"},
	[WAITING] = {"waiting", "waiting for a CPU", "waiting"},
	[DISK] = {"disk", "waiting for block I/O", "disk_wait"},
};

/* These kinds overlap with those above and with each other, so no sum includes them. */
static const struct part within[] = {
	{NULL, "swap-in", "swap_wait"},
	{NULL, "memory reclaim", "reclaim"},
	{NULL, "compaction", "compaction"},
	{NULL, "thrashing page cache", "thrashing"},
};

#define REST_CLASS "rest"
#define REST_NAME "asleep, or not measured"

/* The activity of a line's threads on one side. */
struct account {
	const struct ctprof_report_section *section;
	const struct ctprof_report_line *line;
	unsigned int side;
	double parts[N_PARTS]; /* mean number of threads; NAN: not measured, or in another part */
	double sum, threads;   /* threads: equals sum if they were not counted */
};

static const struct ctprof_value *account_value(const struct account *account, const char *name)
{
	guint64 field = markup_find_field(account->section, name);

	return &drawing_cell_of(account->line, field)->value[account->side];
}

static struct account account_of(const struct ctprof_report_section *section,
				 const struct ctprof_report_line *line, unsigned int side)
{
	struct account account = {section, line, side, {0}, 0, NAN};
	double *parts = account.parts;

	for (guint i = 0; i < N_PARTS; i++)
		parts[i] = markup_number(account_value(&account, kinds[i].field));
	/* Ticks tell user from system mode, but miss CPU time that is too short for them. */
	if (parts[USER] + parts[SYSTEM] > 0)
		parts[RAN] = NAN;
	else
		parts[USER] = parts[SYSTEM] = NAN;
	for (guint i = 0; i < N_PARTS; i++)
		account.sum += isnan(parts[i]) ? 0 : parts[i];
	account.threads = markup_number(account_value(&account, "threads"));
	if (isnan(account.threads))
		account.threads = account.sum;
	return account;
}

static GArray *pieces_of(const struct account *account)
{
	GArray *pieces = chart_parts_new();

	for (guint i = 0; i < N_PARTS; i++)
		if (!isnan(account->parts[i]))
			chart_add(pieces, kinds[i].class, kinds[i].name, account->parts[i],
				  CTPROF_LADDER_NONE);
	return pieces;
}

gboolean account_exists(const struct ctprof_report_section *section)
{
	return markup_find_role(section, CTPROF_FIELD_CPU) < section->n_fields &&
	       markup_find_role(section, CTPROF_FIELD_WAITING) < section->n_fields;
}

double account_longest(const struct ctprof_report *report,
		       const struct ctprof_report_section *section)
{
	const unsigned int side = drawing_is_compare(report) ? 1 : 0;
	double longest = 0;

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(section->lines, i);

		if (!drawing_is_total(line))
			longest = fmax(longest, account_of(section, line, side).sum);
	}
	return longest;
}

void account_put_bar(FILE *stream, const struct ctprof_report *report,
		     const struct ctprof_report_section *section,
		     const struct ctprof_report_line *line, double longest)
{
	const struct account account =
		account_of(section, line, drawing_is_compare(report) ? 1 : 0);
	g_autoptr(GArray) pieces = pieces_of(&account);

	if (account.sum > 0)
		chart_put_bar(stream, "mix", "time account", pieces, longest);
}

void account_put_key(FILE *stream)
{
	fputs("<ul class=\"legend\">", stream);
	for (guint i = 0; i < N_PARTS; i++)
		fprintf(stream, "<li><i class=\"%s\"></i>%s</li>", kinds[i].class, kinds[i].name);
	fputs("</ul>\n", stream);
}

static void put_row(FILE *stream, const char *class, const char *name, double value, double whole,
		    const struct ctprof_value *measured)
{
	char shown[CTPROF_SHORT_ROOM];
	const char *why = measured ? drawing_absence(measured) : NULL;

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

static void put_table(FILE *stream, const struct account *account)
{
	double whole = MAX(account->threads, account->sum);

	fputs("<table><thead><tr><th scope=\"col\">part</th><th scope=\"col\" class=\"n\">threads "
	      "on average</th><th scope=\"col\" class=\"n\">share</th></tr></thead><tbody>\n",
	      stream);
	for (guint i = 0; i < N_PARTS; i++)
		/* CPU time is either RAN, or USER and SYSTEM. */
		if (i >= WAITING || !isnan(account->parts[i]))
			put_row(stream, kinds[i].class, kinds[i].name, account->parts[i], whole,
				account_value(account, i >= WAITING ? kinds[i].field : "cpu"));
	put_row(stream, REST_CLASS, REST_NAME, whole - account->sum, whole, NULL);
	fputs("</tbody><tfoot>\n", stream);
	put_row(stream, NULL, "threads", whole, whole, NULL);
	fputs("</tfoot></table>\n", stream);
}

static void put_within(FILE *stream, const struct account *account)
{
	const char *before = "<p class=\"note\">Within these: ";

	for (guint i = 0; i < G_N_ELEMENTS(within); i++) {
		double value = markup_number(account_value(account, within[i].field));
		char shown[CTPROF_SHORT_ROOM];

		if (!(value > 0))
			continue;
		ctprof_number_short(CTPROF_LADDER_NONE, value, shown);
		fprintf(stream, "%s%s %s", before, within[i].name, shown);
		before = ", ";
	}
	fputs(before[0] == ',' ? "</p>\n" : "", stream);
}

static void put_side(FILE *stream, const struct account *account, const char *caption)
{
	double rest = account->threads - account->sum;
	g_autoptr(GArray) pieces = pieces_of(account);

	if (rest > 0)
		chart_add(pieces, REST_CLASS, REST_NAME, rest, CTPROF_LADDER_NONE);
	fputs("<div class=\"account\">", stream);
	if (caption)
		markup_put_in(stream, "<h3>", caption, "</h3>");
	chart_put_bar(stream, "stack", "time account", pieces, MAX(account->threads, account->sum));
	put_table(stream, account);
	put_within(stream, account);
	fputs("</div>\n", stream);
}

void account_put(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_section *section, const struct ctprof_report_line *line)
{
	gboolean is_compare = drawing_is_compare(report);
	gboolean has_sides = is_compare && !drawing_window(report);

	for (unsigned int side = is_compare && !has_sides; side < (is_compare ? 2 : 1); side++) {
		const struct account account = account_of(section, line, side);
		g_autofree char *name = has_sides ? markup_name_file(report->files[side]) : NULL;

		put_side(stream, &account, name);
	}
}
