/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is captured is what is loaded: every type, scope, unit and reason, bit for bit. */
#include <string.h>

#include "../../sinks/snapshot/schema.h"
#include "kit.h"
#include "row/batch.h"

/* Metrics the format has no field for; one for each sort of value. */
static const struct {
	guint32 kind, unit;
} sorts[] = {
	{CTPROF_COUNTER, CTPROF_UNIT_NS},    {CTPROF_LOW, CTPROF_UNIT_NS},
	{CTPROF_LEVEL, CTPROF_UNIT_BYTES},   {CTPROF_GAUGE, CTPROF_UNIT_KIB},
	{CTPROF_ORDINAL, CTPROF_UNIT_NONE},  {CTPROF_CATEGORY, CTPROF_UNIT_TEXT},
	{CTPROF_CATEGORY, CTPROF_UNIT_CHAR}, {CTPROF_CATEGORY, CTPROF_UNIT_BOOL},
	{CTPROF_LABEL, CTPROF_UNIT_TEXT},    {CTPROF_LABEL, CTPROF_UNIT_TICKS},
	{CTPROF_CPUSET, CTPROF_UNIT_CPUS},   {CTPROF_MAP, CTPROF_UNIT_BYTES},
	{CTPROF_MAP, CTPROF_UNIT_TEXT},
};

static const guint32 scopes[] = {CTPROF_SCOPE_THREAD,  CTPROF_SCOPE_PROCESS, CTPROF_SCOPE_MM,
				 CTPROF_SCOPE_CGROUP,  CTPROF_SCOPE_OBJECT,  CTPROF_SCOPE_HOST,
				 CTPROF_SCOPE_CAPTURE, CTPROF_SCOPE_EXIT};

/* Objects that are null when nothing in them is present: one value always is. */
static const char *const always[] = {
	"host.cpu_model",
	"probe_summary.failed",
	"parse_summary.tids_walked",
	"taskstats_summary.ok_count",
	"sched_ext.state",
};

typedef struct trip {
	Kit *kit;
	Registry *registry;
	GStringChunk *names;
	GRand *random;
	Output *output;
	struct ctprof_host table;
	GString *rows[N_ROW_CLASSES]; /* what was written */
	guint64 bad_puts;
} Trip;

static void add_metric(Trip *trip, const struct ctprof_metric *metric)
{
	const char *why;
	guint32 slot;

	g_assert_cmpint(registry_add(trip->registry, "test", metric, &slot, &why), ==, 0);
}

static void add_metrics(Trip *trip)
{
	for (gsize i = 0; i < known_n_metrics; i++)
		add_metric(trip, &known_metrics[i]);
	for (gsize i = 0; i < G_N_ELEMENTS(scopes) * G_N_ELEMENTS(sorts); i++) {
		gsize sort = i / G_N_ELEMENTS(scopes);
		guint32 scope = scopes[i % G_N_ELEMENTS(scopes)];
		g_autofree char *name = g_strdup_printf("x%u.y.s%zu", scope, sort);
		struct ctprof_metric metric = {
			.struct_size = sizeof metric,
			.kind = sorts[sort].kind,
			.unit = sorts[sort].unit,
			.scope = scope,
			/* Some that nobody asked for. */
			.flags = sort % 5 == 4 ? CTPROF_METRIC_ON_DEMAND : 0,
			.name = g_string_chunk_insert(trip->names, name),
			.group = sort % 2 ? "x" : "y",
			.help = "",
			.origin = "",
		};

		add_metric(trip, &metric);
	}
	g_assert_true(registry_seal(trip->registry, NULL, NULL, NULL));
}

static guint below(Trip *trip, guint n)
{
	return (guint)g_rand_int_range(trip->random, 0, (gint32)n);
}

static guint64 any_number(Trip *trip)
{
	static const guint64 edges[] = {
		0,
		1,
		G_MAXUINT64,
		G_MAXUINT64 - 1,
		(guint64)G_MAXINT64 + 1,
		G_MAXUINT32,
		G_MAXINT32,
		9,
		10,
		(guint64)G_MAXUINT32 + 1,
	};

	if (below(trip, 3) == 0)
		return edges[below(trip, G_N_ELEMENTS(edges))];
	return ((guint64)g_rand_int(trip->random) << 32 | g_rand_int(trip->random)) >>
	       below(trip, 64);
}

/* Bytes of any value but NUL; well-formed UTF-8 where that is all the file can hold. */
static gsize any_bytes(Trip *trip, gboolean utf8, char *bytes, gsize max)
{
	static const char *const pieces[] = {"a",
					     "\"",
					     "\\",
					     "\x01",
					     "\n",
					     "\x7f",
					     "\xc3\xa9",
					     "\xf0\x9f\x90\xa7",
					     "\xe2\x80\xa8",
					     "/",
					     "{}",
					     "{"};
	gsize len = below(trip, 12), n = 0;

	while (n + 4 <= max && len-- > 0) {
		const char *piece = pieces[below(trip, G_N_ELEMENTS(pieces))];

		if (!utf8 && below(trip, 3) == 0)
			bytes[n++] = (char)(1 + below(trip, 255));
		else
			n = (gsize)(stpcpy(bytes + n, piece) - bytes);
	}
	return n;
}

static void put_any_map(Trip *trip, struct ctprof_batch *batch, guint64 row, const Metric *metric)
{
	struct ctprof_map_entry entries[6];
	char keys[6][32], texts[6][32];
	guint n = below(trip, 7);

	for (guint i = 0; i < n; i++) {
		gsize len = any_bytes(trip, TRUE, keys[i] + 1, 24);
		gsize text_len = any_bytes(trip, TRUE, texts[i], 24);

		keys[i][0] = (char)('a' + i);
		entries[i] = (struct ctprof_map_entry){
			.key = keys[i], .key_len = (guint32)len + 1, .number = any_number(trip)};
		if (metric->def.unit != CTPROF_UNIT_TEXT)
			continue;
		entries[i].number = 0;
		entries[i].text = texts[i];
		entries[i].text_len = (guint32)text_len;
	}
	trip->table.put_map(batch, row, metric->slot, entries, n);
}

static void put_any_cpus(Trip *trip, struct ctprof_batch *batch, guint64 row, guint32 slot)
{
	guint32 cpus[8], n = 1 + below(trip, 8), cpu = 0;

	for (guint32 i = 0; i < n; i++)
		cpus[i] = cpu += 1 + below(trip, 300);
	trip->table.put_cpuset(batch, row, slot, cpus, n);
}

static guint64 any_u64(Trip *trip, const Metric *metric)
{
	guint64 number = any_number(trip);

	if (metric->def.unit == CTPROF_UNIT_BOOL)
		return number & 1;
	if (metric->def.unit == CTPROF_UNIT_CHAR)
		return 1 + number % 0x7f;
	return metric->def.unit == CTPROF_UNIT_CENTIPERCENT ? number & 0xffff : number;
}

/* rt_priority is the one ordinal whose field has no room below 0. */
static gint64 any_i64(Trip *trip, const Metric *metric)
{
	gint64 number = (gint64)any_number(trip);

	if (metric->def.name[0] == 'x')
		return number;
	if (strcmp(metric->def.name, "rt_priority") == 0)
		return (guint32)number;
	return (gint32)number;
}

static void put_any(Trip *trip, struct ctprof_batch *batch, guint64 row, const Metric *metric)
{
	char bytes[64];

	switch (metric->type) {
	case CTPROF_TYPE_U64:
		trip->table.put_u64(batch, row, metric->slot, any_u64(trip, metric));
		break;
	case CTPROF_TYPE_I64:
		trip->table.put_i64(batch, row, metric->slot, any_i64(trip, metric));
		break;
	case CTPROF_TYPE_TEXT:
		trip->table.put_text(batch, row, metric->slot, bytes,
				     any_bytes(trip, FALSE, bytes, sizeof bytes));
		break;
	case CTPROF_TYPE_CPUS:
		put_any_cpus(trip, batch, row, metric->slot);
		break;
	default:
		put_any_map(trip, batch, row, metric);
	}
}

static gboolean is_always(const Metric *metric)
{
	for (gsize i = 0; i < G_N_ELEMENTS(always); i++)
		if (strcmp(metric->def.name, always[i]) == 0)
			return TRUE;
	return FALSE;
}

static void fill(Trip *trip, struct ctprof_batch *batch, enum row_class class)
{
	const GPtrArray *metrics = registry_row(trip->registry, class);

	for (guint64 row = 0; row < batch->n; row++)
		for (guint m = 0; m < metrics->len; m++) {
			const Metric *metric = g_ptr_array_index(metrics, m);
			const char *group = ctprof_batch_target(batch, row)->group;

			if (group && strcmp(group, metric->def.group) != 0)
				continue;
			if (is_always(metric) || below(trip, 3) > 0)
				put_any(trip, batch, row, metric);
			else
				trip->table.put_absent(batch, row, metric->slot,
						       10 * (1 + below(trip, 6)));
		}
}

/* Bytewise ascending, as a capture gives them. */
static void make_path(Trip *trip, guint i, struct ctprof_target *target)
{
	char path[96];
	int n = g_snprintf(path, sizeof path, "/%03u", i);
	gsize len = (gsize)n + any_bytes(trip, FALSE, path + n, 60);

	target->path = g_string_chunk_insert_len(trip->names, path, (gssize)len);
	target->path_len = (guint32)len;
}

static void write_rows(Trip *trip, enum row_class class, guint n, guint first)
{
	g_autoptr(Batch) batch = batch_new(trip->registry, class);
	struct ctprof_target *targets = batch_targets(batch);
	struct ctprof_rows rows;

	for (guint i = 0; i < n; i++) {
		guint tid = first + i;

		targets[i] =
			(struct ctprof_target){.struct_size = sizeof targets[i], .task_fd = -1};
		if (class == ROW_THREAD) {
			targets[i].tid = (gint32)tid;
			targets[i].tgid = (gint32)(tid - tid % 3);
			targets[i].flags = tid % 3 == 0 ? CTPROF_TARGET_LEADER : 0;
		} else if (class == ROW_CGROUP) {
			make_path(trip, tid, &targets[i]);
		}
	}
	batch_begin(batch, n);
	fill(trip, batch_open(batch, &trip->bad_puts), class);
	batch_view(batch, &rows);
	dump_rows(trip->rows[class], trip->registry, &rows);
	g_assert_true(plugin_rows(kit_sink(trip->kit), &rows, NULL));
}

/* Names of all bytes, some of them twice. */
static void write_objects(Trip *trip, guint n)
{
	g_autoptr(Batch) batch = batch_new(trip->registry, ROW_OBJECT);
	struct ctprof_rows rows;

	batch_own(batch, trip->registry, "test");
	batch_begin(batch, 0);
	struct ctprof_batch *open = batch_open(batch, &trip->bad_puts);
	for (guint i = 0; i < n; i++) {
		char name[64] = {(char)('a' + i % 7)};
		gsize len = 1 + any_bytes(trip, FALSE, name + 1, sizeof name - 1);
		guint64 row;

		g_assert_cmpint(trip->table.object(open, i % 3 ? "x" : "y", name, len, &row), ==,
				0);
	}
	fill(trip, open, ROW_OBJECT);
	batch_view(batch, &rows);
	dump_rows(trip->rows[ROW_OBJECT], trip->registry, &rows);
	g_assert_true(plugin_rows(kit_sink(trip->kit), &rows, NULL));
}

/* Some of a process that nobody knows, some that come again. */
static void write_exits(Trip *trip, guint n)
{
	g_autoptr(Batch) batch = batch_new(trip->registry, ROW_EXIT);
	struct ctprof_rows rows;

	batch_begin(batch, 0);
	struct ctprof_batch *open = batch_open(batch, &trip->bad_puts);
	for (guint i = 0; i < n; i++) {
		gint32 tid = 1 + (gint32)below(trip, 100);
		guint64 row;

		g_assert_cmpint(trip->table.exited(open, tid - tid % 3, tid, &row), ==, 0);
	}
	fill(trip, open, ROW_EXIT);
	batch_view(batch, &rows);
	dump_rows(trip->rows[ROW_EXIT], trip->registry, &rows);
	g_assert_true(plugin_rows(kit_sink(trip->kit), &rows, NULL));
}

static GArray *list_metrics(const Registry *registry)
{
	g_autoptr(GPtrArray) list = registry_list(registry);
	GArray *infos = g_array_new(FALSE, FALSE, sizeof(struct ctprof_metric_info));

	for (guint i = 0; i < list->len; i++) {
		const Metric *metric = g_ptr_array_index(list, i);
		const struct ctprof_metric_info info = {
			.struct_size = sizeof info,
			.index = metric->index,
			.type = metric->type,
			.wanted = metric->wanted ? 1 : 0,
			.metric = &metric->def,
			.plugin = "test",
		};

		if (metric->slot != 0)
			g_array_append_val(infos, info);
	}
	return infos;
}

static void write_snapshot(Trip *trip, guint threads)
{
	g_autoptr(GArray) metrics = list_metrics(trip->registry);
	g_autoptr(GError) error = NULL;
	const struct ctprof_fact options[] = {
		{.struct_size = sizeof options[0], .key = "jobs", .value = "2"},
		{.struct_size = sizeof options[0], .key = "ou\"t", .value = ""},
	};
	const struct ctprof_plugin_report plugins[] = {
		{.struct_size = sizeof plugins[0],
		 .state = CTPROF_STATE_LEFT_OUT,
		 .name = "p",
		 .version = "1",
		 .why = "why"},
	};
	const struct ctprof_capture capture = {
		.struct_size = sizeof capture,
		.realtime_ns = G_MAXUINT64,
		.monotonic_ns = 77,
		.n_metrics = metrics->len,
		.metrics = (const void *)metrics->data,
		.n_options = 2,
		.options = options,
		.version = "0.1.0",
		.kernel = "6.18.0",
	};
	const struct ctprof_capture_end end = {
		.struct_size = sizeof end, .n_plugins = 1, .plugins = plugins};

	trip->output = output_open(kit_path(trip->kit), TRUE, &error);
	g_assert_no_error(error);
	g_assert_true(plugin_begin(kit_sink(trip->kit), trip->output, &capture, NULL));
	write_rows(trip, ROW_HOST, 1, 0);
	for (guint i = 0; i < threads; i += 200)
		write_rows(trip, ROW_THREAD, MIN(threads - i, 200), 3 + i);
	write_exits(trip, 256);
	write_exits(trip, 50);
	write_rows(trip, ROW_CGROUP, 20, 0);
	write_objects(trip, 200);
	write_objects(trip, 90);
	write_rows(trip, ROW_CAPTURE, 1, 0);
	g_assert_true(plugin_end(kit_sink(trip->kit), &end, NULL));
	g_assert_true(output_commit(trip->output, NULL));
}

static void trip_init(Trip *trip, guint32 seed)
{
	*trip = (Trip){.kit = kit_new(), .registry = registry_new()};
	trip->names = g_string_chunk_new(1024);
	trip->random = g_rand_new_with_seed(seed);
	batch_lend(&trip->table);
	for (guint i = 0; i < N_ROW_CLASSES; i++)
		trip->rows[i] = g_string_new(NULL);
	add_metrics(trip);
}

static void trip_clear(Trip *trip)
{
	for (guint i = 0; i < N_ROW_CLASSES; i++)
		g_string_free(trip->rows[i], TRUE);
	output_free(trip->output);
	g_rand_free(trip->random);
	registry_free(trip->registry);
	g_string_chunk_free(trip->names);
	kit_free(trip->kit);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Trip, trip_clear)

static char *take_line(const char **text)
{
	const char *end = strchrnul(*text, '\n');
	char *line = g_strndup(*text, (gsize)(end - *text));

	*text = *end ? end + 1 : end;
	return line;
}

/* The first line that differs, with the row it is in: the whole is too long to look at. */
static void assert_same(const char *written, const char *loaded)
{
	g_autofree char *row = g_strdup("");

	while (*written || *loaded) {
		g_autofree char *a = take_line(&written);
		g_autofree char *b = take_line(&loaded);

		if (strcmp(a, b) != 0)
			g_error("in %s: written '%s', loaded '%s'", row, a, b);
		if (a[0] == ' ')
			continue;
		g_free(row);
		row = g_steal_pointer(&a);
	}
}

/* Enough threads for several batches, and for several windows of the tokenizer. */
static void test_round_trip(gconstpointer data)
{
	g_auto(Trip) trip = {0};
	g_autoptr(GString) written = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	trip_init(&trip, GPOINTER_TO_UINT(data));
	write_snapshot(&trip, 300);
	g_assert_cmpuint(trip.bad_puts, ==, 0);
	for (guint i = 0; i < N_ROW_CLASSES; i++)
		g_string_append(written, trip.rows[i]->str);
	g_autofree char *loaded = kit_load(trip.kit, NULL, &error);
	g_assert_no_error(error);
	assert_same(written->str, loaded);
	g_assert_cmpstr(kit_facts(trip.kit), ==,
			"18446744073709551615 77 0.1.0 6.18.0\njobs=2\nou\"t=\np left_out\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint seed = 1; seed <= 2; seed++) {
		g_autofree char *name = g_strdup_printf("/load/round-trip/%u", seed);

		g_test_add_data_func(name, GUINT_TO_POINTER(seed), test_round_trip);
	}
	return g_test_run();
}
