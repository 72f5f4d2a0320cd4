/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "absence.h"

#include <string.h>

#include "ctprof/words.h"

#define N_REASONS (CTPROF_ABSENT_INAPPLICABLE / 10 + 1)

struct absence_tally {
	const GPtrArray *metrics;
	guint64 (*counts)[N_REASONS]; /* per slot */
};

#define WORD(why, word) [why / 10] = word,
static const char *const words[N_REASONS] = {"present", CTPROF_ABSENCE_WORDS(WORD)};

const char *absence_word(guint32 why)
{
	return why / 10 < N_REASONS ? words[why / 10] : "?";
}

gboolean absence_is_failure(guint32 why)
{
	return why != CTPROF_PRESENT && why != CTPROF_ABSENT_SKIPPED &&
	       why != CTPROF_ABSENT_INAPPLICABLE;
}

AbsenceTally *absence_tally_new(const Registry *registry)
{
	AbsenceTally *tally = g_new0(AbsenceTally, 1);

	tally->metrics = registry_row(registry, ROW_THREAD);
	tally->counts = g_malloc0_n(tally->metrics->len + 1, sizeof *tally->counts);
	return tally;
}

void absence_tally_free(AbsenceTally *tally)
{
	g_free(tally->counts);
	g_free(tally);
}

void absence_tally_add(AbsenceTally *tally, const struct ctprof_rows *rows)
{
	for (guint64 i = 0; i < rows->n; i++) {
		const guint8 *states = rows->states + i * rows->n_slots;

		for (guint64 s = 0; s < rows->n_slots; s++)
			if (absence_is_failure(states[s]))
				tally->counts[s][states[s] / 10]++;
	}
}

/* The slots of a group are mostly absent together, so the highest count is used. */
static void merge(GArray *sums, const char *group, guint32 why, guint64 threads)
{
	for (guint i = 0; i < sums->len; i++) {
		Absence *sum = &g_array_index(sums, Absence, i);

		if (sum->why == why && strcmp(sum->group, group) == 0) {
			sum->threads = MAX(sum->threads, threads);
			return;
		}
	}
	Absence sum = {.group = group, .why = why, .threads = threads};
	g_array_append_val(sums, sum);
}

GArray *absence_tally_sum(const AbsenceTally *tally)
{
	GArray *sums = g_array_new(FALSE, FALSE, sizeof(Absence));

	for (guint s = 0; s < tally->metrics->len; s++) {
		const Metric *metric = g_ptr_array_index(tally->metrics, s);

		for (guint why = 1; why < N_REASONS; why++)
			if (tally->counts[s][why] > 0)
				merge(sums, metric->def.group, why * 10, tally->counts[s][why]);
	}
	return sums;
}
