/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section that shows a recording window by window, and the collection of its values. */
#include <math.h>

#include "rules.h"

/* The measures of the section: a field, with its cost of pools and its quantity of the host. */
static const struct {
	struct ctprof_report_field field;
	enum cost cost;
	const char *of_host;
} measures[] = {
	{ROLE_FIELD("cpu", "CPU", "cpus", CTPROF_LADDER_NONE, 0, CPU), COST_CPU, "busy"},
	{ROLE_FIELD("waiting", "WAITING", "threads", CTPROF_LADDER_NONE, 0, WAITING), COST_WAITING,
	 "waiting"},
	{TABLE_FIELD("read", "READ/s", "bytes/s", CTPROF_LADDER_BYTES, 0), COST_READ, "read"},
	{TABLE_FIELD("write", "WRITE/s", "bytes/s", CTPROF_LADDER_BYTES, 0), COST_WRITE, "written"},
	{ROLE_FIELD("memory", "MEMORY", "bytes", CTPROF_LADDER_BYTES, 0, MEMORY), COST_PSS,
	 "memory_used"},
};

#define HOST "host"

enum { AT, SECONDS, KIND, SUBJECT, FIRST_MEASURE };

static const struct ctprof_report_field fields[FIRST_MEASURE] = {
	[AT] = ROLE_FIELD("at", "AT", "text", CTPROF_LADDER_NONE, CTPROF_FIELD_CUT, END),
	[SECONDS] = ROLE_FIELD("seconds", "SECONDS", "none", CTPROF_LADDER_NONE, 0, SECONDS),
	/* Needed, as a pool may be named "host", too. */
	[KIND] = TABLE_FIELD("kind", "KIND", "text", CTPROF_LADDER_NONE, CTPROF_FIELD_HIDDEN),
	[SUBJECT] = SUBJECT_FIELD("subject", "SUBJECT"),
};

void digest_note(const Digest *digest, Series *series)
{
	const AnalysisOptions *options = digest->draft->plan->options;

	series_begin(series, options->realtime_ns[1], options->elapsed_s);
	for (const Quantity *quantity = host_quantities; quantity->name; quantity++)
		series_note(series, NULL, quantity->name, host_state_value(digest, quantity));
	for (guint m = 0; m < G_N_ELEMENTS(measures); m++)
		for (guint i = 0; i < digest->lines->len; i++) {
			const CostLine *line = digest_line(digest, i);
			const struct ctprof_value *value =
				&line->costs[digest->newest].of[measures[m].cost];

			if (value->type == CTPROF_VALUE_REAL)
				series_note(series, line->name, measures[m].field.name,
					    value->real);
		}
	for (guint i = 0; i < digest->met->len; i++) {
		const Subject *finding = &g_array_index(digest->met, Subject, i);

		series_note(series, finding->name, finding->rule->name, finding->value);
	}
}

struct ctprof_value digest_time(const Draft *draft, gdouble seconds)
{
	g_autoptr(GDateTime) at = g_date_time_new_from_unix_utc((gint64)seconds);
	char *text = at && seconds > 0 ? g_date_time_format(at, "%Y-%m-%dT%H:%M:%SZ") : NULL;

	return value_of_text(text ? store_take(draft->store, text) : NULL);
}

/* ---- the section ---- */

/* subject NULL: the host. */
static void put_window(const Draft *draft, Table *table, guint window, const char *subject)
{
	const Series *past = draft->plan->options->past;
	struct ctprof_cell *cells =
		table_role_line(table, 0, subject ? CTPROF_ROLE_POOL : CTPROF_ROLE_HOST);

	draft_put_same(draft, &cells[AT], digest_time(draft, series_end(past, window)));
	draft_put_same(draft, &cells[SECONDS], value_of_real(series_seconds(past, window)));
	draft_put_same(draft, &cells[KIND], value_of_text(subject ? "pool" : HOST));
	draft_put_same(draft, &cells[SUBJECT], value_of_text(subject ? subject : HOST));
	for (guint m = 0; m < G_N_ELEMENTS(measures); m++) {
		gdouble value =
			series_value(past, window, subject,
				     subject ? measures[m].field.name : measures[m].of_host);

		if (!isnan(value))
			draft_put_same(draft, &cells[FIRST_MEASURE + m], value_of_real(value));
	}
}

static const struct ctprof_report_field found_fields[] = {
	TEXT_FIELD("finding", "FINDING"),
	SUBJECT_FIELD("subject", "SUBJECT"),
	TEXT_FIELD("began", "BEGAN"),
	TEXT_FIELD("ended", "ENDED"),
	TEXT_FIELD("worst_at", "WORST"),
	COUNT_FIELD("windows", "WINDOWS"), /* with the finding; others may be in between */
};

static void put_found(const Draft *draft, Table *table, const char *finding, const char *subject)
{
	const Series *past = draft->plan->options->past;
	guint first = 0, last = 0, n = 0, worst = 0;

	for (guint i = 0; i < series_windows(past); i++)
		if (!isnan(series_value(past, i, subject, finding))) {
			first = n++ == 0 ? i : first;
			last = i;
		}
	(void)series_worst(past, subject, finding, &worst);
	const struct ctprof_value values[G_N_ELEMENTS(found_fields)] = {
		value_of_text(finding),
		value_of_text(subject),
		digest_time(draft, series_end(past, first) - series_seconds(past, first)),
		digest_time(draft, series_end(past, last)),
		digest_time(draft, series_end(past, worst)),
		value_of_number(n),
	};
	struct ctprof_cell *cells = table_line(table, 0, 0);

	for (guint i = 0; i < G_N_ELEMENTS(found_fields); i++)
		draft_put_same(draft, &cells[i], values[i]);
}

static void draft_history(const Draft *draft, const Section *section)
{
	const Digest *digest = draft->digest;
	const Series *past = draft->plan->options->past;
	const char *finding, *subject;

	if (!past || !digest || series_windows(past) == 0)
		return;
	/* People see the history as bars, and in full if they name the section. */
	guint32 flags =
		draft->plan->options->sections ? 0 : CTPROF_SECTION_BARE | CTPROF_SECTION_TOLD;
	Table *table = tables_add(draft->tables, SECTION_FINDINGS_HISTORY, "Findings over time",
				  NULL, flags);
	table_add_fields(table, found_fields, G_N_ELEMENTS(found_fields));
	for (guint i = 0; (finding = finding_name(i)); i++)
		for (guint at = 0; (subject = series_next(past, finding, &at));)
			put_found(draft, table, finding, subject);
	table = tables_add(draft->tables, section->name, section->heading, NULL, flags);
	table_add_fields(table, fields, G_N_ELEMENTS(fields));
	for (guint m = 0; m < G_N_ELEMENTS(measures); m++)
		table_add_fields(table, &measures[m].field, 1);
	for (guint window = 0; window < series_windows(past); window++)
		put_window(draft, table, window, NULL);
	for (guint i = 0; i < digest->n_pools; i++)
		for (guint window = 0; window < series_windows(past); window++)
			put_window(draft, table, window, digest_line(digest, i)->name);
}

const Section section_history = {
	.name = SECTION_HISTORY,
	.heading = "History",
	.help = "host and pools of a recording, window by window, and when there were findings",
	.flags = SECTION_OF_DIGEST,
	.place = {0, 0},
	.draft = draft_history,
};
