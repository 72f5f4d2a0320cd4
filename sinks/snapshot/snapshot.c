/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink that writes snapshot files, and reads them back; see docs/file-format.md. */
#include <errno.h>
#include <stdlib.h>

#include "about.h"
#include "read.h"
#include "replay.h"
#include "series.h"
#include "snapshot.h"

/* The characters allowed in a metric's name, which becomes keys without escapes. */
#define NAME_BYTES "abcdefghijklmnopqrstuvwxyz0123456789_."
#define NAME_MAX_LEN 64

static int snapshot_fail(const struct snapshot *self, int error)
{
	if (error == -ENOMEM)
		self->host->error(self->host, "out of memory");
	return error;
}

static void snapshot_close(void *instance)
{
	struct snapshot *self = instance;

	stream_free(self->stream);
	thread_writer_free(&self->threads);
	thread_writer_free(&self->exits);
	named_free(&self->named);
	tree_free(&self->cgroup);
	for (size_t i = 0; i < SCHEMA_N_OBJECTS; i++)
		tree_free(&self->objects[i]);
	json_free(&self->capture);
	series_free(self->series);
	replay_free(self->replay);
	free(self);
}

static int snapshot_make_shapes(struct snapshot *self)
{
	int r = named_init(&self->named);

	r = r < 0 ? r : thread_writer_init(&self->threads, SCHEMA_THREAD);
	r = r < 0 ? r : thread_writer_init(&self->exits, SCHEMA_EXIT);
	r = r < 0 ? r : tree_init(&self->cgroup, SCHEMA_CGROUP);
	for (size_t i = 0; r == 0 && i < SCHEMA_N_OBJECTS; i++)
		r = tree_init(&self->objects[i], i);
	return r;
}

static int snapshot_open(const struct ctprof_host *host, void **ret_self)
{
	struct snapshot *self = calloc(1, sizeof *self);

	if (!self) {
		host->error(host, "out of memory");
		return -ENOMEM;
	}
	self->host = host;
	self->stream = stream_new(host);
	if (!self->stream || snapshot_make_shapes(self) < 0 ||
	    json_init(&self->capture, JSON_ROOM) < 0) {
		snapshot_close(self);
		host->error(host, "out of memory");
		return -ENOMEM;
	}
	self->json = stream_json(self->stream);
	*ret_self = self;
	return 0;
}

static int snapshot_place_metric(struct snapshot *self, const struct ctprof_metric_info *info)
{
	size_t place = schema_find_place(info->metric);

	switch (place) {
	case SCHEMA_THREAD:
		return thread_writer_add(&self->threads, info);
	case SCHEMA_EXIT:
		return thread_writer_add(&self->exits, info);
	case SCHEMA_CGROUP:
		return tree_add(&self->cgroup, info);
	case SCHEMA_NAMED:
		return named_add(&self->named, info, value_kind_of(info));
	default:
		return tree_add(&self->objects[place], info);
	}
}

static int snapshot_seal(struct snapshot *self)
{
	int r = thread_writer_seal(&self->threads);

	r = r < 0 ? r : thread_writer_seal(&self->exits);
	r = r < 0 ? r : named_seal(&self->named);
	r = r < 0 ? r : tree_seal(&self->cgroup);
	for (size_t i = 0; r == 0 && i < SCHEMA_N_OBJECTS; i++)
		r = tree_seal(&self->objects[i]);
	return r;
}

static int snapshot_write_thread(struct snapshot *self, enum kept_class class,
				 const struct source_row *row)
{
	json_raw(self->json, ",", self->n_written++ > 0);
	thread_write(class == KEPT_EXIT ? &self->exits : &self->threads, self->json, row);
	return 0;
}

void snapshot_write_cgroup(struct snapshot *self, const struct ctprof_target *target)
{
	bool exact = json_text(self->json, target->path, target->path_len);

	json_literal(self->json, ":");
	bool any = tree_write_open(&self->cgroup, self->json);
	if (!exact) {
		json_raw(self->json, ",", any);
		json_literal(self->json, "\"path_hex\":");
		json_hex(self->json, target->path, target->path_len);
	}
	tree_write_close(&self->cgroup, self->json, any || !exact);
}

static int snapshot_load_cgroup(struct snapshot *self, enum kept_class class,
				const struct source_row *row)
{
	tree_clear(&self->cgroup);
	int r = tree_load(&self->cgroup, kept_scopes[class], row->values, row->states);
	if (r < 0)
		return r;
	json_raw(self->json, ",", self->n_written++ > 0);
	snapshot_write_cgroup(self, row->target);
	return 0;
}

static int snapshot_write_named(struct snapshot *self, enum kept_class class,
				const struct source_row *row)
{
	(void)class;
	self->n_written += named_write(&self->named, self->json, self->n_written > 0, row);
	return 0;
}

/* Loads the first row of the host or of the capture.  It is rendered at once, since rows are valid
 * only during the call. */
static int snapshot_load_objects(struct snapshot *self, enum kept_class class,
				 const struct source_row *row)
{
	bool *seen = class == KEPT_HOST ? &self->host_seen : &self->capture_seen;
	int r = 0;

	for (size_t i = 0; r == 0 && !*seen && i < SCHEMA_N_OBJECTS; i++)
		r = tree_load(&self->objects[i], kept_scopes[class], row->values, row->states);
	*seen = true;
	return r;
}

static int (*const snapshot_writes[KEPT_N_CLASSES])(struct snapshot *self, enum kept_class class,
						    const struct source_row *row) = {
	[KEPT_HOST] = snapshot_load_objects,  [KEPT_THREAD] = snapshot_write_thread,
	[KEPT_EXIT] = snapshot_write_thread,  [KEPT_CGROUP] = snapshot_load_cgroup,
	[KEPT_OBJECT] = snapshot_write_named, [KEPT_CAPTURE] = snapshot_load_objects,
};

static int snapshot_add_metric(struct snapshot *self, const struct ctprof_metric_info *info)
{
	const char *name = info->metric->name;
	enum kept_class class = kept_class_of(info->metric->scope);
	size_t len = strlen(name);

	if (class == KEPT_N_CLASSES || len == 0 || len > NAME_MAX_LEN ||
	    strspn(name, NAME_BYTES) != len)
		return -EINVAL;
	if (self->n_slots[class] <= info->index)
		self->n_slots[class] = (uint64_t)info->index + 1;
	return about_has_metric(info) ? snapshot_place_metric(self, info) : 0;
}

/* If a metric does not get a place, only its own values are lost. */
static int snapshot_add_metrics(struct snapshot *self, const struct ctprof_capture *capture)
{
	for (uint64_t i = 0; i < capture->n_metrics; i++) {
		const struct ctprof_metric_info *info = BORDER_AT(capture->metrics, i);
		int r = snapshot_add_metric(self, info);

		if (r == -ENOMEM)
			return r;
		if (r < 0)
			self->host->log(
				self->host, CTPROF_LOG_WARNING,
				"metric %s is left out of the snapshot: %s", info->metric->name,
				r == -EEXIST ? "its place is taken or has another type"
					     : "its name or scope is not known to the file");
	}
	return snapshot_seal(self);
}

void snapshot_write_head(struct snapshot *self, uint64_t realtime_ns)
{
	self->at = KEPT_HOST;
	self->n_written = 0;
	self->host_seen = self->capture_seen = false;
	for (size_t i = 0; i < SCHEMA_N_OBJECTS; i++)
		tree_clear(&self->objects[i]);
	json_print(self->json,
		   "{\"format\":{\"name\":\"ctprof\",\"version\":1},\"captured_at_unix_ns\":%ju",
		   realtime_ns);
}

/* All samples of a recording have the metrics of the first. */
static int snapshot_take_metrics(struct snapshot *self, const struct ctprof_capture *capture)
{
	int r = self->sealed ? 0 : snapshot_add_metrics(self, capture);

	self->sealed = true;
	self->given = (struct ctprof_capture){.n_metrics = capture->n_metrics,
					      .metrics = capture->metrics};
	return r;
}

static int snapshot_begin(void *instance, const struct ctprof_capture *capture)
{
	struct snapshot *self = instance;
	int r = snapshot_take_metrics(self, capture);

	if (r < 0)
		return snapshot_fail(self, r);
	self->began_monotonic_ns = capture->monotonic_ns;
	self->capture.used = 0;
	about_begin_capture(&self->capture, capture);
	if (series_sample(capture) > 0)
		r = series_begin(self, capture);
	else
		snapshot_write_head(self, capture->realtime_ns);
	return snapshot_fail(self, r < 0 ? r : self->capture.error);
}

static void snapshot_write_object(struct snapshot *self, size_t i)
{
	const struct schema_object *object = &schema_objects[i];
	const struct tree *tree = &self->objects[i];

	if (tree->n_present == 0 && object->empty == SCHEMA_EMPTY_NULL) {
		json_key(self->json, object->key);
		json_literal(self->json, "null");
		return;
	}
	if (tree->n_present == 0 && !shape_has_absent(&tree->shape, tree->absences))
		return;
	json_key(self->json, object->key);
	tree_write_close(tree, self->json, tree_write_open(tree, self->json));
}

void snapshot_advance(struct snapshot *self, enum kept_class class)
{
	for (; self->at < class; self->at++) {
		if (self->at == KEPT_HOST) {
			snapshot_write_object(self, 0);
			json_literal(self->json, ",\"threads\":[");
		} else if (self->at == KEPT_THREAD) {
			json_literal(self->json, "]");
			self->exits_seen = class == KEPT_EXIT;
			if (self->exits_seen)
				json_literal(self->json, ",\"exits\":[");
		} else if (self->at == KEPT_EXIT) {
			if (self->exits_seen)
				json_literal(self->json, "]");
			json_literal(self->json, ",\"cgroup_stats\":{");
		} else if (self->at == KEPT_CGROUP) {
			json_literal(self->json, "}");
			self->objects_seen = class == KEPT_OBJECT;
			if (self->objects_seen)
				json_literal(self->json, ",\"objects\":[");
		} else if (self->objects_seen) {
			json_literal(self->json, "]");
		}
		self->n_written = 0;
	}
}

int snapshot_write_row(struct snapshot *self, enum kept_class class, const struct source_row *row)
{
	snapshot_advance(self, class);
	int r = snapshot_writes[class](self, class, row);
	return r < 0 ? r : self->json->error;
}

static int snapshot_rows(void *instance, const struct ctprof_rows *rows)
{
	struct snapshot *self = instance;
	enum kept_class class = kept_class_of(rows->scope);
	int r = 0;

	if (class == KEPT_N_CLASSES || rows->n == 0)
		return 0;
	if (self->series && rows->n_slots == 0 && self->n_slots[class] > 0 &&
	    rows->scope == CTPROF_SCOPE_THREAD)
		return series_keep(self, rows);
	bool is_late = !self->series && class < self->at;
	if (is_late || rows->n_slots < self->n_slots[class]) {
		self->host->error(self->host, "rows of scope %u came too late or are too short",
				  rows->scope);
		return -EINVAL;
	}
	for (uint64_t i = 0; r == 0 && i < rows->n; i++) {
		const struct source_row row = {
			.target = ctprof_rows_target(rows, i),
			.values = rows->n_slots > 0 ? rows->values + i * rows->n_slots : NULL,
			.states = rows->n_slots > 0 ? rows->states + i * rows->n_slots : NULL,
		};

		r = self->series ? series_row(self, class, &row)
				 : snapshot_write_row(self, class, &row);
	}
	return snapshot_fail(self, r);
}

static void snapshot_write_tail(struct snapshot *self, const struct ctprof_capture_end *end)
{
	struct json *json = self->json;

	for (size_t i = 1; i < SCHEMA_N_OBJECTS; i++)
		snapshot_write_object(self, i);
	/* A reader begins with what follows, so that it needs to read the threads only once. */
	if (!self->series)
		stream_split(self->stream);
	json_key(json, "metrics");
	about_write_metrics(json, &self->given);
	json_key(json, "plugins");
	about_write_plugins(json, end);
	json_key(json, "presence_sets");
	presence_write_sets(&self->threads.presence, json);
	if (self->exits_seen) {
		json_key(json, "exit_presence_sets");
		presence_write_sets(&self->exits.presence, json);
	}
	json_key(json, "capture");
	json_raw(json, self->capture.data, self->capture.used);
	about_end_capture(json, end, self->began_monotonic_ns);
	json_literal(json, "}");
}

void snapshot_write_end(struct snapshot *self, const struct ctprof_capture_end *end)
{
	snapshot_advance(self, KEPT_CAPTURE);
	snapshot_write_tail(self, end);
}

static int snapshot_end(void *instance, const struct ctprof_capture_end *end)
{
	struct snapshot *self = instance;

	if (self->series)
		return snapshot_fail(self, series_end(self, end));
	snapshot_write_end(self, end);
	return snapshot_fail(self, stream_finish(self->stream));
}

static int snapshot_finish(void *instance)
{
	struct snapshot *self = instance;

	return snapshot_fail(self, self->series ? series_finish(self) : 0);
}

static int snapshot_read(void *instance, const struct ctprof_input *input)
{
	struct snapshot *self = instance;

	if (BORDER_MEMBER(input, size, 0) == 0)
		return snapshot_fail(self, read_snapshot(self->host, input, 0));
	self->replay = self->replay ? self->replay : replay_new(self->host);
	return snapshot_fail(self, self->replay ? replay_read(self->replay, input) : -ENOMEM);
}

static int snapshot_cut(void *instance, const struct ctprof_input *input, uint64_t first,
			uint64_t last)
{
	struct snapshot *self = instance;

	self->replay = self->replay ? self->replay : replay_new(self->host);
	return snapshot_fail(self,
			     self->replay ? replay_cut(self->replay, input, first, last) : -ENOMEM);
}

SINK_PLUGIN("snapshot", "writes and reads snapshot files: zstd-compressed JSON",
	    .open = snapshot_open, .close = snapshot_close, .begin = snapshot_begin,
	    .rows = snapshot_rows, .end = snapshot_end, .read = snapshot_read,
	    .finish = snapshot_finish, .cut = snapshot_cut)
