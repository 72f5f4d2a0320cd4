/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section that shows a recording window by window, and the collection of its values. */
#include <math.h>

#include "ctprof/numbers.h"
#include "ctprof/sink.h"
#include "rules.h"

/* Maximum phases in a note. */
#define MOST_PHASES 5
#define NS_PER_S 1e9

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
	/* Needed because a pool may be named "host", too. */
	[KIND] = TABLE_FIELD("kind", "KIND", "text", CTPROF_LADDER_NONE, CTPROF_FIELD_HIDDEN),
	[SUBJECT] = SUBJECT_FIELD("subject", "SUBJECT"),
};

void digest_note(const Digest *digest, Series *series)
{
	const AnalysisOptions *options = digest->draft->plan->options;

	series_begin(series, options->captures[1].realtime_ns, options->elapsed_s);
	for (const Quantity *quantity = host_quantities; quantity->name; quantity++)
		series_note(series, NULL, quantity->name, host_state_value(digest, quantity));
	for (guint m = 0; m < G_N_ELEMENTS(measures); m++)
		for (guint i = 0; i < digest->lines->len; i++) {
			const CostLine *line = digest_line(digest, i);
			const CostValue *value = &line->costs[digest->newest].of[measures[m].cost];

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
	COUNT_FIELD("windows", "WINDOWS"), /* windows with the finding; others may be in between */
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

/* ---- phases ---- */

/* A phase begins at a mark, and ends at the next one or with the window. */
typedef struct phase {
	const char *name;
	gdouble begin, end; /* seconds since 1970 */
} Phase;

enum { PHASE, BEGAN, AFTER, LENGTH, FIRST_MEAN };

static const struct ctprof_report_field phase_fields[FIRST_MEAN] = {
	[PHASE] = SUBJECT_FIELD("phase", "PHASE"),
	[BEGAN] = TEXT_FIELD("began", "BEGAN"),
	/* Times count from the beginning of the window. */
	[AFTER] = TABLE_FIELD("after", "AFTER", "none", CTPROF_LADDER_NONE, 0),
	[LENGTH] = ROLE_FIELD("seconds", "SECONDS", "none", CTPROF_LADDER_NONE, 0, SECONDS),
};

static gdouble moment_of(const GArray *marks, guint i)
{
	const struct ctprof_fact *mark = &g_array_index(marks, struct ctprof_fact, i);

	return (gdouble)g_ascii_strtoull(mark->key, NULL, 10) / NS_PER_S;
}

static Phase phase_at(const Draft *draft, guint i)
{
	const AnalysisOptions *options = draft->plan->options;
	const GArray *marks = options->marks;
	gdouble begin = moment_of(marks, i);
	gdouble end = i + 1 < marks->len ? moment_of(marks, i + 1)
					 : (gdouble)options->captures[1].realtime_ns / NS_PER_S;

	/* The clock may have been set back. */
	return (Phase){g_array_index(marks, struct ctprof_fact, i).value, begin, MAX(begin, end)};
}

/* Returns the mean of a quantity of the host in the windows that are within the phase; NAN: no
 * window is, or it is not known. */
static gdouble mean_in(const Series *past, const Phase *phase, const char *quantity)
{
	gdouble sum = 0, seconds = 0;

	for (guint i = 0; i < series_windows(past); i++) {
		gdouble end = series_end(past, i), length = series_seconds(past, i);
		gdouble value = series_value(past, i, NULL, quantity);

		if (end - length < phase->begin || end > phase->end || isnan(value))
			continue;
		sum += value * length;
		seconds += length;
	}
	return seconds > 0 ? sum / seconds : NAN;
}

static void put_phase(const Draft *draft, Table *table, const Phase *phase)
{
	const AnalysisOptions *options = draft->plan->options;
	const Series *past = options->host_past ? options->host_past : options->past;
	gdouble began = (gdouble)options->captures[0].realtime_ns / NS_PER_S;
	struct ctprof_cell *cells = table_line(table, 0, 0);

	draft_put_same(draft, &cells[PHASE], value_of_text(store_text(draft->store, phase->name)));
	draft_put_same(draft, &cells[BEGAN], digest_time(draft, phase->begin));
	draft_put_same(draft, &cells[AFTER], value_of_real(phase->begin - began));
	draft_put_same(draft, &cells[LENGTH], value_of_real(phase->end - phase->begin));
	for (guint m = 0; m < G_N_ELEMENTS(measures); m++) {
		gdouble value = mean_in(past, phase, measures[m].of_host);

		if (!isnan(value))
			draft_put_same(draft, &cells[FIRST_MEAN + m], value_of_real(value));
	}
}

/* Notes the first phases in one line: "phases: 'load on' 12.3s, 'load off' 4.10s". */
static void note_phases(const Draft *draft, Table *table)
{
	guint n = draft->plan->options->marks->len;
	g_autoptr(GString) text = g_string_new("phases:");
	char length[CTPROF_SHORT_ROOM];

	for (guint i = 0; i < MIN(n, MOST_PHASES); i++) {
		const Phase phase = phase_at(draft, i);

		ctprof_number_short(CTPROF_LADDER_NS, (phase.end - phase.begin) * NS_PER_S, length);
		g_string_append_printf(text, "%s '%s' %s", i > 0 ? "," : "", phase.name, length);
	}
	if (n > MOST_PHASES)
		g_string_append_printf(text, " and %u more", n - MOST_PHASES);
	table_note(table, "%s", text->str);
}

static void draft_phases(const Draft *draft, guint32 flags)
{
	const GArray *marks = draft->plan->options->marks;

	if (!marks || marks->len == 0)
		return;
	Table *table = tables_add(draft->tables, "phases", "Phases between marks", NULL, flags);
	table_add_fields(table, phase_fields, G_N_ELEMENTS(phase_fields));
	for (guint m = 0; m < G_N_ELEMENTS(measures); m++)
		table_add_fields(table, &measures[m].field, 1);
	for (guint i = 0; i < marks->len; i++) {
		const Phase phase = phase_at(draft, i);

		put_phase(draft, table, &phase);
	}
	note_phases(draft, table);
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
	draft_phases(draft, flags);
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
	.help = "host and pools of a recording, window by window, its phases, and when there were "
		"findings",
	.flags = SECTION_OF_DIGEST,
	.place = {0, 0},
	.draft = draft_history,
};
