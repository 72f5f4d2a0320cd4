/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How complete a folded value is, and numbers that add up without forgetting
 * it.  A sum of which all parts are there is exact, one that lacks some is
 * partial ("~"), one that has none is absent.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"

/* Of how many rows a value is made, how many had none, and why: one word, as
 * there are many. */
typedef struct coverage {
	guint64 n : 26;       /* rows with a value, saturating */
	guint64 missing : 26; /* rows without, saturating */
	guint64 why : 4;      /* the commonest of their reasons, in tens */
	guint64 lead : 8;     /* how far it is ahead of the others */
} Coverage;

/* rows more in that state: PRESENT, or why they lack the value (enum
 * ctprof_absence).  INAPPLICABLE is no loss, and not counted. */
void coverage_add(Coverage *coverage, guint32 state, guint64 rows);
void coverage_merge(Coverage *coverage, const Coverage *from);
/* Fills in n, missing, why and PARTIAL of a value that is there. */
void coverage_tell(const Coverage *coverage, struct ctprof_value *value);

/* A sum of numbers of rows in the making.  A number that is itself partial
 * makes the sum so. */
typedef struct amount {
	guint64 number; /* saturating */
	Coverage coverage;
	gboolean partial;
} Amount;

/* part is a NUMBER, or ABSENT with the reason in why (0: not known). */
void amount_add(Amount *amount, const struct ctprof_value *part);
void amount_merge(Amount *amount, const Amount *part);
/* ABSENT when no part was there, but some should have been; of no parts at all
 * it is ABSENT, too, or with zero the number 0. */
struct ctprof_value amount_value(const Amount *amount, gboolean zero);

/* A number, or more than any: a limit that is not set. */
gboolean value_is_size(const struct ctprof_value *value);
/* Descending by number; what is absent comes last. */
gint value_compare(const struct ctprof_value *a, const struct ctprof_value *b);

struct ctprof_value value_of_number(guint64 number);
/* text NULL: absent; borrowed. */
struct ctprof_value value_of_text(const char *text);
/* 100 * part / whole; absent without either.  What marks the part marks not the
 * share beside it. */
struct ctprof_value value_of_share(const struct ctprof_value *part, guint64 whole);
