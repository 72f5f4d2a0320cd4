/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of this host, with sources that stay open. */
#include <unistd.h>

#include "base/error.h"
#include "base/texts.h"
#include "capturing.h"
#include "feed.h"
#include "guard/crash.h"
#include "load.h"
#include "memory-reader.h"
#include "report/plan/sections.h"
#include "row/select.h"

#define NS_PER_S 1e9
/* Maximum number of files that a run can write: they are opened before it gives up the user's
 * rights. */
#define MAX_SAVES 3
#define TABLE_SINK "table"
/* For the source that times waits for a CPU. */
#define TURN_SETTING "latency.detach=yes"
/* Reading may take 1/N of the time, for these N. */
#define PSS_SHARE 100
#define WAIT_SHARE 50

typedef struct live {
	Feed feed;
	Capturing *capturing;
	CapturingRequest *request;
	GHashTable *options; /* of the capture, as in a file */
	guint64 number;      /* of samples */
	guint n_pss;         /* samples with PSS */
	gboolean reads_pss, is_cost_known;
	gint64 pss_began_us, pss_due_us; /* when the last sample began, when the next is due;
					  * monotonic */
	gint64 cpu_with_us, cost_us;     /* CPU time of a sample with PSS, and of PSS alone */
	gboolean times_on_demand;        /* waits for a CPU are timed while a pool is shown */
	gboolean reads_wait;             /* this sample includes where threads wait */
	gint64 wait_due_us, plain_us;    /* when it is next due; CPU time of a sample without it and
					  * PSS */
	Output *saves[MAX_SAVES];
	guint n_saves;  /* files written */
	char *why_none; /* why no more files can be written; NULL: none failed */
} Live;

/* ---- samples ----------------------------------------------------------------------- */

/* Reading PSS is limited to 1 % of the time.  PSS is read in two consecutive samples, so that there
 * is a change; a sample without PSS shows its cost; then PSS is skipped until its cost averages 1
 * %. It is also skipped while the page of memory is shown, which reads it itself. */
static void settle_pss(Live *self, gint64 now_us, const Demand *demand)
{
	gboolean is_due = self->number > 0 && !demand->memory &&
			  (self->n_pss < 2 || self->n_pss % 2 == 1 ||
			   (self->is_cost_known && now_us >= self->pss_due_us));

	registry_skip_group(capturing_session(self->capturing)->registry, PSS_GROUP, !is_due);
	self->reads_pss = is_due;
}

/* Reading where threads wait takes a file or two per thread, so it is skipped unless the screen
 * shows it.  A sample with these reads ends one window and begins another; then they are skipped
 * until the average cost is within the limit. */
static void settle_wait(Live *self, gint64 now_us, const Demand *demand)
{
	if (!demand->shows_waits)
		self->wait_due_us = 0;
	self->reads_wait = demand->shows_waits && !self->reads_wait && now_us >= self->wait_due_us;
	registry_skip_group(capturing_session(self->capturing)->registry, WAIT_GROUP,
			    !self->reads_wait);
}

/* Timing waits for a CPU costs a little at every context switch on the host. */
static void settle_turns(const Live *self, const Demand *demand)
{
	Registry *registry = capturing_session(self->capturing)->registry;

	if (!self->times_on_demand)
		return;
	registry_skip_group(registry, TURN_GROUP, !demand->shows_waits);
	registry_skip_group(registry, MATRIX_GROUP, !demand->shows_waits);
}

static void note_cost_of_wait(Live *self, gint64 began_us, gint64 cpu_us)
{
	if (self->reads_pss)
		return;
	if (!self->reads_wait)
		self->plain_us = cpu_us;
	else
		self->wait_due_us = began_us + WAIT_SHARE * MAX(cpu_us - self->plain_us, 0);
}

static void note_cost(Live *self, gint64 began_us, gint64 cpu_us)
{
	note_cost_of_wait(self, began_us, cpu_us);
	if (self->reads_pss) {
		self->n_pss++;
		self->pss_began_us = began_us;
		self->cpu_with_us = cpu_us;
	} else if (self->n_pss > 0 && !self->reads_wait) {
		self->is_cost_known = TRUE;
		self->cost_us = MAX(self->cpu_with_us - cpu_us, 0);
	}
	self->pss_due_us = self->pss_began_us + 2 * PSS_SHARE * self->cost_us;
}

static gboolean take(Feed *feed, const Demand *demand, GError **error)
{
	Live *self = (Live *)feed;
	g_auto(CaptureResult) result = {0};
	g_autoptr(Sample) sample = sample_new();
	RootTime time = root_time(capturing_session(self->capturing)->root);
	const CaptureSample which = {.number = self->number + 1};
	gint64 began_us = g_get_monotonic_time(), cpu_us = memory_reader_cpu_us(feed->reader);

	/* Do this first: sources plan the next sample by the groups that rest. */
	settle_pss(self, began_us, demand);
	settle_wait(self, began_us, demand);
	settle_turns(self, demand);
	if (self->number > 0)
		capturing_again(self->capturing);
	self->request->data = sample;
	if (!capturing_sample(self->capturing, NULL, &which, &result, error))
		return FALSE;
	const LoadFacts facts = {.realtime_ns = time.realtime_ns,
				 .boottime_ns = time.boottime_ns,
				 .skew_ns = (guint64)(result.skew * NS_PER_S),
				 .options = self->options};
	sample_end(sample, &facts);
	note_cost(self, began_us, memory_reader_cpu_us(feed->reader) - cpu_us);
	self->number++;
	feed->taken = g_steal_pointer(&sample);
	return TRUE;
}

static void keep(Feed *feed)
{
	if (feed->taken)
		feed_push(feed, g_steal_pointer(&feed->taken));
	memory_reader_keep(feed->reader);
}

/* ---- files ------------------------------------------------------------------------- */

static void open_saves(Live *self, const Globals *globals)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Root) root = root_open(globals->proc, globals->sys, globals->cgroup, &error);

	for (guint i = 0; root && !error && i < MAX_SAVES; i++) {
		g_autofree char *suffix = g_strdup_printf("-%u" RECORD_SUFFIX, i + 1);
		g_autofree char *path = capturing_name_output(root, suffix);

		self->saves[i] = output_open(path, TRUE, &error);
	}
	if (error)
		self->why_none = g_strdup(error->message);
}

static gboolean write_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			   GError **error)
{
	(void)registry;
	return receiver_rows(data, rows, error);
}

static gboolean write_sample(Live *self, Plugin *sink, guint which, Output *output, GError **error)
{
	const Sample *sample = self->feed.samples[which];
	Receiver receiver = {.registry = moment_registry(sample->moment), .sink = sink};
	struct ctprof_capture begin = {
		.struct_size = sizeof begin,
		.realtime_ns = sample->realtime_ns,
		.monotonic_ns = sample->boottime_ns,
		.version = CTPROF_VERSION,
		.sample = which + 1,
	};
	const struct ctprof_capture_end end = {
		.struct_size = sizeof end,
		.realtime_ns = sample->realtime_ns + sample->skew_ns,
		.monotonic_ns = sample->boottime_ns + sample->skew_ns,
	};
	gboolean ok = receiver_begin(&receiver, output, &begin, error) &&
		      moment_each(sample->moment, write_rows, &receiver, error) &&
		      receiver_end(&receiver, &end, error);

	receiver_clear(&receiver);
	return ok;
}

static gboolean write_file(Live *self, Plugin *sink, Output *output, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(self->feed.samples); i++)
		if (!write_sample(self, sink, i, output, error))
			return FALSE;
	return plugin_finish(sink, error) && output_commit(output, error);
}

static gboolean save(Feed *feed, char **ret_where, GError **error)
{
	Live *self = (Live *)feed;
	const Session *session = capturing_session(self->capturing);
	Plugin *sink = plugin_find(session->plugins, SNAPSHOT_SINK, CTPROF_KIND_SINK);

	if (!feed_is_ready(feed))
		return error_set_failed(error, "there is only one sample so far; another follows");
	if (!sink || !plugin_can_record(sink))
		return error_set_failed(error, "no plugin that writes recordings is loaded");
	if (self->n_saves == MAX_SAVES || !self->saves[self->n_saves])
		return error_set_failed(error, "%s",
					self->why_none
						? self->why_none
						: "no more files can be written by this run");
	Output *output = self->saves[self->n_saves];
	gboolean ok = write_file(self, sink, output, error);

	*ret_where = ok ? g_strdup(output_label(output)) : NULL;
	g_clear_pointer(&self->saves[self->n_saves++], output_free);
	/* Later samples have no output: a plugin that fails is left out, as before. */
	crash_set_output(CRASH_NOTHING_OUT);
	return ok;
}

/* ---- the feed ---------------------------------------------------------------------- */

static void live_feed_free(Feed *feed)
{
	Live *self = (Live *)feed;

	feed_clear(feed);
	for (guint i = 0; i < MAX_SAVES; i++)
		g_clear_pointer(&self->saves[i], output_free);
	g_clear_pointer(&feed->reader, memory_reader_free);
	g_clear_pointer(&self->capturing, capturing_end);
	g_hash_table_unref(self->options);
	g_free(self->why_none);
	g_free(self);
}

/* Sets an option of a plugin, unless there is no such plugin. */
static void add_setting(Globals *globals, const char *text)
{
	g_autofree char *setting = g_strdup(text);
	char *settings[] = {setting, NULL};
	const Globals asked = {.plugin_path = globals->plugin_path, .settings = settings};

	if (session_check(&asked, NULL))
		texts_append(&globals->settings, g_steal_pointer(&setting));
}

/* Whether --groups requests the times of waits for a CPU in every sample. */
static gboolean asks_for_turns(void)
{
	const char *groups = capturing_choice.groups;
	g_autoptr(Select) select = groups ? select_parse(groups, NULL) : NULL;

	return select && (select_names(select, TURN_GROUP) || select_names(select, MATRIX_GROUP));
}

Feed *live_feed_new(Globals *globals, CapturingRequest *request, GError **error)
{
	Live *self = g_new0(Live, 1);

	self->feed = (Feed){
		.memory_of = "this host",
		.take = take,
		.take_memory = memory_reader_take,
		.keep = keep,
		.memory_due = memory_reader_due,
		.memory = memory_reader_find,
		.save = save,
		.free = live_feed_free,
	};
	self->request = request;
	self->options = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	if (request->pids)
		g_hash_table_insert(self->options, (gpointer)(uintptr_t) "pid",
				    g_strjoinv(",", request->pids));
	open_saves(self, globals);
	add_setting(globals, MEMORY_READER_SETTING);
	self->times_on_demand = !asks_for_turns();
	if (self->times_on_demand)
		add_setting(globals, TURN_SETTING);
	request->sink = (char *)(uintptr_t)TABLE_SINK;
	request->each = sample_take;
	self->capturing = capturing_begin(globals, request, NULL, error);
	if (!self->capturing) {
		live_feed_free(&self->feed);
		return NULL;
	}
	self->feed.reader = memory_reader_new(self->capturing, request->pids);
	const Session *session = capturing_session(self->capturing);
	self->feed.own[0] = root_is_live(session->root) ? getpid() : 0;
	self->feed.own[1] = getppid();
	self->feed.renderer = plugin_find(session->plugins, TABLE_SINK, CTPROF_KIND_SINK);
	return &self->feed;
}
