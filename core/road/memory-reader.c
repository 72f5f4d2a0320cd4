/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory-reader.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/texts.h"
#include "frame/quantity.h"

/* Reading memory may take 1/SHARE of the time, and memory is not read more often than every
 * LEAST_US. */
#define SHARE 100
#define LEAST_US G_USEC_PER_SEC
/* The number of views that keep their last reading, so that going back shows it at once. */
#define MOST_READINGS 3

static const char *const all_groups[] = {MEMORY_READER_GROUPS, NULL};

/* The memory that was read for a view of ctprof memory. */
typedef struct memory_reading {
	const Section *view; /* NULL: none */
	gint32 pid;
	Sample *sample; /* NULL: it failed */
	char *why;      /* the reason, if it failed */
	gint64 began_us, cost_us;
} Reading;

struct memory_reader {
	Capturing *capturing;
	GPtrArray *sources; /* Plugin *, the one that reads; empty: it is not loaded */
	GArray *pids;       /* gint32; NULL: all */
	clockid_t main_clock;
	Reading taken;                   /* not shown yet */
	Reading readings[MOST_READINGS]; /* by view */
	gint64 due_us;                   /* when the next reading is within the share */
};

static void reading_clear(Reading *reading)
{
	g_clear_pointer(&reading->sample, sample_free);
	g_clear_pointer(&reading->why, g_free);
	*reading = (Reading){0};
}

/* ---- what is read ------------------------------------------------------------------ */

gboolean memory_reader_needs(const Metric *metric)
{
	return texts_list_has(MEMORY_METRICS, metric->def.name);
}

/* Pauses or resumes the metrics of other groups that are read along with these, except those that
 * the first screen also needs. */
static void skip_others(Registry *registry, gboolean skipped)
{
	g_auto(GStrv) names = g_strsplit(MEMORY_METRICS, ",", -1);

	for (guint i = 0; names[i]; i++)
		if (!quantity_serves_windows(names[i]))
			registry_skip_metric(registry, names[i], skipped);
}

/* Pauses all groups except those of the view (NULL: all). */
static void settle(const MemoryReader *self, const Section *view)
{
	Registry *registry = capturing_session(self->capturing)->registry;

	for (guint i = 0; all_groups[i]; i++)
		registry_skip_group(registry, all_groups[i],
				    !view || !texts_list_has(view->groups, all_groups[i]));
}

/* Makes a capture of its own: one row per process, by this source alone. */
static gboolean capture(MemoryReader *self, const GArray *pids, Sample *sample, GError **error)
{
	const Session *session = capturing_session(self->capturing);
	RootTime time = root_time(session->root);
	g_auto(CaptureResult) result = {0};
	/* This is not the first sample, which reports what failed. */
	const CaptureSample which = {.number = 2};
	const CaptureOptions options = {
		.pids = pids,
		.leaders_only = TRUE,
		.each = sample_take,
		.data = sample,
		.go_on = TRUE,
		.sample = &which,
	};

	for (guint i = 0; i < self->sources->len; i++)
		plugin_again(g_ptr_array_index(self->sources, i));
	gboolean ok = capture_run(session->root, self->sources, session->registry, NULL, NULL,
				  &options, &result, error);
	const LoadFacts facts = {.realtime_ns = time.realtime_ns};
	sample_end(sample, &facts);
	return ok;
}

/* ---- when -------------------------------------------------------------------------- */

gint64 memory_reader_cpu_us(const MemoryReader *self)
{
	return ((gint64)clock_ns(CLOCK_PROCESS_CPUTIME_ID) - (gint64)clock_ns(self->main_clock)) /
	       1000;
}

static const Reading *find(const MemoryReader *self, const Demand *demand)
{
	for (guint i = 0; i < MOST_READINGS; i++)
		if (self->readings[i].view == demand->memory &&
		    self->readings[i].pid == demand->pid)
			return &self->readings[i];
	return NULL;
}

gint64 memory_reader_due(const Feed *feed, const Demand *demand)
{
	const MemoryReader *self = feed->reader;
	const Reading *reading = find(self, demand);

	if (self->sources->len == 0)
		return G_MAXINT64;
	return reading ? MAX(self->due_us, reading->began_us + LEAST_US) : 0;
}

gboolean memory_reader_take(Feed *feed, const Demand *demand, GError **error)
{
	MemoryReader *self = feed->reader;
	g_autoptr(GArray) pid = g_array_new(FALSE, FALSE, sizeof(gint32));
	g_autoptr(Sample) sample = sample_new();
	g_autoptr(GError) why = NULL;
	gint64 cpu_us = memory_reader_cpu_us(self);
	Reading *taken = &self->taken;

	(void)error;
	g_array_append_val(pid, demand->pid);
	reading_clear(taken);
	*taken = (Reading){
		.view = demand->memory, .pid = demand->pid, .began_us = g_get_monotonic_time()};
	settle(self, demand->memory);
	skip_others(capturing_session(self->capturing)->registry, FALSE);
	gboolean ok = capture(self, demand->pid > 0 ? pid : self->pids, sample, &why);
	skip_others(capturing_session(self->capturing)->registry, TRUE);
	settle(self, NULL);
	taken->cost_us = memory_reader_cpu_us(self) - cpu_us;
	if (ok)
		taken->sample = g_steal_pointer(&sample);
	else
		taken->why = g_strdup(why->message);
	return TRUE;
}

/* Replaces the reading of the same view, or else the oldest one. */
void memory_reader_keep(MemoryReader *self)
{
	Reading *place = &self->readings[0];

	if (!self->taken.view)
		return;
	for (guint i = 1; i < MOST_READINGS && place->view != self->taken.view; i++)
		if (self->readings[i].view == self->taken.view ||
		    self->readings[i].began_us < place->began_us)
			place = &self->readings[i];
	reading_clear(place);
	*place = self->taken;
	self->taken = (Reading){0};
	self->due_us = place->began_us + SHARE * place->cost_us;
}

/* ---- the results ------------------------------------------------------------------- */

const Sample *memory_reader_find(const Feed *feed, const Demand *demand, GError **error)
{
	const MemoryReader *self = feed->reader;
	const Reading *reading = find(self, demand);

	if (self->sources->len == 0)
		error_set_failed(error,
				 "the plugin %s is not loaded, or failed: memory is not "
				 "read (see 'ctprof plugins')",
				 MEMORY_SOURCE);
	else if (reading && reading->why)
		error_set_failed(error, "%s", reading->why);
	return reading ? reading->sample : NULL;
}

/* ---- begin and end ----------------------------------------------------------------- */

MemoryReader *memory_reader_new(Capturing *capturing, char **pids)
{
	MemoryReader *self = g_new0(MemoryReader, 1);
	Plugin *source = plugin_find(capturing_session(capturing)->plugins, MEMORY_SOURCE,
				     CTPROF_KIND_SOURCE);

	self->capturing = capturing;
	self->sources = g_ptr_array_new();
	if (source && plugin_is_live(source))
		g_ptr_array_add(self->sources, source);
	self->pids = capturing_list_pids(pids);
	if (pthread_getcpuclockid(pthread_self(), &self->main_clock) != 0)
		self->main_clock = CLOCK_THREAD_CPUTIME_ID;
	settle(self, NULL);
	skip_others(capturing_session(capturing)->registry, TRUE);
	return self;
}

void memory_reader_free(MemoryReader *self)
{
	reading_clear(&self->taken);
	for (guint i = 0; i < MOST_READINGS; i++)
		reading_clear(&self->readings[i]);
	g_ptr_array_unref(self->sources);
	g_clear_pointer(&self->pids, g_array_unref);
	g_free(self);
}
