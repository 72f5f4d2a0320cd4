/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section of the first screen that lists what stands out, the most costly first. */
#include <math.h>
#include <string.h>

#include "report/draft/judge.h"
#include "rules.h"
#include "why.h"

/* Maximum further subjects of one rule that are named. */
#define MOST_OTHERS 3

/* The rules, by kind of subject. */
static const Rule *const kinds[] = {pool_rules, host_rules, cgroup_rules, lock_rules, disk_rules};

const char *finding_name(guint i)
{
	for (guint kind = 0; kind < G_N_ELEMENTS(kinds); kind++)
		for (const Rule *rule = kinds[kind]; rule->name; rule++)
			if (i-- == 0)
				return rule->name;
	return NULL;
}

/* ---- finding ---- */

/* Returns the end, in s, of the window of a recording in which the finding was worst; 0: none. */
static gdouble worst_at(const Digest *digest, const Subject *finding)
{
	const Series *past = digest->draft->plan->options->past;
	guint window;

	return past && series_worst(past, finding->name, finding->rule->name, &window)
		       ? series_end(past, window)
		       : 0;
}

/* A rule that several subjects meet gives one sentence about the most costly subject; the others
 * are only named. */
static void add_others(Sentence *sentence, const GArray *met)
{
	/* The names of locks mean nothing to people; at most one disk is a subject. */
	if (g_array_index(met, Subject, 0).object)
		return;
	for (guint i = 1; i < met->len && i <= MOST_OTHERS; i++) {
		const Subject *other = &g_array_index(met, Subject, i);

		SAY(sentence, i == 1 ? "; also {}" : ", {}",
		    term_name(other->line ? other->line->name : other->limits->unit));
	}
	if (met->len > MOST_OTHERS + 1)
		SAY(sentence, ", {} more", term_whole(met->len - MOST_OTHERS - 1));
}

/* met: subjects, the most costly first. */
static void add_finding(Digest *digest, const GArray *met)
{
	Subject *finding = &g_array_index(met, Subject, 0);

	finding->sentence = sentence_new(CTPROF_SENTENCE_FINDING);
	finding->rule->say(finding, finding->sentence);
	add_others(finding->sentence, met);
	finding->worst_at = worst_at(digest, finding);
	if (finding->worst_at > 0)
		SAY(finding->sentence, ", worst at {}",
		    term_plain(CTPROF_TERM_TIME_ZONE, CTPROF_LADDER_NONE, finding->worst_at));
	g_array_append_vals(digest->findings, finding, 1);
	g_array_append_vals(digest->met, finding, met->len);
}

static gint compare_costs(gconstpointer a, gconstpointer b)
{
	gdouble x = ((const Subject *)a)->cost, y = ((const Subject *)b)->cost;

	return (x < y) - (x > y);
}

static void apply(Digest *digest, const Rule *rule, const Subject *subjects, guint n)
{
	const char *explained = digest->draft->plan->options->explain;
	Subject nearest = {.value = NAN};
	g_autoptr(GArray) met = g_array_new(FALSE, FALSE, sizeof(Subject));

	for (guint i = 0; i < n; i++) {
		Subject subject = subjects[i];

		subject.rule = rule;
		subject.value = rule->measure(&subject);
		if (isnan(subject.value))
			continue;
		subject.cost = rule->cost ? rule->cost(&subject) : subject.value * rule->price;
		if (subject.value >= rule->limit)
			g_array_append_val(met, subject);
		else if (!(subject.value <= nearest.value))
			nearest = subject;
	}
	g_array_sort(met, compare_costs);
	if (met->len > 0)
		add_finding(digest, met);
	else if (nearest.digest && g_strcmp0(explained, rule->name) == 0)
		digest->nearest = nearest;
}

/* Sets the i-th subject of these rules.  FALSE: lock rules: the object is not a lock; disk rules:
 * no disk qualifies. */
static gboolean find_subject(const Digest *digest, const Rule *rules, guint i, Subject *ret_subject)
{
	Subject subject = {.digest = digest, .name = "host", .role = CTPROF_ROLE_HOST};

	if (rules == pool_rules) {
		subject.line = digest_line(digest, i);
		subject.name = subject.line->name;
		subject.role = CTPROF_ROLE_POOL;
	} else if (rules == cgroup_rules) {
		subject.limits = &g_array_index(digest->limits, CgroupLimits, i);
		subject.name = subject.limits->path;
		subject.role = CTPROF_ROLE_CGROUP;
	} else if (rules == lock_rules || rules == disk_rules) {
		subject.object = rules == disk_rules
					 ? disk_find(digest)
					 : g_ptr_array_index(digest->draft->single_objects, i);
		if (!subject.object)
			return FALSE;
		subject.name = object_name(subject.object);
		subject.role = CTPROF_ROLE_NONE;
	}
	*ret_subject = subject;
	return rules != lock_rules || strcmp(subject.object->key.names[0], LOCK_GROUP) == 0;
}

static gint compare_findings(gconstpointer a, gconstpointer b)
{
	const Subject *x = a, *y = b;

	if (x->cost < y->cost || x->cost > y->cost)
		return x->cost < y->cost ? 1 : -1;
	return strcmp(x->rule->name, y->rule->name);
}

void findings_find(Digest *digest)
{
	const guint n[] = {digest->lines->len, 1, digest->limits->len,
			   digest->draft->single_objects->len, 1};

	for (guint i = 0; i < digest->lines->len; i++)
		why_read_pinned(digest, &g_array_index(digest->lines, CostLine, i));
	for (guint kind = 0; kind < G_N_ELEMENTS(kinds); kind++) {
		g_autofree Subject *subjects = g_new0(Subject, n[kind] + 1);
		guint n_subjects = 0;

		for (guint i = 0; i < n[kind]; i++)
			if (find_subject(digest, kinds[kind], i, &subjects[n_subjects]))
				n_subjects++;
		for (const Rule *rule = kinds[kind]; rule->name; rule++)
			apply(digest, rule, subjects, n_subjects);
	}
	g_array_sort(digest->findings, compare_findings);
}

void findings_judge(const Draft *draft, const Condition *condition)
{
	for (guint i = 0; i < draft->digest->met->len; i++) {
		const Subject *finding = &g_array_index(draft->digest->met, Subject, i);

		if (!g_pattern_match_simple(condition->finding, finding->rule->name))
			continue;
		const struct ctprof_report_hit hit = {
			.struct_size = sizeof hit,
			.n_names = 1,
			.names = {finding->name},
			.condition = condition->text,
			/* The prefix is needed, as a metric of the subject may have the same
			 * name. */
			.metric = store_take(draft->store, g_strconcat(FINDING_PREFIX,
								       finding->rule->name, NULL)),
			.unit = finding->rule->unit,
			.value = finding->value,
			.limit = finding->rule->limit,
		};
		g_array_append_val(draft->hits, hit);
	}
}

/* ---- the section ---- */

enum { NAME, SUBJECT, VALUE, LIMIT, UNIT, COST, SENTENCE, WORST_AT, N_FIELDS };

static const struct ctprof_report_field fields[N_FIELDS] = {
	[NAME] = TEXT_FIELD("finding", "FINDING"),
	[SUBJECT] = SUBJECT_FIELD("subject", "SUBJECT"),
	[VALUE] = TABLE_FIELD("value", "VALUE", "none", CTPROF_LADDER_NONE, 0),
	[LIMIT] = TABLE_FIELD("limit", "LIMIT", "none", CTPROF_LADDER_NONE, 0),
	[UNIT] = TEXT_FIELD("unit", "UNIT"),
	[COST] = TABLE_FIELD("cost", "COST", "none", CTPROF_LADDER_NONE, 0),
	[SENTENCE] = ROLE_FIELD("sentence", "SENTENCE", "text", CTPROF_LADDER_NONE,
				CTPROF_FIELD_CUT, SENTENCE),
	/* In a recording: the end of the window in which it was worst. */
	[WORST_AT] = TEXT_FIELD("worst_at", "WORST"),
};

static guint n_fields(const Draft *draft)
{
	return draft->plan->options->past ? N_FIELDS : WORST_AT;
}

static void put_finding(const Draft *draft, Table *table, const Subject *finding)
{
	const struct ctprof_value values[N_FIELDS] = {
		[NAME] = value_of_text(finding->rule->name),
		[SUBJECT] = value_of_text(finding->name),
		[VALUE] = value_of_real(finding->value),
		[LIMIT] = value_of_real(finding->rule->limit),
		[UNIT] = value_of_text(finding->rule->unit),
		[COST] = value_of_real(finding->cost),
		[SENTENCE] = value_of_text(sentence_text(finding->sentence)),
		[WORST_AT] = digest_time(draft, finding->worst_at),
	};
	struct ctprof_cell *cells = table_role_line(table, 0, finding->role);

	table_last(table)->sentence = sentence_data(finding->sentence);
	for (guint i = 0; i < n_fields(draft); i++)
		draft_put_same(draft, &cells[i], values[i]);
}

static void note_number(Table *table, const char *name, gdouble value, const char *unit)
{
	g_autofree char *number = unit_format(unit, value, FALSE);

	table_note(table, "  %-12s %s", name, number);
}

/* For --explain: what was measured, and the numbers in the sentence, if there is one. */
static void note_numbers(Table *table, const Subject *finding)
{
	const struct ctprof_sentence *said =
		finding->sentence ? sentence_data(finding->sentence) : NULL;

	table_note(table, "  %-12s %s of %s", "rule", finding->rule->name, finding->name);
	note_number(table, "measured", finding->value, finding->rule->unit);
	note_number(table, "rule limit", finding->rule->limit, finding->rule->unit);
	note_number(table, "cost", finding->cost, "none");
	for (guint64 i = 0; said && i < said->n_pieces; i++)
		for (guint64 k = 0; k < said->pieces[i].n_terms; k++) {
			const struct ctprof_term *term = &said->pieces[i].terms[k];

			if (term->name)
				note_number(table, term->name, term->number, term->unit);
		}
}

static void note_heading(const Digest *digest, Table *table, gboolean is_explained)
{
	guint n = digest->findings->len;

	if (is_explained || (n > 0 && digest->n_findings == n))
		table_note(table, "WHAT STANDS OUT");
	else if (n > 0)
		table_note(table, "WHAT STANDS OUT (and %u more: --all)", n - digest->n_findings);
	/* Without the CPU time of threads and the host's CPUs, most rules lack their input. */
	else if (digest->total.of[COST_CPU].type != CTPROF_VALUE_ABSENT && digest->host.cpus > 0)
		table_note(table, "nothing stands out");
}

static void draft_findings(const Draft *draft, const Section *section)
{
	const char *explained = draft->plan->options->explain;
	const Digest *digest = draft->digest;
	Table *table = tables_add(draft->tables, section->name, section->heading, NULL,
				  CTPROF_SECTION_BARE | CTPROF_SECTION_TOLD);

	table_add_fields(table, fields, n_fields(draft));
	note_heading(digest, table, explained != NULL);
	for (guint i = 0; i < digest->findings->len; i++) {
		const Subject *finding = &g_array_index(digest->findings, Subject, i);

		if (explained && !g_pattern_match_simple(explained, finding->rule->name))
			continue;
		put_finding(draft, table, finding);
		if (i < digest->n_findings || explained)
			table_note_sentence(table, "! ", finding->sentence);
		if (explained)
			note_numbers(table, finding);
	}
	if (!explained || table->lines->len > 0)
		return;
	table_note(table, "%s: no finding", explained);
	if (digest->nearest.rule)
		note_numbers(table, &digest->nearest);
}

const Section section_findings = {
	.name = SECTION_FINDINGS,
	.heading = "What stands out",
	.help = "what stands out, in sentences: the first screen",
	.flags = SECTION_OF_DIGEST | SECTION_TOLD_IN_DIGEST,
	.place = {-2, -2},
	.draft = draft_findings,
	.metrics = why_metrics,
};
