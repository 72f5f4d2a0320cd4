/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "series.h"

#include <errno.h>
#include <stdlib.h>

#include "about.h"
#include "array.h"
#include "kept.h"
#include "seek.h"

/* The number of samples from one key frame to the next: a reader of a sample must read all since
 * its key frame. */
#define KEY_EVERY 64
#define MIN_OTHERS 64

/* The lists in a frame of changes; the text of each is collected without its brackets. */
enum list {
	LIST_GONE,
	LIST_NEW,
	LIST_CHANGED,
	LIST_EXITS,
	LIST_CGROUPS,
	LIST_OBJECTS,
	N_LISTS,
};

struct series {
	struct snapshot *snapshot;
	struct kept kept; /* the rows of the previous sample, then of this one */
	struct json lists[N_LISTS];
	struct json about;                /* "capture" of a sample that is not a key frame */
	uint8_t *changed[KEPT_N_CLASSES]; /* by slot, for the current row; for host and capture
					     until the end */
	bool is_null[SCHEMA_N_OBJECTS];   /* as last written */
	uint32_t *plugin_states;          /* as last written */
	uint64_t n_plugins;
	uint64_t n_others;  /* threads that came or went */
	uint64_t n_before;  /* threads of the previous sample */
	uint64_t since_key; /* samples */
	uint64_t realtime_ns;
	bool must_be_key, broken; /* broken: the previous frame was not finished */
	struct seek_list frames;
};

void series_free(struct series *series)
{
	if (!series)
		return;
	kept_free(&series->kept);
	for (size_t i = 0; i < N_LISTS; i++)
		json_free(&series->lists[i]);
	for (size_t i = 0; i < KEPT_N_CLASSES; i++)
		free(series->changed[i]);
	json_free(&series->about);
	free(series->plugin_states);
	seek_list_clear(&series->frames);
	free(series);
}

/* ---- begin ------------------------------------------------------------------ */

static int series_take_types(struct series *series, const struct ctprof_capture *capture)
{
	for (uint64_t i = 0; i < capture->n_metrics; i++) {
		const struct ctprof_metric_info *info = BORDER_AT(capture->metrics, i);
		enum kept_class class = kept_class_of(info->metric->scope);

		if (class < KEPT_N_CLASSES &&
		    kept_set_type(&series->kept.of[class], info->index, info->type) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < KEPT_N_CLASSES; i++) {
		series->changed[i] = calloc((size_t)series->kept.of[i].n_slots + 1, 1);
		if (!series->changed[i])
			return -ENOMEM;
	}
	return 0;
}

static int series_new(struct snapshot *snapshot, const struct ctprof_capture *capture)
{
	struct series *series = calloc(1, sizeof *series);

	if (!series)
		return -ENOMEM;
	snapshot->series = series;
	series->snapshot = snapshot;
	for (size_t i = 0; i < N_LISTS; i++)
		if (json_init(&series->lists[i], JSON_ROOM) < 0)
			return -ENOMEM;
	return json_init(&series->about, JSON_ROOM) < 0 ? -ENOMEM
							: series_take_types(series, capture);
}

/* Begins another file. */
static void series_restart(struct series *series)
{
	for (size_t i = 0; i < KEPT_N_CLASSES; i++)
		kept_clear(&series->kept.of[i]);
	seek_list_clear(&series->frames);
	series->broken = true;
}

int series_begin(struct snapshot *snapshot, const struct ctprof_capture *capture)
{
	int r = snapshot->series ? 0 : series_new(snapshot, capture);
	struct series *series = snapshot->series;

	if (r < 0)
		return r;
	if (series_sample(capture) == 1)
		series_restart(series);
	if (series->broken)
		stream_reset(snapshot->stream);
	for (size_t i = 0; i < N_LISTS; i++) {
		series->lists[i].used = 0;
		series->lists[i].error = 0;
	}
	for (size_t i = 0; i < KEPT_N_CLASSES; i++)
		memset(series->changed[i], 0, (size_t)series->kept.of[i].n_slots + 1);
	presence_clear(&snapshot->threads.presence);
	presence_clear(&snapshot->exits.presence);
	series->about.used = 0;
	about_begin_sample(&series->about, capture);
	series->realtime_ns = capture->realtime_ns;
	series->n_before = series->kept.of[KEPT_THREAD].n;
	series->n_others = 0;
	series->must_be_key = series->broken || series->since_key >= KEY_EVERY;
	/* Remains set if the frame is not completed. */
	series->broken = true;
	kept_begin(&series->kept);
	return series->about.error;
}

/* ---- rows ------------------------------------------------------------------- */

/* Returns the text inside a list, to which a comma has been added if it is not empty. */
static struct json *series_list(struct series *series, enum list list)
{
	struct json *json = &series->lists[list];

	json_raw(json, ",", json->used > 0);
	return json;
}

/* Counts threads that came or went.  If they are more than half of the threads, a whole document is
 * not larger than the changes; its other contents take as much as several dozen threads. */
static void series_count_other(struct series *series, bool is_other)
{
	series->n_others += is_other;
	if (series->n_others > MIN_OTHERS && series->n_others * 2 > series->n_before)
		series->must_be_key = true;
}

static int series_put_thread(struct series *series, const struct source_row *row)
{
	series_count_other(series, !row->changed);
	if (!series->must_be_key)
		thread_write(&series->snapshot->threads,
			     series_list(series, row->changed ? LIST_CHANGED : LIST_NEW), row);
	return 0;
}

static int series_put_cgroup(struct series *series, const struct source_row *row)
{
	struct snapshot *snapshot = series->snapshot;
	struct json *json = snapshot->json;

	tree_clear(&snapshot->cgroup);
	int r = tree_load(&snapshot->cgroup, CTPROF_SCOPE_CGROUP, row->values, row->states);
	if (r < 0)
		return r;
	if (row->changed)
		tree_restrict(&snapshot->cgroup, CTPROF_SCOPE_CGROUP, row->changed);
	if (!tree_has_any(&snapshot->cgroup) && row->changed)
		return 0;
	snapshot->json = series_list(series, LIST_CGROUPS);
	snapshot_write_cgroup(snapshot, row->target);
	snapshot->json = json;
	return 0;
}

static int series_put_object(struct series *series, const struct source_row *row)
{
	struct json *json = &series->lists[LIST_OBJECTS];

	(void)named_write(&series->snapshot->named, json, json->used > 0, row);
	return 0;
}

/* Host and capture have one row each, which is written at the end. */
static int series_put_single(struct series *series, const struct source_row *row)
{
	series->must_be_key |= !row->changed;
	return 0;
}

static int (*const series_puts[KEPT_N_CLASSES])(struct series *series,
						const struct source_row *row) = {
	[KEPT_HOST] = series_put_single,    [KEPT_THREAD] = series_put_thread,
	[KEPT_CGROUP] = series_put_cgroup,  [KEPT_OBJECT] = series_put_object,
	[KEPT_CAPTURE] = series_put_single,
};

int series_row(struct snapshot *snapshot, enum kept_class class, const struct source_row *given)
{
	struct series *series = snapshot->series;
	struct kept_rows *rows = &series->kept.of[class];
	struct source_row row = *given;
	struct kept_row *kept;
	bool is_new;

	/* Records of exits belong to one sample only. */
	if (class == KEPT_EXIT) {
		thread_write(&snapshot->exits, series_list(series, LIST_EXITS), given);
		return series->lists[LIST_EXITS].error;
	}
	int r = kept_take(rows, row.target, &kept, &is_new);
	/* If there are more objects of one name than a reader distinguishes, the others are left
	 * out. */
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	uint8_t *changed = series->changed[class];
	int n = kept_compare(rows, kept, row.values, row.states, changed);
	if (n == 0 && !is_new)
		return 0;
	row.nth = kept->nth;
	row.changed = is_new ? NULL : changed;
	row.before = class == KEPT_THREAD && !is_new ? kept : NULL;
	r = series_puts[class](series, &row);
	return r < 0 ? r : kept_update(rows, kept, row.values, row.states, changed);
}

int series_keep(struct snapshot *snapshot, const struct ctprof_rows *rows)
{
	struct kept_rows *kept = &snapshot->series->kept.of[KEPT_THREAD];

	for (uint64_t i = 0; i < rows->n; i++) {
		struct kept_row *row = kept_find(kept, ctprof_rows_target(rows, i), 0);

		if (row)
			row->sample = kept->sample;
	}
	return 0;
}

/* ---- end: rows that are gone ----------------------------------------------------- */

static void series_note_gone(void *context, const struct kept_row *row)
{
	struct series *series = context;
	struct json *json = series_list(series, LIST_GONE);

	if (row->target.group) {
		named_write_name(json, &row->target, row->nth);
	} else if (row->target.path) {
		json_literal(json, "{\"path\":");
		if (!json_text(json, row->target.path, row->target.path_len)) {
			json_key(json, "path_hex");
			json_hex(json, row->target.path, row->target.path_len);
		}
	} else {
		series_count_other(series, true);
		json_print(json, "{\"tid\":%ju,\"tgid\":%ju", (uintmax_t)row->target.tid,
			   (uintmax_t)row->target.tgid);
	}
	json_literal(json, "}");
}

/* Drops rows that are gone, and sorts new ones in.  A row of host or capture that is gone cannot be
 * listed in "gone": then a whole document without it is written. */
static void series_sweep(struct series *series)
{
	for (size_t i = 0; i < KEPT_N_CLASSES; i++) {
		struct kept_rows *rows = &series->kept.of[i];
		bool is_single = i == KEPT_HOST || i == KEPT_CAPTURE;
		size_t before = rows->n;

		kept_sweep(rows, rows->sample, is_single ? NULL : series_note_gone, series);
		series->must_be_key |= is_single && rows->n < before;
	}
	kept_sort(&series->kept.of[KEPT_THREAD]);
	kept_sort(&series->kept.of[KEPT_CGROUP]);
}

/* ---- end: a whole document ------------------------------------------------------ */

static int series_write_class(struct series *series, enum kept_class class)
{
	const struct kept_rows *rows = &series->kept.of[class];
	int r = 0;

	for (size_t i = 0; r == 0 && i < rows->n; i++) {
		const struct kept_row *kept = rows->rows[i];
		const struct source_row row = {
			.target = &kept->target, .values = kept->values, .states = kept->states};

		r = snapshot_write_row(series->snapshot, class, &row);
	}
	return r;
}

static int series_write_key(struct series *series, const struct ctprof_capture_end *end)
{
	struct snapshot *snapshot = series->snapshot;
	const struct json *exits = &series->lists[LIST_EXITS];
	int r = 0;

	presence_clear(&snapshot->threads.presence);
	snapshot_write_head(snapshot, series->realtime_ns);
	for (enum kept_class class = 0; r == 0 && class < KEPT_N_CLASSES; class ++) {
		r = series_write_class(series, class);
		if (class != KEPT_EXIT || exits->used == 0)
			continue;
		snapshot_advance(snapshot, class);
		json_long_raw(snapshot->json, exits->data, exits->used);
	}
	if (r == 0)
		snapshot_write_end(snapshot, end);
	for (size_t i = 0; i < SCHEMA_N_OBJECTS; i++)
		series->is_null[i] = snapshot->objects[i].n_present == 0;
	return r;
}

/* ---- end: changes ------------------------------------------------------------------- */

static int series_load_object(struct series *series, struct tree *tree)
{
	static const enum kept_class singles[] = {KEPT_HOST, KEPT_CAPTURE};
	int r = 0;

	tree_clear(tree);
	for (size_t i = 0; r == 0 && i < sizeof singles / sizeof singles[0]; i++) {
		const struct kept_rows *rows = &series->kept.of[singles[i]];

		if (rows->n > 0)
			r = tree_load(tree, kept_scopes[singles[i]], rows->rows[0]->values,
				      rows->rows[0]->states);
	}
	return r;
}

/* An object that is or was null is written as in a whole document. */
static int series_write_object(struct series *series, size_t i)
{
	struct json *json = series->snapshot->json;
	struct tree *tree = &series->snapshot->objects[i];
	int r = series_load_object(series, tree);
	bool may_be_null = schema_objects[i].empty == SCHEMA_EMPTY_NULL;
	bool was_null = may_be_null && series->is_null[i];
	bool is_null = may_be_null && tree->n_present == 0;

	if (r < 0 || (was_null && is_null))
		return r;
	series->is_null[i] = is_null;
	if (is_null) {
		json_key(json, schema_objects[i].key);
		json_literal(json, "null");
		return 0;
	}
	if (!was_null) {
		tree_restrict(tree, CTPROF_SCOPE_HOST, series->changed[KEPT_HOST]);
		tree_restrict(tree, CTPROF_SCOPE_CAPTURE, series->changed[KEPT_CAPTURE]);
	}
	if (!tree_has_any(tree))
		return 0;
	json_key(json, schema_objects[i].key);
	tree_write_close(tree, json, tree_write_open(tree, json));
	return 0;
}

static void series_write_list(struct series *series, const char *key, enum list list,
			      const char *open, const char *close)
{
	const struct json *text = &series->lists[list];
	struct json *json = series->snapshot->json;

	if (text->error)
		json->error = json->error ? json->error : text->error;
	if (text->used == 0)
		return;
	json_key(json, key);
	json_raw(json, open, 1);
	json_long_raw(json, text->data, text->used);
	json_raw(json, close, 1);
}

/* Returns 1 if the state of a plugin has changed, otherwise 0; or -ENOMEM. */
static int series_note_plugins(struct series *series, const struct ctprof_capture_end *end)
{
	uint32_t *states = reallocarray(series->plugin_states, end->n_plugins + 1, sizeof *states);
	bool changed = series->n_plugins != end->n_plugins;

	if (!states)
		return -ENOMEM;
	series->plugin_states = states;
	series->n_plugins = end->n_plugins;
	for (uint64_t i = 0; i < end->n_plugins; i++) {
		const struct ctprof_plugin_report *report = BORDER_AT(end->plugins, i);

		changed = changed || states[i] != report->state;
		states[i] = report->state;
	}
	return changed;
}

static int series_write_delta(struct series *series, const struct ctprof_capture_end *end,
			      bool plugins_changed)
{
	struct snapshot *snapshot = series->snapshot;
	struct json *json = snapshot->json;
	int r = 0;

	json_print(json,
		   "{\"format\":{\"name\":\"ctprof\",\"version\":1,\"frame\":\"delta\"},"
		   "\"captured_at_unix_ns\":%ju",
		   series->realtime_ns);
	series_write_list(series, "gone", LIST_GONE, "[", "]");
	if (series->lists[LIST_NEW].used > 0) {
		json_key(json, "presence_sets");
		presence_write_sets(&snapshot->threads.presence, json);
	}
	series_write_list(series, "new", LIST_NEW, "[", "]");
	series_write_list(series, "changed", LIST_CHANGED, "[", "]");
	if (series->lists[LIST_EXITS].used > 0) {
		json_key(json, "exit_presence_sets");
		presence_write_sets(&snapshot->exits.presence, json);
	}
	series_write_list(series, "exits", LIST_EXITS, "[", "]");
	series_write_list(series, "cgroup_stats", LIST_CGROUPS, "{", "}");
	series_write_list(series, "objects", LIST_OBJECTS, "[", "]");
	for (size_t i = 0; r == 0 && i < SCHEMA_N_OBJECTS; i++)
		r = series_write_object(series, i);
	if (plugins_changed) {
		json_key(json, "plugins");
		about_write_plugins(json, end);
	}
	json_key(json, "capture");
	json_raw(json, series->about.data, series->about.used);
	about_end_capture(json, end, snapshot->began_monotonic_ns);
	json_literal(json, "}");
	return r;
}

/* ---- end ----------------------------------------------------------------------------- */

int series_end(struct snapshot *snapshot, const struct ctprof_capture_end *end)
{
	struct series *series = snapshot->series;

	series_sweep(series);
	bool is_key = series->must_be_key;
	int r = series_note_plugins(series, end);
	if (r >= 0)
		r = is_key ? series_write_key(series, end) : series_write_delta(series, end, r);
	r = r < 0 ? r : stream_finish(snapshot->stream);
	r = r < 0 ? r
		  : seek_list_add(&series->frames, stream_size(snapshot->stream),
				  series->realtime_ns, is_key);
	if (r < 0)
		return r;
	series->broken = false;
	series->since_key = is_key ? 1 : series->since_key + 1;
	return 0;
}

int series_finish(struct snapshot *snapshot)
{
	size_t size;
	FREED char *table = seek_list_make(&snapshot->series->frames, &size);

	return table ? snapshot->host->write(snapshot->host, table, size) : -ENOMEM;
}
