/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines below the first screen: what was not measured, why, and how to see more. */
#include <string.h>

#include "digest.h"
#include "row/absence.h"

#define DELAYACCT "host.task_delayacct"
#define LEAST_DENIED 0.1 /* of the threads */

/* Returns the kernel option a metric needs, "CONFIG_SCHEDSTATS" of "[cfs-only] [SCHEDSTATS]". */
static char *config_of(const char *tags)
{
	for (const char *at = strchr(tags, '['); at; at = strchr(at + 1, '['))
		if (g_ascii_isupper(at[1]))
			return g_strdup_printf("CONFIG_%.*s", (int)strcspn(at + 1, "]"), at + 1);
	return NULL;
}

static gboolean has_delay_accounting(const Digest *digest)
{
	const char *text = host_state_text(digest, DELAYACCT);

	return !text || strchr("1Yt", text[0]);
}

/* Returns why no thread has the cost; the caller frees. */
static char *reason_of(const Digest *digest, guint cost, guint32 why)
{
	const Measure *measure = digest->cost_inputs.inputs[cost][0][0];
	g_autofree char *config = measure ? config_of(measure->field.tags) : NULL;

	if (why == CTPROF_ABSENT_DENIED)
		return g_strdup("denied: capture as root");
	if (why != CTPROF_ABSENT_UNSUPPORTED)
		return g_strdup(absence_word(why));
	if (measure && measure->delay && !has_delay_accounting(digest))
		return g_strdup("kernel.task_delayacct=0");
	return config ? g_steal_pointer(&config) : g_strdup(absence_word(why));
}

/* Adds "wakeups, swap delay (unsupported), ...": costs that are missing, and why. */
static void say_unmeasured(const Digest *digest, Sentence *sentence)
{
	const Quantity *quantity;
	const char *before = NULL;

	for (guint i = 0; (quantity = quantity_of_cost(i)); i++) {
		const CostValue *total = &digest->total.of[i];
		const struct ctprof_term name = term_text(CTPROF_TERM_TEXT, quantity->measured);

		if (!quantity->measured || total->type != CTPROF_VALUE_ABSENT ||
		    total->missing == 0)
			continue;
		const char *reason =
			store_take(digest->draft->store, reason_of(digest, i, total->why));
		/* Equal texts in the store have the same address. */
		if (before && before != reason)
			SAY(sentence, " ({})", term_text(CTPROF_TERM_TEXT, before));
		sentence_add(sentence, before == reason ? CTPROF_PIECE_ENTRY : 0,
			     before ? ", {}" : "not measured here: {}", &name, 1);
		before = reason;
	}
	if (before)
		SAY(sentence, " ({})", term_text(CTPROF_TERM_TEXT, before));
	if (digest->host.is_of_ticks)
		TELL(sentence,
		     before ? ", the host's CPU time other than in clock ticks (~)"
			    : "not measured here: the host's CPU time other than in clock ticks (~)");
}

/* Adds the number of threads whose I/O was denied; if it was denied for all, say_unmeasured()
 * reports that. */
static void say_denied(const Digest *digest, Sentence *sentence)
{
	const CostValue *read = &digest->total.of[COST_READ];
	gdouble missing = (gdouble)read->missing, all = (gdouble)digest->threads[digest->newest];

	if (read->type == CTPROF_VALUE_ABSENT || read->why != CTPROF_ABSENT_DENIED ||
	    missing < LEAST_DENIED * all)
		return;
	SAY(sentence, "the I/O of {} of {} threads could not be read: denied", term_whole(missing),
	    term_whole(all));
	/* Even root may have been denied: only doctor can find out what would help. */
	TELL(sentence, " (see 'ctprof doctor')");
}

static void add(Digest *digest, void (*say)(const Digest *digest, Sentence *sentence))
{
	Sentence *sentence = sentence_new(CTPROF_SENTENCE_FOOTER);

	say(digest, sentence);
	if (sentence_data(sentence)->n_pieces > 0)
		g_ptr_array_add(digest->footers, sentence);
	else
		sentence_free(sentence);
}

void digest_add_footers(Digest *digest)
{
	Sentence *more = sentence_new(CTPROF_SENTENCE_FOOTER);

	add(digest, say_unmeasured);
	add(digest, say_denied);
	TELL(more, "more: --all, -m METRIC,…");
	sentence_add(more, CTPROF_PIECE_APART, "--group-by unit|cgroup|comm|process", NULL, 0);
	sentence_add(more, CTPROF_PIECE_APART, "--sort waiting|read|pss", NULL, 0);
	g_ptr_array_add(digest->footers, more);
}
