/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of a plugin, each in a child of its own. */
#include "check.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <string.h>

#include "base/error.h"
#include "base/lock.h"
#include "canned.h"
#include "capture/capture.h"
#include "capture/walk.h"
#include "guard/crash.h"
#include "plugin/loader.h"
#include "plugin/settings.h"
#include "row/batch.h"
#include "watch.h"

#define N_WORKERS 2

/* A recorded host with two processes but no files. */
static const char *const bare_tree[] = {
	"proc",
	"proc/1000",
	"proc/1000/task",
	"proc/1000/task/1000",
	"proc/1000/task/1001",
	"proc/2000",
	"proc/2000/task",
	"proc/2000/task/2000",
	"sys",
	"cgroup",
};

/* The plugin that is opened along with the checked one. */
enum peers { ALONE, WITH_CGROUPS, WITH_EVERY_KIND };

struct run;

/* A step for another kind of plugin reports nothing. */
struct step {
	const char *check;
	void (*run)(const struct run *run, const char *check);
	guint32 kind;
	enum peers peers;
	gboolean bare;                      /* on a recorded host without any files */
	gboolean notes_unused;              /* notes file needs that were not used */
	gboolean wants_nothing;             /* no metric of the plugin is wanted */
	const struct ctprof_report *report; /* to draw */
	enum check_result empty;            /* the result if nothing was drawn */
	gboolean is_full;                   /* nothing can be written */
};

typedef struct plan {
	const CheckRequest *request;
	Globals bare;
	const struct step *step; /* the one to run */
} Plan;

/* The state of a step; lives as long as its child. */
typedef struct run {
	const struct step *step;
	const GArray *pids;
	Root *root;
	Registry *registry;
	GPtrArray *plugins; /* the checked plugin and the others */
	Plugin *plugin;
	GHashTable *settings;
} Run;

static gboolean load(Run *run, const Plan *plan, GError **error)
{
	const Globals *globals = plan->step->bare ? &plan->bare : plan->request->globals;

	check_report_op("load");
	run->root = root_open(globals->proc, globals->sys, globals->cgroup, error);
	run->settings = settings_parse(globals->settings, error);
	run->registry = registry_new();
	run->plugins = g_ptr_array_new();
	run->plugin =
		run->root && run->settings ? loader_load_file(plan->request->file, error) : NULL;
	if (!run->plugin)
		return FALSE;
	g_ptr_array_add(run->plugins, run->plugin);
	return settings_check(run->settings, run->plugins, NULL, error) &&
	       run->plugin->descriptor.kind == plan->step->kind;
}

static gboolean open_one(const Run *run, Plugin *plugin, GError **error)
{
	return plugin_open(plugin, run->root, run->registry, run->settings, error);
}

/* Makes all metrics of the plugin wanted, also those on demand. */
static gboolean seal(const Run *run, GError **error)
{
	g_autofree char *all = watch_metric_list();

	return registry_seal(run->registry, all, NULL, error);
}

/* Loads the plugin and opens it with the others.  FALSE: it is of another kind, or a failure was
 * reported. */
static gboolean prepare(Run *run, const Plan *plan)
{
	const char *check = plan->step->check;
	enum peers peers = plan->step->peers;
	g_autoptr(GError) error = NULL;

	if (!load(run, plan, &error)) {
		if (error)
			check_report(CHECK_FAIL, check, "%s", error->message);
		return FALSE;
	}
	settings_keep_files(run->settings, run->plugins);
	/* As in a capture, drop undeclared capabilities and user 0. */
	if (!session_drop_capabilities(run->plugins, FALSE, &error)) {
		check_report(CHECK_NOTE, check, "%s", error->message);
		g_clear_error(&error);
	}
	watch_begin(run->plugin, run->root);
	gboolean ok = open_one(run, run->plugin, &error);
	if (ok && peers != ALONE) {
		Plugin *source = canned_source(peers == WITH_EVERY_KIND);

		g_ptr_array_add(run->plugins, source);
		ok = open_one(run, source, &error);
	}
	if (ok && seal(run, &error))
		return TRUE;
	check_report(CHECK_FAIL, check, "%s", error->message);
	watch_end(FALSE);
	return FALSE;
}

static gpointer end_at_once(gpointer nothing)
{
	return nothing;
}

/* Makes the sources listen, and a thread end. */
static Between *listen_to_one(const Run *run)
{
	if (run->step->wants_nothing)
		return NULL;
	Between *listener = between_listen(run->plugins, run->registry);
	const char *why = between_failure(listener);

	between_start(listener);
	if (!why)
		g_thread_join(g_thread_new("ctprof-ended", end_at_once, NULL));
	else if (run->plugin->source.listen)
		check_report(CHECK_NOTE, "exits", "not recorded here: %s", why);
	return listener;
}

static gboolean capture_into(const Run *run, Plugin *sink, Output *output, GError **error)
{
	g_auto(CaptureResult) result = {0};
	g_autoptr(Between) listener = listen_to_one(run);
	CaptureOptions options = {.jobs = N_WORKERS, .pids = run->pids, .listener = listener};

	return capture_run(run->root, run->plugins, run->registry, sink, output, &options, &result,
			   error);
}

static gboolean capture(const Run *run, Plugin *sink, const char *to, GError **error)
{
	g_autoptr(Output) output = output_open(to, FALSE, error);

	return output && capture_into(run, sink, output, error);
}

static void report_state(const Plugin *plugin, const char *check)
{
	const char *why = plugin->why ? plugin->why : "no reason given";

	/* start() may report that the plugin cannot work here; later functions may not. */
	if (plugin->state == CTPROF_STATE_FAILED)
		check_report(CHECK_FAIL, check, "failed after start(): %s", why);
	else if (!plugin_is_live(plugin))
		check_report(CHECK_NOTE, check, "left out here: %s", why);
	else
		check_report(CHECK_OK, check, "%" G_GUINT64_FORMAT " batches", plugin->batches);
}

/* ---- sources --------------------------------------------------------------- */

static gboolean capture_and_count(const Run *run, GError **error)
{
	Plugin *sink = canned_sink(plugin_name(run->plugin));

	return open_one(run, sink, error) && capture(run, sink, "/dev/null", error);
}

static void run_source(const Run *run, const char *check)
{
	gboolean bare = run->step->bare;
	g_autoptr(GError) error = NULL;

	plugin_probe(run->plugin);
	gboolean ok = capture_and_count(run, &error);
	/* Without any files, having no threads left is not a fault. */
	if (!ok && !bare)
		check_report(CHECK_FAIL, check, "%s", error->message);
	else
		report_state(run->plugin, check);
	if (ok && !bare)
		canned_sink_report();
}

static void run_unwanted(const Run *run, const char *check)
{
	g_autoptr(GError) error = NULL;

	if (registry_offers(run->registry, plugin_name(run->plugin), "identity")) {
		check_report(CHECK_NOTE, check, "not checked: identity is always wanted");
		return;
	}
	watch_want_nothing();
	if (!capture_and_count(run, &error))
		check_report(CHECK_FAIL, check, "%s", error->message);
	else if (!plugin_is_live(run->plugin))
		/* Do not count files that start() opened to find out that it cannot work. */
		check_report(CHECK_NOTE, check, "not checked: the plugin is left out here");
	/* A source that reads one file need not call wanted(): if nothing is wanted, the source is
	 * not called at all. */
	else if (watch_n_used() > 1)
		check_report(CHECK_FAIL, check,
			     "opened %u of the files it declares although nothing was wanted: call "
			     "host->wanted() first",
			     watch_n_used());
	else
		check_report(CHECK_OK, check, "%s", "");
}

/* Two workers that wait for each other, so that both are in collect() at once. */
struct crew {
	const Run *run;
	GMutex lock;
	GCond all_here;
	guint here;
};

static void wait_for_crew(struct crew *crew)
{
	HOLD(&crew->lock);

	if (++crew->here == N_WORKERS)
		g_cond_broadcast(&crew->all_here);
	while (crew->here < N_WORKERS)
		g_cond_wait(&crew->all_here, &crew->lock);
}

struct crew_member {
	struct crew *crew;
	guint number;
	Walk *walk; /* each walks every thread */
	Batch *batch;
	gpointer context;
};

static void collect_all(const struct crew_member *member)
{
	Plugin *plugin = member->crew->run->plugin;
	Batch *batch = member->batch;
	gsize n;

	while ((n = walk_next(member->walk, batch_targets(batch), BATCH_ROWS)) > 0) {
		batch_begin(batch, n);
		plugin_collect(plugin, member->context, batch_open(batch, watch_refused()));
		batch_close_targets(batch);
	}
}

static gpointer work(gpointer data)
{
	struct crew_member *member = data;
	Plugin *plugin = member->crew->run->plugin;

	crash_init_thread();
	(void)unshare(CLONE_FILES);
	member->context = plugin_worker_open(plugin, member->number);
	wait_for_crew(member->crew);
	collect_all(member);
	plugin_worker_close(plugin, member->context);
	return NULL;
}

static gboolean make_members(struct crew *crew, struct crew_member *members)
{
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < N_WORKERS; i++) {
		Walk *walk = walk_new(crew->run->root, crew->run->pids, FALSE, &error);

		if (!walk) {
			check_report(CHECK_FAIL, "workers", "%s", error->message);
			return FALSE;
		}
		members[i] = (struct crew_member){
			.crew = crew,
			.number = i,
			.walk = walk,
			.batch = batch_new(crew->run->registry, ROW_THREAD),
		};
	}
	return TRUE;
}

static void run_crew(const Run *run)
{
	struct crew crew = {.run = run};
	struct crew_member members[N_WORKERS];
	GThread *threads[N_WORKERS];

	if (!make_members(&crew, members))
		return;
	g_mutex_init(&crew.lock);
	g_cond_init(&crew.all_here);
	for (guint i = 0; i < N_WORKERS; i++)
		threads[i] = g_thread_new("ctprof-worker", work, &members[i]);
	for (guint i = 0; i < N_WORKERS; i++)
		g_thread_join(threads[i]);
	if (members[0].context && members[0].context == members[1].context)
		check_report(CHECK_NOTE, "workers",
			     "worker_open gave two workers the same context");
	for (guint i = 0; i < N_WORKERS; i++) {
		batch_free(members[i].batch);
		walk_free(members[i].walk);
	}
	g_cond_clear(&crew.all_here);
	g_mutex_clear(&crew.lock);
}

/* Forces a situation that a capture may not produce: two workers in collect() at once. */
static void run_workers(const Run *run, const char *check)
{
	plugin_start(run->plugin);
	if (run->plugin->descriptor.thread_model != CTPROF_THREADS_PER_WORKER)
		check_report(CHECK_NOTE, check, "not checked: it is serial");
	else if (!registry_provides(run->registry, plugin_name(run->plugin), ROW_THREAD))
		check_report(CHECK_NOTE, check, "not checked: it reads no threads");
	else {
		run_crew(run);
		report_state(run->plugin, check);
	}
}

/* ---- sinks ------------------------------------------------------------------ */

static gboolean sink_writes_captures(const Plugin *plugin, const char *check)
{
	if (plugin->sink.begin)
		return TRUE;
	check_report(CHECK_NOTE, check, "not checked: it writes no captures");
	return FALSE;
}

/* A full disk: the sink must return what write() returned. */
static void judge_full(gboolean ok, const char *check)
{
	check_report(ok ? CHECK_FAIL : CHECK_OK, check, "%s",
		     ok ? "host->write() failed, but no function of the sink returned an error"
			: "");
}

static void run_full(const Run *run, const char *check)
{
	if (sink_writes_captures(run->plugin, check))
		judge_full(capture(run, run->plugin, "/dev/full", NULL), check);
}

/* Draws a report or, if the step has none, writes a capture of made-up rows of
 * every kind. */
static void run_sink(const Run *run, const char *check)
{
	const struct ctprof_report *report = run->step->report;
	g_autoptr(GError) error = NULL;

	if (!report && !sink_writes_captures(run->plugin, check))
		return;
	if (report && !run->plugin->sink.report) {
		check_report(CHECK_NOTE, check, "not checked: it draws no reports");
		return;
	}
	g_autoptr(Output) output = output_open("/dev/null", FALSE, &error);
	if (!output || !(report ? plugin_draw(run->plugin, output, report, &error)
				: capture_into(run, run->plugin, output, &error)))
		check_report(CHECK_FAIL, check, "%s", error->message);
	else if (output_bytes(output) == 0)
		check_report(run->step->empty, check, "nothing was written");
	else
		check_report(CHECK_OK, check, "%" G_GUINT64_FORMAT " bytes", output_bytes(output));
}

/* Writes a file of tables; if is_full, to an output without space left. */
static void run_tables(const Run *run, const char *check)
{
	g_autoptr(GError) error = NULL;

	if (!plugin_can_tabulate(run->plugin)) {
		check_report(CHECK_NOTE, check, "not checked: it writes no tables");
		return;
	}
	const char *to = run->step->is_full ? "/dev/full" : "/dev/null";
	g_autoptr(Output) output = output_open(to, FALSE, &error);
	gboolean ok = output && canned_tables(run->plugin, output, &error);
	if (run->step->is_full)
		judge_full(ok, check);
	else if (!ok)
		check_report(CHECK_FAIL, check, "%s", error->message);
	else
		check_report(output_bytes(output) > 0 ? CHECK_OK : CHECK_FAIL, check,
			     "%" G_GUINT64_FORMAT " bytes", output_bytes(output));
}

/* ---- all of it ----------------------------------------------------------------- */

static const struct step steps[] = {
#define SOURCE_STEP(name, function) .check = (name), .kind = CTPROF_KIND_SOURCE, .run = (function)
#define SINK_STEP(name, function)                                                                  \
	.check = (name), .kind = CTPROF_KIND_SINK, .bare = TRUE, .run = (function)
	{SOURCE_STEP("run", run_source), .peers = WITH_CGROUPS, .notes_unused = TRUE},
	{SOURCE_STEP("workers", run_workers)},
	{SOURCE_STEP("demand", run_unwanted), .peers = WITH_CGROUPS, .wants_nothing = TRUE},
	{SOURCE_STEP("bare", run_source), .peers = WITH_CGROUPS, .bare = TRUE},
	{SINK_STEP("capture", run_sink), .peers = WITH_EVERY_KIND, .empty = CHECK_FAIL},
	{SINK_STEP("full-disk", run_full), .peers = WITH_EVERY_KIND},
	{SINK_STEP("show", run_sink), .report = &canned_report_show, .empty = CHECK_FAIL},
	{SINK_STEP("compare", run_sink), .report = &canned_report_compare, .empty = CHECK_FAIL},
	/* A sink may draw only metrics. */
	{SINK_STEP("table", run_sink), .report = &canned_report_table, .empty = CHECK_NOTE},
	{SINK_STEP("records", run_tables)},
	{SINK_STEP("full-records", run_tables), .is_full = TRUE},
};

static void take_step(gconstpointer data)
{
	const Plan *plan = data;
	Run run = {
		.step = plan->step,
		.pids = plan->step->bare ? NULL : plan->request->pids,
	};

	if (!prepare(&run, plan))
		return;
	run.step->run(&run, run.step->check);
	watch_end(run.step->notes_unused && plugin_is_live(run.plugin));
}

static gboolean make_bare(const char *top, Globals *ret_bare, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(bare_tree); i++) {
		g_autofree char *path = g_build_filename(top, bare_tree[i], NULL);

		if (g_mkdir(path, 0755) < 0)
			return error_set_failed(error, "'%s': %s", path, g_strerror(errno));
	}
	ret_bare->proc = g_build_filename(top, "proc", NULL);
	ret_bare->sys = g_build_filename(top, "sys", NULL);
	ret_bare->cgroup = g_build_filename(top, "cgroup", NULL);
	return TRUE;
}

static void drop_bare(const char *top, Globals *bare)
{
	for (guint i = G_N_ELEMENTS(bare_tree); i-- > 0;) {
		g_autofree char *path = g_build_filename(top, bare_tree[i], NULL);

		g_rmdir(path);
	}
	g_rmdir(top);
	g_clear_pointer(&bare->proc, g_free);
	g_clear_pointer(&bare->sys, g_free);
	g_clear_pointer(&bare->cgroup, g_free);
}

/* The runs repeat many checks: duplicate findings are dropped, and a check is
 * OK only if no run found anything. */
static GPtrArray *sum_up(const GPtrArray *results)
{
	GPtrArray *findings = check_findings_new();
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) failed = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < results->len; i++) {
		const CheckFinding *finding = g_ptr_array_index(results, i);

		if (finding->result == CHECK_FAIL)
			g_hash_table_add(failed, finding->check);
	}
	for (guint i = 0; i < results->len; i++) {
		const CheckFinding *finding = g_ptr_array_index(results, i);

		if (finding->result == CHECK_OK && g_hash_table_contains(failed, finding->check))
			continue;
		if (g_hash_table_add(seen, g_strdup_printf("%u/%s/%s", finding->result,
							   finding->check, finding->text)))
			check_findings_add(findings, finding->result, finding->check,
					   finding->text);
	}
	return findings;
}

static gboolean is_loaded(const GPtrArray *results)
{
	const CheckFinding *first = results->len ? g_ptr_array_index(results, 0) : NULL;

	return first && first->result == CHECK_OK;
}

GPtrArray *check_plugin(const CheckRequest *request, GError **error)
{
	g_autoptr(GPtrArray) results = check_findings_new();
	Plan plan = {.request = request};
	g_autofree char *top = g_dir_make_tmp("ctprof-check-XXXXXX", error);

	if (!top || !make_bare(top, &plan.bare, error))
		return NULL;
	plan.bare.settings = request->globals->settings;
	check_run_child(check_load, request, "load", request->timeout_s, results);
	gboolean loads = is_loaded(results);
	for (guint i = 0; loads && i < G_N_ELEMENTS(steps) && !crash_interrupted(); i++) {
		plan.step = &steps[i];
		check_run_child(take_step, &plan, steps[i].check, request->timeout_s, results);
	}
	drop_bare(top, &plan.bare);
	return crash_fail_interrupted(error) ? NULL : sum_up(results);
}
