/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules about locks that threads wait for; they need the group lock in the captures. */
#include <math.h>
#include <string.h>

#include "rules.h"

#define WAITERS "lock_waiters"
#define DEADLOCK "lock_deadlock"
#define HOLDER "lock_holder"
#define STATE "lock_holder_state"
#define NEXT "lock_holder_waits_for"
#define KIND "lock_kind"
#define KIND_JOIN "pthread_join" /* waiting for a thread to end is not contention */
#define LEAST_WAITERS 2.0

static const struct {
	const char *state, *words;
} does[] = {
	{"R", ", which runs or waits for a CPU"},
	{"S", ", which sleeps"},
	{"D", ", which is in uninterruptible sleep (D)"},
	{"T", ", which is stopped"},
};

static struct ctprof_value value_at(const Subject *subject, guint side, const char *metric)
{
	return draft_value(subject->digest->draft, TABLE_SINGLE_OBJECTS, subject->object->sides,
			   side, metric);
}

/* Returns the value of the newest side or, with at_both, the smaller of both; NAN: absent. */
static gdouble number(const Subject *subject, const char *metric, gboolean at_both)
{
	guint newest = subject->digest->newest;
	const struct ctprof_value after = value_at(subject, newest, metric),
				  before = value_at(subject, at_both ? 0 : newest, metric);

	return after.type == CTPROF_VALUE_NUMBER && before.type == CTPROF_VALUE_NUMBER
		       ? (gdouble)MIN(before.number, after.number)
		       : NAN;
}

static const char *text(const Subject *subject, const char *metric)
{
	return value_at(subject, subject->digest->newest, metric).text;
}

static gdouble measure_deadlock(const Subject *subject)
{
	return number(subject, DEADLOCK, FALSE);
}

/* "app[12]" of "app[12] 0x55d0c0de1000" */
static struct ctprof_term process_of(const Subject *subject)
{
	const char *name = object_name(subject->object), *end = strrchr(name, ' ');
	gsize length = end ? (gsize)(end - name) : strlen(name);

	return term_name(store_take(subject->digest->draft->store, g_strndup(name, length)));
}

static void say_deadlock(const Subject *subject, Sentence *sentence)
{
	SAY(sentence, "deadlock: {} threads of {} wait for each other in a cycle",
	    term_count("threads", "threads", subject->value), process_of(subject));
	if (text(subject, HOLDER))
		SAY(sentence, ", among them {}", term_name(text(subject, HOLDER)));
}

/* A lock with waiters at one moment is normal; these wait at both ends of a window.  Threads in a
 * deadlock are reported by another rule. */
static gdouble measure_lock(const Subject *subject)
{
	const char *kind = text(subject, KIND);

	if (!text(subject, HOLDER) || g_strcmp0(kind, KIND_JOIN) == 0 ||
	    !isnan(measure_deadlock(subject)))
		return NAN;
	return number(subject, WAITERS, subject->digest->seconds > 0);
}

static void say_lock(const Subject *subject, Sentence *sentence)
{
	const char *next = text(subject, NEXT), *state = text(subject, STATE);
	const char *kind = text(subject, KIND) ? text(subject, KIND) : "lock";
	const struct ctprof_term process = process_of(subject);

	/* For a file lock, the name gives its kind. */
	SAY(sentence, "{} threads wait for a {} of {}",
	    term_count("threads", "threads", subject->value),
	    term_text(CTPROF_TERM_TEXT, g_str_has_suffix(process.text, kind) ? "lock" : kind),
	    process);
	SAY(sentence, ", held by {}", term_name(text(subject, HOLDER)));
	if (next)
		SAY(sentence, ", which waits for {}", term_name(next));
	for (guint i = 0; !next && state && i < G_N_ELEMENTS(does); i++)
		if (strcmp(does[i].state, state) == 0)
			TELL(sentence, does[i].words);
}

/* clang-format off */
const Rule lock_rules[] = {
	{"deadlock", "threads", LEAST_WAITERS, measure_deadlock, say_deadlock, .price = 1},
	{"lock", "threads", LEAST_WAITERS, measure_lock, say_lock, .price = 1},
	{.name = NULL},
};
/* clang-format on */
