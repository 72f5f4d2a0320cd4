/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a report as annotations of GitHub workflows, which are commands on standard output. */
#include <string.h>

#include "utf8.h"
#include "verdict.h"

/* Writes text, with the characters that end a property escaped. */
static void put_property(FILE *stream, const char *text)
{
	static const struct utf8_escape delimiters[] = {
		{'%', "%25"},
		{':', "%3A"},
		{',', "%2C"},
		{'\0', NULL},
	};

	utf8_put(stream, text, delimiters);
}

static void put_message(FILE *stream, const char *text)
{
	static const struct utf8_escape percent[] = {{'%', "%25"}, {'\0', NULL}};

	utf8_put(stream, text, percent);
}

/* The state while a report is written. */
struct annotations {
	FILE *stream;
	uint64_t n;
};

/* Failed cases become errors, other changes notices. */
static void put_case(void *data, const struct verdict_case *found)
{
	struct annotations *annotations = data;
	FILE *stream = annotations->stream;
	const struct ctprof_runs *runs = found->cell ? drawing_runs(found->cell) : NULL;
	bool is_changed = runs && runs->verdict == CTPROF_VERDICT_CHANGED;

	if (found->result != VERDICT_FAILED && !is_changed)
		return;
	annotations->n++;
	fputs(found->result == VERDICT_FAILED ? "::error title=" : "::notice title=", stream);
	verdict_put_names(stream, found, put_property);
	fputc(' ', stream);
	put_property(stream, found->metric);
	fputs("::", stream);
	verdict_put_description(stream, found, put_message);
	fputc('\n', stream);
}

static void put_report(const struct ctprof_host *host, FILE *stream,
		       const struct ctprof_report *report)
{
	struct annotations annotations = {.stream = stream};

	(void)host;
	for (uint64_t i = 0; i < report->n_warnings; i++) {
		fputs("::warning title=ctprof::", stream);
		put_message(stream, report->warnings[i]);
		fputc('\n', stream);
	}
	verdict_walk(report, put_case, &annotations);
	/* If there were no output, it would look as if the step had not run. */
	if (annotations.n == 0)
		fputs("::notice title=ctprof::nothing failed or changed\n", stream);
}

DRAWING_SINK("github", "Writes the verdicts of a report as annotations of GitHub", put_report)
