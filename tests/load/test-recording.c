/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests random histories that are recorded and at the same time captured sample by sample:
 * each sample of the recording equals the capture of that moment, whichever sample was
 * read before it, and wherever the file is cut.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trip.h"

#define N_SAMPLES 140 /* more than two key frames */
#define MAX_ROWS 24
#define MAX_METRICS 512

/* A row of the history: its values are determined by their versions. */
typedef struct life {
	guint id;
	guint nth;        /* of the objects of its name */
	gboolean is_same; /* as in the sample before */
	guint16 versions[MAX_METRICS];
} Life;

typedef struct history {
	Trip *trip;
	Kit *whole;                      /* captures, sample by sample */
	GPtrArray *lives[N_ROW_CLASSES]; /* Life *, in order of id */
	guint64 sample;
	GPtrArray *expected, *facts, *exits; /* char *, of each sample */
	GArray *ends;                        /* goffset: of each frame */
} History;

static gboolean is_alone(enum row_class class)
{
	return class == ROW_HOST || class == ROW_CAPTURE;
}

/* Makes rows appear, disappear or change since the previous sample. */
static void go_on(History *history, enum row_class class)
{
	Trip *trip = history->trip;
	GPtrArray *lives = history->lives[class];
	/* Occasionally, nearly all rows are replaced. */
	guint share = trip_below(trip, 20) == 0 ? 2 : 12;

	for (guint i = lives->len; !is_alone(class) && i > 0; i--)
		if (class == ROW_EXIT || trip_below(trip, share) == 0)
			g_ptr_array_remove_index(lives, i - 1);
	for (guint id = 0; id < (is_alone(class) ? 1 : MAX_ROWS); id++) {
		Life *life = id < lives->len ? g_ptr_array_index(lives, id) : NULL;
		guint changes = trip_below(trip, 3) ? 0 : trip_below(trip, 8);

		if (life)
			life->is_same = changes == 0;
		for (; life && changes > 0; changes--)
			life->versions[trip_below(trip, MAX_METRICS)]++;
	}
	for (guint id = 0, at = 0; id < (is_alone(class) ? 1 : MAX_ROWS); id++, at++) {
		if (at < lives->len && ((Life *)g_ptr_array_index(lives, at))->id == id)
			continue;
		if (history->sample > 1 && trip_below(trip, share) > 0) {
			at--;
			continue;
		}
		Life *life = g_new0(Life, 1);
		life->id = id;
		life->versions[0] = (guint16)trip_below(trip, 1000);
		g_ptr_array_insert(lives, (gint)at, life);
	}
}

static void fill(Trip *trip, GPtrArray *lives, struct ctprof_batch *batch, enum row_class class)
{
	const GPtrArray *metrics = registry_row(trip->registry, class);
	guint64 own = trip->random;

	g_assert_cmpuint(metrics->len, <, MAX_METRICS);
	for (guint64 row = 0; row < batch->n; row++) {
		const Life *life = g_ptr_array_index(lives, row);

		for (guint m = 0; m < metrics->len; m++) {
			const Metric *metric = g_ptr_array_index(metrics, m);
			const char *group = ctprof_batch_target(batch, row)->group;

			if (group && strcmp(group, metric->def.group) != 0)
				continue;
			trip->random = (guint64)life->id << 48 | (guint64)m << 32 |
				       (guint64)life->versions[m] << 16 | life->versions[0];
			if (trip_below(trip, 3) > 0)
				trip_put_any(trip, batch, row, metric);
			else
				trip->table.put_absent(batch, row, metric->slot,
						       10 * (1 + trip_below(trip, 7)));
		}
	}
	trip->random = own;
}

static void add_added(Trip *trip, GPtrArray *lives, struct ctprof_batch *open, enum row_class class)
{
	for (guint i = 0; i < lives->len; i++) {
		const Life *life = g_ptr_array_index(lives, i);
		gint32 tid = (gint32)life->id + 3;
		char name[] = {'a', '\xff', '\0'};
		guint64 row;

		/* Some names are shared by two or three rows, and some contain bytes that are not
		 * text. */
		name[0] = (char)('a' + life->id / 3);
		if (class == ROW_EXIT)
			g_assert_cmpint(trip->table.exited(open, tid - tid % 3, tid, &row), ==, 0);
		else
			g_assert_cmpint(trip->table.object(open, life->id / 3 % 2 ? "x" : "y", name,
							   life->id % 2 ? 1 : 2, &row),
					==, 0);
	}
}

static void set_target(Trip *trip, enum row_class class, guint id, struct ctprof_target *target)
{
	*target = (struct ctprof_target){.struct_size = sizeof *target, .task_fd = -1};
	if (class == ROW_THREAD) {
		target->tid = (gint32)id + 3;
		target->tgid = target->tid - target->tid % 3;
		target->flags = target->tid % 3 == 0 ? CTPROF_TARGET_LEADER : 0;
	} else if (class == ROW_CGROUP) {
		/* Always the same for one ID. */
		guint64 own = trip->random;

		trip->random = id;
		trip_make_path(trip, id, target);
		trip->random = own;
	}
}

/* Passes on threads as a capture does: first the unchanged ones, some of which are not known to be
 * unchanged, and then the others. */
static void record_threads(History *history, const struct ctprof_rows *rows)
{
	Trip *trip = history->trip;
	Plugin *sink = kit_sink(trip->kit);
	g_autoptr(GArray) same = g_array_new(FALSE, FALSE, sizeof(struct ctprof_target));
	gboolean *skipped = g_newa0(gboolean, MAX_ROWS);
	struct ctprof_target unknown = {
		.struct_size = sizeof unknown, .tgid = 999, .tid = 999, .task_fd = -1};

	g_array_append_val(same, unknown);
	for (guint i = 0; i < rows->n; i++) {
		const Life *life = g_ptr_array_index(history->lives[ROW_THREAD], i);

		skipped[i] = life->is_same && trip_below(trip, 4) > 0;
		if (skipped[i])
			g_array_append_val(same, rows->targets[i]);
	}
	for (guint i = 0; i < same->len; i++)
		g_array_index(same, struct ctprof_target, i).flags |= CTPROF_TARGET_SAME;
	const struct ctprof_rows kept = {.struct_size = sizeof kept,
					 .scope = CTPROF_SCOPE_THREAD,
					 .n = same->len,
					 .targets = (const void *)same->data};
	g_assert_true(plugin_rows(sink, &kept, NULL));
	for (guint i = 0; i < rows->n; i++) {
		struct ctprof_rows one = *rows;

		one.n = 1;
		one.targets += i;
		one.values += i * rows->n_slots;
		one.states += i * rows->n_slots;
		g_assert_true(skipped[i] || plugin_rows(sink, &one, NULL));
	}
}

static void write_class(History *history, enum row_class class)
{
	Trip *trip = history->trip;
	GPtrArray *lives = history->lives[class];
	g_autoptr(Batch) batch = batch_new(trip->registry, class);
	gboolean is_added = class == ROW_EXIT || class == ROW_OBJECT;
	struct ctprof_rows rows;

	go_on(history, class);
	for (guint i = 0; i < lives->len && !is_added; i++)
		set_target(trip, class, ((Life *)g_ptr_array_index(lives, i))->id,
			   &batch_targets(batch)[i]);
	if (class == ROW_OBJECT)
		batch_own(batch, trip->registry, "test");
	batch_begin(batch, is_added ? 0 : lives->len);
	struct ctprof_batch *open = batch_open(batch, &trip->bad_puts);
	if (is_added)
		add_added(trip, lives, open, class);
	fill(trip, lives, open, class);
	batch_view(batch, &rows);
	if (rows.n == 0)
		return;
	if (class == ROW_THREAD)
		record_threads(history, &rows);
	else
		g_assert_true(plugin_rows(kit_sink(trip->kit), &rows, NULL));
	g_assert_true(plugin_rows(kit_sink(history->whole), &rows, NULL));
}

#define N_MARKS 3

static void begin_sample(History *history, const GArray *metrics, Output *whole)
{
	Trip *trip = history->trip;
	const struct ctprof_fact options[] = {
		{.struct_size = sizeof options[0], .key = "jobs", .value = "2"},
	};
	/* Two marks have the same name, and most samples have no mark. */
	static const char *const names[N_MARKS] = {"load \"on\"", "off", "off"};
	struct ctprof_fact marks[N_MARKS];
	char moments[N_MARKS][24];
	struct ctprof_capture capture = {
		.struct_size = sizeof capture,
		.realtime_ns = 1700000000000000000u + history->sample * 999999999u,
		.monotonic_ns = history->sample * 1000,
		.n_metrics = metrics->len,
		.metrics = (const void *)metrics->data,
		.n_options = G_N_ELEMENTS(options),
		.options = options,
		.version = "0.1.0",
		.kernel = "6.18.0",
		.note = history->sample % 7 == 0 ? "slept" : NULL,
		.n_marks = history->sample % 5 == 0 ? N_MARKS : 0,
		.marks = marks,
	};

	for (guint i = 0; i < N_MARKS; i++) {
		g_snprintf(moments[i], sizeof moments[i], "%" G_GUINT64_FORMAT,
			   1700000000000000000u + history->sample * N_MARKS + i);
		marks[i] = (struct ctprof_fact){
			.struct_size = sizeof marks[i], .key = moments[i], .value = names[i]};
	}
	g_assert_true(plugin_begin(kit_sink(history->whole), whole, &capture, NULL));
	capture.sample = history->sample;
	g_assert_true(plugin_begin(kit_sink(trip->kit), trip->output, &capture, NULL));
}

static void end_sample(History *history)
{
	Trip *trip = history->trip;
	const struct ctprof_plugin_report plugins[] = {
		{.struct_size = sizeof plugins[0],
		 .state = trip_below(trip, 9) ? CTPROF_STATE_LIVE : CTPROF_STATE_FAILED,
		 .name = "p",
		 .version = "1"},
	};
	const struct ctprof_capture_end end = {
		.struct_size = sizeof end, .n_plugins = 1, .plugins = plugins};
	goffset at;

	g_assert_true(plugin_end(kit_sink(history->whole), &end, NULL));
	g_assert_true(plugin_end(kit_sink(trip->kit), &end, NULL));
	at = (goffset)output_bytes(trip->output);
	g_array_append_val(history->ends, at);
}

static char *exits_of(const char *dump)
{
	const char *first = strstr(dump, "exit ");
	const char *end = first ? strstr(first, "\ncgroup ") : NULL;

	return first ? g_strndup(first, end ? (gsize)(end + 1 - first) : strlen(first))
		     : g_strdup("");
}

static void take_sample(History *history, const GArray *metrics)
{
	static const enum row_class order[] = {ROW_HOST,   ROW_THREAD, ROW_EXIT,
					       ROW_CGROUP, ROW_OBJECT, ROW_CAPTURE};
	g_autoptr(GError) error = NULL;
	g_autoptr(Output) whole = output_open(kit_path(history->whole), TRUE, &error);

	g_assert_no_error(error);
	history->sample++;
	begin_sample(history, metrics, whole);
	for (guint i = 0; i < G_N_ELEMENTS(order); i++)
		write_class(history, order[i]);
	end_sample(history);
	g_assert_true(output_commit(whole, NULL));
	char *dump = kit_load(history->whole, NULL, &error);
	g_assert_no_error(error);
	g_ptr_array_add(history->expected, dump);
	g_ptr_array_add(history->facts, g_strdup(kit_facts(history->whole)));
	g_ptr_array_add(history->exits, exits_of(dump));
	/* A single document holds one capture. */
	kit_reopen(history->whole);
}

static void history_init(History *history, Trip *trip, guint32 seed)
{
	*history = (History){.trip = trip, .whole = kit_new()};
	trip_init(trip, seed);
	for (guint i = 0; i < N_ROW_CLASSES; i++)
		history->lives[i] = g_ptr_array_new_with_free_func(g_free);
	history->expected = g_ptr_array_new_with_free_func(g_free);
	history->facts = g_ptr_array_new_with_free_func(g_free);
	history->exits = g_ptr_array_new_with_free_func(g_free);
	history->ends = g_array_new(FALSE, FALSE, sizeof(goffset));
}

static void history_clear(History *history)
{
	for (guint i = 0; i < N_ROW_CLASSES; i++)
		g_ptr_array_unref(history->lives[i]);
	g_ptr_array_unref(history->expected);
	g_ptr_array_unref(history->facts);
	g_ptr_array_unref(history->exits);
	g_array_unref(history->ends);
	kit_free(history->whole);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(History, history_clear)

static void record(History *history)
{
	Trip *trip = history->trip;
	g_autoptr(GArray) metrics = trip_list_metrics(trip->registry);
	g_autoptr(GError) error = NULL;

	trip->output = output_open(kit_path(trip->kit), TRUE, &error);
	g_assert_no_error(error);
	for (guint i = 0; i < N_SAMPLES; i++)
		take_sample(history, metrics);
	g_assert_true(plugin_finish(kit_sink(trip->kit), &error));
	g_assert_no_error(error);
	g_assert_true(output_commit(trip->output, NULL));
	g_assert_cmpuint(trip->bad_puts, ==, 0);
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
	const char *x = a, *y = b;
	gsize n = strcspn(x, "\n"), m = strcspn(y, "\n");
	int order = memcmp(x, y, MIN(n, m));

	return order ? order : (n > m) - (n < m);
}

/* Sorts rows by their subjects, as objects come in the order in which they were first seen.
 * Objects of one name keep their order. */
static char *sort_rows(const char *dump)
{
	const char *limit = dump + strlen(dump);
	GString *sorted = g_string_new(NULL);
	GList *rows = NULL;

	for (const char *row = dump; *row;) {
		const char *end = row;

		do
			end = (const char *)memchr(end, '\n', (gsize)(limit - end)) + 1;
		while (*end == ' ');
		rows = g_list_prepend(rows, g_strndup(row, (gsize)(end - row)));
		row = end;
	}
	rows = g_list_sort(g_list_reverse(rows), compare_rows);
	for (GList *row = rows; row; row = row->next)
		g_string_append(sorted, row->data);
	g_list_free_full(rows, g_free);
	return g_string_free(sorted, FALSE);
}

static void check_sample(History *history, Recording *recording, guint sample)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *dump = kit_load_sample(history->trip->kit, recording, sample, 1, &error);

	g_assert_no_error(error);
	g_autofree char *expected = sort_rows(g_ptr_array_index(history->expected, sample));
	g_autofree char *loaded = sort_rows(dump);
	trip_assert_same(expected, loaded);
	g_assert_cmpstr(kit_facts(history->trip->kit), ==,
			g_ptr_array_index(history->facts, sample));
}

/* Marks come last. */
static const char *marks_of(const char *facts)
{
	const char *first = strstr(facts, "mark ");

	return first ? first : "";
}

/* Exits and marks of several samples come one sample after the other. */
static void check_exits(History *history, Recording *recording, guint first, guint last)
{
	g_autoptr(GString) expected = g_string_new(NULL), marks = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	g_autofree char *dump =
		kit_load_sample(history->trip->kit, recording, last, last - first + 1, &error);
	g_autofree char *exits = dump ? exits_of(dump) : NULL;

	g_assert_no_error(error);
	for (guint i = first; i <= last; i++)
		g_string_append(expected, g_ptr_array_index(history->exits, i));
	trip_assert_same(expected->str, exits);
	for (guint i = first; i <= last; i++)
		g_string_append(marks, marks_of(g_ptr_array_index(history->facts, i)));
	g_assert_cmpstr(marks_of(kit_facts(history->trip->kit)), ==, marks->str);
}

static void test_history(gconstpointer data)
{
	g_auto(Trip) trip = {0};
	g_auto(History) history = {0};
	g_autoptr(GError) error = NULL;

	history_init(&history, &trip, GPOINTER_TO_UINT(data));
	record(&history);
	g_autoptr(Recording) recording =
		recording_open(kit_sink(trip.kit), kit_path(trip.kit), &error);
	g_assert_no_error(error);
	g_assert_cmpuint(recording_n_samples(recording), ==, N_SAMPLES);
	g_assert_null(recording_damage(recording));
	for (guint i = 0; i < N_SAMPLES; i++) {
		gint64 ms = (gint64)(i + 1) * 999999999 / 1000000;

		g_assert_cmpint((gint64)(recording_time(recording, i) / 1000000 - 1700000000000),
				<=, ms + 1);
		g_assert_cmpint((gint64)(recording_time(recording, i) / 1000000 - 1700000000000),
				>=, ms - 1);
		check_sample(&history, recording, i);
	}
	for (guint i = 0; i < 12; i++) {
		guint first = trip_below(&trip, N_SAMPLES);

		check_sample(&history, recording, trip_below(&trip, N_SAMPLES));
		check_exits(&history, recording, first,
			    first + trip_below(&trip, N_SAMPLES - first));
	}
}

/* All whole samples of the remaining file can be read, and no others. */
static void check_cut(History *history, goffset size)
{
	Trip *trip = history->trip;
	g_autoptr(GError) error = NULL;
	guint whole = 0;

	g_assert_cmpint(truncate(kit_path(trip->kit), size), ==, 0);
	while (whole < N_SAMPLES && g_array_index(history->ends, goffset, whole) <= size)
		whole++;
	g_autoptr(Recording) recording =
		recording_open(kit_sink(trip->kit), kit_path(trip->kit), &error);
	if (whole == 0) {
		g_autofree char *dump =
			recording ? kit_load_sample(trip->kit, recording, 0, 1, &error) : NULL;

		g_assert_null(dump);
		g_assert_nonnull(error);
		return;
	}
	g_assert_no_error(error);
	g_assert_cmpuint(recording_n_samples(recording), ==, whole);
	/* A single sample is a snapshot. */
	if (whole > 1 || size > g_array_index(history->ends, goffset, 0))
		g_assert_nonnull(recording_damage(recording));
	check_sample(history, recording, whole - 1);
	check_sample(history, recording, trip_below(trip, whole));
}

static void test_cuts(void)
{
	g_auto(Trip) trip = {0};
	g_auto(History) history = {0};
	struct stat st;

	history_init(&history, &trip, 11);
	record(&history);
	g_assert_cmpint(g_stat(kit_path(trip.kit), &st), ==, 0);
	/* Cuts first in the table at the end, then anywhere, and where frames end. */
	for (goffset size = st.st_size - 1; size > 0;) {
		check_cut(&history, size);
		if (trip_below(&trip, 3) == 0) {
			guint i = 0;

			while (i < N_SAMPLES && g_array_index(history.ends, goffset, i) < size)
				i++;
			size = i > 0 ? g_array_index(history.ends, goffset, i - 1) : 0;
			continue;
		}
		size -= MIN(size, 1 + (goffset)trip_below(&trip, (guint)(st.st_size / 8)));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint seed = 1; seed <= 2; seed++) {
		g_autofree char *name = g_strdup_printf("/load/recording/history/%u", seed);

		g_test_add_data_func(name, GUINT_TO_POINTER(seed), test_history);
	}
	g_test_add_func("/load/recording/cuts", test_cuts);
	return g_test_run();
}
