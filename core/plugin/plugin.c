/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/ui.h"
#include "guard/crash.h"

/* A source that fails this often in a row is not expected to recover. */
#define MAX_FAILURES_IN_A_ROW 8
/* Errnos are less than this, as in the kernel. */
#define MAX_ERRNO 4096

static void finding_free(gpointer data)
{
	Finding *finding = data;

	g_free(finding->group);
	g_free(finding->why);
	g_free(finding->remedy);
	g_free(finding);
}

Plugin *plugin_new(char *file, GModule *module, const struct ctprof_plugin *descriptor)
{
	Plugin *plugin = g_new0(Plugin, 1);
	guint32 size;

	plugin->file = file;
	plugin->module = module;
	plugin->descriptor = *descriptor;
	plugin->state = CTPROF_STATE_LIVE;
	plugin->findings = g_ptr_array_new_with_free_func(finding_free);
	g_mutex_init(&plugin->lock);
	g_mutex_init(&plugin->serial);
	if (!descriptor->ops)
		return plugin;
	memcpy(&size, descriptor->ops, sizeof size);
	if (descriptor->kind == CTPROF_KIND_SOURCE)
		memcpy(&plugin->source, descriptor->ops, MIN(size, sizeof plugin->source));
	else
		memcpy(&plugin->sink, descriptor->ops, MIN(size, sizeof plugin->sink));
	return plugin;
}

Plugin *plugin_new_lost(const char *file, const char *name, const char *why)
{
	const struct ctprof_plugin unknown = {
		.struct_size = sizeof unknown,
		.abi_major = CTPROF_ABI_MAJOR,
		.name = g_intern_string(name),
		.version = "-",
		.summary = "Left out",
	};
	Plugin *plugin = plugin_new(g_strdup(file), NULL, &unknown);

	plugin->state = CTPROF_STATE_FAILED;
	plugin->why = g_strdup(why);
	return plugin;
}

void plugin_free(Plugin *plugin)
{
	plugin_close(plugin);
	g_mutex_clear(&plugin->lock);
	g_mutex_clear(&plugin->serial);
	g_ptr_array_unref(plugin->findings);
	g_free(plugin->file);
	g_free(plugin->why);
	g_free(plugin->said);
	g_free(plugin);
}

const char *plugin_name(const Plugin *plugin)
{
	return plugin->descriptor.name;
}

Plugin *plugin_find(const GPtrArray *plugins, const char *name, guint32 kind)
{
	for (guint i = 0; i < plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(plugins, i);

		if ((kind == 0 || plugin->descriptor.kind == kind) &&
		    strcmp(plugin_name(plugin), name) == 0)
			return plugin;
	}
	return NULL;
}

gboolean plugin_is_live(const Plugin *plugin)
{
	return __atomic_load_n(&plugin->state, __ATOMIC_RELAXED) == CTPROF_STATE_LIVE;
}

/* Copies a row of a plugin's table, whose rows may be shorter or longer than ours.  own: zeroed. */
static void copy_row(gpointer own, gsize size, gconstpointer rows, guint32 row_size, guint i)
{
	memcpy(own, (const char *)rows + (gsize)i * row_size, MIN(row_size, size));
}

struct ctprof_need plugin_need(const Plugin *plugin, guint i)
{
	const struct ctprof_need *rows = plugin->descriptor.needs;
	struct ctprof_need own = {0};

	copy_row(&own, sizeof own, rows, rows->struct_size, i);
	return own;
}

gboolean plugin_knows_options(const Plugin *plugin)
{
	return plugin->descriptor.struct_size >=
	       offsetof(struct ctprof_plugin, n_options) + sizeof plugin->descriptor.n_options;
}

struct ctprof_option plugin_option(const Plugin *plugin, guint i)
{
	const struct ctprof_option *rows = plugin->descriptor.options;
	struct ctprof_option own = {0};

	copy_row(&own, sizeof own, rows, rows->struct_size, i);
	return own;
}

const char *plugin_finding_word(guint32 state)
{
	return state == CTPROF_WORKS ? "works" : state == CTPROF_PARTLY ? "partly" : "no";
}

/* Enters an op: from now on, a crash is blamed on this plugin. */
static void enter(Plugin *plugin, const char *op)
{
	crash_enter(plugin_name(plugin), op);
}

/* Returns the plugin's own explanation of result, or the system's, which the caller
 * frees.  Call with the lock held. */
static char *take_reason(Plugin *plugin, int result)
{
	if (plugin->said && plugin->said[0])
		return g_steal_pointer(&plugin->said);
	/* Not every value is an errno, and INT_MIN cannot even be negated. */
	return result < 0 && result > -MAX_ERRNO
		       ? g_strdup(g_strerror(-result))
		       : g_strdup_printf("it returned %d, which is not an errno", result);
}

/* Leaves the plugin out; FALSE: it was left out already. */
static gboolean leave_out(Plugin *plugin, guint32 state, int result)
{
	HOLD(&plugin->lock);

	if (plugin->why)
		return FALSE;
	plugin->why = take_reason(plugin, result);
	plugin->error_code = result;
	__atomic_store_n(&plugin->state, state, __ATOMIC_RELAXED);
	return TRUE;
}

gboolean plugin_open(Plugin *plugin, const Root *root, Registry *registry, GHashTable *options,
		     GError **error)
{
	gboolean is_source = plugin->descriptor.kind == CTPROF_KIND_SOURCE;

	plugin->root = root;
	plugin->registry = registry;
	plugin->options = options;
	plugin_lend_host(plugin);
	enter(plugin, "open");
	int result = is_source ? plugin->source.open(&plugin->host, &plugin->self)
			       : plugin->sink.open(&plugin->host, &plugin->self);
	crash_leave();
	plugin->opened = result >= 0;
	if (plugin->opened)
		return TRUE;
	leave_out(plugin, CTPROF_STATE_FAILED, result);
	return error_set_failed(error, "plugin %s: cannot open: %s", plugin_name(plugin),
				plugin->why);
}

void plugin_close(Plugin *plugin)
{
	if (!plugin->opened)
		return;
	enter(plugin, "close");
	if (plugin->descriptor.kind == CTPROF_KIND_SOURCE)
		plugin->source.close(plugin->self);
	else
		plugin->sink.close(plugin->self);
	crash_leave();
	plugin->opened = FALSE;
}

void plugin_probe(Plugin *plugin)
{
	if (!plugin->opened || !plugin->source.probe)
		return;
	enter(plugin, "probe");
	int result = plugin->source.probe(plugin->self);
	crash_leave();
	if (result < 0)
		leave_out(plugin, CTPROF_STATE_FAILED, result);
}

void plugin_start(Plugin *plugin)
{
	if (!plugin_is_live(plugin) || !plugin->source.start || plugin->started)
		return;
	plugin->started = TRUE;
	enter(plugin, "start");
	int result = plugin->source.start(plugin->self);
	crash_leave();
	if (result < 0)
		leave_out(plugin, CTPROF_STATE_LEFT_OUT, result);
}

void plugin_set_unasked(Plugin *plugin)
{
	plugin->state = CTPROF_STATE_LEFT_OUT;
	plugin->why = g_strdup("none of its metrics is wanted");
}

gpointer plugin_worker_open(Plugin *plugin, guint worker)
{
	gpointer context = NULL;

	if (!plugin_is_live(plugin) || !plugin->source.worker_open)
		return NULL;
	enter(plugin, "worker_open");
	int result = plugin->source.worker_open(plugin->self, worker, &context);
	crash_leave();
	if (result >= 0)
		return context;
	/* Several workers may reach the limit at once. */
	if (leave_out(plugin, CTPROF_STATE_FAILED, result))
		ui_warning("plugin %s: left out: %s", plugin_name(plugin), plugin->why);
	return NULL;
}

void plugin_worker_close(Plugin *plugin, gpointer context)
{
	if (!context || !plugin->source.worker_close)
		return;
	enter(plugin, "worker_close");
	plugin->source.worker_close(plugin->self, context);
	crash_leave();
}

static guint64 thread_cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void count_failure(Plugin *plugin, int result)
{
	__atomic_add_fetch(&plugin->failures, 1, __ATOMIC_RELAXED);
	if (__atomic_add_fetch(&plugin->in_a_row, 1, __ATOMIC_RELAXED) != MAX_FAILURES_IN_A_ROW)
		return;
	leave_out(plugin, CTPROF_STATE_FAILED, result);
	ui_warning("plugin %s: switched off after %u failures in a row: %s", plugin_name(plugin),
		   MAX_FAILURES_IN_A_ROW, plugin->why);
}

void plugin_fault(Plugin *plugin, const char *why)
{
	plugin->host.error(&plugin->host, "%s", why);
	count_failure(plugin, -EINVAL);
}

/* Locks a serial plugin; NULL: the plugin may be called from several threads at once. */
static GMutexLocker *hold_serial(Plugin *plugin)
{
	return plugin->descriptor.thread_model == CTPROF_THREADS_PER_WORKER
		       ? NULL
		       : g_mutex_locker_new(&plugin->serial);
}

static int collect_locked(Plugin *plugin, gpointer context, struct ctprof_batch *batch)
{
	g_autoptr(GMutexLocker) held G_GNUC_UNUSED = hold_serial(plugin);

	enter(plugin, "collect");
	int result = plugin->source.collect(plugin->self, context, batch);
	crash_leave();
	return result;
}

gboolean plugin_collect(Plugin *plugin, gpointer context, struct ctprof_batch *batch)
{
	if (!plugin_is_live(plugin))
		return FALSE;
	guint64 begin = thread_cpu_ns();
	int result = collect_locked(plugin, context, batch);
	__atomic_add_fetch(&plugin->cpu_ns, thread_cpu_ns() - begin, __ATOMIC_RELAXED);
	__atomic_add_fetch(&plugin->batches, 1, __ATOMIC_RELAXED);
	if (result > 0) {
		plugin->host.error(&plugin->host, "it returned %d: expected 0 or a negative errno",
				   result);
		result = -EINVAL;
	}
	if (result < 0)
		count_failure(plugin, result);
	else
		__atomic_store_n(&plugin->in_a_row, 0, __ATOMIC_RELAXED);
	return result >= 0;
}

void plugin_again(Plugin *plugin)
{
	if (!plugin_is_live(plugin) || !plugin->source.again)
		return;
	enter(plugin, "again");
	int result = plugin->source.again(plugin->self);
	crash_leave();
	if (result < 0 && leave_out(plugin, CTPROF_STATE_FAILED, result))
		ui_warning("plugin %s: left out from now on: %s", plugin_name(plugin), plugin->why);
}

gboolean plugin_can_list(const Plugin *plugin)
{
	return plugin_is_live(plugin) && plugin->source.list;
}

gboolean plugin_list(Plugin *plugin, const struct ctprof_listing *listing)
{
	guint64 begin = thread_cpu_ns();

	enter(plugin, "list");
	int result = plugin->source.list(plugin->self, listing);
	crash_leave();
	__atomic_add_fetch(&plugin->cpu_ns, thread_cpu_ns() - begin, __ATOMIC_RELAXED);
	if (result < 0)
		count_failure(plugin, result);
	return result >= 0;
}

gboolean plugin_can_sample(const Plugin *plugin)
{
	return plugin_is_live(plugin) && plugin->source.sample;
}

gboolean plugin_sample(Plugin *plugin, guint64 *ret_next_ns)
{
	g_autoptr(GMutexLocker) held G_GNUC_UNUSED = hold_serial(plugin);
	guint64 begin = thread_cpu_ns();

	if (!plugin_can_sample(plugin))
		return FALSE;
	enter(plugin, "sample");
	int result = plugin->source.sample(plugin->self, ret_next_ns);
	crash_leave();
	__atomic_add_fetch(&plugin->cpu_ns, thread_cpu_ns() - begin, __ATOMIC_RELAXED);
	if (result != 0)
		count_failure(plugin, result);
	return result == 0;
}

gboolean plugin_can_listen(const Plugin *plugin)
{
	return plugin_is_live(plugin) && plugin->source.listen && plugin->source.drain;
}

gboolean plugin_listen(Plugin *plugin, GError **error)
{
	enter(plugin, "listen");
	int result = plugin->source.listen(plugin->self);
	crash_leave();
	plugin->listens = result == 0;
	if (plugin->listens)
		return TRUE;
	HOLD(&plugin->lock);
	g_autofree char *reason = take_reason(plugin, result);
	return error_set_failed(error, "%s", reason);
}

void plugin_drain(Plugin *plugin)
{
	g_autoptr(GMutexLocker) held G_GNUC_UNUSED = hold_serial(plugin);
	guint64 begin = thread_cpu_ns();

	if (!plugin->listens)
		return;
	enter(plugin, "drain");
	int result = plugin->source.drain(plugin->self);
	crash_leave();
	__atomic_add_fetch(&plugin->cpu_ns, thread_cpu_ns() - begin, __ATOMIC_RELAXED);
	plugin->listens = result == 0;
	if (!plugin->listens)
		count_failure(plugin, result);
}

void plugin_warn_failures(Plugin *plugin)
{
	if (plugin->failures == 0 || !plugin_is_live(plugin))
		return;
	ui_warning("plugin %s: %" G_GUINT64_FORMAT " failures in %" G_GUINT64_FORMAT " batches%s%s",
		   plugin_name(plugin), plugin->failures, plugin->batches,
		   plugin->said ? ", the last: " : "", plugin->said ? plugin->said : "");
}

/* Turns a sink's result into an error, which names the output if that failed. */
static gboolean check_sink(Plugin *plugin, int result, GError **error)
{
	crash_leave();
	if (result >= 0)
		return TRUE;
	if (output_failed(plugin->output, error))
		return FALSE;
	g_mutex_lock(&plugin->lock);
	g_autofree char *reason = take_reason(plugin, result);
	g_mutex_unlock(&plugin->lock);
	return error_set_failed(error, "plugin %s: %s", plugin_name(plugin), reason);
}

gboolean plugin_begin(Plugin *plugin, Output *output, const struct ctprof_capture *capture,
		      GError **error)
{
	if (!plugin->sink.begin)
		return error_set_failed(error, "plugin %s: cannot write a capture",
					plugin_name(plugin));
	plugin->output = output;
	enter(plugin, "begin");
	return check_sink(plugin, plugin->sink.begin(plugin->self, capture), error);
}

gboolean plugin_rows(Plugin *plugin, const struct ctprof_rows *rows, GError **error)
{
	guint64 begin = thread_cpu_ns();

	enter(plugin, "rows");
	int result = plugin->sink.rows(plugin->self, rows);
	plugin->cpu_ns += thread_cpu_ns() - begin;
	plugin->batches++;
	return check_sink(plugin, result, error);
}

gboolean plugin_end(Plugin *plugin, const struct ctprof_capture_end *end, GError **error)
{
	enter(plugin, "end");
	return check_sink(plugin, plugin->sink.end(plugin->self, end), error);
}

gboolean plugin_can_record(const Plugin *plugin)
{
	return plugin->sink.begin && plugin->sink.finish;
}

gboolean plugin_finish(Plugin *plugin, GError **error)
{
	enter(plugin, "finish");
	return check_sink(plugin, plugin->sink.finish(plugin->self), error);
}

gboolean plugin_can_tabulate(const Plugin *plugin)
{
	return plugin->sink.table != NULL;
}

void plugin_write_to(Plugin *plugin, Output *output)
{
	plugin->output = output;
}

gboolean plugin_table(Plugin *plugin, const struct ctprof_table *table, GError **error)
{
	enter(plugin, "table");
	return check_sink(plugin, plugin->sink.table(plugin->self, table), error);
}

gboolean plugin_records(Plugin *plugin, const struct ctprof_records *records, GError **error)
{
	enter(plugin, "records");
	return check_sink(plugin, plugin->sink.records(plugin->self, records), error);
}

gboolean plugin_draw(Plugin *plugin, Output *output, const struct ctprof_report *report,
		     GError **error)
{
	if (!plugin->sink.report)
		return error_set_failed(error, "plugin %s: cannot draw a report",
					plugin_name(plugin));
	plugin->output = output;
	enter(plugin, "report");
	return check_sink(plugin, plugin->sink.report(plugin->self, report), error);
}

void plugin_report(Plugin *plugin, struct ctprof_plugin_report *ret_report)
{
	*ret_report = (struct ctprof_plugin_report){
		.struct_size = sizeof *ret_report,
		.state = plugin->state,
		.kind = plugin->descriptor.kind,
		.batches = plugin->batches,
		.failures = plugin->failures,
		.cpu_ns = plugin->cpu_ns,
		.name = plugin->descriptor.name,
		.version = plugin->descriptor.version,
		.why = plugin->why,
	};
}
