/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test-build.h"

#include <string.h>
#include <zstd.h>

#include "../seek.h"

#define MAX_METRICS 4200

struct build {
	FakeHost *host;
	struct ctprof_host table;
	const struct ctprof_sink_ops *ops;
	void *self;
	struct ctprof_capture capture;
	struct ctprof_capture_end end;
	struct ctprof_metric_info *infos;
	struct ctprof_metric *metrics; /* what infos point to */
	guint n_infos;
	guint32 n_slots[6];
	guint32 scope;
	guint64 n;
	struct ctprof_target *targets;
	guint64 *values;
	guint8 *states;
	GPtrArray *blobs;
	gssize write_left;
	int write_error;
	char *text;
};

/* The host table of a test is a member of its Build. */
static int limited_write(const struct ctprof_host *table, const void *data, size_t size)
{
	Build *build = (Build *)(gpointer)((char *)(uintptr_t)table - offsetof(Build, table));

	if (build->write_error != 0 && (gssize)size > build->write_left)
		return build->write_error;
	build->write_left -= (gssize)size;
	return fake_host_table(build->host)->write(fake_host_table(build->host), data, size);
}

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

Build *build_new(void)
{
	Build *build = g_new0(Build, 1);

	build->host = fake_host_new(NULL, NULL, NULL, FALSE);
	build->table = *fake_host_table(build->host);
	build->table.write = limited_write;
	build->ops = ctprof_plugin_entry_v1()->ops;
	build->infos = g_new0(struct ctprof_metric_info, MAX_METRICS);
	build->metrics = g_new0(struct ctprof_metric, MAX_METRICS);
	build->blobs = g_ptr_array_new_with_free_func(g_free);
	build->capture = (struct ctprof_capture){
		.struct_size = sizeof build->capture,
		.jobs = 2,
		.realtime_ns = 1700000000000000000u,
		.monotonic_ns = 5000,
		.metrics = build->infos,
		.version = "0.1.0",
	};
	build->end = (struct ctprof_capture_end){
		.struct_size = sizeof build->end,
		.realtime_ns = 1700000000000000900u,
		.monotonic_ns = 5900,
	};
	g_assert_cmpint(build->ops->open(&build->table, &build->self), ==, 0);
	return build;
}

void build_free(Build *build)
{
	build->ops->close(build->self);
	fake_host_free(build->host);
	g_ptr_array_unref(build->blobs);
	g_free(build->infos);
	g_free(build->metrics);
	g_free(build->targets);
	g_free(build->values);
	g_free(build->states);
	g_free(build->text);
	g_free(build);
}

FakeHost *build_host(Build *build)
{
	return build->host;
}

struct ctprof_capture *build_capture(Build *build)
{
	return &build->capture;
}

struct ctprof_capture_end *build_end_facts(Build *build)
{
	return &build->end;
}

static guint row_class(guint32 scope)
{
	return scope < CTPROF_SCOPE_CGROUP ? 0 : (scope - CTPROF_SCOPE_CGROUP) / 5 + 1;
}

static guint32 type_of(guint32 kind, guint32 unit)
{
	if (kind == CTPROF_MAP)
		return CTPROF_TYPE_MAP;
	if (kind == CTPROF_CPUSET)
		return CTPROF_TYPE_CPUS;
	if (unit == CTPROF_UNIT_TEXT)
		return CTPROF_TYPE_TEXT;
	return kind == CTPROF_ORDINAL ? CTPROF_TYPE_I64 : CTPROF_TYPE_U64;
}

struct ctprof_metric_info *build_metric(Build *build, const char *name, guint32 kind, guint32 unit,
					guint32 scope)
{
	struct ctprof_metric *metric = &build->metrics[build->n_infos];
	struct ctprof_metric_info *info = &build->infos[build->n_infos++];

	g_assert_cmpuint(build->n_infos, <=, MAX_METRICS);
	*metric = (struct ctprof_metric){
		.struct_size = sizeof *metric,
		.kind = kind,
		.unit = unit,
		.scope = scope,
		.name = name,
		.group = "test",
		.help = "help",
		.origin = "origin",
	};
	*info = (struct ctprof_metric_info){
		.struct_size = sizeof *info,
		.index = build->n_slots[row_class(scope)]++,
		.type = type_of(kind, unit),
		.wanted = 1,
		.metric = metric,
		.plugin = "test",
	};
	build->capture.n_metrics = build->n_infos;
	return info;
}

void build_rows(Build *build, guint32 scope, guint64 n)
{
	gsize cells = n * build->n_slots[row_class(scope)];

	g_free(build->targets);
	g_free(build->values);
	g_free(build->states);
	g_ptr_array_set_size(build->blobs, 0);
	build->scope = scope;
	build->n = n;
	build->targets = g_new0(struct ctprof_target, n);
	build->values = g_new0(guint64, cells);
	build->states = g_new(guint8, cells);
	if (cells > 0)
		memset(build->states, CTPROF_ABSENT_UNSUPPORTED, cells);
	for (guint64 i = 0; i < n; i++) {
		build->targets[i].struct_size = sizeof build->targets[i];
		build->targets[i].task_fd = -1;
		build->targets[i].group = scope == CTPROF_SCOPE_OBJECT ? "test" : NULL;
	}
}

void build_target(Build *build, guint64 row, gint32 tgid, gint32 tid)
{
	build->targets[row].tgid = tgid;
	build->targets[row].tid = tid;
}

static gpointer keep(Build *build, gpointer blob)
{
	g_ptr_array_add(build->blobs, blob);
	return blob;
}

void build_path(Build *build, guint64 row, const char *path)
{
	build->targets[row].path = keep(build, g_strdup(path));
	build->targets[row].path_len = (guint32)strlen(path);
}

void build_group(Build *build, guint64 row, const char *group)
{
	build->targets[row].group = group;
}

static gsize cell_of(Build *build, guint64 row, const char *name)
{
	for (guint i = 0; i < build->n_infos; i++) {
		const struct ctprof_metric_info *info = &build->infos[i];

		if (row_class(info->metric->scope) == row_class(build->scope) &&
		    strcmp(info->metric->name, name) == 0)
			return row * build->n_slots[row_class(build->scope)] + info->index;
	}
	g_assert_not_reached();
}

void build_put(Build *build, guint64 row, const char *name, guint64 bits)
{
	gsize cell = cell_of(build, row, name);

	build->values[cell] = bits;
	build->states[cell] = CTPROF_PRESENT;
}

void build_put_text(Build *build, guint64 row, const char *name, const char *text)
{
	gsize len = strlen(text);
	struct ctprof_text *blob = keep(build, g_malloc0(sizeof *blob + len));

	blob->length = (guint32)len;
	memcpy(blob->bytes, text, len);
	build_put(build, row, name, (uintptr_t)blob);
}

void build_put_cpus(Build *build, guint64 row, const char *name, const guint32 *cpus, guint32 n)
{
	struct ctprof_cpus *blob = keep(build, g_malloc0(sizeof *blob + n * sizeof *cpus));

	blob->n = n;
	memcpy(blob->cpus, cpus, n * sizeof *cpus);
	build_put(build, row, name, (uintptr_t)blob);
}

void build_put_map(Build *build, guint64 row, const char *name, const char *entries)
{
	char **items = keep(build, g_new0(char *, strlen(entries) + 2));
	struct ctprof_map *map;
	guint n = 0;

	for (char *rest = keep(build, g_strdup(entries)); *rest != '\0';) {
		char *end = strchrnul(rest, ' ');

		items[n++] = rest;
		rest = *end ? end + 1 : end;
		*end = '\0';
	}
	map = keep(build, g_malloc0(sizeof *map + n * sizeof map->entries[0]));
	map->n = n;
	for (guint i = 0; i < n; i++) {
		struct ctprof_map_entry *entry = &map->entries[i];
		char *value = strchr(items[i], '=') + 1;
		char *end;

		entry->key = items[i];
		entry->key_len = (guint32)(value - 1 - items[i]);
		entry->number = g_ascii_strtoull(value, &end, 10);
		entry->text = *end != '\0' ? value : NULL;
		entry->text_len = (guint32)strlen(value);
	}
	build_put(build, row, name, (uintptr_t)map);
}

void build_put_state(Build *build, guint64 row, const char *name, guint8 state)
{
	build->states[cell_of(build, row, name)] = state;
}

void build_write_limit(Build *build, gssize bytes, int error)
{
	build->write_left = bytes;
	build->write_error = error;
}

int build_begin(Build *build)
{
	return build->ops->begin(build->self, &build->capture);
}

int build_send(Build *build)
{
	struct ctprof_rows rows = {
		.struct_size = sizeof rows,
		.scope = build->scope,
		.n = build->n,
		.n_slots = build->n_slots[row_class(build->scope)],
		.targets = build->targets,
		.values = build->values,
		.states = build->states,
	};

	return build->ops->rows(build->self, &rows);
}

int build_end(Build *build)
{
	return build->ops->end(build->self, &build->end);
}

void build_open(Build *build)
{
	g_assert_cmpint(build_begin(build), ==, 0);
}

const char *build_text(Build *build)
{
	const GByteArray *file = fake_host_written(build->host);
	gsize size = 256u << 20;
	g_autofree char *big = NULL;

	if (build->text)
		return build->text;
	g_assert_cmpint(build_end(build), ==, 0);
	/* Two frames, each with its checksum flag set, and nothing after them. */
	gsize tail = ZSTD_findFrameCompressedSize(file->data, file->len) + SPLIT_MARK_BYTES;
	g_assert_cmpuint(tail, <, file->len);
	g_assert_true(memcmp(file->data + tail - SPLIT_MARK_BYTES, SPLIT_MARK, SPLIT_MARK_BYTES) ==
		      0);
	g_assert_cmpuint(ZSTD_findFrameCompressedSize(file->data + tail, file->len - tail), ==,
			 file->len - tail);
	g_assert_cmpuint(file->data[4] & 4, ==, 4);
	g_assert_cmpuint(file->data[tail + 4] & 4u, ==, 4);
	big = g_malloc(size);
	gsize len = ZSTD_decompress(big, size, file->data, file->len);
	g_assert_false(ZSTD_isError(len));
	build->text = g_strndup(big, len);
	g_assert_cmpuint(strlen(build->text), ==, len);
	return build->text;
}

/* Returns the end of the value that begins at p: the ',' or '}' of the top object. */
static const char *skip_value(const char *p)
{
	int depth = 0;
	gboolean quoted = FALSE;

	for (;; p++) {
		g_assert_cmpint(*p, !=, '\0');
		if (quoted) {
			if (*p == '\\')
				p++;
			else if (*p == '"')
				quoted = FALSE;
			continue;
		}
		if (depth == 0 && (*p == ',' || *p == '}'))
			return p;
		quoted = *p == '"';
		depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
	}
}

char *build_section(Build *build, const char *key)
{
	const char *p = build_text(build);

	while (*p != '\0' && p[1] != '\0') {
		const char *colon = strchr(p, ':');
		const char *end = skip_value(colon + 1);

		g_assert_cmpint(p[1], ==, '"');
		if ((gsize)(colon - p - 3) == strlen(key) && g_str_has_prefix(p + 2, key))
			return g_strndup(colon + 1, (gsize)(end - colon - 1));
		p = end;
	}
	return NULL;
}

void build_assert_section(Build *build, const char *key, const char *expected)
{
	g_autofree char *section = build_section(build, key);

	g_assert_cmpstr(section, ==, expected);
}

void build_assert_part(Build *build, const char *expected)
{
	if (!strstr(build_text(build), expected))
		g_error("%s is not in %s", expected, build_text(build));
}

JsonNode *build_parse(Build *build)
{
	g_autoptr(GError) error = NULL;
	JsonNode *root = json_from_string(build_text(build), &error);

	g_assert_no_error(error);
	return root;
}

void build_add_known(Build *build)
{
	static const struct {
		const char *name;
		guint32 kind, unit, scope;
	} known[] = {
		{"pcomm", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD},
		{"comm", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD},
		{"cgroup", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD},
		{"policy", CTPROF_CATEGORY, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD},
		{"nice", CTPROF_ORDINAL, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
		{"rt_priority", CTPROF_ORDINAL, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
		{"cpu_affinity", CTPROF_CPUSET, CTPROF_UNIT_CPUS, CTPROF_SCOPE_THREAD},
		{"state", CTPROF_CATEGORY, CTPROF_UNIT_CHAR, CTPROF_SCOPE_THREAD},
		{"ext_enabled", CTPROF_CATEGORY, CTPROF_UNIT_BOOL, CTPROF_SCOPE_THREAD},
		{"nr_wakeups", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
		{"smaps_rollup_kib", CTPROF_MAP, CTPROF_UNIT_KIB, CTPROF_SCOPE_PROCESS},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
		build_metric(build, known[i].name, known[i].kind, known[i].unit, known[i].scope);
}
