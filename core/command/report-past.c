/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report-past.h"

#include "report-side.h"

/* The kernel counts the time of CPUs in ticks of 10 ms: in less, one more or less counts. */
#define LEAST_HOST_NS G_GUINT64_CONSTANT(100000000)

/* The report it is for. */
typedef struct past_run {
	const AnalysisOptions *options;
	const GArray *hidden;
} PastRun;

/* A window of it: what its samples go into. */
typedef struct stretch {
	AnalysisOptions options;
	Analysis *analysis;
	Context *contexts[2];
} Stretch;

static void stretch_free(Stretch *stretch)
{
	if (!stretch)
		return;
	g_clear_pointer(&stretch->analysis, analysis_free);
	for (guint i = 0; i < G_N_ELEMENTS(stretch->contexts); i++)
		context_free(stretch->contexts[i]);
	g_free(stretch);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stretch, stretch_free)

/* As the report is, of what the first screen needs; nothing is drawn of it. */
static Stretch *stretch_new(const PastRun *run, Series *past, GError **error)
{
	g_autoptr(Stretch) stretch = g_new0(Stretch, 1);

	stretch->options = *run->options;
	stretch->options.compare = stretch->options.may_be_window = stretch->options.digest = TRUE;
	stretch->options.sections = stretch->options.fail_on = NULL;
	stretch->options.past = stretch->options.host_past = NULL;
	stretch->options.collects = past;
	stretch->contexts[0] = context_new();
	stretch->contexts[1] = context_new();
	stretch->analysis = analysis_new(&stretch->options, error);
	return stretch->analysis ? g_steal_pointer(&stretch) : NULL;
}

/* A sample ends one window and begins another, and the same of the host alone. */
enum { ENDED, BEGUN, HOST_ENDED, HOST_BEGUN, N_STRETCHES };

typedef struct junction {
	ReportSide sides[N_STRETCHES];
	Stretch *of[N_STRETCHES]; /* NULL: there is none */
} Junction;

static gboolean take_junction(gpointer data, const Registry *registry,
			      const struct ctprof_rows *rows, GError **error)
{
	Junction *junction = data;

	for (guint i = 0; i < N_STRETCHES; i++)
		if (junction->of[i] && (i < HOST_ENDED || rows->scope == CTPROF_SCOPE_HOST) &&
		    !report_side_take(&junction->sides[i], registry, rows, error))
			return FALSE;
	return TRUE;
}

/* The exits of the last n_exits samples belong to the window that ends. */
static gboolean read_junction(Recording *recording, guint sample, guint n_exits, const PastRun *run,
			      Junction *junction, GError **error)
{
	gboolean is_whole = junction->of[ENDED] || junction->of[BEGUN];

	if (!is_whole && !junction->of[HOST_ENDED] && !junction->of[HOST_BEGUN])
		return TRUE;
	for (guint i = 0; i < N_STRETCHES; i++)
		if (junction->of[i])
			junction->sides[i] =
				(ReportSide){.analysis = junction->of[i]->analysis,
					     .index = i % 2 == ENDED,
					     .context = junction->of[i]->contexts[i % 2 == ENDED],
					     .hidden = run->hidden};
	g_autoptr(Loaded) loaded = (is_whole ? recording_read : recording_read_host)(
		recording, sample, n_exits, take_junction, junction, error);
	if (!loaded)
		return FALSE;
	for (guint i = 0; i < N_STRETCHES; i++) {
		if (!junction->of[i])
			continue;
		context_note_facts(junction->sides[i].context, &loaded->facts);
		if (!analysis_bind(junction->of[i]->analysis, junction->sides[i].index,
				   loaded->registry, error))
			return FALSE;
	}
	return TRUE;
}

static gboolean finish_stretch(Stretch *stretch, GError **error)
{
	return report_relate(&stretch->options, stretch->analysis, stretch->contexts[0],
			     stretch->contexts[1], NULL, error) &&
	       analysis_finish(stretch->analysis, error) != NULL;
}

/* One of the two series of windows that a recording is cut into. */
typedef struct cutting {
	Series *past;
	guint from, to, n; /* windows; 0: there is no such series */
	guint at;          /* the window that begins next */
	Stretch *open;     /* the one that has begun; NULL: none */
} Cutting;

static void cutting_clear(Cutting *cutting)
{
	g_clear_pointer(&cutting->open, stretch_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Cutting, cutting_clear)

/* Where a window begins or ends at the sample, ret_of has the one that ends, which is the
 * caller's, and the one that begins, which is open from now on. */
static gboolean cut_at(Cutting *cutting, guint sample, const PastRun *run, Stretch *ret_of[2],
		       GError **error)
{
	guint64 length = cutting->to - cutting->from;

	ret_of[0] = ret_of[1] = NULL;
	if (cutting->n == 0 || sample != cutting->from + (guint)(length * cutting->at / cutting->n))
		return TRUE;
	ret_of[0] = g_steal_pointer(&cutting->open);
	if (cutting->at++ < cutting->n)
		cutting->open = stretch_new(run, cutting->past, error);
	ret_of[1] = cutting->open;
	return cutting->at > cutting->n || cutting->open;
}

/* Takes the sample into the windows that it ends or begins.  before: the last one that was
 * read as a whole. */
static gboolean pass_sample(Recording *recording, guint sample, guint *before, const PastRun *run,
			    Cutting *const cuttings[2], GError **error)
{
	Junction junction = {.of = {NULL}};
	g_autoptr(Stretch) ended = NULL;
	g_autoptr(Stretch) host_ended = NULL;
	gboolean ok = cut_at(cuttings[0], sample, run, &junction.of[ENDED], error);

	ended = junction.of[ENDED];
	ok = ok && cut_at(cuttings[1], sample, run, &junction.of[HOST_ENDED], error);
	host_ended = junction.of[HOST_ENDED];
	ok = ok &&
	     read_junction(recording, sample, MAX(sample - *before, 1), run, &junction, error);
	if (junction.of[ENDED] || junction.of[BEGUN])
		*before = sample;
	return ok && (!ended || finish_stretch(ended, error)) &&
	       (!host_ended || finish_stretch(host_ended, error));
}

/* Windows of the host alone; 0: no more than of all. */
static guint count_host_windows(const Recording *recording, guint from, guint to)
{
	guint64 ns = recording_time(recording, to) - recording_time(recording, from);
	guint n = MIN(to - from, PAST_HOST_WINDOWS);

	n = MIN(n, (guint)MIN(ns / LEAST_HOST_NS, G_MAXINT));
	return n > PAST_WINDOWS ? n : 0;
}

gboolean report_read_past(Recording *recording, guint from, guint to, AnalysisOptions *options,
			  const GArray *hidden, GError **error)
{
	const PastRun run = {options, hidden};
	guint length = to - from, before = from;

	options->past = series_new(PAST_WINDOWS, NULL);
	guint n_host = count_host_windows(recording, from, to);
	options->host_past = n_host > 0 ? series_new(PAST_HOST_WINDOWS, NULL) : NULL;
	g_auto(Cutting) all = {
		.past = options->past, .from = from, .to = to, .n = MIN(length, PAST_WINDOWS)};
	g_auto(Cutting) host = {.past = options->host_past, .from = from, .to = to, .n = n_host};
	Cutting *cuttings[] = {&all, &host};
	for (guint sample = from; sample <= to; sample++)
		if (!pass_sample(recording, sample, &before, &run, cuttings, error))
			return FALSE;
	return TRUE;
}
