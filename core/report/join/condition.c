/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "condition.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

#define METRIC_BYTES G_CSET_a_2_z G_CSET_A_2_Z "0123456789_."

static void condition_clear(gpointer data)
{
	Condition *condition = data;

	g_free(condition->text);
	g_free(condition->metric);
}

/* What of the metric counts: moves *at past it. */
static gboolean take_measure(const char **at, gboolean *ret_delta)
{
	*ret_delta = g_str_has_prefix(*at, ":delta");
	if (!*ret_delta && !g_str_has_prefix(*at, ":pct"))
		return **at != ':';
	*at += strlen(*ret_delta ? ":delta" : ":pct");
	return TRUE;
}

static gboolean take_operator(const char **at, Condition *condition)
{
	if (**at != '<' && **at != '>')
		return FALSE;
	condition->less = **at == '<';
	*at += 1;
	condition->or_equal = **at == '=';
	*at += condition->or_equal ? 1 : 0;
	return TRUE;
}

/* NULL, or what is wrong. */
static const char *parse_one(const char *text, Condition *ret_condition)
{
	Condition condition = {.metric = NULL};
	const char *at = text + strspn(text, METRIC_BYTES);
	gsize name = (gsize)(at - text);

	if (name == 0)
		return "expected a metric at the beginning";
	if (!take_measure(&at, &condition.delta))
		return "expected :pct or :delta after the metric";
	at += strspn(at, " ");
	if (!take_operator(&at, &condition))
		return "expected one of > >= < <= before the number";
	at += strspn(at, " ");
	g_autofree char *number = g_strdup(at);
	gsize len = strlen(number);
	if (!condition.delta && len > 0 && number[len - 1] == '%')
		number[len - 1] = '\0';
	if (!quantity_parse(number, &condition.limit))
		return "the limit is not a number, or its unit is unknown";
	if (!condition.delta && condition.limit.has_unit)
		return "a percentage has no unit; :delta has";
	condition.metric = g_strndup(text, name);
	*ret_condition = condition;
	return NULL;
}

GArray *condition_parse(const char *text, GError **error)
{
	g_autoptr(GArray) conditions = g_array_new(FALSE, FALSE, sizeof(Condition));

	g_array_set_clear_func(conditions, condition_clear);
	if (!text || !*text)
		return g_steal_pointer(&conditions);
	g_auto(GStrv) entries = g_strsplit(text, ",", -1);
	for (guint i = 0; entries[i]; i++) {
		Condition condition;
		const char *fault = parse_one(g_strstrip(entries[i]), &condition);

		if (fault) {
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

gdouble condition_limit(const Condition *condition, guint32 ladder)
{
	gdouble limit = condition->limit.number;

	return condition->delta && condition->limit.has_unit ? limit / ladder_find(ladder)->base
							     : limit;
}

gboolean condition_holds(const Condition *condition, guint32 ladder, const Change *change,
			 gboolean partial)
{
	gdouble limit = condition_limit(condition, ladder);
	gdouble value = condition->delta ? change->delta : change->pct;

	if (!(change->flags & CTPROF_CELL_HAS_DELTA))
		return FALSE;
	if ((change->flags & CTPROF_CELL_PARTIAL) && !partial)
		return FALSE;
	if (!condition->delta && !(change->flags & (CTPROF_CELL_HAS_PCT | CTPROF_CELL_SAME)))
		value = change->delta < 0 ? -INFINITY : INFINITY;
	if (condition->less)
		return value < limit || (condition->or_equal && value <= limit);
	return value > limit || (condition->or_equal && value >= limit);
}
