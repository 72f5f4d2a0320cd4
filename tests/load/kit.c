/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kit.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "../unit/tree.h"
#include "row/absence.h"

struct kit {
	TestDir *dir;
	char *path;
	Registry *registry; /* the sink registers nothing */
	GHashTable *options;
	Plugin *sink;
	GString *facts;
};

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static void open_sink(Kit *kit)
{
	kit->sink = plugin_new(g_strdup("snapshot"), NULL, ctprof_plugin_entry_v1());
	g_assert_true(plugin_open(kit->sink, NULL, kit->registry, kit->options, NULL));
}

void kit_reopen(Kit *kit)
{
	plugin_free(kit->sink);
	open_sink(kit);
}

Kit *kit_new(void)
{
	Kit *kit = g_new0(Kit, 1);

	kit->dir = test_dir_new();
	kit->path = g_build_filename(kit->dir, "file", NULL);
	kit->registry = registry_new();
	kit->options = g_hash_table_new(g_str_hash, g_str_equal);
	kit->facts = g_string_new(NULL);
	open_sink(kit);
	return kit;
}

void kit_free(Kit *kit)
{
	plugin_free(kit->sink);
	registry_free(kit->registry);
	g_hash_table_unref(kit->options);
	g_string_free(kit->facts, TRUE);
	g_free(kit->path);
	test_dir_free(kit->dir);
	g_free(kit);
}

Plugin *kit_sink(Kit *kit)
{
	return kit->sink;
}

const char *kit_path(const Kit *kit)
{
	return kit->path;
}

const char *kit_facts(const Kit *kit)
{
	return kit->facts->str;
}

void kit_write_bytes(Kit *kit, const void *data, gsize size)
{
	/* Not with GLib, which syncs: there may be very many files. */
	int fd = open(kit->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(write(fd, data, size), ==, (gssize)size);
	close(fd);
}

GBytes *kit_compress(const char *text, gsize len)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	gsize room = ZSTD_compressBound(len);
	g_autofree char *out = g_malloc(room);

	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	gsize n = ZSTD_compress2(zstd, out, room, text, len);
	g_assert_false(ZSTD_isError(n));
	ZSTD_freeCCtx(zstd);
	return g_bytes_new(out, n);
}

void kit_write_text(Kit *kit, const char *text)
{
	g_autoptr(GBytes) bytes = kit_compress(text, strlen(text));

	kit_write_bytes(kit, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

static void dump_text(GString *dump, const char *bytes, gsize len)
{
	g_string_append_c(dump, '"');
	for (gsize i = 0; i < len; i++) {
		if (bytes[i] >= ' ' && bytes[i] < 0x7f && bytes[i] != '"' && bytes[i] != '\\')
			g_string_append_c(dump, bytes[i]);
		else
			g_string_append_printf(dump, "\\x%02x", (guint8)bytes[i]);
	}
	g_string_append_c(dump, '"');
}

static void dump_map(GString *dump, const struct ctprof_map *map)
{
	g_string_append_c(dump, '{');
	for (guint64 i = 0; i < map->n; i++) {
		const struct ctprof_map_entry *entry = &map->entries[i];

		dump_text(dump, entry->key, entry->key_len);
		g_string_append_c(dump, ':');
		if (entry->text)
			dump_text(dump, entry->text, entry->text_len);
		else
			g_string_append_printf(dump, "%" G_GUINT64_FORMAT, entry->number);
		g_string_append_c(dump, ' ');
	}
	g_string_append_c(dump, '}');
}

static void dump_cpus(GString *dump, const struct ctprof_cpus *set)
{
	g_string_append_c(dump, '[');
	for (guint32 i = 0; i < set->n; i++)
		g_string_append_printf(dump, "%u ", set->cpus[i]);
	g_string_append_c(dump, ']');
}

static void dump_value(GString *dump, guint32 type, guint64 bits)
{
	const struct ctprof_text *text = (gpointer)(uintptr_t)bits;

	switch (type) {
	case CTPROF_TYPE_U64:
		g_string_append_printf(dump, "%" G_GUINT64_FORMAT, bits);
		break;
	case CTPROF_TYPE_I64:
		g_string_append_printf(dump, "%+" G_GINT64_FORMAT, (gint64)bits);
		break;
	case CTPROF_TYPE_TEXT:
		dump_text(dump, text->bytes, text->length);
		break;
	case CTPROF_TYPE_CPUS:
		dump_cpus(dump, (gpointer)(uintptr_t)bits);
		break;
	default:
		dump_map(dump, (gpointer)(uintptr_t)bits);
	}
}

static void dump_target(GString *dump, guint32 scope, const struct ctprof_target *target)
{
	g_string_append_printf(dump, "%s ", registry_scope_word(scope));
	if (scope == CTPROF_SCOPE_THREAD || scope == CTPROF_SCOPE_EXIT)
		g_string_append_printf(dump, "%d/%d%s ", target->tgid, target->tid,
				       target->flags & CTPROF_TARGET_LEADER ? "*" : "");
	if (target->group)
		g_string_append_printf(dump, "%s ", target->group);
	if (target->path)
		dump_text(dump, target->path, target->path_len);
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
	const Metric *const *x = a, *const *y = b;

	return strcmp((*x)->def.name, (*y)->def.name);
}

static void dump_cell(GString *dump, const Metric *metric, const struct ctprof_rows *rows,
		      guint64 row)
{
	gsize cell = row * rows->n_slots + metric->index;

	/* On-demand metrics that were not requested are not in the file. */
	if ((metric->def.flags & CTPROF_METRIC_ON_DEMAND) && !metric->wanted)
		return;
	g_string_append_printf(dump, "  %s = ", metric->def.name);
	if (rows->states[cell] == CTPROF_PRESENT)
		dump_value(dump, metric->type, rows->values[cell]);
	else
		g_string_append_printf(dump, "!%s", absence_word(rows->states[cell]));
	g_string_append_c(dump, '\n');
}

void dump_rows(GString *dump, const Registry *registry, const struct ctprof_rows *rows)
{
	const GPtrArray *row = registry_row(registry, registry_row_of_scope(rows->scope));
	g_autoptr(GPtrArray) metrics = g_ptr_array_sized_new(row->len);

	g_assert_cmpuint(rows->n_slots, ==, row->len);
	for (guint m = 0; m < row->len; m++) {
		Metric *metric = g_ptr_array_index(row, m);

		/* On-demand metrics that were not requested are not in the file. */
		if (metric->wanted || !(metric->def.flags & CTPROF_METRIC_ON_DEMAND))
			g_ptr_array_add(metrics, metric);
	}
	g_ptr_array_sort(metrics, compare_names);
	for (guint64 i = 0; i < rows->n; i++) {
		dump_target(dump, rows->scope, ctprof_rows_target(rows, i));
		g_string_append_c(dump, '\n');
		for (guint m = 0; m < metrics->len; m++)
			dump_cell(dump, g_ptr_array_index(metrics, m), rows, i);
	}
}

struct dumping {
	GString *scopes[N_ROW_CLASSES];
};

static gboolean take_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	struct dumping *dumping = data;
	GString **dump = &dumping->scopes[registry_row_of_scope(rows->scope)];

	(void)error;
	if (!*dump)
		*dump = g_string_new(NULL);
	dump_rows(*dump, registry, rows);
	return TRUE;
}

Loaded *load_file(Plugin *sink, const char *path, TakeRows each, gpointer data, GError **error)
{
	g_autoptr(Recording) recording = recording_open(sink, path, error);

	return recording ? recording_read(recording, recording_n_samples(recording) - 1, 1, each,
					  data, error)
			 : NULL;
}

/* Sits between load_file() and the sink's reader: records what is lent, and the reported facts. */
static struct {
	int (*read)(void *self, const struct ctprof_input *input);
	void (*fact)(const struct ctprof_input *input, guint32 kind, const char *key,
		     const char *value);
	LoadLimits limits;
	char *version, *kernel;
} between;

static void hear_fact(const struct ctprof_input *input, guint32 kind, const char *key,
		      const char *value)
{
	char **place = g_str_equal(key, "version")  ? &between.version
		       : g_str_equal(key, "kernel") ? &between.kernel
						    : NULL;

	if (kind == CTPROF_FACT_CAPTURE && place) {
		g_free(*place);
		*place = g_strdup(value);
	}
	between.fact(input, kind, key, value);
}

static int read_limited(void *self, const struct ctprof_input *lent)
{
	const LoadLimits *limits = &between.limits;
	struct ctprof_input input = *lent;

	between.fact = lent->fact;
	input.fact = hear_fact;
	input.max_bytes = limits->max_bytes ? limits->max_bytes : lent->max_bytes;
	input.max_threads = limits->max_threads ? limits->max_threads : lent->max_threads;
	input.max_depth = limits->max_depth ? limits->max_depth : lent->max_depth;
	input.max_string = limits->max_string ? limits->max_string : lent->max_string;
	input.max_window_log =
		limits->max_window_log ? limits->max_window_log : lent->max_window_log;
	return between.read(self, &input);
}

static Loaded *load_between(Kit *kit, const LoadLimits *limits, gpointer data, GError **error)
{
	between.limits = limits ? *limits : (LoadLimits){0};
	between.read = kit->sink->sink.read;
	g_clear_pointer(&between.version, g_free);
	g_clear_pointer(&between.kernel, g_free);
	kit->sink->sink.read = read_limited;
	Loaded *loaded = load_file(kit->sink, kit->path, take_rows, data, error);
	kit->sink->sink.read = between.read;
	return loaded;
}

static void dump_facts(GString *dump, const LoadFacts *facts)
{
	g_autoptr(GList) keys = g_hash_table_get_keys(facts->options);

	g_string_printf(dump, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s %s\n",
			facts->realtime_ns, facts->boottime_ns,
			between.version ? between.version : "-",
			between.kernel ? between.kernel : "-");
	keys = g_list_sort(keys, (GCompareFunc)(void (*)(void))strcmp);
	for (GList *key = keys; key; key = key->next)
		g_string_append_printf(
			dump, "%s=%s\n", (const char *)key->data,
			(const char *)g_hash_table_lookup(facts->options, key->data));
	for (guint i = 0; i < facts->plugins->len; i++)
		g_string_append_printf(dump, "%s\n",
				       (const char *)g_ptr_array_index(facts->plugins, i));
	for (guint i = 0; i < facts->marks->len; i++) {
		const struct ctprof_fact *mark =
			&g_array_index(facts->marks, struct ctprof_fact, i);

		g_string_append_printf(dump, "mark %s %s\n", mark->key, mark->value);
	}
}

static char *dump_all(Kit *kit, struct dumping *dumping, const Loaded *loaded)
{
	GString *all = g_string_new(NULL);

	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		if (!dumping->scopes[i])
			continue;
		g_string_append(all, dumping->scopes[i]->str);
		g_string_free(dumping->scopes[i], TRUE);
	}
	if (loaded)
		dump_facts(kit->facts, &loaded->facts);
	return g_string_free(all, !loaded);
}

char *kit_load(Kit *kit, const LoadLimits *limits, GError **error)
{
	struct dumping dumping = {0};
	g_autoptr(Loaded) loaded = load_between(kit, limits, &dumping, error);

	return dump_all(kit, &dumping, loaded);
}

char *kit_load_sample(Kit *kit, Recording *recording, guint sample, guint n_exits, GError **error)
{
	struct dumping dumping = {0};
	g_autoptr(Loaded) loaded =
		recording_read(recording, sample, n_exits, take_rows, &dumping, error);

	return dump_all(kit, &dumping, loaded);
}
