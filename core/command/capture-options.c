/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capture-options.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/ui.h"
#include "capture/capture.h"
#include "row/absence.h"

#define SNAPSHOT_SINK "snapshot"
#define MAX_JOBS 1024
#define MEMORY_PLUGIN "memory" /* and its group of processes */

static char *groups, *smaps, *smaps_timeout, *smaps_budget, *jemalloc, *jobs;
static char *memory, *smaps_source, *smaps_max_rss;
static gboolean memory_given, delayacct;

/* What --memory names, and the groups that gives. */
static const struct {
	const char *name, *groups;
	gboolean standard; /* without a list */
	gboolean all;      /* in "all" */
} memory_parts[] = {
	{"ledger", "memory-ledger", TRUE, TRUE},
	{"processes", MEMORY_PLUGIN, TRUE, TRUE},
	{"shared", "memory-shared,memory-swap,memory-sysv", FALSE, TRUE},
	{"tmpfs", "memory-tmpfs", TRUE, TRUE},
	{"files", "memory-files", FALSE, FALSE},
	{"sysv", "memory-sysv", TRUE, TRUE},
};

/* --memory or --memory=LIST. */
static gboolean take_memory(const char *option, const char *list, gpointer data, GError **error)
{
	(void)option;
	(void)data;
	(void)error;
	g_free(memory);
	memory = g_strdup(list);
	memory_given = TRUE;
	return TRUE;
}

const GOptionEntry capturing_entries[] = {
	{"groups", 'g', 0, G_OPTION_ARG_STRING, &groups,
	 "Read these groups of metrics only; '-NAME' leaves one out", "LIST"},
	{"memory", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, take_memory,
	 "Read where the memory is: ledger processes shared tmpfs files sysv all (default: ledger, "
	 "processes, tmpfs, sysv)",
	 "LIST"},
	{"smaps", 0, 0, G_OPTION_ARG_STRING, &smaps,
	 "Memory of each process: auto (within the budget), always, never", "WHEN"},
	{"jemalloc", 0, 0, G_OPTION_ARG_STRING, &jemalloc,
	 "Heap counters of jemalloc: auto (stops no thread) or ptrace", "HOW"},
	{"delayacct", 0, 0, G_OPTION_ARG_NONE, &delayacct,
	 "Switch kernel.task_delayacct on first, and leave it on", NULL},
	G_OPTION_ENTRY_NULL,
};

const GOptionEntry capturing_cost_entries[] = {
	{"jobs", 'j', 0, G_OPTION_ARG_STRING, &jobs, "Workers (default: CPUs less the load)", "N"},
	{"smaps-timeout", 0, 0, G_OPTION_ARG_STRING, &smaps_timeout,
	 "Longest wait for one process's memory (default: 1s)", "TIME"},
	{"smaps-budget", 0, 0, G_OPTION_ARG_STRING, &smaps_budget,
	 "Longest time for all of them, but with --smaps=always (default: 10s)", "TIME"},
	{"smaps-source", 0, 0, G_OPTION_ARG_STRING, &smaps_source,
	 "What the plugin memory reads: auto (smaps_rollup, else smaps), rollup or smaps", "FILE"},
	{"smaps-max-rss", 0, 0, G_OPTION_ARG_STRING, &smaps_max_rss,
	 "Processes that are bigger, as 4GiB, the plugin memory skips", "SIZE"},
	G_OPTION_ENTRY_NULL,
};

gboolean capturing_parse_time(const char *option, const char *text, guint64 *ret_ms, GError **error)
{
	char *unit;
	gdouble value = g_ascii_strtod(text, &unit);
	gdouble scale = strcmp(unit, "ms") == 0 ? 1 : strcmp(unit, "s") == 0 || !*unit ? 1000 : 0;

	if (unit == text || scale == 0 || !(value >= 0 && value * scale <= 1e9)) {
		g_set_error(error, USAGE_ERROR, 0, "--%s '%s': expected a time such as 500ms or 2s",
			    option, text);
		return FALSE;
	}
	*ret_ms = (guint64)(value * scale);
	return TRUE;
}

static gboolean parse_size(const char *option, const char *text, guint64 *ret_bytes, GError **error)
{
	static const struct {
		const char *unit;
		guint shift;
	} units[] = {{"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
	gsize digits = strspn(text, "0123456789");
	g_autofree char *number = g_strndup(text, digits);

	for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
		guint64 value;

		if (strcmp(text + digits, units[i].unit) != 0 ||
		    !g_ascii_string_to_unsigned(number, 10, 1, G_MAXUINT64 >> units[i].shift,
						&value, NULL))
			continue;
		*ret_bytes = value << units[i].shift;
		return TRUE;
	}
	g_set_error(error, USAGE_ERROR, 0, "--%s '%s': expected a size such as 512MiB or 4GiB",
		    option, text);
	return FALSE;
}

static gboolean parse_jobs(guint *ret_jobs, GError **error)
{
	guint64 number = 0;

	if (jobs && !g_ascii_string_to_unsigned(jobs, 10, 1, MAX_JOBS, &number, NULL)) {
		g_set_error(error, USAGE_ERROR, 0, "--jobs '%s': expected a number from 1 to %d",
			    jobs, MAX_JOBS);
		return FALSE;
	}
	*ret_jobs = (guint)number;
	return TRUE;
}

static gboolean parse_pids(char **pids, GArray **ret_pids, GError **error)
{
	*ret_pids = pids ? g_array_new(FALSE, FALSE, sizeof(gint32)) : NULL;
	for (guint i = 0; pids && pids[i]; i++) {
		guint64 pid;

		if (!g_ascii_string_to_unsigned(pids[i], 10, 1, G_MAXINT32, &pid, NULL)) {
			g_set_error(error, USAGE_ERROR, 0, "--pid '%s': expected a process id",
				    pids[i]);
			return FALSE;
		}
		gint32 value = (gint32)pid;
		g_array_append_val(*ret_pids, value);
	}
	return TRUE;
}

static void add_setting(GStrvBuilder *all, const char *plugin, const char *key, const char *value)
{
	g_autofree char *setting = g_strconcat(plugin, ".", key, "=", value, NULL);

	g_strv_builder_add(all, setting);
}

/* Everything about smaps holds for both that read it. */
static void add_smaps_setting(GStrvBuilder *all, const char *key, const char *value)
{
	add_setting(all, "procfs", key, value);
	add_setting(all, MEMORY_PLUGIN, key, value);
}

static gboolean add_times(GStrvBuilder *all, GError **error)
{
	const struct {
		const char *option, *text, *key;
	} times[] = {
		{"smaps-timeout", smaps_timeout, "smaps-timeout-ms"},
		{"smaps-budget", smaps_budget, "smaps-budget-ms"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
		guint64 ms;

		if (!times[i].text)
			continue;
		if (!capturing_parse_time(times[i].option, times[i].text, &ms, error))
			return FALSE;
		g_autofree char *value = g_strdup_printf("%" G_GUINT64_FORMAT, ms);
		add_smaps_setting(all, times[i].key, value);
	}
	return TRUE;
}

static gboolean check_source(GError **error)
{
	static const char *const sources[] = {"auto", "rollup", "smaps", NULL};

	if (!smaps_source || g_strv_contains(sources, smaps_source))
		return TRUE;
	g_set_error(error, USAGE_ERROR, 0, "--smaps-source '%s': expected auto, rollup or smaps",
		    smaps_source);
	return FALSE;
}

/* The command line's own names for options of plugins. */
static gboolean add_settings(Globals *globals, GError **error)
{
	g_autoptr(GStrvBuilder) all = g_strv_builder_new();

	for (guint i = 0; globals->settings && globals->settings[i]; i++)
		g_strv_builder_add(all, globals->settings[i]);
	if (smaps)
		add_smaps_setting(all, "smaps", smaps);
	if (jemalloc)
		add_setting(all, "jemalloc", "mode", jemalloc);
	if (!add_times(all, error) || !check_source(error))
		return FALSE;
	if (smaps_source)
		add_setting(all, MEMORY_PLUGIN, "smaps-source", smaps_source);
	if (smaps_max_rss) {
		guint64 bytes;

		if (!parse_size("smaps-max-rss", smaps_max_rss, &bytes, error))
			return FALSE;
		g_autofree char *value = g_strdup_printf("%" G_GUINT64_FORMAT, bytes);
		add_setting(all, MEMORY_PLUGIN, "smaps-max-rss", value);
	}
	g_strfreev(globals->settings);
	globals->settings = g_strv_builder_end(all);
	return TRUE;
}

/* ---- groups ----------------------------------------------------------- */

/* name NULL: the standard parts. */
static gboolean add_memory_part(GString *list, const char *name, GError **error)
{
	gboolean all = name && strcmp(name, "all") == 0;
	gboolean known = all || !name;

	for (guint i = 0; i < G_N_ELEMENTS(memory_parts); i++) {
		gboolean named = name && strcmp(name, memory_parts[i].name) == 0;
		gboolean meant = name ? all && memory_parts[i].all : memory_parts[i].standard;

		known = known || named;
		if (named || meant)
			g_string_append_printf(list, "%s%s", list->len ? "," : "",
					       memory_parts[i].groups);
	}
	if (!known)
		g_set_error(error, USAGE_ERROR, 0,
			    "--memory '%s': expected a list, as in --memory=LIST, of ledger, "
			    "processes, shared, tmpfs, files, sysv or all",
			    name);
	return known;
}

static gboolean add_memory(GString *list, GError **error)
{
	g_auto(GStrv) names = memory ? g_strsplit(memory, ",", -1) : NULL;

	if (!memory || !*memory)
		return add_memory_part(list, memory, error);
	for (guint i = 0; names[i]; i++)
		if (!add_memory_part(list, names[i], error))
			return FALSE;
	return TRUE;
}

/* Groups that a request names are those of the views of memory. */
static gboolean check_memory(const Session *session, const CapturingRequest *request,
			     GError **error)
{
	if ((!memory_given && !request->groups) ||
	    session_plugin(session, MEMORY_PLUGIN, CTPROF_KIND_SOURCE))
		return TRUE;
	g_set_error(error, USAGE_ERROR, 0,
		    "%sthe plugin " MEMORY_PLUGIN " is not among those of --plugins",
		    memory_given ? "--memory: " : "");
	return FALSE;
}

/* Whoever names that plugin wants what it is for. */
static gboolean memory_is_named(const Globals *globals, const CapturingRequest *request)
{
	g_autoptr(Select) select = select_parse(globals->plugins, NULL);

	return !groups && !request->metrics && select && select_names(select, MEMORY_PLUGIN);
}

/* What --groups gives, with what --memory adds; *ret_groups NULL: the standard. */
static gboolean list_groups(const Globals *globals, const CapturingRequest *request,
			    char **ret_groups, GError **error)
{
	/* Beside metrics that are named one by one, not all others too. */
	g_autoptr(GString) list = g_string_new(groups ? groups : request->metrics ? "" : "all");

	if (!memory_given && !memory_is_named(globals, request)) {
		*ret_groups = g_strdup(groups);
		return TRUE;
	}
	if (!add_memory(list, error))
		return FALSE;
	*ret_groups = g_strdup(list->str);
	return TRUE;
}

/* Before the session: writing the sysctl takes CAP_SYS_ADMIN, which it drops. */
static gboolean switch_delayacct_on(const Globals *globals, GError **error)
{
	if (globals->proc || globals->sys || globals->cgroup) {
		g_set_error(error, USAGE_ERROR, 0, "--delayacct: not with a recorded tree");
		return FALSE;
	}
	g_autoptr(Root) root = root_open(NULL, NULL, NULL, error);
	g_autofree char *before = root ? root_read(root, "sys/kernel/task_delayacct") : NULL;
	if (!root)
		return FALSE;
	if (g_strcmp0(before, "1") == 0)
		return TRUE;
	if (!root_write(root, "sys/kernel/task_delayacct", "1", error)) {
		g_prefix_error(error, "--delayacct: ");
		return FALSE;
	}
	ui_note("kernel.task_delayacct is 1 from now on: threads that started before count "
		"nothing; 'sysctl kernel.task_delayacct=0' takes it back");
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
	add_fact(facts, "memory", memory_given && !memory ? "standard" : memory);
	add_fact(facts, "metrics", request->metrics);
	add_fact(facts, "pid", pid_list);
	add_fact(facts, "settings", settings);
	add_fact(facts, "leaders_only", request->leaders_only ? "yes" : NULL);
	add_fact(facts, "proc_root", globals->proc);
	add_fact(facts, "sys_root", globals->sys);
	add_fact(facts, "cgroup_root", globals->cgroup);
	return facts;
}

/* Whether the user asked for this very source. */
static gboolean was_asked_for(const Globals *globals, const Session *session,
			      const CapturingRequest *request, const Plugin *plugin)
{
	g_autoptr(Select) select = select_parse(globals->plugins, NULL);

	if (select && select_names(select, plugin_name(plugin)))
		return TRUE;
	return (groups || request->metrics) &&
	       registry_asks(session->registry, plugin_name(plugin));
}

static void tell_left_out(const Globals *globals, const Session *session,
			  const CapturingRequest *request)
{
	for (guint i = 0; i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);

		/* Failures have been told as they happened. */
		if (plugin->state != CTPROF_STATE_LEFT_OUT || plugin->error_code == 0)
			continue;
		/* Lacking rights can be mended; a kernel without the feature cannot. */
		gboolean refused = plugin->error_code == -EPERM || plugin->error_code == -EACCES;
		if (refused || was_asked_for(globals, session, request, plugin))
			ui_warning("%s: absent: %s", plugin_name(plugin), plugin->why);
		else
			ui_verbose(1, "%s: absent: %s", plugin_name(plugin), plugin->why);
	}
}

/* "12 threads", "1 process" */
static char *count(guint64 n, const char *one, const char *ending)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " %s%s", n, one, n == 1 ? "" : ending);
}

static char *count_rows(const CapturingRequest *request, guint64 n)
{
	return request->leaders_only ? count(n, "process", "es") : count(n, "thread", "s");
}

/* "; absent: denied in 12 threads (io), unsupported in 245 threads (sched smaps)" */
static char *describe_absences(const CapturingRequest *request, const GArray *absences)
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
		g_autofree char *rows = count_rows(request, threads);
		if (threads > 0)
			g_string_append_printf(text, "%s%s in %s (%s)",
					       text->len ? ", " : "; absent: ", absence_word(why),
					       rows, names->str);
	}
	return g_string_free(text, FALSE);
}

static void summarise(const CapturingRequest *request, const CaptureResult *result,
		      const Output *output)
{
	g_autofree char *threads = count(result->threads, "thread", "s");
	g_autofree char *processes = count(result->processes, "process", "es");
	g_autofree char *objects = count(result->objects, "object", "s");
	g_autofree char *absent = describe_absences(request, result->absences);
	g_autofree char *size = ui_format_size(output_bytes(output));
	g_autofree char *gone = result->vanished
					? g_strdup_printf(", %" G_GUINT64_FORMAT " gone meanwhile",
							  result->vanished)
					: g_strdup("");

	ui_note("%s%s%s%s%s%s, %.2f s%s; %s: %s", request->leaders_only ? "" : threads,
		request->leaders_only ? "" : " in ", processes, gone, result->objects ? ", " : "",
		result->objects ? objects : "", result->seconds, absent, output_label(output),
		size);
}

static gboolean writes_captures(const Plugin *plugin)
{
	return plugin->descriptor.kind == CTPROF_KIND_SINK && plugin->sink.begin;
}

/* The sink of that name, when it can write a capture. */
static Plugin *find_sink(const Session *session, const char *name, GError **error)
{
	g_autoptr(GString) able = g_string_new(NULL);

	for (guint i = 0; i < session->plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(session->plugins, i);

		if (!writes_captures(plugin))
			continue;
		if (strcmp(plugin_name(plugin), name) == 0)
			return plugin;
		g_string_append_printf(able, " %s", plugin_name(plugin));
	}
	g_set_error(error, USAGE_ERROR, 0, "--sink '%s': expected a sink that writes captures:%s",
		    name, able->len ? able->str : " none is loaded");
	return NULL;
}

gboolean capturing_run(Globals *globals, const CapturingRequest *request, GError **error)
{
	const char *sink_name = request->sink ? request->sink : SNAPSHOT_SINK;
	const char *const needed[] = {sink_name, NULL};
	g_autoptr(GArray) only = NULL;
	g_autofree char *name = NULL;
	g_autofree char *wanted_groups = NULL;
	g_auto(CaptureResult) result = {0};

	guint workers;
	if (!parse_jobs(&workers, error) || !parse_pids(request->pids, &only, error) ||
	    !add_settings(globals, error) ||
	    !list_groups(globals, request, &wanted_groups, error) ||
	    (delayacct && !switch_delayacct_on(globals, error)))
		return FALSE;
	g_autoptr(Session) session = session_new(globals, needed, error);
	Plugin *sink = session ? find_sink(session, sink_name, error) : NULL;
	if (!sink || !check_memory(session, request, error) ||
	    !registry_seal(session->registry, request->metrics,
			   request->groups ? request->groups : wanted_groups, error))
		return FALSE;
	name = request->output ? g_strdup(request->output)
			       : default_output(session->root, sink_name);
	g_autoptr(Output) output = output_open(name, TRUE, error);
	if (!output)
		return FALSE;
	g_autofree char *pid_list = request->pids ? g_strjoinv(",", request->pids) : NULL;
	g_autofree char *settings =
		globals->settings[0] ? g_strjoinv(",", globals->settings) : NULL;
	g_autoptr(GArray) facts = list_facts(globals, request, pid_list, settings);
	CaptureOptions options = {
		.jobs = workers,
		.pids = only,
		.leaders_only = request->leaders_only,
		.facts = (const void *)facts->data,
		.n_facts = facts->len,
	};
	gboolean ok = capture_run(session->root, session->plugins, session->registry, sink, output,
				  &options, &result, error);
	tell_left_out(globals, session, request);
	if (!ok || !output_commit(output, error))
		return FALSE;
	if (!request->is_interim)
		summarise(request, &result, output);
	return TRUE;
}
