/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a report as one page that needs no other file, no network and no script. */
#include <inttypes.h>
#include <string.h>

#include "ctprof/numbers.h"
#include "markup.h"
#include "page.h"
#include "tables.h"
#include "verdict.h"

#define MOST_HITS 10
#define HOST "host"
#define FINDINGS "findings"
#define POOLS "pools"

/* ---- head ------------------------------------------------------------------ */

/* Returns the SHA-256 of the text between two tags in base64: the browser will run nothing else. */
static char *hash(const char *text)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[32];
	gsize length = sizeof digest;

	g_checksum_update(checksum, (const guchar *)text, (gssize)strlen(text));
	g_checksum_get_digest(checksum, digest, &length);
	return g_base64_encode(digest, length);
}

static void put_head(FILE *stream, const struct ctprof_report *report)
{
	g_autofree char *name = markup_name_files(report);
	g_autofree char *style = hash(page_css), *script = hash(page_js);

	fprintf(stream,
		"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; "
		"form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"generator\" content=\"ctprof %s\">\n<title>",
		style, script, CTPROF_VERSION);
	markup_put(stream, name);
	fprintf(stream, " - ctprof %s</title>\n<style>%s</style>\n</head>\n<body>\n",
		report->command ? report->command : "", page_css);
}

/* Writes a title without the page name that it begins with; warnings among the titles are skipped,
 * as they are shown elsewhere. */
static void put_title(FILE *stream, const struct ctprof_report *report, guint64 title,
		      const char *name)
{
	for (guint64 i = 0; i < report->n_warnings; i++)
		if (g_str_equal(report->warnings[i], report->titles[title]))
			return;
	fputs("<p>", stream);
	markup_put_sentence(stream, DRAWING_SENTENCE_AT(report, title_sentences, title),
			    report->titles[title], name);
	fputs("</p>\n", stream);
}

/* Writes when the captures began: the report may outlive the captures. */
static void put_times(FILE *stream, const struct ctprof_report *report)
{
	static const guint64 unknown[2];
	const guint64 *times = BORDER_MEMBER(report, realtime_ns, unknown);

	if (times[0] == 0)
		return;
	fputs("<p>", stream);
	for (unsigned int side = 0; side < 2 && times[side] > 0; side++) {
		g_autoptr(GDateTime) time = g_date_time_new_from_unix_local(
			(gint64)(times[side] / G_USEC_PER_SEC / 1000));

		fputs(side > 0 ? " → " : "", stream);
		markup_put_time(stream, time, "%F %T", TRUE);
	}
	fputs("</p>\n", stream);
}

static void put_window(FILE *stream, const struct ctprof_report_window *window)
{
	char apart[CTPROF_SHORT_ROOM];

	ctprof_number_short(CTPROF_LADDER_NS, window->seconds * 1e9, apart);
	fprintf(stream,
		"<p><span>%s apart</span> <span>%" PRIu64 " → %" PRIu64 " threads (%" PRIu64
		" new, %" PRIu64 " gone)</span></p>\n",
		apart, window->threads[0], window->threads[1], window->n_born, window->n_gone);
}

/* Explains in a line how the numbers were obtained. */
static void put_method(FILE *stream, const struct ctprof_report *report)
{
	const struct ctprof_report_window *window = drawing_window(report);

	fprintf(stream, "<p class=\"method\">");
	if (drawing_is_of_runs(report))
		fputs("Each dot is one run; a row is marked changed by a rank test over the runs, "
		      "corrected for the number of rows. ",
		      stream);
	else if (window)
		fputs("Counted between two captures, thread by thread. ", stream);
	else if (drawing_is_compare(report) && report->group_by)
		fputs("Sums since each thread began, on both sides. ", stream);
	else if (report->group_by)
		fputs("Averages since each thread began. ", stream);
	if (window && window->flags & CTPROF_WINDOW_HAS_EXITS)
		fprintf(stream,
			"Of %" PRIu64 " threads that ended, %" PRIu64 " left a record; %" PRIu64
			" more began and ended in between%s. ",
			window->n_gone, window->n_recorded, window->n_unseen,
			window->flags & CTPROF_WINDOW_LOST_EXITS ? " (some records were lost)"
								 : "");
	else if (window && window->n_gone > 0)
		fputs("The time of threads that ended is only in the host's counters. ", stream);
	if (report->group_by)
		markup_put_in(stream, "Threads grouped by ", report->group_by, ". ");
	fputs("~ marks incomplete values, - values that were not measured.</p>\n", stream);
}

static void put_header(FILE *stream, const struct ctprof_report *report)
{
	g_autofree char *name = markup_name_files(report);

	fprintf(stream, "<header>\n<p class=\"kind\">ctprof %s</p>\n<h1>",
		report->command ? report->command : "");
	markup_put(stream, name);
	fputs("</h1>\n", stream);
	for (guint64 i = 0; i < BORDER_MEMBER(report, n_titles, 0); i++)
		put_title(stream, report, i, name);
	if (BORDER_MEMBER(report, n_titles, 0) == 0 && drawing_window(report))
		put_window(stream, drawing_window(report));
	put_times(stream, report);
	put_method(stream, report);
	fputs("</header>\n<main>\n", stream);
}

/* ---- the first section ----------------------------------------------------- */

/* The state of a walk over the conditions that are met, of which only the first are listed. */
struct hits {
	FILE *stream;
	guint n;
};

static void put_hit(void *data, const struct verdict_case *found)
{
	struct hits *hits = data;
	FILE *stream = hits->stream;

	if (found->result != VERDICT_FAILED || hits->n++ >= MOST_HITS)
		return;
	fputs("<li class=\"failed\"><b>", stream);
	verdict_put_names(stream, found, markup_put);
	markup_put_in(stream, "</b> ", found->metric, ": ");
	verdict_put_description(stream, found, markup_put);
	fputs("</li>\n", stream);
}

static void put_warnings(FILE *stream, const struct ctprof_report *report)
{
	struct hits hits = {.stream = stream};

	if (report->n_warnings + BORDER_MEMBER(report, n_hits, 0) == 0)
		return;
	fputs("<section class=\"care\"><h2>Read this first</h2>\n<ul>\n", stream);
	if (BORDER_MEMBER(report, n_hits, 0) > 0)
		verdict_walk(report, put_hit, &hits);
	if (hits.n > MOST_HITS)
		fprintf(stream, "<li>--fail-on is met in %u more (--format json lists all)</li>\n",
			hits.n - MOST_HITS);
	for (guint64 i = 0; i < report->n_warnings; i++)
		markup_put_in(stream, "<li>", report->warnings[i], "</li>\n");
	fputs("</ul></section>\n", stream);
}

/* Writes each sentence about the host as a card, with its label as the heading; for the RAM, a bar
 * shows more than a sentence. */
static void put_host(FILE *stream, const struct ctprof_report *report,
		     const struct ctprof_report_section *host)
{
	gboolean is_ram = memory_put_ram(stream, report, host);

	if (host->n_notes == 0 || is_ram)
		return;
	fputs("<section class=\"cards\" aria-label=\"Host\">\n", stream);
	for (guint64 i = 0; i < host->n_notes; i++) {
		fputs("<p>", stream);
		markup_put_sentence(stream, DRAWING_SENTENCE_AT(host, sentences, i), host->notes[i],
				    NULL);
		fputs("</p>\n", stream);
	}
	fputs("</section>\n", stream);
}

static void put_findings(FILE *stream, const struct ctprof_report_section *findings)
{
	char said[DRAWING_SENTENCE];

	fputs("<section class=\"findings\"><h2>What stands out</h2>\n", stream);
	for (guint64 i = 0; findings->n_lines == 0 && i < findings->n_notes; i++)
		markup_put_in(stream, "<p>", findings->notes[i], "</p>\n");
	fputs(findings->n_lines > 0 ? "<ol>\n" : "", stream);
	for (guint64 i = 0; i < findings->n_lines; i++) {
		const struct ctprof_sentence *sentence =
			drawing_line_sentence(BORDER_AT(findings->lines, i));

		if (sentence)
			drawing_say(sentence, 0, said);
		markup_put_in(stream, "<li>", sentence ? said : NULL, "</li>\n");
	}
	fputs(findings->n_lines > 0 ? "</ol></section>\n" : "</section>\n", stream);
}

/* ---- the page ----------------------------------------------------------------- */

static void put_first(FILE *stream, const struct ctprof_report *report)
{
	const struct ctprof_report_section *host = markup_find_section(report, HOST);
	const struct ctprof_report_section *findings = markup_find_section(report, FINDINGS);
	const struct ctprof_report_section *pools = markup_find_section(report, POOLS);

	put_warnings(stream, report);
	if (host)
		put_host(stream, report, host);
	if (findings)
		put_findings(stream, findings);
	g_autoptr(GArray) cpu = pools_put_cpu(stream, report);
	history_put(stream, report, cpu);
	if (pools)
		change_put(stream, report, pools);
	if (pools)
		pools_put(stream, report, pools);
	for (guint64 i = 0; i < report->n_sections; i++)
		memory_put_tree(stream, report, BORDER_AT(report->sections, i));
}

static void put_rest(FILE *stream, const struct ctprof_report *report)
{
	static const char *const shown[] = {HOST, FINDINGS, POOLS, NULL};

	fputs("<section class=\"all\">\n", stream);
	for (guint64 i = 0; i < report->n_sections; i++)
		if (!g_strv_contains(shown, BORDER_AT(report->sections, i)->name))
			tables_put_section(stream, report, i);
	if (drawing_is_compare(report))
		tables_put_only(stream, report);
	unmeasured_put(stream, report);
	fputs("</section>\n", stream);
}

static void put_page(const struct ctprof_host *host, FILE *stream,
		     const struct ctprof_report *report)
{
	(void)host;
	put_head(stream, report);
	put_header(stream, report);
	put_first(stream, report);
	put_rest(stream, report);
	fprintf(stream, "</main>\n<footer>ctprof %s</footer>\n", CTPROF_VERSION);
	pools_put_data(stream, report);
	fprintf(stream, "<script>%s</script>\n</body>\n</html>\n", page_js);
}

DRAWING_SINK("html", "Draws a report as one page with charts, for a browser", put_page)
