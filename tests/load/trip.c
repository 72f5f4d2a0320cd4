/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "trip.h"

#include <string.h>

#include "../../sinks/snapshot/schema.h"

/* Metrics for which the format has no field; one for each kind of value. */
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
			/* Some that were not requested. */
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

/* SplitMix64: each value of a recording has a seed of its own, which must cost nothing. */
static guint64 any_bits(Trip *trip)
{
	guint64 bits = trip->random += 0x9e3779b97f4a7c15u;

	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
	return bits ^ bits >> 31;
}

guint trip_below(Trip *trip, guint n)
{
	return (guint)(any_bits(trip) % n);
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

	if (trip_below(trip, 3) == 0)
		return edges[trip_below(trip, G_N_ELEMENTS(edges))];
	return any_bits(trip) >> trip_below(trip, 64);
}

/* Bytes of any value except NUL; well-formed UTF-8 where the file can hold nothing else. */
gsize trip_any_bytes(Trip *trip, gboolean utf8, char *bytes, gsize max)
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
	gsize len = trip_below(trip, 12), n = 0;

	while (n + 4 <= max && len-- > 0) {
		const char *piece = pieces[trip_below(trip, G_N_ELEMENTS(pieces))];

		if (!utf8 && trip_below(trip, 3) == 0)
			bytes[n++] = (char)(1 + trip_below(trip, 255));
		else
			n = (gsize)(stpcpy(bytes + n, piece) - bytes);
	}
	return n;
}

static void put_any_map(Trip *trip, struct ctprof_batch *batch, guint64 row, const Metric *metric)
{
	struct ctprof_map_entry entries[6];
	char keys[6][32], texts[6][32];
	guint n = trip_below(trip, 7);

	for (guint i = 0; i < n; i++) {
		gsize len = trip_any_bytes(trip, TRUE, keys[i] + 1, 24);
		gsize text_len = trip_any_bytes(trip, TRUE, texts[i], 24);

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
	guint32 cpus[8], n = 1 + trip_below(trip, 8), cpu = 0;

	for (guint32 i = 0; i < n; i++)
		cpus[i] = cpu += 1 + trip_below(trip, 300);
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

void trip_put_any(Trip *trip, struct ctprof_batch *batch, guint64 row, const Metric *metric)
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
				     trip_any_bytes(trip, FALSE, bytes, sizeof bytes));
		break;
	case CTPROF_TYPE_CPUS:
		put_any_cpus(trip, batch, row, metric->slot);
		break;
	default:
		put_any_map(trip, batch, row, metric);
	}
}

/* Bytewise ascending, as a capture gives them. */
void trip_make_path(Trip *trip, guint i, struct ctprof_target *target)
{
	char path[96];
	int n = g_snprintf(path, sizeof path, "/%03u", i);
	gsize len = (gsize)n + trip_any_bytes(trip, FALSE, path + n, 60);

	target->path = g_string_chunk_insert_len(trip->names, path, (gssize)len);
	target->path_len = (guint32)len;
}

GArray *trip_list_metrics(const Registry *registry)
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

void trip_init(Trip *trip, guint32 seed)
{
	*trip = (Trip){.kit = kit_new(), .registry = registry_new()};
	trip->names = g_string_chunk_new(1024);
	trip->random = seed;
	batch_lend(&trip->table);
	for (guint i = 0; i < N_ROW_CLASSES; i++)
		trip->rows[i] = g_string_new(NULL);
	add_metrics(trip);
}

void trip_clear(Trip *trip)
{
	for (guint i = 0; i < N_ROW_CLASSES; i++)
		g_string_free(trip->rows[i], TRUE);
	output_free(trip->output);
	registry_free(trip->registry);
	g_string_chunk_free(trip->names);
	kit_free(trip->kit);
}
static char *take_line(const char **text)
{
	const char *end = strchrnul(*text, '\n');
	char *line = g_strndup(*text, (gsize)(end - *text));

	*text = *end ? end + 1 : end;
	return line;
}

/* Reports the first line that differs, and its row: the whole text is too long to read. */
void trip_assert_same(const char *written, const char *loaded)
{
	g_autofree char *row = g_strdup("");

	/* Comparing line by line is slow if a sanitizer also checks everything that follows. */
	if (strcmp(written, loaded) == 0)
		return;
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
