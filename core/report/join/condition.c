/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "condition.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "frame/percentile.h"
#include "frame/quantity.h"
#include "report/fold/amount.h"

#define WORSE "worse"
#define METRIC_BYTES G_CSET_a_2_z G_CSET_A_2_Z "0123456789_."

static void condition_clear(gpointer data)
{
	Condition *condition = data;

	g_free(condition->text);
	g_free(condition->metric);
}

/* Parses :pct or :delta, and advances *at past it. */
static gboolean take_measure(const char **at, gboolean *ret_delta)
{
	*ret_delta = g_str_has_prefix(*at, ":delta");
	if (!*ret_delta && !g_str_has_prefix(*at, ":pct"))
		return **at != ':';
	*at += strlen(*ret_delta ? ":delta" : ":pct");
	return TRUE;
}

/* Parses "<", "<=", ">" or ">=", and the blanks around it. */
static gboolean take_operator(const char **at, gboolean *ret_less, gboolean *ret_or_equal)
{
	*at += strspn(*at, " ");
	if (**at != '<' && **at != '>')
		return FALSE;
	*ret_less = **at == '<';
	*at += 1;
	*ret_or_equal = **at == '=';
	*at += *ret_or_equal ? 1 : 0;
	*at += strspn(*at, " ");
	return TRUE;
}

/* Returns NULL or an error text. */
static const char *parse_chance(const char *at, ChanceLimit *limit)
{
	Magnitude magnitude;

	if (limit->is_set)
		return "p or q is limited twice";
	if (!take_operator(&at, &limit->less, &limit->or_equal))
		return "expected one of > >= < <= before the number";
	if (!magnitude_parse(at, &magnitude) || magnitude.has_unit || magnitude.number < 0 ||
	    magnitude.number > 1)
		return "p and q are numbers from 0 to 1";
	limit->is_set = TRUE;
	limit->limit = magnitude.number;
	return NULL;
}

/* Whether the limit is for the percentile itself, as no change of it is named. */
static gboolean limits_value(const char *at)
{
	return *at != ':' && !g_str_has_suffix(at, "%");
}

/* Parses a term that names a metric; returns as parse_chance() does. */
static const char *parse_metric(const char *text, gsize name, Condition *condition)
{
	const Percentile *percentile = percentile_at(text + name);
	const char *at = text + name + (percentile ? strlen(percentile->suffix) : 0);

	name = (gsize)(at - text);
	if (condition->metric || condition->is_worse)
		return "a condition has one metric";
	condition->value = percentile && limits_value(at);
	if (!take_measure(&at, &condition->delta))
		return "expected :pct or :delta after the metric";
	condition->delta |= condition->value;
	if (!take_operator(&at, &condition->less, &condition->or_equal))
		return "expected one of > >= < <= before the number";
	g_autofree char *number = g_strdup(at);
	gsize len = strlen(number);
	if (!condition->delta && len > 0 && number[len - 1] == '%')
		number[len - 1] = '\0';
	if (!magnitude_parse(number, &condition->limit))
		return "the limit is not a number with a unit (" MAGNITUDE_UNITS ")";
	if (!condition->delta && condition->limit.has_unit)
		return "a percentage has no unit; only :delta has one";
	g_autofree char *typed = g_strndup(text, name);
	condition->metric = g_strdup(quantity_name(typed));
	return NULL;
}

static const char *parse_term(const char *text, Condition *condition)
{
	gsize name = strspn(text, METRIC_BYTES);

	if (name == 0)
		return "expected a metric, 'worse' or 'finding:', at the beginning";
	if (g_str_has_prefix(text, FINDING_PREFIX) && !condition->metric && !condition->is_worse) {
		condition->metric = g_strdup(text);
		condition->finding = condition->metric + strlen(FINDING_PREFIX);
		return NULL;
	}
	if (strcmp(text, WORSE) == 0 && !condition->metric) {
		condition->is_worse = TRUE;
		return NULL;
	}
	if (name == 1 && (*text == 'p' || *text == 'q') && text[1] != ':')
		return parse_chance(text + 1, *text == 'p' ? &condition->p : &condition->q);
	return parse_metric(text, name, condition);
}

static const char *parse_one(const char *text, Condition *condition)
{
	g_auto(GStrv) terms = g_strsplit(text, "&&", -1);
	const char *fault = NULL;

	for (guint i = 0; !fault && (i == 0 || terms[i]); i++)
		fault = parse_term(terms[i] ? g_strstrip(terms[i]) : "", condition);
	return fault;
}

GArray *condition_parse(const char *text, GError **error)
{
	g_autoptr(GArray) conditions = g_array_new(FALSE, FALSE, sizeof(Condition));

	g_array_set_clear_func(conditions, condition_clear);
	if (!text || !*text)
		return g_steal_pointer(&conditions);
	g_auto(GStrv) entries = g_strsplit(text, ",", -1);
	for (guint i = 0; entries[i]; i++) {
		Condition condition = {.metric = NULL};
		const char *fault = parse_one(g_strstrip(entries[i]), &condition);

		if (fault) {
			condition_clear(&condition);
			error_set_usage(error, "--fail-on '%s': %s", text, fault);
			return NULL;
		}
		condition.text = g_strdup(entries[i]);
		g_array_append_val(conditions, condition);
	}
	return g_steal_pointer(&conditions);
}

gboolean condition_check(const Condition *condition, guint32 ladder, GError **error)
{
	const Ladder *rungs = ladder_find(ladder);

	if (!condition->delta && rungs->dimension == DIMENSION_NONE)
		return error_set_usage(error,
				       "--fail-on: changes of %s are not in percent: use %s:delta",
				       condition->metric, condition->metric);
	if (condition->limit.has_unit && condition->limit.dimension != rungs->dimension)
		return error_set_usage(error, "--fail-on: the unit is not one of %s",
				       condition->metric);
	return TRUE;
}

gboolean condition_is_of_runs(const Condition *condition)
{
	return condition->p.is_set || condition->q.is_set;
}

static gboolean is_within(gdouble value, gboolean less, gboolean or_equal, gdouble limit)
{
	if (less)
		return value < limit || (or_equal && value <= limit);
	return value > limit || (or_equal && value >= limit);
}

static gboolean chance_allows(const ChanceLimit *limit, gboolean is_known, gdouble value)
{
	return !limit->is_set ||
	       (is_known && is_within(value, limit->less, limit->or_equal, limit->limit));
}

gboolean condition_allows(const Condition *condition, const struct ctprof_runs *result)
{
	return chance_allows(&condition->p, result->flags & CTPROF_RUNS_HAS_TEST, result->p) &&
	       chance_allows(&condition->q, result->flags & CTPROF_RUNS_HAS_Q, result->q);
}

gdouble condition_limit(const Condition *condition, guint32 ladder)
{
	gdouble limit = condition->limit.number;

	return condition->delta && condition->limit.has_unit ? limit / ladder_find(ladder)->base
							     : limit;
}

void condition_take_value(const Condition *condition, struct ctprof_cell *change)
{
	if (condition->value)
		change->flags = value_to_number(&change->value[1], &change->delta)
					? CTPROF_CELL_HAS_DELTA
					: 0;
}

gboolean condition_holds(const Condition *condition, guint32 ladder,
			 const struct ctprof_cell *change)
{
	gdouble limit = condition_limit(condition, ladder);
	gdouble value = condition->delta ? change->delta : change->pct;

	if (!(change->flags & CTPROF_CELL_HAS_DELTA))
		return FALSE;
	if (!condition->delta && !(change->flags & (CTPROF_CELL_HAS_PCT | CTPROF_CELL_SAME)))
		value = change->delta < 0 ? -INFINITY : INFINITY;
	return is_within(value, condition->less, condition->or_equal, limit);
}
