/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lists.h"

#include <string.h>

#include "drawing.h"
#include "grid.h"
#include "label.h"

/* Writes a heading, separated by a blank line from what is above it. */
static void draw_title(FILE *stream, const struct ctprof_report *report, enum style style,
		       const char *title, gboolean *is_first)
{
	gboolean coloured = (report->flags & CTPROF_REPORT_COLOUR) != 0;
	g_autoptr(GString) text = g_string_new("## ");

	if (!(report->flags & CTPROF_REPORT_HEADER))
		return;
	label_append(text, title);
	if (!*is_first)
		fputc('\n', stream);
	*is_first = FALSE;
	grid_print(stream, coloured, style, text->str);
	fputc('\n', stream);
}

static void draw_name(FILE *stream, gboolean coloured, const char *label, const char *name)
{
	g_autoptr(GString) text = g_string_new(NULL);

	label_append(text, name ? name : "");
	fputs("  ", stream);
	grid_print(stream, coloured, STYLE_NAME, label);
	fprintf(stream, "%s\n", text->str);
}

static void draw_names(FILE *stream, const char *label, const char *const *names, uint64_t n)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (n == 0)
		return;
	for (uint64_t i = 0; i < n; i++) {
		if (i > 0)
			g_string_append(text, ", ");
		label_append(text, names[i]);
	}
	fprintf(stream, "  %s%s\n", label, text->str);
}

static void draw_rename(FILE *stream, gboolean coloured, const struct ctprof_report_rename *rename)
{
	char share[32];

	draw_name(stream, coloured, "baseline:  ", rename->baseline);
	draw_name(stream, coloured, "candidate: ", rename->candidate);
	if (rename->baseline_root && rename->candidate_root &&
	    (g_strcmp0(rename->baseline_root, rename->baseline) != 0 ||
	     g_strcmp0(rename->candidate_root, rename->candidate) != 0)) {
		draw_name(stream, coloured, "baseline root:  ", rename->baseline_root);
		draw_name(stream, coloured, "candidate root: ", rename->candidate_root);
	}
	g_ascii_formatd(share, sizeof share, "%.1f", rename->jaccard * 100);
	fprintf(stream,
		"  %u kinds of thread in both, Jaccard %s%%, %" G_GUINT64_FORMAT
		" children paired with them\n",
		rename->overlap, share, rename->cascaded);
	draw_names(stream, "only in baseline: ", rename->only_baseline, rename->n_only_baseline);
	draw_names(stream, "only in candidate: ", rename->only_candidate, rename->n_only_candidate);
}

static void draw_renames(FILE *stream, const struct ctprof_report *report, gboolean *is_first)
{
	gboolean coloured = (report->flags & CTPROF_REPORT_COLOUR) != 0;
	g_autofree char *title =
		g_strdup_printf("Renamed cgroups: %" G_GUINT64_FORMAT " pair%s", report->n_renames,
				report->n_renames == 1 ? "" : "s");

	if (report->n_renames == 0)
		return;
	draw_title(stream, report, STYLE_NOTE, title, is_first);
	for (uint64_t i = 0; i < report->n_renames; i++) {
		if (i > 0)
			fputc('\n', stream);
		draw_rename(stream, coloured, BORDER_AT(report->renames, i));
	}
}

/* Writes a cgroup above its groups if their names have parts; otherwise only the name. */
static void draw_orphan(FILE *stream, const struct ctprof_report_line *line, const char *above)
{
	g_autoptr(GString) text = g_string_new(NULL);
	guint from = line->n_names > 1 ? 1 : 0;

	if (from == 1 && g_strcmp0(above, line->names[0]) != 0) {
		label_append(text, line->names[0]);
		fprintf(stream, "  %s\n", text->str);
		g_string_truncate(text, 0);
	}
	for (guint i = from; i < line->n_names; i++) {
		if (i > from)
			g_string_append_c(text, ' ');
		label_append(text, line->names[i]);
	}
	fprintf(stream, "%*s%s\n", from == 1 ? 4 : 2, "", text->str);
}

static void draw_only(FILE *stream, const struct ctprof_report *report, unsigned int side,
		      gboolean *is_first)
{
	static const char *const names[] = {"baseline", "candidate"};
	const char *file = report->files[side];
	g_autofree char *title = g_strdup_printf(
		"%" G_GUINT64_FORMAT " group%s only in %s (%s)", report->n_only[side],
		report->n_only[side] == 1 ? "" : "s", names[side], file ? file : "");
	const char *above = NULL;

	if (report->n_only[side] == 0)
		return;
	draw_title(stream, report, STYLE_NONE, title, is_first);
	for (uint64_t i = 0; i < report->n_only[side]; i++) {
		const struct ctprof_report_line *line = BORDER_AT(report->only[side], i);

		draw_orphan(stream, line, above);
		above = line->names[0];
	}
}

void lists_draw(FILE *stream, const struct ctprof_report *report)
{
	gboolean is_first = report->n_sections == 0;

	if (!(report->flags & CTPROF_REPORT_ORPHANS))
		return;
	draw_renames(stream, report, &is_first);
	draw_only(stream, report, 0, &is_first);
	draw_only(stream, report, 1, &is_first);
}
