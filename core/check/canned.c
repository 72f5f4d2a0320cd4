/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "canned.h"

#include <string.h>
#include <unistd.h>

#include "child.h"
#include "ctprof/histogram.h"
#include "row/absence.h"

#define MAX_CGROUP_BYTES 8192
#define N_EXITS 3
#define EXITED_TGID 4000

static Plugin *make(guint32 kind, guint32 thread_model, const char *name, const void *ops)
{
	const struct ctprof_plugin descriptor = {
		.struct_size = sizeof descriptor,
		.abi_major = CTPROF_ABI_MAJOR,
		.abi_minor = CTPROF_ABI_MINOR,
		.kind = kind,
		.thread_model = thread_model,
		.cost = CTPROF_COST_CHEAP,
		.name = name,
		.version = CTPROF_VERSION,
		.summary = "Fed or counted by plugin-check",
		.ops = ops,
	};

	return plugin_new(g_strdup(""), NULL, &descriptor);
}

static void close_nothing(void *self)
{
	(void)self;
}

/* ---- the source --------------------------------------------------------------- */

#define DEFINE(kind_, unit_, scope_, name_, ...)                                                   \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_metric), .kind = CTPROF_##kind_,               \
		.unit = CTPROF_UNIT_##unit_, .scope = CTPROF_SCOPE_##scope_, .name = name_,        \
		.group = "canned", .help = "made up", .origin = "nowhere", __VA_ARGS__             \
	}

static const struct ctprof_metric definitions[] = {
	DEFINE(COUNTER, NS, THREAD, "canned_counter"),
	DEFINE(LEVEL, BYTES, PROCESS, "canned_level"),
	DEFINE(PEAK, US, THREAD, "canned_peak"),
	DEFINE(LOW, NS, THREAD, "canned_low"),
	DEFINE(GAUGE, CENTIPERCENT, THREAD, "canned_gauge"),
	DEFINE(ORDINAL, NONE, THREAD, "canned_ordinal"),
	DEFINE(CATEGORY, TEXT, THREAD, "canned_text"),
	DEFINE(CATEGORY, CHAR, THREAD, "canned_char"),
	DEFINE(CATEGORY, BOOL, THREAD, "canned_bool"),
	DEFINE(CPUSET, CPUS, THREAD, "canned_cpus"),
	DEFINE(MAP, KIB, MM, "canned_map"),
	DEFINE(HISTOGRAM, NS, THREAD, "canned_histogram", .buckets = CTPROF_BUCKETS_QUARTERS),
	DEFINE(COUNTER, TICKS, HOST, "canned.host"),
	DEFINE(GAUGE, BYTES, CGROUP, "canned.cgroup"),
	DEFINE(COUNTER, NONE, CAPTURE, "canned.capture"),
	DEFINE(COUNTER, NS, EXIT, "canned_counter"),
	DEFINE(LABEL, TEXT, EXIT, "canned_text"),
};

static struct {
	const struct ctprof_host *host;
	guint32 slots[G_N_ELEMENTS(definitions)];
	guint32 cgroup; /* 0: another source has declared it differently */
	gboolean every_kind;
	guint exits; /* still to be added */
} source;

static int source_open(const struct ctprof_host *host, void **ret_self)
{
	/* Declared as in procfs, so that both share it. */
	static const struct ctprof_metric cgroup = {
		.struct_size = sizeof cgroup,
		.kind = CTPROF_LABEL,
		.unit = CTPROF_UNIT_TEXT,
		.scope = CTPROF_SCOPE_THREAD,
		.name = "cgroup",
		.group = "identity",
		.help = "cgroup",
		.origin = "cgroup",
	};
	guint32 slot;

	source.host = host;
	*ret_self = &source;
	if (host->metric(host, &cgroup, &slot) >= 0)
		source.cgroup = slot;
	for (guint i = 0; source.every_kind && i < G_N_ELEMENTS(definitions); i++) {
		int result = host->metric(host, &definitions[i], &source.slots[i]);

		if (result < 0)
			return result;
	}
	return 0;
}

/* Puts the path of the unified hierarchy: the line "0::PATH". */
static void put_cgroup(struct ctprof_batch *batch, guint64 row)
{
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	g_autofree char *path = g_strdup_printf("%d/cgroup", target->tid);
	g_autofree char *text = g_malloc(MAX_CGROUP_BYTES);
	int fd = source.host->open_file(source.host, target->task_fd, path);
	ssize_t got = fd < 0 ? -1 : read(fd, text, MAX_CGROUP_BYTES - 1);

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return;
	text[got] = '\0';
	const char *line = g_str_has_prefix(text, "0::") ? text : strstr(text, "\n0::");
	const char *from = line ? strchr(line, '/') : NULL;
	if (from)
		source.host->put_text(batch, row, source.cgroup, from, strcspn(from, "\n"));
}

static void put_canned(struct ctprof_batch *batch, guint64 row, guint i)
{
	static const guint32 cpus[] = {0, 1, 3};
	static const guint64 counts[CTPROF_BUCKETS] = {3, [40] = 1, [CTPROF_BUCKETS - 1] = 2};
	static const struct ctprof_map_entry entries[] = {
		{.key = "b\"\\", .key_len = 3, .number = 7},
		{.key = "a\xff", .key_len = 2, .number = G_MAXUINT64},
	};
	const struct ctprof_host *host = source.host;
	guint32 slot = source.slots[i];

	switch (definitions[i].kind) {
	case CTPROF_ORDINAL:
		host->put_i64(batch, row, slot, -20 + (gint64)row);
		break;
	case CTPROF_CPUSET:
		host->put_cpuset(batch, row, slot, cpus, G_N_ELEMENTS(cpus));
		break;
	case CTPROF_MAP:
		host->put_map(batch, row, slot, entries, G_N_ELEMENTS(entries));
		break;
	case CTPROF_HISTOGRAM:
		host->put_histogram(batch, row, slot, counts, G_N_ELEMENTS(counts));
		break;
	default:
		if (definitions[i].unit == CTPROF_UNIT_TEXT)
			host->put_text(batch, row, slot, "odd \"\\\n\x1b[31m\xff name", 17);
		else
			host->put_u64(batch, row, slot,
				      definitions[i].unit == CTPROF_UNIT_CHAR ? 'R'
				      : definitions[i].unit == CTPROF_UNIT_BOOL
					      ? 1
					      : G_MAXUINT64 - row);
	}
}

static int source_listen(void *self)
{
	(void)self;
	source.exits = N_EXITS;
	return 0;
}

static int source_drain(void *self)
{
	(void)self;
	return 0;
}

static int source_collect(void *self, void *context, struct ctprof_batch *batch)
{
	enum row_class class = registry_row_of_scope(batch->scope);
	guint64 added;

	(void)self;
	(void)context;
	for (; class == ROW_EXIT && source.exits > 0; source.exits--)
		if (source.host->exited(batch, EXITED_TGID, EXITED_TGID + (gint32)source.exits,
					&added) < 0)
			break;
	for (guint64 row = 0; row < batch->n; row++) {
		if (source.cgroup && class == ROW_THREAD)
			put_cgroup(batch, row);
		/* The last row of threads has every slot absent. */
		for (guint i = 0; source.every_kind && i < G_N_ELEMENTS(definitions); i++)
			if (registry_row_of_scope(definitions[i].scope) == class &&
			    (class != ROW_THREAD || row + 1 < batch->n))
				put_canned(batch, row, i);
	}
	return 0;
}

Plugin *canned_source(gboolean every_kind)
{
	static const struct ctprof_source_ops ops = {
		.struct_size = sizeof ops,
		.open = source_open,
		.close = close_nothing,
		.collect = source_collect,
		.listen = source_listen,
		.drain = source_drain,
	};

	source.every_kind = every_kind;
	return make(CTPROF_KIND_SOURCE, CTPROF_THREADS_PER_WORKER, "plugin-check", &ops);
}

/* ---- the sink ------------------------------------------------------------------ */

struct counted {
	const char *name;
	enum row_class row;
	guint32 index;
	guint64 present;
	guint32 why; /* enum ctprof_absence: one of the reasons that occurred */
};

static struct {
	const char *plugin;
	GArray *metrics; /* struct counted */
} sink;

static int sink_open(const struct ctprof_host *host, void **ret_self)
{
	(void)host;
	*ret_self = &sink;
	return 0;
}

static int sink_begin(void *self, const struct ctprof_capture *capture)
{
	(void)self;
	sink.metrics = g_array_new(FALSE, FALSE, sizeof(struct counted));
	for (guint64 i = 0; i < capture->n_metrics; i++) {
		const struct ctprof_metric_info *info = &capture->metrics[i];
		struct counted counted = {
			.name = info->metric->name,
			.row = registry_row_of_scope(info->metric->scope),
			.index = info->index,
		};

		if (strcmp(info->plugin, sink.plugin) == 0)
			g_array_append_val(sink.metrics, counted);
	}
	return 0;
}

static void count(struct counted *metric, const struct ctprof_rows *rows)
{
	for (guint64 i = 0; i < rows->n; i++) {
		guint8 state = rows->states[i * rows->n_slots + metric->index];

		if (state == CTPROF_PRESENT)
			metric->present++;
		else if (absence_is_failure(state))
			metric->why = state;
	}
}

static int sink_rows(void *self, const struct ctprof_rows *rows)
{
	(void)self;
	for (guint i = 0; i < sink.metrics->len; i++) {
		struct counted *metric = &g_array_index(sink.metrics, struct counted, i);

		if (metric->row == registry_row_of_scope(rows->scope))
			count(metric, rows);
	}
	return 0;
}

static int sink_end(void *self, const struct ctprof_capture_end *end)
{
	(void)self;
	(void)end;
	return 0;
}

Plugin *canned_sink(const char *plugin)
{
	static const struct ctprof_sink_ops ops = {
		.struct_size = sizeof ops,
		.open = sink_open,
		.close = close_nothing,
		.begin = sink_begin,
		.rows = sink_rows,
		.end = sink_end,
	};

	sink.plugin = plugin;
	return make(CTPROF_KIND_SINK, CTPROF_THREADS_SERIAL, "plugin-check-sink", &ops);
}

/* Lists the metrics without a value, for that reason. */
static char *list_absent(guint32 why)
{
	GString *list = g_string_new(NULL);

	for (guint i = 0; i < sink.metrics->len; i++) {
		const struct counted *metric = &g_array_index(sink.metrics, struct counted, i);

		if (metric->present == 0 && metric->why == why)
			g_string_append_printf(list, " %s", metric->name);
	}
	return g_string_free(list, FALSE);
}

void canned_sink_report(void)
{
	guint with = 0;

	if (!sink.metrics)
		return;
	for (guint i = 0; i < sink.metrics->len; i++)
		with += g_array_index(sink.metrics, struct counted, i).present > 0;
	check_report(CHECK_OK, "values", "%u of %u metrics have values", with, sink.metrics->len);
	for (guint32 why = 0; why < CTPROF_ABSENT_SKIPPED; why += 10) {
		g_autofree char *list = list_absent(why);

		if (list[0])
			check_report(CHECK_NOTE, "values", "none here (%s):%s",
				     why ? absence_word(why) : "no such row", list);
	}
}
