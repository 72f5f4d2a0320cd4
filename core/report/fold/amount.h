/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How complete a folded value is, and sums that keep track of it.  A sum with
 * all its parts is exact, one that lacks some is partial ("~"), one without any
 * is absent.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"

/* The number of rows folded into a value, the number without one, and why.  One
 * word, as there are many of these. */
typedef struct coverage {
	guint64 n : 26;       /* rows with a value, saturating */
	guint64 missing : 26; /* rows without, saturating */
	guint64 why : 4;      /* their most common reason, in tens */
	guint64 lead : 8;     /* its lead over the others */
} Coverage;

/* Adds rows in that state: PRESENT, or why they lack the value (enum
 * ctprof_absence).  INAPPLICABLE is not a loss, and not counted. */
void coverage_add(Coverage *coverage, guint32 state, guint64 rows);
void coverage_merge(Coverage *coverage, const Coverage *from);
/* Fills in n, missing, why and PARTIAL of a present value. */
void coverage_apply(const Coverage *coverage, struct ctprof_value *value);

/* The sum of the rows' numbers so far.  A partial number makes the sum partial. */
typedef struct amount {
	guint64 number; /* saturating */
	Coverage coverage;
	gboolean partial;
} Amount;

/* part is a NUMBER, or ABSENT with the reason in why (0: unknown). */
void amount_add(Amount *amount, const struct ctprof_value *part);
void amount_merge(Amount *amount, const Amount *part);
/* ABSENT if all parts were missing.  If there were no parts, ABSENT or, with zero, the number 0. */
struct ctprof_value amount_value(const Amount *amount, gboolean zero);

/* Whether it is a number, counted or computed: only its change can be in percent. */
gboolean value_is_amount(const struct ctprof_value *value);
/* Whether it is a number or UNLIMITED, a limit that is not set. */
gboolean value_is_size(const struct ctprof_value *value);

/* The value as one number (a range as its middle).  FALSE: it has none. */
gboolean value_to_number(const struct ctprof_value *value, gdouble *ret_number);
/* Returns the growth of a value.  A counter that fell was reset: ABSENT; other kinds may fall.
 * born: there was nothing before, so the value grew from 0.  The coverage is that of the end, where
 * the rows in between are known. */
struct ctprof_value value_growth(guint32 kind, const struct ctprof_value *before,
				 const struct ctprof_value *after, gboolean born);

struct ctprof_value value_of_number(guint64 number);
struct ctprof_value value_of_real(gdouble real);
/* text NULL: absent; borrowed. */
struct ctprof_value value_of_text(const char *text);
/* 100 * part / whole; absent if either is.  A part marked partial does not mark
 * the share next to it. */
struct ctprof_value value_of_share(const struct ctprof_value *part, guint64 whole);
