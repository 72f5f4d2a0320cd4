/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Below the first screen: what was not measured, and why, and where there is more. */
#include <string.h>

#include "digest.h"
#include "row/absence.h"

#define DELAYACCT "host.task_delayacct"

/* "CONFIG_SCHEDSTATS" of "[cfs-only] [SCHEDSTATS]": what it needs of the kernel. */
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

/* Why no thread has it. */
static char *reason_of(const Digest *digest, guint cost, guint32 why)
{
	const Measure *measure = digest->costing.inputs[cost][0][0];
	g_autofree char *config = measure ? config_of(measure->tags) : NULL;

	if (why == CTPROF_ABSENT_DENIED)
		return g_strdup("denied: capture as root");
	if (why != CTPROF_ABSENT_UNSUPPORTED)
		return g_strdup(absence_word(why));
	if (measure && measure->delay && !has_delay_accounting(digest))
		return g_strdup("kernel.task_delayacct=0");
	return config ? g_steal_pointer(&config) : g_strdup(absence_word(why));
}

/* "wakeups, swap delay (unsupported), ...": names, and why they are not there. */
static void say_unmeasured(const Digest *digest, Sentence *sentence)
{
	const Quantity *quantity;
	const char *before = NULL;

	for (guint i = 0; (quantity = quantity_of_cost(i)); i++) {
		const struct ctprof_value *total = &digest->total.of[i];
		const struct ctprof_term name = term_text(CTPROF_TERM_TEXT, quantity->measured);

		if (!quantity->measured || total->type != CTPROF_VALUE_ABSENT ||
		    total->missing == 0)
			continue;
		const char *reason =
			store_take(digest->draft->store, reason_of(digest, i, total->why));
		/* Equal texts of the store have one address. */
		if (before && before != reason)
			SAY(sentence, " ({})", term_text(CTPROF_TERM_TEXT, before));
		sentence_add(sentence, before == reason ? CTPROF_PIECE_ENTRY : 0,
			     before ? ", {}" : "not measured here: {}", &name, 1);
		before = reason;
	}
	if (before)
		SAY(sentence, " ({})", term_text(CTPROF_TERM_TEXT, before));
	if (digest->host.is_of_ticks)
		TELL(sentence, before ? ", the host's CPU but in clock ticks (~)"
				      : "not measured here: the host's CPU but in clock ticks (~)");
}

void digest_add_footers(Digest *digest)
{
	Sentence *unmeasured = sentence_new(CTPROF_SENTENCE_FOOTER);
	Sentence *more = sentence_new(CTPROF_SENTENCE_FOOTER);

	say_unmeasured(digest, unmeasured);
	if (sentence_data(unmeasured)->n_pieces > 0)
		g_ptr_array_add(digest->footers, unmeasured);
	else
		sentence_free(unmeasured);
	TELL(more, "more: --all, -m METRIC,…");
	sentence_add(more, CTPROF_PIECE_APART, "--group-by unit|cgroup|comm|process", NULL, 0);
	sentence_add(more, CTPROF_PIECE_APART, "--sort waiting|read|pss", NULL, 0);
	g_ptr_array_add(digest->footers, more);
}
