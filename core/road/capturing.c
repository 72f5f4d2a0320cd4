/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capturing.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/texts.h"
#include "base/ui.h"
#include "capture-summary.h"
#include "capture/capture.h"
#include "guard/limits.h"
#include "guard/priority.h"
#include "load.h"
#include "plugin/settings.h"
#include "redacting.h"

CapturingChoice capturing_choice;

GArray *capturing_list_pids(char **pids)
{
	GArray *list = pids ? g_array_new(FALSE, FALSE, sizeof(gint32)) : NULL;

	for (; pids && *pids; pids++) {
		gint32 pid = (gint32)g_ascii_strtoull(*pids, NULL, 10);

		g_array_append_val(list, pid);
	}
	return list;
}

/* Checks that the source whose groups the request names is selected. */
static gboolean check_source(const Session *session, const CapturingRequest *request,
			     GError **error)
{
	if (!request->source || plugin_find(session->plugins, request->source, CTPROF_KIND_SOURCE))
		return TRUE;
	return error_set_usage(error, "--plugins does not select the plugin %s", request->source);
}

/* Returns the names of the metrics that the request needs. */
static char *list_metrics(const Session *session, const CapturingRequest *request)
{
	g_autoptr(GPtrArray) metrics = registry_list(session->registry);
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < metrics->len; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);

		if (metric->slot != 0 && request->needs(metric))
			g_string_append_printf(names, "%s%s", names->len > 0 ? "," : "",
					       metric->def.name);
	}
	return g_string_free(names, FALSE);
}

/* Returns the groups of --groups and those that plugins' options add; NULL: default. */
static char *list_groups(const Session *session, const CapturingRequest *request)
{
	char *groups = capturing_choice.groups;
	gboolean is_open = !groups && !request->metrics && !request->needs;
	g_autoptr(GString) added = g_string_new(NULL);

	if (request->groups)
		return g_strdup(request->groups);
	for (guint i = 0; i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);
		/* Naming a plugin also requests its groups. */
		gboolean named = is_open && select_names(session->select, plugin_name(plugin));

		settings_add_groups(session->settings, plugin, named, added);
		for (guint k = 0; request->added && request->added[k]; k++)
			if (registry_offers(session->registry, plugin_name(plugin),
					    request->added[k]))
				g_string_append_printf(added, "%s%s", added->len > 0 ? "," : "",
						       request->added[k]);
	}
	if (added->len == 0)
		return g_strdup(groups);
	/* If single metrics are named, do not add all the others. */
	if (!groups && (request->metrics || request->needs))
		return g_strdup(added->str);
	return g_strjoin(",", groups ? groups : "all", added->str, NULL);
}

/* Call this before the session opens: it drops CAP_SYS_ADMIN, which writing the sysctl needs. */
static gboolean switch_delayacct_on(const Globals *globals, GError **error)
{
	if (globals->proc || globals->sys || globals->cgroup)
		return error_set_usage(error, "--delayacct: not with a recorded tree");
	g_autoptr(Root) root = root_open(NULL, NULL, NULL, error);
	g_autofree char *before = root ? root_read(root, "sys/kernel/task_delayacct") : NULL;
	if (!root)
		return FALSE;
	if (g_strcmp0(before, "1") == 0)
		return TRUE;
	if (!before) {
		ui_note("--delayacct: this kernel has no kernel.task_delayacct: before Linux 5.14 "
			"delays are always counted, unless it was booted with nodelayacct");
		return TRUE;
	}
	if (!root_write(root, "sys/kernel/task_delayacct", "1", error)) {
		g_prefix_error(error, "--delayacct: ");
		return FALSE;
	}
	ui_note("kernel.task_delayacct is 1 from now on: threads that started before are not "
		"counted; 'sysctl kernel.task_delayacct=0' undoes it");
	return TRUE;
}

/* Returns HOST-YYYYmmddTHHMMSSZ and the suffix; HOST is "host" if names must not be shown. */
char *capturing_name_output(const Root *root, const char *suffix)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autofree char *time = g_date_time_format(now, "%Y%m%dT%H%M%SZ");
	g_autofree char *own = redacting_is_on() ? NULL : root_read(root, "sys/kernel/hostname");
	g_autofree char *host = g_strdup(own && own[0] ? own : "host");

	g_strcanon(host, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
	if (host[0] == '.' || host[0] == '-')
		host[0] = '_';
	return g_strdup_printf("%.64s-%s%s", host, time, suffix);
}

/* Lists the options that affect the contents of the snapshot, as given. */
static GArray *list_facts(const Globals *globals, const CapturingRequest *request,
			  const char *pid_list, const char *settings)
{
	GArray *facts = g_array_new(FALSE, FALSE, sizeof(struct ctprof_fact));

	texts_add_fact(facts, "plugins", globals->plugins);
	texts_add_fact(facts, "groups", capturing_choice.groups);
	texts_add_fact(facts, "metrics", request->metrics);
	texts_add_fact(facts, "pid", pid_list);
	texts_add_fact(facts, "settings", settings);
	texts_add_fact(facts, "leaders_only", request->leaders_only ? "yes" : NULL);
	texts_add_fact(facts, "proc_root", globals->proc);
	texts_add_fact(facts, "sys_root", globals->sys);
	texts_add_fact(facts, "cgroup_root", globals->cgroup);
	return facts;
}

static gboolean is_left_out(const Session *session, const Metric *metric)
{
	for (guint i = 0; i < metric->providers->len; i++) {
		const Plugin *plugin =
			plugin_find(session->plugins, g_ptr_array_index(metric->providers, i),
				    CTPROF_KIND_SOURCE);

		if (plugin && plugin_is_live(plugin))
			return FALSE;
	}
	return TRUE;
}

/* Whether a metric is wanted that only this source provides. */
static gboolean is_missed(const Session *session, const Plugin *plugin)
{
	for (guint row = 0; row < N_ROW_CLASSES; row++) {
		const GPtrArray *metrics = registry_row(session->registry, row);

		for (guint i = 0; row != ROW_CAPTURE && i < metrics->len; i++) {
			const Metric *metric = g_ptr_array_index(metrics, i);

			if (metric->wanted && metric_is_of(metric, plugin_name(plugin)) &&
			    is_left_out(session, metric))
				return TRUE;
		}
	}
	return FALSE;
}

static void report_left_out(const Session *session, const CapturingRequest *request)
{
	for (guint i = 0; i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);

		/* Failures were reported when they happened. */
		if (plugin->state != CTPROF_STATE_LEFT_OUT || plugin->error_code == 0)
			continue;
		/* Missing rights can be fixed; a kernel without the feature cannot. */
		gboolean refused = plugin->error_code == -EPERM || plugin->error_code == -EACCES;
		gboolean asked = refused || capturing_choice.groups || request->metrics;
		if (select_names(session->select, plugin_name(plugin)) ||
		    (asked && is_missed(session, plugin)))
			ui_warning("%s: absent: %s", plugin_name(plugin), plugin->why);
		else
			ui_verbose(1, "%s: absent: %s", plugin_name(plugin), plugin->why);
	}
}

/* Returns the sink of that name, if it can write a capture. */
static Plugin *find_sink(const Session *session, const char *name, GError **error)
{
	Plugin *sink = plugin_find(session->plugins, name, CTPROF_KIND_SINK);

	if (sink && (sink->sink.begin || plugin_can_tabulate(sink)))
		return sink;
	error_set_usage(error,
			"--sink '%s': expected a sink that writes captures, such as snapshot "
			"(see 'ctprof plugins')",
			name);
	return NULL;
}

/* Opens the file while the process still has the rights of the user. */
static Output *open_output(const Session *session, const CapturingRequest *request,
			   const Plugin *sink, GError **error)
{
	const char *name = plugin_name(sink);
	g_autofree char *suffix = strcmp(name, SNAPSHOT_SINK) == 0 ? g_strdup(CAPTURING_SUFFIX)
								   : g_strconcat(".", name, NULL);
	g_autofree char *path = request->output ? g_strdup(request->output)
						: capturing_name_output(session->root, suffix);

	return output_open(path, TRUE, error);
}

/* Checks everything it can before it changes or opens anything.  ret_output NULL: no output. */
static Session *open_session(const Globals *globals, const CapturingRequest *request,
			     Plugin **ret_sink, Output **ret_output, GError **error)
{
	const char *sink = request->sink ? request->sink : SNAPSHOT_SINK;
	const char *const needed[] = {sink, NULL};
	g_autoptr(Session) session = session_load(globals, needed, error);

	if (!session || (!request->each && !(*ret_sink = find_sink(session, sink, error))) ||
	    !check_source(session, request, error) ||
	    (capturing_choice.delayacct && !switch_delayacct_on(globals, error)) ||
	    (ret_output && *ret_sink &&
	     !(*ret_output = open_output(session, request, *ret_sink, error))) ||
	    !session_open(session, needed, error))
		return NULL;
	g_autofree char *wanted = list_groups(session, request);
	g_autofree char *named = request->needs && !capturing_choice.groups
					 ? list_metrics(session, request)
					 : g_strdup(request->metrics);
	if (!request->listens)
		registry_refuse(session->registry, ROW_EXIT);
	if (!registry_seal(session->registry, named, wanted, error))
		return NULL;
	return g_steal_pointer(&session);
}

/* At raised priority the load does not matter, so half of the CPUs are used.  A worker has at most
 * one helper. */
static Priority *raise_priority(const Globals *globals, guint *ret_workers)
{
	gboolean is_recorded = globals->proc || globals->sys || globals->cgroup;
	guint jobs = (guint)capturing_choice.jobs;
	guint workers = jobs ? jobs : MAX(g_get_num_processors() / 2, 1);
	Priority *raised = is_recorded ? NULL : priority_begin(2 * workers + 1);

	*ret_workers = raised ? workers : jobs;
	return raised;
}

gboolean capturing_prepare(Globals *globals, const CapturingRequest *request, GError **error)
{
	gboolean is_due = capturing_choice.delayacct;
	Plugin *sink;
	g_autoptr(Session) session =
		is_due ? open_session(globals, request, &sink, NULL, error) : NULL;

	return !is_due || session;
}

/* Every thread is read at least once in this many samples, so no wrongly skipped value stays. */
#define WHOLE_EVERY 64

struct capturing {
	const CapturingRequest *request;
	Priority *raised;
	Session *session;
	Plugin *sink;       /* NULL: request->each */
	Between *listener;  /* NULL: none */
	Between *instants;  /* NULL: none */
	Redactor *redactor; /* NULL: names are kept */
	char *pids, *settings;
	GArray *facts, *only;
	guint workers;
	gboolean has_started; /* the sources have */
	CgroupSet cgroups;
	guint since_whole; /* samples since the last whole one, if the next may build on it; 0: it
			    * may not */
	guint64 n_failures;
};

Capturing *capturing_begin(Globals *globals, const CapturingRequest *request, Output **ret_output,
			   GError **error)
{
	g_autoptr(Capturing) self = g_new0(Capturing, 1);

	if (!limits_check_memory(error))
		return NULL;
	self->request = request;
	/* If it reads no processes, the capture is done before its priority could be raised. */
	if (!request->no_threads)
		self->raised = raise_priority(globals, &self->workers);
	self->session = open_session(globals, request, &self->sink, ret_output, error);
	if (!self->session)
		return NULL;
	if (request->listens) {
		self->listener = between_listen(self->session->plugins, self->session->registry);
		self->instants = between_sample(self->session->plugins, self->session->registry,
						request->may_sample);
	}
	/* Do this before there are threads, and before a wait that may last as long as a command
	 * runs. */
	if (!session_drop_capabilities(self->session->plugins, TRUE, error))
		return NULL;
	between_start(self->listener);
	if (request->may_sample)
		between_start(self->instants);
	self->pids = request->pids ? g_strjoinv(",", request->pids) : NULL;
	self->settings = globals->settings ? g_strjoinv(",", globals->settings) : NULL;
	self->facts = list_facts(globals, request, self->pids, self->settings);
	self->only = capturing_list_pids(request->pids);
	cgroup_set_init(&self->cgroups, self->session->registry);
	self->redactor = redacting_new();
	return g_steal_pointer(&self);
}

void capturing_end(Capturing *self)
{
	cgroup_set_clear(&self->cgroups);
	g_clear_pointer(&self->instants, between_free);
	g_clear_pointer(&self->listener, between_free);
	g_clear_pointer(&self->redactor, redactor_free);
	g_clear_pointer(&self->session, session_free);
	g_clear_pointer(&self->raised, priority_end);
	g_clear_pointer(&self->facts, g_array_unref);
	g_clear_pointer(&self->only, g_array_unref);
	g_free(self->pids);
	g_free(self->settings);
	g_free(self);
}

const Session *capturing_session(const Capturing *self)
{
	return self->session;
}

Plugin *capturing_sink(const Capturing *self)
{
	return self->sink;
}

const char *capturing_exits_failure(const Capturing *self)
{
	return self->listener ? between_failure(self->listener) : "not requested";
}

/* Whether unchanged threads may be skipped: the sink has their rows of the previous sample. */
static gboolean may_skip(const Capturing *self, const CaptureSample *sample)
{
	return sample && sample->number > 1 && self->sink && self->since_whole > 0 &&
	       self->since_whole < WHOLE_EVERY &&
	       self->n_failures == session_failures(self->session);
}

gboolean capturing_sample(Capturing *self, Output *output, const CaptureSample *sample,
			  CaptureResult *ret_result, GError **error)
{
	const CapturingRequest *request = self->request;
	CaptureOptions options = {
		.jobs = self->workers,
		.pids = self->only,
		.leaders_only = request->leaders_only,
		.no_threads = request->no_threads,
		.each = request->each,
		.data = request->data,
		.listener = self->listener,
		.facts = (const void *)self->facts->data,
		.n_facts = self->facts->len,
		.sample = sample,
		.redactor = self->redactor,
		.go_on = self->has_started,
		.may_skip = may_skip(self, sample),
		.cgroups = &self->cgroups,
	};
	const Session *session = self->session;
	gboolean is_first = !self->has_started;

	between_stop(self->instants);
	priority_pause(self->raised, FALSE);
	self->n_failures = session_failures(session);
	cgroup_set_begin(&self->cgroups, options.may_skip);
	gboolean tabulates = self->sink && !self->sink->sink.begin && output;
	gboolean ok = tabulates ? request->tabulate(session, self->sink, output, &options,
						    ret_result, error)
				: capture_run(session->root, session->plugins, session->registry,
					      self->sink, output, &options, ret_result, error);

	priority_pause(self->raised, sample != NULL);
	self->has_started = TRUE;
	/* The malloc arena of each thread keeps what it took when the host had the most threads. */
	if (sample && sample->number % WHOLE_EVERY == 0)
		(void)malloc_trim(0);
	self->since_whole = !ok ? 0 : options.may_skip ? self->since_whole + 1 : 1;
	if (sample)
		between_start(self->instants);
	if (is_first)
		report_left_out(session, request);
	return ok;
}

/* Makes the sources forget the sample; the listener keeps the threads that have ended since. */
void capturing_again(Capturing *self)
{
	const GPtrArray *plugins = self->session->plugins;

	between_stop(self->instants);
	for (guint i = 0; i < plugins->len; i++)
		plugin_again(g_ptr_array_index(plugins, i));
	between_start(self->listener);
	between_start(self->instants);
}

static Priority *kept_raised;

static void end_raised(void)
{
	g_clear_pointer(&kept_raised, priority_end);
}

/* The process is about to end: the load must not delay freeing its memory either. */
static void keep_raised(Priority *raised)
{
	kept_raised = raised;
	if (raised && atexit(end_raised) != 0)
		end_raised();
}

gboolean capturing_run(Globals *globals, const CapturingRequest *request, GError **error)
{
	g_auto(CaptureResult) result = {0};
	g_autoptr(Output) output = NULL;
	g_autoptr(Capturing) self = capturing_begin(globals, request, &output, error);

	if (!self)
		return FALSE;
	if (request->wait && !request->wait(request->data, capturing_exits_failure(self)))
		return TRUE;
	if (!capturing_sample(self, output, NULL, &result, error) ||
	    (output && !output_commit(output, error)))
		return FALSE;
	if (output && !request->is_interim)
		capture_summarise(&result, request->leaders_only, output);
	if (!request->finished) {
		keep_raised(g_steal_pointer(&self->raised));
		return TRUE;
	}
	/* The rest is not urgent, and may start other programs. */
	g_clear_pointer(&self->raised, priority_end);
	return request->finished(request->data, self->session, error);
}
