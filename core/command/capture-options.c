/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capture-options.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/ui.h"
#include "capture/capture.h"
#include "cmd.h"
#include "guard/priority.h"
#include "plugin/settings.h"
#include "row/absence.h"

#define MAX_JOBS 1024

static char *groups;
static guint64 jobs;
static gboolean delayacct;
static gint priority;

static const struct ctprof_option_word priorities[] = {
	[PRIORITY_AUTO] = OPTION_WORD("auto", "when more is runnable than there are CPUs"),
	[PRIORITY_DEADLINE] = OPTION_WORD("deadline", "SCHED_DEADLINE"),
	[PRIORITY_RR] = OPTION_WORD("rr", "SCHED_RR"),
	[PRIORITY_NONE] = OPTION_WORD("none", "as it is"),
};

const Option capturing_options[] = {
	OPTION(TEXT, "groups", 'g', &groups, "LIST",
	       "Read only these groups of metrics; '-NAME' leaves one out", .from = FROM_GROUPS),
	OPTION(BOOL, "delayacct", 0, &delayacct, NULL,
	       "Switch kernel.task_delayacct on first, and leave it on"),
	OPTION_END,
};

const Option capturing_cost_options[] = {
	OPTION(COUNT, "jobs", 'j', &jobs, "N", "Workers (default: CPUs less the load)",
	       .row.least = 1, .row.most = MAX_JOBS),
	OPTION(WORD, "priority", 0, &priority, "HOW",
	       "Read above the load of the host, in slices of at most 3 of 4 ms, with CAP_SYS_NICE",
	       OPTION_WORDS(priorities), .row.default_value = "auto"),
	OPTION_END,
};

GArray *capturing_list_pids(char **pids)
{
	GArray *list = pids ? g_array_new(FALSE, FALSE, sizeof(gint32)) : NULL;

	for (; pids && *pids; pids++) {
		gint32 pid = (gint32)g_ascii_strtoull(*pids, NULL, 10);

		g_array_append_val(list, pid);
	}
	return list;
}

/* Groups that a request names are of one source. */
static gboolean check_source(const Session *session, const CapturingRequest *request,
			     GError **error)
{
	if (!request->source || plugin_find(session->plugins, request->source, CTPROF_KIND_SOURCE))
		return TRUE;
	return error_set_usage(error, "the plugin %s is not among those of --plugins",
			       request->source);
}

/* What --groups gives, with what options of plugins add; NULL: the standard. */
static char *list_groups(const Session *session, const CapturingRequest *request)
{
	gboolean is_open = !groups && !request->metrics;
	g_autoptr(GString) added = g_string_new(NULL);

	if (request->groups)
		return g_strdup(request->groups);
	for (guint i = 0; i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);
		/* Naming a plugin asks for what it is for. */
		gboolean named = is_open && select_names(session->select, plugin_name(plugin));

		settings_add_groups(session->settings, plugin, named, added);
	}
	if (added->len == 0)
		return g_strdup(groups);
	/* Beside metrics that are named one by one, not all others too. */
	if (!groups && request->metrics)
		return g_strdup(added->str);
	return g_strjoin(",", groups ? groups : "all", added->str, NULL);
}

/* Before the session: writing the sysctl takes CAP_SYS_ADMIN, which it drops. */
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

/* HOST-YYYYmmddTHHMMSSZ.ctprof.zst, or .SINK; the host's name is its own business. */
static char *default_output(const Root *root, const char *sink)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autofree char *time = g_date_time_format(now, "%Y%m%dT%H%M%SZ");
	g_autofree char *host = root_read(root, "sys/kernel/hostname");

	if (!host || !host[0]) {
		g_free(host);
		host = g_strdup("host");
	}
	g_strcanon(host, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
	if (host[0] == '.' || host[0] == '-')
		host[0] = '_';
	return strcmp(sink, SNAPSHOT_SINK) == 0
		       ? g_strdup_printf("%.64s-%s" CAPTURING_SUFFIX, host, time)
		       : g_strdup_printf("%.64s-%s.%s", host, time, sink);
}

static void add_fact(GArray *facts, const char *key, const char *value)
{
	struct ctprof_fact fact = {.struct_size = sizeof fact, .key = key, .value = value};

	if (value)
		g_array_append_val(facts, fact);
}

/* The options that shape what is in the snapshot, as they were given. */
static GArray *list_facts(const Globals *globals, const CapturingRequest *request,
			  const char *pid_list, const char *settings)
{
	GArray *facts = g_array_new(FALSE, FALSE, sizeof(struct ctprof_fact));

	add_fact(facts, "plugins", globals->plugins);
	add_fact(facts, "groups", groups);
	add_fact(facts, "metrics", request->metrics);
	add_fact(facts, "pid", pid_list);
	add_fact(facts, "settings", settings);
	add_fact(facts, "leaders_only", request->leaders_only ? "yes" : NULL);
	add_fact(facts, "proc_root", globals->proc);
	add_fact(facts, "sys_root", globals->sys);
	add_fact(facts, "cgroup_root", globals->cgroup);
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

/* Whether something is wanted that this source alone could have given. */
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

static void tell_left_out(const Session *session, const CapturingRequest *request)
{
	for (guint i = 0; i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);

		/* Failures have been told as they happened. */
		if (plugin->state != CTPROF_STATE_LEFT_OUT || plugin->error_code == 0)
			continue;
		/* Lacking rights can be mended; a kernel without the feature cannot. */
		gboolean refused = plugin->error_code == -EPERM || plugin->error_code == -EACCES;
		gboolean asked = refused || groups || request->metrics;
		if (select_names(session->select, plugin_name(plugin)) ||
		    (asked && is_missed(session, plugin)))
			ui_warning("%s: absent: %s", plugin_name(plugin), plugin->why);
		else
			ui_verbose(1, "%s: absent: %s", plugin_name(plugin), plugin->why);
	}
}

/* The sink of that name, when it can write a capture. */
static Plugin *find_sink(const Session *session, const char *name, GError **error)
{
	g_autoptr(GString) able = g_string_new(NULL);

	for (guint i = 0; i < session->plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(session->plugins, i);

		/* Ops of the other kind of plugin are NULL. */
		if (!plugin->sink.begin)
			continue;
		if (strcmp(plugin_name(plugin), name) == 0)
			return plugin;
		g_string_append_printf(able, " %s", plugin_name(plugin));
	}
	error_set_usage(error, "--sink '%s': expected a sink that writes captures:%s", name,
			able->len ? able->str : " none is loaded");
	return NULL;
}

/* Checked to the end before anything is changed or opened. */
static Session *open_session(const Globals *globals, const CapturingRequest *request,
			     Plugin **ret_sink, GError **error)
{
	const char *sink = request->sink ? request->sink : SNAPSHOT_SINK;
	const char *const needed[] = {sink, NULL};
	g_autoptr(Session) session = session_load(globals, needed, error);

	if (!session || !(*ret_sink = find_sink(session, sink, error)) ||
	    !check_source(session, request, error) ||
	    (delayacct && !switch_delayacct_on(globals, error)) ||
	    !session_open(session, needed, error))
		return NULL;
	g_autofree char *wanted = list_groups(session, request);
	if (!request->listens)
		registry_refuse(session->registry, ROW_EXIT);
	if (!registry_seal(session->registry, request->metrics, wanted, error))
		return NULL;
	return g_steal_pointer(&session);
}

/* "12 threads", "1 process" */
static char *count(guint64 n, const char *one, const char *ending)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " %s%s", n, one, n == 1 ? "" : ending);
}

static char *count_rows(gboolean leaders_only, guint64 n)
{
	return leaders_only ? count(n, "process", "es") : count(n, "thread", "s");
}

/* "; absent: denied in 12 threads (io), unsupported in 245 threads (sched smaps)" */
static char *describe_absences(gboolean leaders_only, const GArray *absences)
{
	GString *text = g_string_new(NULL);

	for (guint32 why = CTPROF_ABSENT_UNSUPPORTED; why < CTPROF_ABSENT_SKIPPED; why += 10) {
		g_autoptr(GString) names = g_string_new(NULL);
		guint64 threads = 0;

		for (guint i = 0; i < absences->len; i++) {
			const Absence *absence = &g_array_index(absences, Absence, i);

			if (absence->why != why)
				continue;
			threads = MAX(threads, absence->threads);
			g_string_append_printf(names, "%s%s", names->len ? " " : "",
					       absence->group);
		}
		g_autofree char *rows = count_rows(leaders_only, threads);
		if (threads > 0)
			g_string_append_printf(text, "%s%s in %s (%s)",
					       text->len ? ", " : "; absent: ", absence_word(why),
					       rows, names->str);
	}
	return g_string_free(text, FALSE);
}

/* The line that ends a capture: what was read, what is absent, where it is. */
static void summarise(const CaptureResult *result, gboolean leaders_only, const Output *output)
{
	g_autofree char *threads = count(result->threads, "thread", "s");
	g_autofree char *processes = count(result->processes, "process", "es");
	g_autofree char *objects = count(result->objects, "object", "s");
	g_autofree char *absent = describe_absences(leaders_only, result->absences);
	g_autofree char *size = ui_format_size(output_bytes(output));
	g_autofree char *gone = result->vanished
					? g_strdup_printf(", %" G_GUINT64_FORMAT " gone meanwhile",
							  result->vanished)
					: g_strdup("");

	if (result->hides_threads)
		ui_warning("processes of other users are hidden, and absent: /proc is mounted with "
			   "hidepid (CAP_SYS_PTRACE, or 'mount -o remount,hidepid=0 /proc')");
	if (result->refused > 0)
		ui_warning("denied in %" G_GUINT64_FORMAT " processes, which are absent: /proc is "
			   "mounted with hidepid (CAP_SYS_PTRACE)",
			   result->refused);
	ui_note("%s%s%s%s%s%s, %.2f s (skew %.2f s)%s; %s: %s", leaders_only ? "" : threads,
		leaders_only ? "" : " in ", processes, gone, result->objects ? ", " : "",
		result->objects ? objects : "", result->seconds, result->skew, absent,
		output_label(output), size);
}

/* What is raised does not heed the load: half of the CPUs are its own, unless the user
 * says how many.  Each worker has at most one helper. */
static Priority *raise_priority(const Globals *globals, guint *ret_workers)
{
	gboolean is_recorded = globals->proc || globals->sys || globals->cgroup;
	guint workers = jobs ? (guint)jobs : MAX(g_get_num_processors() / 2, 1);
	Priority *raised = priority_begin(
		is_recorded ? PRIORITY_NONE : (enum priority_choice)priority, 2 * workers + 1);

	*ret_workers = raised ? workers : (guint)jobs;
	return raised;
}

gboolean capturing_prepare(Globals *globals, const CapturingRequest *request, GError **error)
{
	Plugin *sink;
	g_autoptr(Session) session =
		delayacct ? open_session(globals, request, &sink, error) : NULL;

	return !delayacct || session;
}

gboolean capturing_run(Globals *globals, const CapturingRequest *request, GError **error)
{
	g_auto(CaptureResult) result = {0};
	Plugin *sink = NULL;
	guint workers = 0;
	g_autoptr(Priority) raised G_GNUC_UNUSED = raise_priority(globals, &workers);
	g_autoptr(Session) session = open_session(globals, request, &sink, error);

	if (!session)
		return FALSE;
	g_autoptr(Listener) listener =
		request->listens ? listener_new(session->plugins, session->registry) : NULL;
	if (request->wait &&
	    !request->wait(request->data, listener ? listener_why(listener) : "not asked for"))
		return TRUE;
	g_autofree char *name = request->output ? g_strdup(request->output)
						: default_output(session->root, plugin_name(sink));
	g_autoptr(Output) output = output_open(name, TRUE, error);
	if (!output)
		return FALSE;
	g_autofree char *pids = request->pids ? g_strjoinv(",", request->pids) : NULL;
	g_autofree char *settings = globals->settings ? g_strjoinv(",", globals->settings) : NULL;
	g_autoptr(GArray) facts = list_facts(globals, request, pids, settings);
	g_autoptr(GArray) only = capturing_list_pids(request->pids);
	const CaptureOptions options = {
		.jobs = workers,
		.pids = only,
		.leaders_only = request->leaders_only,
		.listener = listener,
		.facts = (const void *)facts->data,
		.n_facts = facts->len,
	};
	gboolean ok = capture_run(session->root, session->plugins, session->registry, sink, output,
				  &options, &result, error);
	tell_left_out(session, request);
	if (!ok || !output_commit(output, error))
		return FALSE;
	if (!request->is_interim)
		summarise(&result, request->leaders_only, output);
	return TRUE;
}
