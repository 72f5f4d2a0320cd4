/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "amount.h"

#include "ctprof/plugin.h"
#include "fold.h"

#define MOST_ROWS ((1u << 26) - 1)
#define MOST_LEAD 255u
#define MOST_WHY 15u
#define REASON_STEP 10

static guint64 add_rows(guint64 a, guint64 b)
{
	return MIN(a + b, MOST_ROWS);
}

static void add_present(Coverage *coverage, guint64 rows)
{
	coverage->n = add_rows(coverage->n, rows) & MOST_ROWS;
}

/* Boyer-Moore majority vote: the reason that remains is that of more than half of the rows, if
 * there is one. */
static void vote(Coverage *coverage, guint64 why, guint64 votes)
{
	if (coverage->why == why) {
		coverage->lead = MIN(coverage->lead + votes, MOST_LEAD) & MOST_LEAD;
	} else if (coverage->lead >= votes) {
		coverage->lead = (coverage->lead - votes) & MOST_LEAD;
	} else {
		coverage->lead = MIN(votes - coverage->lead, MOST_LEAD) & MOST_LEAD;
		coverage->why = why & MOST_WHY;
	}
}

static void add_absent(Coverage *coverage, guint32 reason, guint64 rows)
{
	if (reason == CTPROF_ABSENT_INAPPLICABLE)
		return;
	coverage->missing = add_rows(coverage->missing, rows) & MOST_ROWS;
	vote(coverage, reason / REASON_STEP, rows);
}

void coverage_add(Coverage *coverage, guint32 state, guint64 rows)
{
	if (state == CTPROF_PRESENT)
		add_present(coverage, rows);
	else
		add_absent(coverage, state, rows);
}

void coverage_merge(Coverage *coverage, const Coverage *from)
{
	coverage->n = add_rows(coverage->n, from->n) & MOST_ROWS;
	if (from->missing == 0)
		return;
	coverage->missing = add_rows(coverage->missing, from->missing) & MOST_ROWS;
	vote(coverage, from->why, from->lead);
}

void coverage_apply(const Coverage *coverage, struct ctprof_value *value)
{
	value->n = coverage->n;
	value->missing = coverage->missing;
	value->why = coverage->missing > 0 ? (guint32)coverage->why * REASON_STEP : 0;
	if (coverage->missing > 0 && value->type != CTPROF_VALUE_ABSENT)
		value->flags |= CTPROF_VALUE_PARTIAL;
}

/* ---- sums ---- */

void amount_add(Amount *amount, const struct ctprof_value *part)
{
	if (part->type != CTPROF_VALUE_NUMBER) {
		add_absent(&amount->coverage, part->why, 1);
		return;
	}
	add_present(&amount->coverage, 1);
	amount->number = fold_add_saturated(amount->number, part->number);
	amount->partial |= (part->flags & CTPROF_VALUE_PARTIAL) != 0;
}

void amount_merge(Amount *amount, const Amount *part)
{
	coverage_merge(&amount->coverage, &part->coverage);
	amount->number = fold_add_saturated(amount->number, part->number);
	amount->partial |= part->partial;
}

struct ctprof_value amount_value(const Amount *amount, gboolean zero)
{
	struct ctprof_value value = {.number = amount->number};

	if (amount->coverage.n > 0 || (zero && amount->coverage.missing == 0))
		value.type = CTPROF_VALUE_NUMBER;
	coverage_apply(&amount->coverage, &value);
	if (amount->partial)
		value.flags |= CTPROF_VALUE_PARTIAL;
	return value;
}

gboolean value_is_amount(const struct ctprof_value *value)
{
	return value->type == CTPROF_VALUE_NUMBER || value->type == CTPROF_VALUE_REAL;
}

gboolean value_is_size(const struct ctprof_value *value)
{
	return value->type == CTPROF_VALUE_NUMBER || value->type == CTPROF_VALUE_UNLIMITED;
}

/* ---- values ---- */

gboolean value_to_number(const struct ctprof_value *value, gdouble *ret_number)
{
	switch (value->type) {
	case CTPROF_VALUE_NUMBER:
		*ret_number = (gdouble)value->number;
		return TRUE;
	case CTPROF_VALUE_REAL:
		*ret_number = value->real;
		return TRUE;
	case CTPROF_VALUE_RANGE:
	case CTPROF_VALUE_CPUS:
		*ret_number = ((gdouble)value->min + (gdouble)value->max) / 2;
		return TRUE;
	default:
		return FALSE;
	}
}

/* The difference is exact even if the values, as gdoubles, would not be. */
static struct ctprof_value subtract(const struct ctprof_value *before,
				    const struct ctprof_value *after)
{
	struct ctprof_value difference = *after;
	gdouble x = 0, y = 0;

	if (before->type == CTPROF_VALUE_NUMBER && after->type == CTPROF_VALUE_NUMBER &&
	    after->number >= before->number) {
		difference.number -= before->number;
		return difference;
	}
	difference.type = CTPROF_VALUE_REAL;
	if (before->type == CTPROF_VALUE_NUMBER && after->type == CTPROF_VALUE_NUMBER)
		difference.real = -(gdouble)(before->number - after->number);
	else if (value_to_number(before, &x) && value_to_number(after, &y))
		difference.real = y - x;
	else
		difference.type = CTPROF_VALUE_ABSENT;
	return difference;
}

struct ctprof_value value_growth(guint32 kind, const struct ctprof_value *before,
				 const struct ctprof_value *after, gboolean born)
{
	const struct ctprof_value nothing = value_of_number(0);
	struct ctprof_value grown = subtract(born ? &nothing : before, after);

	grown.flags |= before->flags;
	if (kind == CTPROF_COUNTER && grown.type == CTPROF_VALUE_REAL && grown.real < 0)
		grown.type = CTPROF_VALUE_ABSENT;
	return grown;
}

struct ctprof_value value_of_number(guint64 number)
{
	return (struct ctprof_value){.type = CTPROF_VALUE_NUMBER, .number = number};
}

struct ctprof_value value_of_real(gdouble real)
{
	return (struct ctprof_value){.type = CTPROF_VALUE_REAL, .real = real};
}

struct ctprof_value value_of_text(const char *text)
{
	return (struct ctprof_value){
		.type = text ? CTPROF_VALUE_TEXT : CTPROF_VALUE_ABSENT,
		.text = text,
	};
}

struct ctprof_value value_of_share(const struct ctprof_value *part, guint64 whole)
{
	if (part->type != CTPROF_VALUE_NUMBER || whole == 0)
		return (struct ctprof_value){.type = CTPROF_VALUE_ABSENT, .why = part->why};
	return (struct ctprof_value){
		.type = CTPROF_VALUE_REAL,
		.real = (gdouble)part->number / (gdouble)whole * 100,
	};
}
