/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sample.h"

#include <string.h>

#define T CTPROF_SCOPE_THREAD
#define P CTPROF_SCOPE_PROCESS
#define C CTPROF_SCOPE_CGROUP
#define H CTPROF_SCOPE_HOST
#define E CTPROF_SCOPE_EXIT
#define QUIET CTPROF_METRIC_QUIET
#define FIRST_RANK 2

static const struct sample_def {
	const char *name;
	guint32 kind, unit, scope;
	const char *group, *tag, *gates;
	guint32 flags;
} defs[] = {
	{"policy", CTPROF_CATEGORY, CTPROF_UNIT_TEXT, T, "sched", NULL, NULL, 0},
	{"nice", CTPROF_ORDINAL, CTPROF_UNIT_NONE, T, "sched", NULL, NULL, 0},
	{"cpu_affinity", CTPROF_CPUSET, CTPROF_UNIT_CPUS, T, "sched", NULL, NULL, 0},
	{"state", CTPROF_CATEGORY, CTPROF_UNIT_CHAR, T, "sched", NULL, NULL, 0},
	{"ext_enabled", CTPROF_CATEGORY, CTPROF_UNIT_BOOL, T, "sched", NULL, "SCHED_CLASS_EXT", 0},
	{"nr_threads", CTPROF_GAUGE, CTPROF_UNIT_NONE, P, "sched", NULL, NULL, 0},
	{"run_time_ns", CTPROF_COUNTER, CTPROF_UNIT_NS, T, "sched", NULL, "SCHED_INFO", 0},
	{"wait_time_ns", CTPROF_COUNTER, CTPROF_UNIT_NS, T, "sched", NULL, "SCHED_INFO", 0},
	{"timeslices", CTPROF_COUNTER, CTPROF_UNIT_NONE, T, "sched", NULL, "SCHED_INFO", 0},
	{"nr_wakeups_affine", CTPROF_COUNTER, CTPROF_UNIT_NONE, T, "sched", "cfs-only",
	 "SCHEDSTATS", 0},
	{"nr_wakeups_affine_attempts", CTPROF_COUNTER, CTPROF_UNIT_NONE, T, "sched", "cfs-only",
	 "SCHEDSTATS", 0},
	{"wait_sum", CTPROF_COUNTER, CTPROF_UNIT_NS, T, "sched", "non-ext", "SCHEDSTATS", 0},
	{"wait_count", CTPROF_COUNTER, CTPROF_UNIT_NONE, T, "sched", "non-ext", "SCHEDSTATS", 0},
	{"wait_max", CTPROF_PEAK, CTPROF_UNIT_NS, T, "sched", "non-ext", "SCHEDSTATS", 0},
	{"core_forceidle_sum", CTPROF_COUNTER, CTPROF_UNIT_NS, T, "sched", NULL,
	 "SCHED_CORE SCHEDSTATS", 0},
	{"fair_slice_ns", CTPROF_GAUGE, CTPROF_UNIT_NS, T, "sched", "fair-policy", NULL, 0},
	{"utime_clock_ticks", CTPROF_COUNTER, CTPROF_UNIT_TICKS, T, "sched", NULL, NULL, 0},
	{"rchar", CTPROF_COUNTER, CTPROF_UNIT_BYTES, T, "io", NULL, NULL, 0},
	{"read_bytes", CTPROF_COUNTER, CTPROF_UNIT_BYTES, T, "io", NULL, NULL, 0},
	{"allocated_bytes", CTPROF_COUNTER, CTPROF_UNIT_BYTES, T, "jemalloc", NULL, NULL, 0},
	{"deallocated_bytes", CTPROF_COUNTER, CTPROF_UNIT_BYTES, T, "jemalloc", NULL, NULL, 0},
	{"cpu_delay_count", CTPROF_COUNTER, CTPROF_UNIT_NONE, T, "delay", NULL, NULL, 0},
	{"cpu_delay_total_ns", CTPROF_COUNTER, CTPROF_UNIT_NS, T, "delay", NULL, NULL, 0},
	{"cpu_delay_min_ns", CTPROF_LOW, CTPROF_UNIT_NS, T, "delay", NULL, NULL, 0},
	{"hiwater_rss_bytes", CTPROF_PEAK, CTPROF_UNIT_BYTES, T, "delay", NULL, NULL, 0},
	{"pcomm", CTPROF_LABEL, CTPROF_UNIT_TEXT, T, "identity", NULL, NULL, 0},
	{"comm", CTPROF_LABEL, CTPROF_UNIT_TEXT, T, "identity", NULL, NULL, 0},
	{"cgroup", CTPROF_LABEL, CTPROF_UNIT_TEXT, T, "identity", NULL, NULL, 0},
	{"start_time_clock_ticks", CTPROF_LABEL, CTPROF_UNIT_TICKS, T, "identity", NULL, NULL, 0},
	{"smaps_rollup_kib", CTPROF_MAP, CTPROF_UNIT_KIB, P, "smaps", NULL, NULL, 0},
	{"cpu.usage_usec", CTPROF_COUNTER, CTPROF_UNIT_US, C, "cgroup", NULL, NULL, 0},
	{"cpu.nr_throttled", CTPROF_COUNTER, CTPROF_UNIT_NONE, C, "cgroup", NULL, NULL, 0},
	{"cpu.throttled_usec", CTPROF_COUNTER, CTPROF_UNIT_US, C, "cgroup", NULL, NULL, 0},
	{"memory.current", CTPROF_GAUGE, CTPROF_UNIT_BYTES, C, "cgroup", NULL, NULL, 0},
	{"cpu.max_quota_us", CTPROF_GAUGE, CTPROF_UNIT_US, C, "cgroup", NULL, NULL,
	 CTPROF_METRIC_UNLIMITED},
	{"cpu.max_period_us", CTPROF_GAUGE, CTPROF_UNIT_US, C, "cgroup", NULL, NULL, 0},
	{"cpu.weight", CTPROF_GAUGE, CTPROF_UNIT_NONE, C, "cgroup", NULL, NULL, 0},
	{"memory.max", CTPROF_GAUGE, CTPROF_UNIT_BYTES, C, "cgroup", NULL, NULL,
	 CTPROF_METRIC_UNLIMITED},
	{"memory.high", CTPROF_GAUGE, CTPROF_UNIT_BYTES, C, "cgroup", NULL, NULL,
	 CTPROF_METRIC_UNLIMITED},
	{"pids.current", CTPROF_COUNTER, CTPROF_UNIT_NONE, C, "cgroup", NULL, NULL, 0},
	{"pids.max", CTPROF_GAUGE, CTPROF_UNIT_NONE, C, "cgroup", NULL, NULL,
	 CTPROF_METRIC_UNLIMITED},
	{"memory.stat", CTPROF_MAP, CTPROF_UNIT_NONE, C, "cgroup", NULL, NULL, 0},
	{"memory.events", CTPROF_MAP, CTPROF_UNIT_NONE, C, "cgroup", NULL, NULL, 0},
	{"psi.cpu.some.avg10", CTPROF_GAUGE, CTPROF_UNIT_CENTIPERCENT, C, "cgroup", NULL, NULL, 0},
	{"psi.cpu.some.total_usec", CTPROF_COUNTER, CTPROF_UNIT_US, C, "cgroup", NULL, NULL, 0},
	{"psi.io.full.avg10", CTPROF_GAUGE, CTPROF_UNIT_CENTIPERCENT, H, "psi", NULL, NULL, 0},
	{"psi.cpu.some.avg10", CTPROF_GAUGE, CTPROF_UNIT_CENTIPERCENT, H, "psi", NULL, NULL, 0},
	{"sched_ext.state", CTPROF_CATEGORY, CTPROF_UNIT_TEXT, H, "scx", NULL, NULL, 0},
	{"sched_ext.enable_seq", CTPROF_COUNTER, CTPROF_UNIT_NONE, H, "scx", NULL, NULL, 0},
	{"process_utime_clock_ticks", CTPROF_COUNTER, CTPROF_UNIT_TICKS, P, "sched", NULL, NULL,
	 QUIET},
	{"process_stime_clock_ticks", CTPROF_COUNTER, CTPROF_UNIT_TICKS, P, "sched", NULL, NULL,
	 QUIET},
	{"cutime_clock_ticks", CTPROF_COUNTER, CTPROF_UNIT_TICKS, P, "sched", NULL, NULL, QUIET},
	{"cstime_clock_ticks", CTPROF_COUNTER, CTPROF_UNIT_TICKS, P, "sched", NULL, NULL, QUIET},
	{"comm", CTPROF_LABEL, CTPROF_UNIT_TEXT, E, "exit", NULL, NULL, 0},
	{"ppid", CTPROF_LABEL, CTPROF_UNIT_NONE, E, "exit", NULL, NULL, 0},
	{"start_time_clock_ticks", CTPROF_LABEL, CTPROF_UNIT_TICKS, E, "exit", NULL, NULL, 0},
	{"run_time_ns", CTPROF_COUNTER, CTPROF_UNIT_NS, E, "exit", NULL, NULL, 0},
	{"utime_us", CTPROF_COUNTER, CTPROF_UNIT_US, E, "exit", NULL, NULL, 0},
	{"stime_us", CTPROF_COUNTER, CTPROF_UNIT_US, E, "exit", NULL, NULL, 0},
	{"final_run_time_ns", CTPROF_COUNTER, CTPROF_UNIT_NS, E, "exit", NULL, NULL, 0},
	{"rchar", CTPROF_COUNTER, CTPROF_UNIT_BYTES, E, "exit", NULL, NULL, 0},
	{"host.kernel_release", CTPROF_LABEL, CTPROF_UNIT_TEXT, H, "host", NULL, NULL, 0},
	{"host.online_cpus", CTPROF_GAUGE, CTPROF_UNIT_NONE, H, "host", NULL, NULL, 0},
	{"host.sched_tunables", CTPROF_MAP, CTPROF_UNIT_TEXT, H, "host", NULL, NULL, 0},
};

/* Rows of one class, as a sink sees them. */
struct sample_rows {
	GArray *targets; /* struct ctprof_target */
	GArray *values;  /* guint64 */
	GArray *states;  /* guint8 */
};

struct sample {
	Registry *registry;
	gboolean sealed;
	GPtrArray *owned; /* names, texts, sets and maps */
	struct sample_rows rows[N_ROW_CLASSES];
	enum row_class current;
};

static void add_def(Sample *sample, const struct sample_def *def, guint32 rank)
{
	struct ctprof_metric metric = {
		.struct_size = sizeof metric,
		.kind = def->kind,
		.unit = def->unit,
		.scope = def->scope,
		.flags = def->flags,
		.rank = rank,
		.name = def->name,
		.group = def->group,
		.tag = def->tag,
		.gates = def->gates,
		.help = "made up",
		.origin = "nowhere",
	};
	const char *why = NULL;
	guint32 slot;

	g_assert_cmpint(registry_add(sample->registry, "sample", &metric, &slot, &why), ==, 0);
}

Sample *sample_new(void)
{
	Sample *sample = g_new0(Sample, 1);

	sample->registry = registry_new();
	sample->owned = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < G_N_ELEMENTS(defs); i++)
		add_def(sample, &defs[i], FIRST_RANK + i);
	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		sample->rows[i].targets = g_array_new(FALSE, TRUE, sizeof(struct ctprof_target));
		sample->rows[i].values = g_array_new(FALSE, TRUE, sizeof(guint64));
		sample->rows[i].states = g_array_new(FALSE, TRUE, sizeof(guint8));
	}
	return sample;
}

void sample_free(Sample *sample)
{
	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		g_array_unref(sample->rows[i].targets);
		g_array_unref(sample->rows[i].values);
		g_array_unref(sample->rows[i].states);
	}
	g_ptr_array_unref(sample->owned);
	registry_free(sample->registry);
	g_free(sample);
}

void sample_metric(Sample *sample, const char *name, guint32 kind, guint32 unit, guint32 scope,
		   const char *group)
{
	sample_limit_metric(sample, name, kind, unit, scope, group, FALSE);
}

void sample_limit_metric(Sample *sample, const char *name, guint32 kind, guint32 unit,
			 guint32 scope, const char *group, gboolean limit)
{
	char *copy = g_strdup(name);
	struct sample_def def = {copy,  kind, unit, scope,
				 group, NULL, NULL, limit ? CTPROF_METRIC_UNLIMITED : 0};

	g_ptr_array_add(sample->owned, copy);
	add_def(sample, &def, 0);
}

void sample_flag(Sample *sample, enum row_class row, const char *name, guint32 flags)
{
	registry_named(sample->registry, row, name)->def.flags |= flags;
}

void sample_seal(Sample *sample)
{
	if (!sample->sealed)
		g_assert_true(registry_seal(sample->registry, NULL, NULL, NULL));
	sample->sealed = TRUE;
}

static void begin_row(Sample *sample, enum row_class row, struct ctprof_target target)
{
	struct sample_rows *rows = &sample->rows[row];

	sample_seal(sample);
	guint n_slots = registry_row(sample->registry, row)->len;
	target.struct_size = sizeof target;
	target.task_fd = -1;
	g_array_append_val(rows->targets, target);
	g_array_set_size(rows->values, rows->targets->len * n_slots);
	g_array_set_size(rows->states, rows->targets->len * n_slots);
	for (guint i = 0; i < n_slots; i++)
		g_array_index(rows->states, guint8, rows->states->len - 1 - i) =
			CTPROF_ABSENT_UNSUPPORTED;
	sample->current = row;
}

void sample_thread(Sample *sample, gint32 tgid, gint32 tid, const char *pcomm, const char *comm,
		   const char *cgroup)
{
	const char *const labels[][2] = {{"pcomm", pcomm}, {"comm", comm}, {"cgroup", cgroup}};

	begin_row(sample, ROW_THREAD,
		  (struct ctprof_target){.flags = tgid == tid ? CTPROF_TARGET_LEADER : 0,
					 .tgid = tgid,
					 .tid = tid});
	for (guint i = 0; i < G_N_ELEMENTS(labels); i++)
		if (labels[i][1])
			sample_text(sample, labels[i][0], labels[i][1]);
}

void sample_cgroup(Sample *sample, const char *path)
{
	char *copy = g_strdup(path);

	g_ptr_array_add(sample->owned, copy);
	begin_row(sample, ROW_CGROUP,
		  (struct ctprof_target){.path = copy, .path_len = (guint32)strlen(path)});
}

void sample_object(Sample *sample, const char *group, const char *name)
{
	char *copies[] = {g_strdup(group), g_strdup(name)};

	for (guint i = 0; i < G_N_ELEMENTS(copies); i++)
		g_ptr_array_add(sample->owned, copies[i]);
	begin_row(sample, ROW_OBJECT,
		  (struct ctprof_target){.path = copies[1],
					 .path_len = (guint32)strlen(name),
					 .group = copies[0]});
}

void sample_exit(Sample *sample, gint32 tgid, gint32 tid, const char *comm)
{
	begin_row(sample, ROW_EXIT, (struct ctprof_target){.tgid = tgid, .tid = tid});
	sample_text(sample, "comm", comm);
}

void sample_host(Sample *sample)
{
	begin_row(sample, ROW_HOST, (struct ctprof_target){.flags = 0});
}

void sample_capture(Sample *sample)
{
	begin_row(sample, ROW_CAPTURE, (struct ctprof_target){.flags = 0});
}

/* Returns the slot of the metric in the last row. */
static guint find_slot(const Sample *sample, const char *name, const Metric **ret_metric)
{
	const Metric *metric = registry_named(sample->registry, sample->current, name);
	guint n_slots = registry_row(sample->registry, sample->current)->len;

	if (!metric)
		g_error("no metric '%s'", name);
	*ret_metric = metric;
	return (sample->rows[sample->current].targets->len - 1) * n_slots + metric->index;
}

static void put(Sample *sample, const char *name, guint32 type, guint64 bits)
{
	struct sample_rows *rows = &sample->rows[sample->current];
	const Metric *metric;
	guint at = find_slot(sample, name, &metric);

	g_assert_cmpuint(metric->type, ==, type);
	g_array_index(rows->values, guint64, at) = bits;
	g_array_index(rows->states, guint8, at) = CTPROF_PRESENT;
}

void sample_absent(Sample *sample, const char *name, guint8 reason)
{
	const Metric *metric;
	guint at = find_slot(sample, name, &metric);

	g_array_index(sample->rows[sample->current].states, guint8, at) = reason;
}

void sample_u64(Sample *sample, const char *name, guint64 value)
{
	put(sample, name, CTPROF_TYPE_U64, value);
}

void sample_i64(Sample *sample, const char *name, gint64 value)
{
	put(sample, name, CTPROF_TYPE_I64, (guint64)value);
}

static gpointer own(Sample *sample, gsize size)
{
	gpointer memory = g_malloc0(size);

	g_ptr_array_add(sample->owned, memory);
	return memory;
}

void sample_text(Sample *sample, const char *name, const char *text)
{
	gsize len = strlen(text);
	struct ctprof_text *copy = own(sample, sizeof *copy + len);

	copy->length = (guint32)len;
	memcpy((char *)copy + offsetof(struct ctprof_text, bytes), text, len + 1);
	put(sample, name, CTPROF_TYPE_TEXT, (guint64)(uintptr_t)copy);
}

void sample_cpus(Sample *sample, const char *name, const char *cpus)
{
	g_auto(GStrv) words = g_strsplit(cpus, " ", -1);
	guint n = g_strv_length(words);
	struct ctprof_cpus *copy = own(sample, sizeof *copy + n * sizeof copy->cpus[0]);
	guint32 *numbers = (void *)((char *)copy + offsetof(struct ctprof_cpus, cpus));

	copy->n = n;
	for (guint i = 0; i < n; i++)
		numbers[i] = (guint32)g_ascii_strtoull(words[i], NULL, 10);
	put(sample, name, CTPROF_TYPE_CPUS, (guint64)(uintptr_t)copy);
}

static gint compare_words(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void sample_map(Sample *sample, const char *name, const char *text)
{
	sample_map_split(sample, name, text, " ");
}

void sample_map_split(Sample *sample, const char *name, const char *text, const char *between)
{
	g_auto(GStrv) words = g_strsplit(text, between, -1);
	guint n = *text ? g_strv_length(words) : 0;
	struct ctprof_map *map = own(sample, sizeof *map + n * sizeof map->entries[0]);
	struct ctprof_map_entry *entries =
		(void *)((char *)map + offsetof(struct ctprof_map, entries));

	qsort(words, n, sizeof *words, compare_words);
	map->n = n;
	for (guint i = 0; i < n; i++) {
		char *key = own(sample, strlen(words[i]) + 1);
		memcpy(key, words[i], strlen(words[i]));
		char *value = strchr(key, '=');
		g_assert_nonnull(value);
		*value++ = '\0';
		entries[i].key = key;
		entries[i].key_len = (guint32)strlen(key);
		entries[i].number = g_ascii_strtoull(value, NULL, 10);
		if (!g_ascii_isdigit(*value) || g_str_equal(name, "host.sched_tunables")) {
			entries[i].text = value;
			entries[i].text_len = (guint32)strlen(value);
		}
	}
	put(sample, name, CTPROF_TYPE_MAP, (guint64)(uintptr_t)map);
}

static struct ctprof_rows view_rows(const Sample *sample, enum row_class row)
{
	const struct sample_rows *rows = &sample->rows[row];

	return (struct ctprof_rows){
		.struct_size = sizeof(struct ctprof_rows),
		.scope = registry_scope_of_row(row),
		.n = rows->targets->len,
		.n_slots = registry_row(sample->registry, row)->len,
		.targets = (const void *)rows->targets->data,
		.values = (const void *)rows->values->data,
		.states = (const void *)rows->states->data,
	};
}

const Registry *sample_registry(const Sample *sample)
{
	return sample->registry;
}

gboolean sample_feed(const Sample *sample, Analysis *analysis, guint side, GError **error)
{
	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		struct ctprof_rows view = view_rows(sample, i);

		if (view.n == 0)
			continue;
		if (!analysis_add(analysis, side, sample->registry, &view, error))
			return FALSE;
	}
	return TRUE;
}

void sample_hold(const Sample *sample, Analysis *analysis, guint side, Moment *moment)
{
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		struct ctprof_rows view = view_rows(sample, i);

		if (view.n > 0)
			g_assert_true(moment_take(moment, sample->registry, &view, NULL));
	}
	moment_end(moment);
	g_assert_true(analysis_add_moment(analysis, side, moment, &error));
	g_assert_no_error(error);
}

Analysis *sample_analyse(const Sample *a, const Sample *b, AnalysisOptions *options,
			 const struct ctprof_report **ret_report)
{
	g_autoptr(GError) error = NULL;

	options->compare = b != NULL;
	Analysis *analysis = analysis_new(options, &error);
	g_assert_no_error(error);
	for (guint side = 0; side < (b ? 2 : 1); side++) {
		const Sample *sample = side == 0 ? a : b;

		g_assert_true(sample_feed(sample, analysis, side, &error));
		/* Readers do this; there may be no rows. */
		if (sample->sealed)
			g_assert_true(analysis_bind(analysis, side, sample->registry, &error));
	}
	*ret_report = analysis_finish(analysis, &error);
	g_assert_no_error(error);
	g_assert_nonnull(*ret_report);
	return analysis;
}

char *sample_finding(const Sample *before, const Sample *after, gdouble seconds,
		     const char *finding)
{
	AnalysisOptions options = {
		.group_by = GROUP_BY_PCOMM,
		.may_be_window = TRUE,
		.is_window = TRUE,
		.is_whole_host = TRUE,
		.elapsed_s = seconds,
		.began = 200,
	};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(before, after, &options, &report);
	const struct ctprof_report_section *section = sample_section(report, "findings");

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = &section->lines[i];
		const char *sentence = line->cells[line->n_cells - 1].value[1].text;

		g_test_message("%s: %s", line->cells[0].value[1].text, sentence);
		if (strcmp(line->cells[0].value[1].text, finding) == 0)
			return g_strdup(sentence);
	}
	return NULL;
}
