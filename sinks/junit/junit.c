/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a report as JUnit's XML, which CI servers read. */
#include <inttypes.h>
#include <string.h>

#include "utf8.h"
#include "verdict.h"

/* The stream, and the number of cases by result. */
struct writing {
	FILE *stream;
	uint64_t n[VERDICT_SKIPPED + 1];
};

/* Writes text escaped for attributes and for content between tags. */
static void put_text(FILE *stream, const char *text)
{
	static const struct utf8_escape entities[] = {
		{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\0', NULL},
	};

	utf8_put(stream, text, entities);
}

static void count_case(void *data, const struct verdict_case *found)
{
	struct writing *writing = data;

	writing->n[found->result]++;
}

static void put_result(FILE *stream, const struct verdict_case *found)
{
	switch (found->result) {
	case VERDICT_FAILED:
		fputs("<failure message=\"", stream);
		break;
	case VERDICT_SKIPPED:
		fputs("<skipped message=\"too few runs to know: ", stream);
		break;
	default:
		fputs("<system-out>", stream);
		verdict_put_description(stream, found, put_text);
		fputs("</system-out>", stream);
		return;
	}
	verdict_put_description(stream, found, put_text);
	fputs("\"/>", stream);
}

static void put_case(void *data, const struct verdict_case *found)
{
	struct writing *writing = data;

	fputs("  <testcase classname=\"", writing->stream);
	verdict_put_names(writing->stream, found, put_text);
	fputs("\" name=\"", writing->stream);
	put_text(writing->stream, found->metric);
	fputs("\">", writing->stream);
	put_result(writing->stream, found);
	fputs("</testcase>\n", writing->stream);
}

static void put_counts(FILE *stream, const struct writing *writing)
{
	fprintf(stream,
		" tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" skipped=\"%" PRIu64 "\">\n",
		writing->n[VERDICT_PASSED] + writing->n[VERDICT_FAILED] +
			writing->n[VERDICT_SKIPPED],
		writing->n[VERDICT_FAILED], writing->n[VERDICT_SKIPPED]);
}

static void put_report(const struct ctprof_host *host, FILE *stream,
		       const struct ctprof_report *report)
{
	struct writing writing = {.stream = stream};

	(void)host;
	verdict_walk(report, count_case, &writing);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ctprof\"", stream);
	put_counts(stream, &writing);
	fputs(" <testsuite name=\"", stream);
	put_text(stream, report->command);
	fputs("\"", stream);
	put_counts(stream, &writing);
	verdict_walk(report, put_case, &writing);
	if (report->n_warnings > 0)
		fputs("  <system-err>", stream);
	for (uint64_t i = 0; i < report->n_warnings; i++) {
		put_text(stream, report->warnings[i]);
		fputc('\n', stream);
	}
	if (report->n_warnings > 0)
		fputs("</system-err>\n", stream);
	fputs(" </testsuite>\n</testsuites>\n", stream);
}

DRAWING_SINK("junit", "Writes the verdicts of a report as JUnit XML", put_report)
