/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that a loaded snapshot equals the capture: every type, scope, unit and reason, bit for
 * bit. */
#include <string.h>

#include "trip.h"

/* Objects that would be null without any present value: one value is always present. */
static const char *const always[] = {
	"host.cpu_model",
	"probe_summary.failed",
	"parse_summary.tids_walked",
	"taskstats_summary.ok_count",
	"sched_ext.state",
};

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
			if (is_always(metric) || trip_below(trip, 3) > 0)
				trip_put_any(trip, batch, row, metric);
			else
				trip->table.put_absent(batch, row, metric->slot,
						       10 * (1 + trip_below(trip, 6)));
		}
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
			trip_make_path(trip, tid, &targets[i]);
		}
	}
	batch_begin(batch, n);
	fill(trip, batch_open(batch, &trip->bad_puts), class);
	batch_view(batch, &rows);
	dump_rows(trip->rows[class], trip->registry, &rows);
	g_assert_true(plugin_rows(kit_sink(trip->kit), &rows, NULL));
}

/* Names with all possible bytes, some of them used twice. */
static void write_objects(Trip *trip, guint n)
{
	g_autoptr(Batch) batch = batch_new(trip->registry, ROW_OBJECT);
	struct ctprof_rows rows;

	batch_own(batch, trip->registry, "test");
	batch_begin(batch, 0);
	struct ctprof_batch *open = batch_open(batch, &trip->bad_puts);
	for (guint i = 0; i < n; i++) {
		char name[64] = {(char)('a' + i % 7)};
		gsize len = 1 + trip_any_bytes(trip, FALSE, name + 1, sizeof name - 1);
		guint64 row;

		g_assert_cmpint(trip->table.object(open, i % 3 ? "x" : "y", name, len, &row), ==,
				0);
	}
	fill(trip, open, ROW_OBJECT);
	batch_view(batch, &rows);
	dump_rows(trip->rows[ROW_OBJECT], trip->registry, &rows);
	g_assert_true(plugin_rows(kit_sink(trip->kit), &rows, NULL));
}

/* Some are of an unknown process, some occur again. */
static void write_exits(Trip *trip, guint n)
{
	g_autoptr(Batch) batch = batch_new(trip->registry, ROW_EXIT);
	struct ctprof_rows rows;

	batch_begin(batch, 0);
	struct ctprof_batch *open = batch_open(batch, &trip->bad_puts);
	for (guint i = 0; i < n; i++) {
		gint32 tid = 1 + (gint32)trip_below(trip, 100);
		guint64 row;

		g_assert_cmpint(trip->table.exited(open, tid - tid % 3, tid, &row), ==, 0);
	}
	fill(trip, open, ROW_EXIT);
	batch_view(batch, &rows);
	dump_rows(trip->rows[ROW_EXIT], trip->registry, &rows);
	g_assert_true(plugin_rows(kit_sink(trip->kit), &rows, NULL));
}

static void write_snapshot(Trip *trip, guint threads)
{
	g_autoptr(GArray) metrics = trip_list_metrics(trip->registry);
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
	trip_assert_same(written->str, loaded);
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
