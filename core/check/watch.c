/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "watch.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "child.h"
#include "paths.h"

/* Maximum faults of one kind; more would be repetitions. */
#define MAX_FAULTS 20
#define MAX_ERRNO 4095

static const char *const names[N_WATCH_CHECKS] = {
	[WATCH_METRICS] = "metrics",
	[WATCH_RESULTS] = "results",
	[WATCH_PUTS] = "puts",
	[WATCH_FILES] = "files",
	[WATCH_DESCRIPTORS] = "descriptors",
	[WATCH_THREADS] = "threads",
};

/* One plugin per process, as not all functions of the interface identify their
 * plugin. */
static struct watch {
	Plugin *plugin;
	const Root *root;
	struct ctprof_host lent;         /* the host's own functions */
	struct ctprof_source_ops source; /* the plugin's own */
	struct ctprof_sink_ops sink;
	GMutex lock;
	GHashTable *faults[N_WATCH_CHECKS]; /* sentence -> itself */
	GHashTable *metrics;                /* "ROW/NAME" -> itself */
	GPtrArray *metric_names;
	guint8 *used; /* for each need, whether one of its files was opened */
	gboolean nothing_wanted;
	gboolean may_declare; /* open() is under way */
	int descriptors, threads;
	char own_pid[16];
} watch;

/* The batch that this thread collects. */
static _Thread_local const struct ctprof_batch *collecting;
static _Thread_local gboolean said;
static _Thread_local guint64 refused; /* puts */

static G_GNUC_PRINTF(2, 3) void fault(enum watch_check check, const char *format, ...)
{
	HOLD(&watch.lock);
	GHashTable *faults = watch.faults[check];
	va_list ap;

	if (g_hash_table_size(faults) >= MAX_FAULTS)
		return;
	va_start(ap, format);
	g_hash_table_add(faults, g_strdup_vprintf(format, ap));
	va_end(ap);
}

/* ---- the host's functions ------------------------------------------------- */

static G_GNUC_PRINTF(2, 3) void watch_error(const struct ctprof_host *host, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	g_autofree char *text = g_strdup_vprintf(format, ap);
	va_end(ap);
	said = text[0] != '\0';
	watch.lent.error(host, "%s", text);
}

/* Directories on the way to a declared file need not be declared. */
static gboolean is_declared(const char *name, gboolean may_be_way)
{
	gboolean declared = FALSE;

	for (guint i = 0; i < watch.plugin->descriptor.n_needs; i++) {
		const struct ctprof_need need = plugin_need(watch.plugin, i);

		if (need.kind != CTPROF_NEED_FILE || !need.name)
			continue;
		if (path_is_covered(need.name, name, watch.own_pid)) {
			__atomic_store_n(&watch.used[i], 1, __ATOMIC_RELAXED);
			declared = TRUE;
		}
		declared |= may_be_way && path_leads_to(need.name, name, watch.own_pid);
	}
	return declared;
}

static int watch_open_file(const struct ctprof_host *host, int dirfd, const char *path)
{
	g_autofree char *name = root_name_file(watch.root, dirfd, path);
	int result = watch.lent.open_file(host, dirfd, path);
	struct stat st;

	if (watch.may_declare)
		fault(WATCH_FILES, "opened '%s' in open(), which must not read yet: use start()",
		      path);
	if (path[0] == '/') {
		fault(WATCH_FILES, "opened '%s', an absolute path: open below host->root()", path);
		return result;
	}
	/* name is NULL if, for example, the file was opened through a link of another process,
	 * which cannot be declared. */
	gboolean may_be_way = result < 0 || fstat(result, &st) < 0 || S_ISDIR(st.st_mode);
	if (name && !is_declared(name, may_be_way)) {
		g_autofree char *general = path_generalise(name);

		fault(WATCH_FILES, "opened '%s', which none of its needs declares", general);
	}
	return result;
}

static void check_metric(const struct ctprof_metric *metric)
{
	g_autofree char *key =
		g_strdup_printf("%d/%s", (int)registry_row_of_scope(metric->scope), metric->name);

	if (!g_hash_table_add(watch.metrics, g_steal_pointer(&key)))
		fault(WATCH_METRICS, "%s is declared twice", metric->name);
	if (!metric->help[0] || !metric->origin[0])
		fault(WATCH_METRICS, "%s has an empty help or origin", metric->name);
	if (g_str_has_suffix(metric->help, "."))
		fault(WATCH_METRICS, "the help of %s must be one clause without a full stop",
		      metric->name);
	g_ptr_array_add(watch.metric_names, g_strdup(metric->name));
}

static int watch_metric(const struct ctprof_host *host, const struct ctprof_metric *metric,
			guint32 *ret_slot)
{
	struct ctprof_metric own = {0};

	if (!watch.may_declare)
		fault(WATCH_METRICS, "host->metric() was called outside open()");
	int result = watch.lent.metric(host, metric, ret_slot);
	memcpy(&own, metric, MIN(metric->struct_size, sizeof own));
	if (result >= 0) {
		check_metric(&own);
		return result;
	}
	said = TRUE; /* by the host itself */
	fault(WATCH_METRICS, "%s",
	      watch.plugin->said ? watch.plugin->said : "a metric was refused");
	return result;
}

static int watch_wanted(const struct ctprof_host *host, guint32 slot)
{
	const Metric *metric = registry_slot(watch.plugin->registry, slot);

	if (!metric)
		fault(WATCH_RESULTS,
		      "host->wanted() was called with slot %u, which does not "
		      "exist",
		      slot);
	if (watch.nothing_wanted)
		return 0;
	return watch.lent.wanted(host, slot);
}

static int watch_write(const struct ctprof_host *host, const void *data, size_t size)
{
	if (!watch.plugin->output)
		fault(WATCH_RESULTS, "host->write() was called before begin() or report()");
	int result = watch.lent.write(host, data, size);
	said |= result < 0; /* the host knows why */
	return result;
}

/* Whether a put is on the batch that this thread must fill. */
static gboolean may_put(const struct ctprof_batch *batch, const char *function)
{
	if (batch && batch == collecting)
		return TRUE;
	fault(WATCH_PUTS, "host->%s() was called outside collect(), or from another thread",
	      function);
	return FALSE;
}

guint64 *watch_refused(void)
{
	return &refused;
}

static void judge_put(guint64 before, guint32 slot, const char *function)
{
	const Metric *metric = registry_slot(watch.plugin->registry, slot);

	if (refused == before)
		return;
	fault(WATCH_PUTS, "host->%s() of %s was refused: %s", function,
	      metric ? metric->def.name : "an unknown slot",
	      metric ? "wrong type or scope, malformed, or not a row of the batch"
		     : "host->metric() never returned that slot");
}

/* Puts of every type: a row, a slot, and the arguments of the type. */
#define WATCH_PUT(function, parameters, arguments)                                                 \
	static void watch_##function parameters                                                    \
	{                                                                                          \
		if (!may_put(batch, #function))                                                    \
			return;                                                                    \
		guint64 before = refused;                                                          \
		watch.lent.function arguments;                                                     \
		judge_put(before, slot, #function);                                                \
	}

WATCH_PUT(put_u64, (struct ctprof_batch * batch, guint64 row, guint32 slot, guint64 value),
	  (batch, row, slot, value))
WATCH_PUT(put_i64, (struct ctprof_batch * batch, guint64 row, guint32 slot, gint64 value),
	  (batch, row, slot, value))
WATCH_PUT(put_text,
	  (struct ctprof_batch * batch, guint64 row, guint32 slot, const char *text, size_t length),
	  (batch, row, slot, text, length))
WATCH_PUT(put_cpuset,
	  (struct ctprof_batch * batch, guint64 row, guint32 slot, const guint32 *cpus, size_t n),
	  (batch, row, slot, cpus, n))
WATCH_PUT(put_map,
	  (struct ctprof_batch * batch, guint64 row, guint32 slot,
	   const struct ctprof_map_entry *entries, size_t n),
	  (batch, row, slot, entries, n))
WATCH_PUT(put_histogram,
	  (struct ctprof_batch * batch, guint64 row, guint32 slot, const guint64 *counts, size_t n),
	  (batch, row, slot, counts, n))
WATCH_PUT(put_absent, (struct ctprof_batch * batch, guint64 row, guint32 slot, guint32 why),
	  (batch, row, slot, why))

static void watch_vanished(struct ctprof_batch *batch, guint64 row)
{
	if (may_put(batch, "vanished"))
		watch.lent.vanished(batch, row);
}

static int watch_object(struct ctprof_batch *batch, const char *group, const char *name,
			size_t length, guint64 *ret_row)
{
	if (!may_put(batch, "object"))
		return -EINVAL;
	int result = watch.lent.object(batch, group, name, length, ret_row);
	if (result < 0 && result != -ENOSPC)
		fault(WATCH_PUTS,
		      "host->object() refused a row of group '%s': malformed or not unique",
		      group ? group : "(none)");
	return result;
}

static int watch_exited(struct ctprof_batch *batch, gint32 tgid, gint32 tid, guint64 *ret_row)
{
	if (!may_put(batch, "exited"))
		return -EINVAL;
	int result = watch.lent.exited(batch, tgid, tid, ret_row);
	if (result < 0 && result != -ENOSPC)
		fault(WATCH_PUTS,
		      "host->exited() refused tgid %d, tid %d: malformed, or not an exit batch",
		      tgid, tid);
	return result;
}

static void overlay(struct ctprof_host *host)
{
	watch.lent = *host;
	host->error = watch_error;
	host->open_file = watch_open_file;
	host->metric = watch_metric;
	host->wanted = watch_wanted;
	host->put_u64 = watch_put_u64;
	host->put_i64 = watch_put_i64;
	host->put_text = watch_put_text;
	host->put_cpuset = watch_put_cpuset;
	host->put_map = watch_put_map;
	host->put_histogram = watch_put_histogram;
	host->put_absent = watch_put_absent;
	host->vanished = watch_vanished;
	host->object = watch_object;
	host->exited = watch_exited;
	host->write = watch_write;
}

/* ---- the plugin's functions ------------------------------------------------ */

static void enter(const char *op)
{
	check_report_op(op);
	said = FALSE;
}

static int judge(const char *op, int result)
{
	if (result > 0 || result < -MAX_ERRNO)
		fault(WATCH_RESULTS, "%s returned %d: expected 0 or a negative errno", op, result);
	else if (result < 0 && !said)
		fault(WATCH_RESULTS, "%s returned %d (%s) without a call of host->error()", op,
		      result, g_strerror(-result));
	return result;
}

static int source_open(const struct ctprof_host *host, void **ret_self)
{
	enter("open");
	watch.may_declare = TRUE;
	int result = watch.source.open(host, ret_self);
	watch.may_declare = FALSE;
	return judge("open", result);
}

/* Ops of which only the result is checked. */
#define WATCH_OP(kind, op, parameters, arguments)                                                  \
	static int kind##_##op parameters                                                          \
	{                                                                                          \
		enter(#op);                                                                        \
		return judge(#op, watch.kind.op arguments);                                        \
	}

WATCH_OP(source, probe, (void *self), (self))
WATCH_OP(source, start, (void *self), (self))
WATCH_OP(source, listen, (void *self), (self))
WATCH_OP(source, drain, (void *self), (self))
WATCH_OP(source, sample, (void *self, guint64 *ret_next_ns), (self, ret_next_ns))
WATCH_OP(sink, open, (const struct ctprof_host *host, void **ret_self), (host, ret_self))
WATCH_OP(sink, begin, (void *self, const struct ctprof_capture *capture), (self, capture))
WATCH_OP(sink, rows, (void *self, const struct ctprof_rows *rows), (self, rows))
WATCH_OP(sink, end, (void *self, const struct ctprof_capture_end *end), (self, end))
WATCH_OP(sink, table, (void *self, const struct ctprof_table *table), (self, table))
WATCH_OP(sink, records, (void *self, const struct ctprof_records *records), (self, records))
WATCH_OP(sink, finish, (void *self), (self))
WATCH_OP(sink, report, (void *self, const struct ctprof_report *report), (self, report))

static void source_close(void *self)
{
	enter("close");
	watch.source.close(self);
}

static void sink_close(void *self)
{
	enter("close");
	watch.sink.close(self);
}

/* Runs in the worker's thread when it ends, after worker_close(). */
static void count_worker_descriptors(gpointer before)
{
	int left = root_own_descriptors() - GPOINTER_TO_INT(before);

	if (left > 0)
		fault(WATCH_DESCRIPTORS,
		      "a worker ended with %d more descriptors than it began with; they are closed "
		      "with its descriptor table",
		      left);
}

static GPrivate descriptors_before = G_PRIVATE_INIT(count_worker_descriptors);

static int source_worker_open(void *self, guint32 worker, void **ret_context)
{
	g_private_set(&descriptors_before, GINT_TO_POINTER(root_own_descriptors()));
	if (!watch.source.worker_open)
		return 0;
	enter("worker_open");
	return judge("worker_open", watch.source.worker_open(self, worker, ret_context));
}

static void source_worker_close(void *self, void *context)
{
	if (!watch.source.worker_close)
		return;
	enter("worker_close");
	watch.source.worker_close(self, context);
}

static int source_collect(void *self, void *context, struct ctprof_batch *batch)
{
	enter("collect");
	collecting = batch;
	int result = judge("collect", watch.source.collect(self, context, batch));
	collecting = NULL;
	if (result < 0)
		fault(WATCH_RESULTS, "collect failed: %s",
		      watch.plugin->said ? watch.plugin->said : g_strerror(-result));
	return result;
}

static void wrap_source(struct ctprof_source_ops *ops)
{
	watch.source = *ops;
	ops->open = source_open;
	ops->close = source_close;
	ops->probe = ops->probe ? source_probe : NULL;
	ops->start = ops->start ? source_start : NULL;
	ops->listen = ops->listen ? source_listen : NULL;
	ops->drain = ops->drain ? source_drain : NULL;
	ops->sample = ops->sample ? source_sample : NULL;
	/* Set even if the plugin has none, to count a worker's descriptors. */
	ops->worker_open = source_worker_open;
	ops->worker_close = source_worker_close;
	ops->collect = source_collect;
}

static void wrap_sink(struct ctprof_sink_ops *ops)
{
	watch.sink = *ops;
	ops->open = sink_open;
	ops->close = sink_close;
	ops->begin = ops->begin ? sink_begin : NULL;
	ops->rows = ops->rows ? sink_rows : NULL;
	ops->end = ops->end ? sink_end : NULL;
	ops->report = ops->report ? sink_report : NULL;
	ops->table = ops->table ? sink_table : NULL;
	ops->records = ops->records ? sink_records : NULL;
	ops->finish = ops->finish ? sink_finish : NULL;
}

/* ---- what was seen ---------------------------------------------------------- */

void watch_begin(Plugin *plugin, const Root *root)
{
	watch.plugin = plugin;
	watch.root = root;
	for (guint i = 0; i < N_WATCH_CHECKS; i++)
		watch.faults[i] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	watch.used = g_new0(guint8, plugin->descriptor.n_needs + 1);
	watch.metrics = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	watch.metric_names = g_ptr_array_new_with_free_func(g_free);
	g_snprintf(watch.own_pid, sizeof watch.own_pid, "%d", (int)getpid());
	plugin->overlay = overlay;
	if (plugin->descriptor.kind == CTPROF_KIND_SOURCE)
		wrap_source(&plugin->source);
	else
		wrap_sink(&plugin->sink);
	watch.descriptors = root_own_descriptors();
	watch.threads = root_own_threads();
}

void watch_want_nothing(void)
{
	watch.nothing_wanted = TRUE;
}

guint watch_n_used(void)
{
	guint n = 0;

	for (guint i = 0; i < watch.plugin->descriptor.n_needs; i++)
		n += watch.used[i];
	return n;
}

char *watch_metric_list(void)
{
	GString *list = g_string_new(NULL);

	for (guint i = 0; i < watch.metric_names->len; i++)
		g_string_append_printf(list, "%s%s", i ? "," : "",
				       (const char *)g_ptr_array_index(watch.metric_names, i));
	return g_string_free(list, list->len == 0);
}

static void note_unused_needs(void)
{
	for (guint i = 0; i < watch.plugin->descriptor.n_needs; i++) {
		const struct ctprof_need need = plugin_need(watch.plugin, i);

		if (need.kind == CTPROF_NEED_FILE && need.name && !watch.used[i])
			check_report(CHECK_NOTE, names[WATCH_FILES],
				     "declared but not opened here: '%s'", need.name);
	}
}

static void check_leaks(void)
{
	int descriptors = root_own_descriptors() - watch.descriptors;
	int threads;

	/* A joined thread is still listed for a moment. */
	for (guint i = 0; (threads = root_own_threads() - watch.threads) > 0 && i < 100; i++)
		g_usleep(10000);
	if (descriptors > 0)
		fault(WATCH_DESCRIPTORS, "%d descriptors are still open after close()",
		      descriptors);
	if (threads > 0)
		fault(WATCH_THREADS, "%d threads still run after close()", threads);
}

static void report_check(enum watch_check check)
{
	GHashTableIter iter;
	gpointer sentence;

	g_hash_table_iter_init(&iter, watch.faults[check]);
	while (g_hash_table_iter_next(&iter, &sentence, NULL))
		check_report(CHECK_FAIL, names[check], "%s", (const char *)sentence);
	if (g_hash_table_size(watch.faults[check]) == 0)
		check_report(CHECK_OK, names[check], "%s", "");
}

void watch_end(gboolean unused)
{
	gboolean is_source = watch.plugin->descriptor.kind == CTPROF_KIND_SOURCE;

	if (is_source && watch.plugin->opened && watch.metric_names->len == 0)
		fault(WATCH_METRICS, "open() declared no metrics, so none is ever wanted");
	plugin_close(watch.plugin);
	check_leaks();
	for (guint i = 0; i < N_WATCH_CHECKS; i++)
		if (is_source || (i != WATCH_METRICS && i != WATCH_PUTS && i != WATCH_FILES))
			report_check(i);
	if (unused)
		note_unused_needs();
}
