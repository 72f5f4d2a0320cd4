/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "past.h"

/* The kernel counts the time of CPUs in ticks of 10 ms: in a shorter window, one tick more or less
 * would matter. */
#define LEAST_HOST_NS G_GUINT64_CONSTANT(100000000)
/* A sample ends one window of each series, and begins another. */
#define MOST_SIDES 4

/* One of the two series of windows that a recording is cut into. */
typedef struct cutting {
	Series *past;
	gboolean of_host;
	guint from, to, n; /* samples per window; number of windows, 0: there is no such series */
	guint at;          /* number of the window that begins next */
	Filling *open;     /* the window that has begun; NULL: none */
	Filling *ended;    /* the window that ends with the sample; NULL: none */
} Cutting;

static void cutting_clear(Cutting *cutting)
{
	g_clear_pointer(&cutting->open, filling_free);
	g_clear_pointer(&cutting->ended, filling_free);
}

/* Begins an analysis with the report's options, but only of what the first screen needs; nothing of
 * it is drawn. */
static Filling *begin_window(const Filling *report, Series *past, GError **error)
{
	AnalysisOptions options = report->options;

	options.compare = options.may_be_window = options.digest = TRUE;
	options.sections = options.fail_on = NULL;
	options.past = options.host_past = NULL;
	options.collects = past;
	return filling_new(&options, error);
}

guint past_boundary(guint length, guint window, guint n_windows)
{
	return (guint)((guint64)length * window / n_windows);
}

/* If a window begins or ends at the sample, appends the sides into which it is read. */
static gboolean cut_at(Cutting *cutting, guint sample, const Filling *report, SampleSide **at,
		       GError **error)
{
	guint length = cutting->to - cutting->from;

	if (cutting->n == 0 ||
	    sample != cutting->from + past_boundary(length, cutting->at, cutting->n))
		return TRUE;
	cutting->ended = g_steal_pointer(&cutting->open);
	if (cutting->ended)
		*(*at)++ = (SampleSide){cutting->ended, 1, cutting->of_host};
	if (cutting->at++ == cutting->n)
		return TRUE;
	cutting->open = begin_window(report, cutting->past, error);
	*(*at)++ = (SampleSide){cutting->open, 0, cutting->of_host};
	return cutting->open != NULL;
}

static gboolean end_window(Cutting *cutting, GError **error)
{
	g_autoptr(Filling) filling = g_steal_pointer(&cutting->ended);

	return !filling || (filling_relate(&filling->options, filling->analysis, filling->contexts,
					   NULL, error) &&
			    analysis_finish(filling->analysis, error));
}

/* Takes the sample into the windows that it ends or begins.  before: the last sample that was read
 * as a whole; exits since then belong to the window that ends. */
static gboolean pass_sample(Recording *recording, guint sample, guint *before,
			    const Filling *report, Cutting cuttings[2], GError **error)
{
	SampleSide sides[MOST_SIDES + 1] = {{.filling = NULL}}, *at = sides;

	if (!cut_at(&cuttings[0], sample, report, &at, error))
		return FALSE;
	guint n_exits = MAX(sample - *before, 1);
	if (at > sides)
		*before = sample;
	if (!cut_at(&cuttings[1], sample, report, &at, error))
		return FALSE;
	g_autoptr(Loaded) loaded =
		at > sides ? filling_read(recording, sample, n_exits, sides, error) : NULL;
	return (loaded || at == sides) && end_window(&cuttings[0], error) &&
	       end_window(&cuttings[1], error);
}

/* Returns the number of windows of the host alone; 0: not more than those of all threads. */
static guint count_host_windows(const Recording *recording, guint from, guint to)
{
	guint64 ns = recording_time(recording, to) - recording_time(recording, from);
	guint n = MIN(to - from, PAST_HOST_WINDOWS);

	n = MIN(n, (guint)MIN(ns / LEAST_HOST_NS, G_MAXINT));
	return n > PAST_WINDOWS ? n : 0;
}

static gboolean pass_samples(Recording *recording, const Filling *report, Cutting cuttings[2],
			     GError **error)
{
	guint before = cuttings[0].from;

	for (guint sample = cuttings[0].from; sample <= cuttings[0].to; sample++)
		if (!pass_sample(recording, sample, &before, report, cuttings, error))
			return FALSE;
	return TRUE;
}

gboolean past_read(Recording *recording, guint from, guint to, Filling *filling, GError **error)
{
	guint n_host = count_host_windows(recording, from, to);

	filling->options.past = series_new(PAST_WINDOWS, NULL);
	filling->options.host_past = n_host > 0 ? series_new(PAST_HOST_WINDOWS, NULL) : NULL;
	Cutting cuttings[] = {
		{.past = filling->options.past,
		 .from = from,
		 .to = to,
		 .n = MIN(to - from, PAST_WINDOWS)},
		{.past = filling->options.host_past,
		 .of_host = TRUE,
		 .from = from,
		 .to = to,
		 .n = n_host},
	};
	gboolean ok = pass_samples(recording, filling, cuttings, error);
	cutting_clear(&cuttings[0]);
	cutting_clear(&cuttings[1]);
	return ok;
}
