/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capture.h"

#include <errno.h>
#include <sched.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lock.h"
#include "base/ui.h"
#include "guard/crash.h"
#include "guard/limits.h"
#include "plugin/session.h"
#include "queue.h"
#include "row/batch.h"
#include "thread-list.h"
#include "walk.h"

#define NS_PER_S G_GUINT64_CONSTANT(1000000000)
#define PROGRESS_AFTER_US (G_USEC_PER_SEC / 2)
#define PROGRESS_EVERY_US (G_USEC_PER_SEC / 10)
/* Batches per worker: one being filled, and one waiting to be consumed. */
#define BATCHES_PER_JOB 2
/* The maximum number of objects, and of exits, in a capture; readers accept no more.  A source that
 * adds more is assumed never to stop. */
#define MAX_ROWS (16u << 20)

typedef struct capture {
	const Root *root;
	GPtrArray *sources; /* Plugin *, those that fill thread rows */
	GPtrArray *plugins; /* all */
	Registry *registry;
	Receiver receiver;
	guint jobs;

	gboolean leaders_only;
	Stuck *stuck;

	ThreadList list;  /* threads that a source listed; the walk finds the others */
	GMutex walk_lock; /* protects walk and seq */
	Walk *walk;
	guint64 seq;
	Queue *queue;
	Between *listener; /* NULL: none */

	/* The consumer uses these; only one thread at a time consumes. */
	AbsenceTally *absences;
	CgroupSet *cgroups;
	gint32 last_tgid;
	GError *error; /* why rows could not be passed on */

	CaptureResult result; /* so far; threads (on the progress line) and vanished are atomic */
	gint64 first_us, last_us; /* when reading the threads began and ended */
	guint workers;            /* workers started: the number of the next one; atomic */
	GMutex done_lock;
	GCond done;
	guint running;
} Capture;

static guint choose_jobs(const Root *root, guint asked)
{
	guint cpus = g_get_num_processors();
	g_autofree char *load = root_is_live(root) ? root_read(root, "loadavg") : NULL;
	gdouble busy = load ? g_ascii_strtod(load, NULL) : 0;

	return asked > 0 ? asked : CLAMP((guint)MAX((gdouble)cpus - busy, 1.0), 1, cpus);
}

/* Whether all sources of the metric are left out, at least one of them for lack of rights. */
static gboolean is_refused(const Capture *capture, const Metric *metric)
{
	gboolean refused = FALSE;

	for (guint i = 0; i < metric->providers->len; i++) {
		const Plugin *plugin =
			plugin_find(capture->plugins, g_ptr_array_index(metric->providers, i),
				    CTPROF_KIND_SOURCE);

		if (plugin && plugin_is_live(plugin))
			return FALSE;
		refused |=
			plugin && (plugin->error_code == -EPERM || plugin->error_code == -EACCES);
	}
	return refused;
}

/* Marks slots as denied if their sources were refused the rights to start and no other provides
 * them. */
static void mark_unfilled(const Capture *capture)
{
	for (guint row = 0; row < N_ROW_CLASSES; row++) {
		const GPtrArray *metrics = registry_row(capture->registry, row);

		for (guint i = 0; i < metrics->len; i++) {
			Metric *metric = g_ptr_array_index(metrics, i);

			if (metric->wanted && is_refused(capture, metric))
				metric->unfilled = CTPROF_ABSENT_DENIED;
		}
	}
}

static guint64 count_threads(gpointer data, guint64 enough)
{
	const Capture *capture = data;

	return capture->walk ? walk_count_threads(capture->walk, enough) : 0;
}

static gboolean start_sources(Capture *capture, GError **error)
{
	for (guint i = 0; i < capture->plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(capture->plugins, i);
		const char *name = plugin_name(plugin);

		if (plugin->descriptor.kind != CTPROF_KIND_SOURCE || !plugin_is_live(plugin))
			continue;
		plugin->capture = capture;
		plugin->count_threads = count_threads;
		if (registry_asks(capture->registry, name))
			plugin_start(plugin);
		else
			plugin_set_unasked(plugin);
		plugin->count_threads = NULL;
	}
	mark_unfilled(capture);
	return session_drop_capabilities(capture->plugins, TRUE, error);
}

/* QueueConsumer. */
static gboolean consume_batch(gpointer data, Batch *batch)
{
	Capture *capture = data;
	struct ctprof_rows rows;

	batch_view(batch, &rows);
	for (guint64 i = 0; i < rows.n; i++) {
		capture->result.processes += rows.targets[i].tgid != capture->last_tgid;
		capture->last_tgid = rows.targets[i].tgid;
	}
	cgroup_set_note(capture->cgroups, &rows);
	absence_tally_add(capture->absences, &rows);
	if (rows.n > 0 && !receiver_rows(&capture->receiver, &rows, &capture->error))
		return FALSE;
	__atomic_add_fetch(&capture->result.threads, rows.n, __ATOMIC_RELAXED);
	return TRUE;
}

/* Puts the next threads into batch; returns their number, 0 at the end or when interrupted. */
static gsize share_threads(Capture *capture, Batch *batch, guint64 *ret_seq)
{
	HOLD(&capture->walk_lock);

	gsize n = crash_interrupted() ? 0
				      : walk_next(capture->walk, batch_targets(batch), BATCH_ROWS);
	if (n > 0)
		*ret_seq = capture->seq++;
	return n;
}

/* Finishes a batch after a source.  Slots that a failed source should have filled are invalid, not
 * unsupported.  Notes the source as the filler of metrics that have values now; more preferred
 * sources, which came first, remain noted. */
static void settle(const Capture *capture, const Plugin *plugin, enum row_class row, gboolean ok,
		   Batch *batch)
{
	const GPtrArray *metrics = registry_row(capture->registry, row);

	for (guint i = 0; i < metrics->len; i++) {
		Metric *metric = g_ptr_array_index(metrics, i);

		if (!ok && metric->wanted && metric_is_of(metric, plugin_name(plugin)))
			batch_invalidate(batch, i);
		if (metric->providers->len > 1 && batch_has_values(batch, i))
			metric_note_filler(metric, plugin_name(plugin));
	}
}

static void collect(const Capture *capture, enum row_class row, GPtrArray *sources,
		    gpointer *contexts, Batch *batch)
{
	for (guint i = 0; i < sources->len; i++) {
		Plugin *plugin = g_ptr_array_index(sources, i);
		gboolean ok = plugin_collect(plugin, contexts ? contexts[i] : NULL,
					     batch_open(batch, &plugin->failures));

		if (root_is_live(capture->root) && batch_recall(batch) > 0)
			plugin_fault(plugin, "it reported living threads as gone");
		settle(capture, plugin, row, ok, batch);
	}
}

static void work(Capture *capture, gpointer *contexts)
{
	Batch *batch;
	guint64 seq;
	gsize n;

	while ((batch = queue_take(capture->queue))) {
		n = share_threads(capture, batch, &seq);
		if (n == 0) {
			queue_return(capture->queue, batch);
			return;
		}
		batch_begin(batch, n);
		batch_share_stuck(batch, capture->stuck);
		/* The process does not answer, and sources would wait for it. */
		if (batch_targets(batch)[0].task_fd < 0)
			batch_time_out(batch);
		else
			collect(capture, ROW_THREAD, capture->sources, contexts, batch);
		batch_close_targets(batch);
		__atomic_add_fetch(&capture->result.vanished, batch_drop_vanished(batch),
				   __ATOMIC_RELAXED);
		queue_deliver(capture->queue, batch, seq);
	}
}

static void worker_main(Capture *capture)
{
	guint number = __atomic_fetch_add(&capture->workers, 1, __ATOMIC_RELAXED);
	guint n = capture->sources->len;
	g_autofree gpointer *contexts = g_new0(gpointer, n + 1);

	for (guint i = 0; i < n; i++)
		contexts[i] = plugin_worker_open(g_ptr_array_index(capture->sources, i), number);
	work(capture, contexts);
	for (guint i = 0; i < n; i++)
		plugin_worker_close(g_ptr_array_index(capture->sources, i), contexts[i]);
}

static gpointer run_worker(gpointer data)
{
	Capture *capture = data;

	crash_init_thread();
	/* A shared descriptor table costs a fifth of the CPU time; failing to unshare it only makes
	 * this slower.  With a working directory per thread, it is
	 * known which plugin changed it. */
	(void)unshare(CLONE_FILES | CLONE_FS);
	worker_main(capture);
	HOLD(&capture->done_lock);
	capture->running--;
	g_cond_signal(&capture->done);
	return NULL;
}

static void show_progress(Capture *capture)
{
	guint total = walk_processes(capture->walk);
	g_mutex_lock(&capture->walk_lock);
	guint done = walk_processes_done(capture->walk);
	g_mutex_unlock(&capture->walk_lock);
	guint64 threads = __atomic_load_n(&capture->result.threads, __ATOMIC_RELAXED);
	g_autofree char *text =
		capture->leaders_only
			? g_strdup_printf("%u of %u processes", done, total)
			: g_strdup_printf("%" G_GUINT64_FORMAT " threads, %u of %u processes",
					  threads, done, total);

	ui_progress(text);
}

/* Waits for the workers; meanwhile shows the progress and checks for interrupts. */
static void wait_for_workers(Capture *capture)
{
	gint64 show = g_get_monotonic_time() + PROGRESS_AFTER_US;
	HOLD(&capture->done_lock);

	while (capture->running > 0) {
		if (g_cond_wait_until(&capture->done, &capture->done_lock, show))
			continue;
		show_progress(capture);
		if (crash_interrupted())
			queue_close(capture->queue);
		show = g_get_monotonic_time() + PROGRESS_EVERY_US;
	}
	ui_progress(NULL);
}

/* Starts as many workers as possible, at most jobs; returns their number. */
static guint start_workers(Capture *capture, GThread **threads)
{
	guint n = 0;
	HOLD(&capture->done_lock);

	while (n < capture->jobs &&
	       (threads[n] = g_thread_try_new("ctprof-worker", run_worker, capture, NULL)))
		n++;
	capture->running = n;
	return n;
}

static gboolean read_threads(Capture *capture, GError **error)
{
	g_autofree GThread **threads = g_new0(GThread *, capture->jobs);
	g_autoptr(Queue) queue = queue_new(capture->registry, capture->jobs * BATCHES_PER_JOB,
					   consume_batch, capture);

	capture->queue = queue;
	walk_start_hangcheck(capture->walk);
	guint n = start_workers(capture, threads);
	/* If no thread could be started, read in this one: slower, but complete. */
	if (n == 0)
		worker_main(capture);
	wait_for_workers(capture);
	capture->last_us = g_get_monotonic_time();
	for (guint i = 0; i < n; i++)
		g_thread_join(threads[i]);
	capture->queue = NULL;
	if (capture->error) {
		g_propagate_error(error, g_steal_pointer(&capture->error));
		return FALSE;
	}
	return !crash_fail_interrupted(error);
}

/* Lists the live sources that have something to put into rows of that class. */
static GPtrArray *sources_of(const Capture *capture, enum row_class row)
{
	GPtrArray *sources = g_ptr_array_new();

	for (guint i = 0; i < capture->plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(capture->plugins, i);

		if (plugin->descriptor.kind == CTPROF_KIND_SOURCE && plugin_is_live(plugin) &&
		    registry_provides(capture->registry, plugin_name(plugin), row))
			g_ptr_array_add(sources, plugin);
	}
	return sources;
}

/* Collects n rows of a class other than threads and passes them on. */
static gboolean pass(Capture *capture, enum row_class row, GPtrArray *sources, Batch *batch,
		     gsize n, GError **error)
{
	struct ctprof_rows rows;

	batch_begin(batch, n);
	collect(capture, row, sources, NULL, batch);
	batch_view(batch, &rows);
	for (rows.n = 1; n > 0; n--) {
		if ((row != ROW_CGROUP || cgroup_set_keeps(capture->cgroups, &rows)) &&
		    !receiver_rows(&capture->receiver, &rows, error))
			return FALSE;
		rows.targets++;
		rows.values += rows.n_slots;
		rows.states += rows.n_slots;
	}
	return TRUE;
}

/* Reads the one row of host or capture scope. */
static gboolean read_single(Capture *capture, enum row_class row, GError **error)
{
	g_autoptr(GPtrArray) sources = sources_of(capture, row);

	if (sources->len == 0)
		return TRUE;
	g_autoptr(Batch) batch = batch_new(capture->registry, row);
	batch_targets(batch)[0] =
		(struct ctprof_target){.struct_size = sizeof(struct ctprof_target), .task_fd = -1};
	return pass(capture, row, sources, batch, 1, error);
}

static gboolean read_cgroups(Capture *capture, GError **error)
{
	g_autoptr(GPtrArray) sources = sources_of(capture, ROW_CGROUP);

	if (sources->len == 0)
		return TRUE;
	g_autoptr(GList) paths = cgroup_set_list(capture->cgroups);
	g_autoptr(Batch) batch = batch_new(capture->registry, ROW_CGROUP);
	for (GList *path = paths; path;)
		if (!pass(capture, ROW_CGROUP, sources, batch,
			  cgroup_set_targets(&path, batch_targets(batch), BATCH_ROWS), error))
			return FALSE;
	return TRUE;
}

/* Passes on all rows of a class that one source adds; FALSE: the capture must end. */
static gboolean read_added_by(Capture *capture, Plugin *source, enum row_class row, guint64 *count,
			      GError **error)
{
	g_autoptr(Batch) batch = batch_new(capture->registry, row);
	struct ctprof_rows rows;
	guint64 added = *count;

	if (row == ROW_OBJECT)
		batch_own(batch, capture->registry, plugin_name(source));
	while (!crash_fail_interrupted(error)) {
		batch_begin(batch, 0);
		if (!plugin_collect(source, NULL, batch_open(batch, &source->failures)) ||
		    batch_rows(batch) == 0)
			return TRUE;
		added += batch_rows(batch);
		if (added > MAX_ROWS) {
			plugin_fault(source, "it never stops reporting objects or exits");
			return TRUE;
		}
		batch_drop_vanished(batch);
		batch_view(batch, &rows);
		if (rows.n > 0 && !receiver_rows(&capture->receiver, &rows, error))
			return FALSE;
		*count += rows.n;
	}
	return FALSE;
}

static gboolean read_objects(Capture *capture, GError **error)
{
	g_autoptr(GPtrArray) sources = sources_of(capture, ROW_OBJECT);

	for (guint i = 0; i < sources->len; i++)
		if (!read_added_by(capture, g_ptr_array_index(sources, i), ROW_OBJECT,
				   &capture->result.objects, error))
			return FALSE;
	return TRUE;
}

/* Called after the threads are read, so that threads that end meanwhile are not missed. */
static gboolean read_exits(Capture *capture, GError **error)
{
	const GPtrArray *sources = between_stop(capture->listener);
	guint64 exits = 0;

	for (guint i = 0; sources && i < sources->len; i++)
		if (!read_added_by(capture, g_ptr_array_index(sources, i), ROW_EXIT, &exits, error))
			return FALSE;
	return TRUE;
}

static gboolean begin(Capture *capture, Output *output, const CaptureOptions *options,
		      GError **error)
{
	const CaptureSample *sample = options->sample ? options->sample : &(CaptureSample){0};
	RootTime time = root_time(capture->root);
	g_autofree char *note = sample->take_note ? sample->take_note(sample->data, &time) : NULL;
	struct utsname host;
	struct ctprof_capture info = {
		.struct_size = sizeof info,
		.jobs = capture->jobs,
		.realtime_ns = time.realtime_ns,
		.monotonic_ns = time.boottime_ns,
		.n_options = options->n_facts,
		.options = options->facts,
		.version = CTPROF_VERSION,
		.sample = sample->number,
		.note = note,
		.n_marks = sample->n_marks,
		.marks = sample->marks,
	};

	if (root_is_live(capture->root) && uname(&host) == 0)
		info.kernel = host.release;
	return receiver_begin(&capture->receiver, output, &info, error);
}

static gboolean end(Capture *capture, GError **error)
{
	g_autofree struct ctprof_plugin_report *reports =
		g_new0(struct ctprof_plugin_report, capture->plugins->len);
	for (guint i = 0; i < capture->plugins->len; i++)
		plugin_report(g_ptr_array_index(capture->plugins, i), &reports[i]);
	RootTime time = root_time(capture->root);
	struct ctprof_capture_end info = {
		.struct_size = sizeof info,
		.realtime_ns = time.realtime_ns,
		.monotonic_ns = time.boottime_ns,
		.threads = capture->result.threads,
		.processes = capture->result.processes,
		.vanished = capture->result.vanished,
		.cpu_ns = (guint64)clock() * (NS_PER_S / CLOCKS_PER_SEC),
		.peak_rss_bytes = root_own_peak_rss(capture->root),
		.n_plugins = capture->plugins->len,
		.plugins = reports,
		.unseen = capture->result.hides_threads ? G_MAXUINT64 : capture->result.refused,
	};

	return receiver_end(&capture->receiver, &info, error);
}

/* Reads the threads that the walk finds, and passes on those that need not be read. */
static gboolean read_all_threads(Capture *capture, GError **error)
{
	g_autoptr(GPtrArray) sources = sources_of(capture, ROW_THREAD);

	if (sources->len == 0)
		return error_set_failed(
			error, "no source that reads threads is left; see 'ctprof plugins'");
	capture->sources = sources;
	capture->result.threads += thread_list_n_unchanged(&capture->list);
	if (!limits_check_room(error) ||
	    !thread_list_deliver(&capture->list, &capture->receiver, capture->cgroups, error) ||
	    !read_threads(capture, error))
		return FALSE;
	if (thread_list_n_unchanged(&capture->list) > 0)
		capture->result.processes = capture->list.processes;
	capture->result.refused = walk_refused(capture->walk);
	capture->result.hides_threads = walk_is_partial(capture->walk);
	if (walk_failure(capture->walk) != 0)
		return error_set_errno(error, walk_failure(capture->walk),
				       "could not open every process below '%s'",
				       root_path(capture->root, CTPROF_ROOT_PROC));
	return capture->result.threads > 0 ||
	       error_set_failed(error, "could not read any %s below '%s'",
				capture->leaders_only ? "process" : "thread",
				root_path(capture->root, CTPROF_ROOT_PROC));
}

/* Finds the threads, if possible by a source.  Called after the time and the host's counters were
 * read: rates divide by the time between samples, for threads and host alike. */
static gboolean find_threads(Capture *capture, const CaptureOptions *options, GError **error)
{
	capture->first_us = g_get_monotonic_time();
	if (!capture->leaders_only &&
	    thread_list_read(&capture->list, capture->plugins, capture->registry, options->pids,
			     options->may_skip))
		capture->walk = walk_adopt(capture->walk, capture->root, capture->list.threads);
	else if (!capture->walk)
		capture->walk =
			walk_new_again(capture->root, options->pids, capture->leaders_only, error);
	return capture->walk != NULL;
}

/* Runs the whole capture; the caller owns what capture points to. */
static gboolean run(Capture *capture, Output *output, const CaptureOptions *options, GError **error)
{
	if (!options->go_on && !options->no_threads &&
	    !(capture->walk = walk_new(capture->root, options->pids, capture->leaders_only, error)))
		return FALSE;
	return (options->go_on || start_sources(capture, error)) &&
	       begin(capture, output, options, error) && read_single(capture, ROW_HOST, error) &&
	       (options->no_threads ||
		(find_threads(capture, options, error) && read_all_threads(capture, error))) &&
	       read_exits(capture, error) && read_cgroups(capture, error) &&
	       read_objects(capture, error) && read_single(capture, ROW_CAPTURE, error) &&
	       end(capture, error);
}

gboolean capture_run(const Root *root, GPtrArray *plugins, Registry *registry, Plugin *sink,
		     Output *output, const CaptureOptions *options, CaptureResult *ret_result,
		     GError **error)
{
	gint64 began = g_get_monotonic_time();
	g_auto(CgroupSet) own = {0};
	g_autoptr(AbsenceTally) absences = absence_tally_new(registry);
	g_autoptr(Stuck) stuck = stuck_new();
	Capture capture = {
		.root = root,
		.plugins = plugins,
		.registry = registry,
		.receiver = {registry, sink, options->each, options->data, options->redactor, NULL},
		.jobs = choose_jobs(root, options->jobs),
		.leaders_only = options->leaders_only,
		.stuck = stuck,
		.listener = options->listener,
		.absences = absences,
		.cgroups = options->cgroups ? options->cgroups : &own,
	};

	if (!options->cgroups)
		cgroup_set_init(&own, registry);
	g_mutex_init(&capture.walk_lock);
	g_mutex_init(&capture.done_lock);
	g_cond_init(&capture.done);
	gboolean ok = run(&capture, output, options, error);
	receiver_clear(&capture.receiver);
	thread_list_clear(&capture.list);
	g_clear_pointer(&capture.walk, walk_free);
	g_cond_clear(&capture.done);
	g_mutex_clear(&capture.done_lock);
	g_mutex_clear(&capture.walk_lock);
	for (guint i = 0; i < plugins->len && !options->sample; i++)
		plugin_warn_failures(g_ptr_array_index(plugins, i));
	if (!ok)
		return FALSE;
	*ret_result = capture.result;
	ret_result->seconds = (gdouble)(g_get_monotonic_time() - began) / G_USEC_PER_SEC;
	ret_result->skew = (gdouble)(capture.last_us - capture.first_us) / G_USEC_PER_SEC;
	ret_result->absences = absence_tally_sum(absences);
	return TRUE;
}

void capture_result_clear(CaptureResult *result)
{
	g_clear_pointer(&result->absences, g_array_unref);
}
