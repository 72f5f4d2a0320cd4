/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read.h"

#include <errno.h>
#include <stdlib.h>

#include "border.h"
#include "read-about.h"
#include "read-object.h"

static const uint32_t single_scopes[N_SINGLE_ROWS] = {
	[ROW_HOST] = CTPROF_SCOPE_HOST,
	[ROW_CAPTURE] = CTPROF_SCOPE_CAPTURE,
};

/* The members of "gone", which identify rows that no longer exist. */
enum { LOST_TID, LOST_TGID, LOST_PATH, LOST_GROUP, LOST_NAME, LOST_NTH };
static const struct {
	const char *name;
	enum value_kind kind;
} lost_fields[] = {
	[LOST_TID] = {"tid", VALUE_U32},    [LOST_TGID] = {"tgid", VALUE_U32},
	[LOST_PATH] = {"path", VALUE_TEXT}, [LOST_GROUP] = {"group", VALUE_TEXT},
	[LOST_NAME] = {"name", VALUE_TEXT}, [LOST_NTH] = {"nth", VALUE_U16},
};

void reader_free(struct reader *reader)
{
	unzstd_free(reader->unzstd);
	pull_free(&reader->pull);
	cells_free(&reader->cells);
	thread_reader_free(&reader->threads);
	thread_reader_free(&reader->exits);
	named_free(&reader->named);
	shape_free(&reader->cgroup);
	shape_free(&reader->lost);
	for (size_t i = 0; i < SCHEMA_N_OBJECTS; i++)
		shape_free(&reader->objects[i]);
	free(reader->states);
	json_free(&reader->path);
}

static int64_t reader_fill(void *context, char *into, size_t size)
{
	struct reader *reader = context;

	return unzstd_fill(reader->unzstd, into, size);
}

static void reader_fault(void *context, uint64_t offset, const char *sentence)
{
	struct reader *reader = context;

	/* A document with no member of a snapshot is a different kind of file. */
	bool is_strange = reader->pass == PASS_SKIM && reader->seen == 0;

	reader->faulted = true;
	if (reader->pass == PASS_TAIL)
		reader->input->fault(reader->input, UINT64_MAX, "second frame, byte %ju: %s",
				     (uintmax_t)offset, sentence);
	else
		reader->input->fault(reader->input, offset, "%s%s", is_strange ? NO_SNAPSHOT : "",
				     sentence);
}

static int reader_init_shapes(struct reader *reader)
{
	int r = thread_reader_init(&reader->threads, SCHEMA_THREAD);

	r = r < 0 ? r : thread_reader_init(&reader->exits, SCHEMA_EXIT);
	r = r < 0 ? r : named_init(&reader->named);
	r = r < 0 ? r : schema_add_fields(&reader->cgroup, SCHEMA_CGROUP);
	r = r < 0 ? r : shape_add_field(&reader->cgroup, OBJECT_PATH, VALUE_TEXT);
	for (size_t i = 0; r == 0 && i < SCHEMA_N_OBJECTS; i++)
		r = schema_add_fields(&reader->objects[i], i);
	for (size_t i = 0; r == 0 && i < sizeof lost_fields / sizeof lost_fields[0]; i++)
		r = shape_add_field(&reader->lost, lost_fields[i].name, lost_fields[i].kind);
	return r;
}

int reader_init(struct reader *reader)
{
	const struct ctprof_input *input = reader->input;

	reader->pull.fill = reader_fill;
	reader->pull.fault = reader_fault;
	reader->pull.context = reader;
	reader->pull.max_depth = input->max_depth;
	reader->pull.max_string = input->max_string;
	reader->unzstd = unzstd_new(input);
	if (!reader->unzstd || pull_init(&reader->pull) < 0 || cells_init(&reader->cells) < 0 ||
	    json_init(&reader->path, JSON_ROOM) < 0)
		return -ENOMEM;
	return reader_init_shapes(reader);
}

/* ---- metrics ---------------------------------------------------------- */

static int reader_place_metric(struct reader *reader, const struct ctprof_metric *metric,
			       uint32_t slot)
{
	const struct ctprof_metric_info info = {.metric = metric, .index = slot};
	enum value_kind natural = value_kind_of_metric(metric);
	size_t place = schema_find_place(metric);

	if (place == SCHEMA_THREAD)
		return shape_add_metric(&reader->threads.shape, &info, natural);
	if (place == SCHEMA_EXIT)
		return shape_add_metric(&reader->exits.shape, &info, natural);
	if (place == SCHEMA_CGROUP)
		return shape_add_metric(&reader->cgroup, &info, natural);
	if (place == SCHEMA_NAMED)
		return named_add(&reader->named, &info, natural);
	for (size_t i = 0; i < N_SINGLE_ROWS; i++)
		if (single_scopes[i] == metric->scope)
			reader->has_scope[i] = true;
	return shape_add_metric(&reader->objects[place], &info, natural);
}

/* A metric that the host rejects is from a newer ctprof, or invalid: its values are skipped. */
static int reader_take_metric(void *context, const char *plugin, const struct ctprof_metric *metric)
{
	struct reader *reader = context;
	uint32_t slot;
	int r = reader->input->metric(reader->input, plugin, metric, &slot);

	if (r == 0) {
		/* A metric without a place gets no values. */
		r = reader_place_metric(reader, metric, slot);
		return r == -EEXIST ? 0 : r;
	}
	if (r != -EINVAL && r != -EEXIST)
		return r;
	reader->host->log(reader->host, CTPROF_LOG_INFO, "the file's metric %s is left out",
			  metric->name);
	return 0;
}

static int reader_take_known_metrics(struct reader *reader)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < known_n_metrics; i++)
		r = reader_take_metric(reader, "", &known_metrics[i]);
	return r;
}

/* Afterwards, everything that depends on the metrics can be read. */
static int reader_settle_metrics(struct reader *reader)
{
	uint32_t n = reader->cgroup.n;

	for (size_t i = 0; i < SCHEMA_N_OBJECTS; i++)
		if (reader->objects[i].n > n)
			n = reader->objects[i].n;
	reader->states = calloc(n, 1);
	reader->sealed = true;
	int r = reader->states ? thread_reader_seal(&reader->threads) : -ENOMEM;
	r = r < 0 ? r : thread_reader_seal(&reader->exits);
	return r < 0 ? r : named_seal(&reader->named);
}

/* ---- objects ---------------------------------------------------------- */

/* partial: values that were neither read nor absent stay unchanged. */
static void reader_put_object(struct reader *reader, const struct shape *shape,
			      const struct row *rows, bool partial)
{
	/* Neither present nor absent: not requested, or unknown to the reference. */
	uint8_t unseen = reader->own ? CTPROF_ABSENT_SKIPPED : CTPROF_ABSENT_UNSUPPORTED;

	cells_put_all(&reader->cells, &reader->pull, shape, reader->states, 0, unseen, partial,
		      rows);
}

/* The reason for null is unknown: the values stay absent as in a new row. */
static void reader_put_null(struct reader *reader, size_t i)
{
	const struct shape *shape = &reader->objects[i];

	reader->is_null[i] = true;
	for (uint32_t m = 0; reader->pass == PASS_DELTA && m < shape->n; m++) {
		const struct member *member = &shape->members[m];
		const struct row *row = &reader->rows[member->scope == CTPROF_SCOPE_CAPTURE];

		if (member->registered)
			reader->host->put_absent(row->batch, row->row, member->slot,
						 CTPROF_ABSENT_UNSUPPORTED);
	}
}

static void reader_fill_object(struct reader *reader, size_t i)
{
	/* An object that was null is written as a whole. */
	bool partial = reader->pass == PASS_DELTA && !reader->is_null[i];

	if (pull_peek(&reader->pull) == 'n' && pull_null(&reader->pull)) {
		reader_put_null(reader, i);
		return;
	}
	reader->is_null[i] = false;
	object_read(&reader->pull, &reader->objects[i], &reader->cells, reader->states,
		    schema_objects[i].prefix);
	reader_put_object(reader, &reader->objects[i], reader->rows, partial);
}

/* If an object was left out, none of its values was requested. */
static void reader_put_missing(struct reader *reader, size_t i)
{
	cells_begin(&reader->cells, &reader->pull, reader->objects[i].n);
	memset(reader->states, CTPROF_PRESENT, reader->objects[i].n);
	reader_put_object(reader, &reader->objects[i], reader->rows, false);
}

static void reader_begin_rows(struct reader *reader)
{
	const struct ctprof_target target = {.struct_size = sizeof target, .task_fd = -1};

	for (size_t i = 0; i < N_SINGLE_ROWS; i++) {
		struct row *row = &reader->rows[i];
		int r = 0;

		row->host = reader->host;
		if (reader->has_scope[i])
			r = reader->input->row(reader->input, single_scopes[i], &target,
					       &row->batch, &row->row);
		if (r < 0)
			pull_stop(&reader->pull, r);
	}
}

static void reader_put_cgroup(struct reader *reader)
{
	struct row row = {.host = reader->host};
	struct text path = {reader->path.data, reader->path.used};
	uint32_t i = shape_find(&reader->cgroup, (struct text){OBJECT_PATH, strlen(OBJECT_PATH)});

	if (reader->cells.cells[i].exact)
		path = cells_text(&reader->cells, i);
	const struct ctprof_target target = {
		.struct_size = sizeof target,
		.task_fd = -1,
		.path_len = (uint32_t)path.len,
		.path = path.p,
	};
	int r = reader->input->row(reader->input, CTPROF_SCOPE_CGROUP, &target, &row.batch,
				   &row.row);
	if (r < 0)
		pull_stop(&reader->pull, r);
	reader_put_object(reader, &reader->cgroup, &row, reader->pass == PASS_DELTA);
}

static void reader_read_cgroups(struct reader *reader)
{
	struct pull *pull = &reader->pull;
	struct pull_list list;
	struct text key;

	pull_open(pull, '{', &list);
	while (pull_more(pull, &list) && pull_key(pull, &key)) {
		pull->where = "a cgroup";
		if (memchr(key.p, '\0', key.len))
			pull_fail_at(pull, pull->p, "a path without NUL", key);
		reader->path.used = 0;
		json_raw(&reader->path, key.p, key.len);
		if (reader->path.error)
			pull_stop(pull, reader->path.error);
		object_read(pull, &reader->cgroup, &reader->cells, reader->states, "");
		if (!pull->error)
			reader_put_cgroup(reader);
		pull->where = "cgroup_stats";
	}
}

/* ---- the top object --------------------------------------------------- */

static void reader_read_format(struct reader *reader)
{
	reader->own = true;
	about_read_format(&reader->pull, &reader->cells, reader->pass == PASS_DELTA);
}

/* Reads an array of records, calling one() for each. */
static void reader_each(struct reader *reader, void (*one)(struct reader *reader))
{
	struct pull *pull = &reader->pull;
	const char *where = pull->where;
	struct pull_list list;
	uint64_t n = 0;

	pull_open(pull, '[', &list);
	while (pull_more(pull, &list)) {
		if (n++ >= reader->input->max_threads)
			pull_fail_limit(pull, reader->input->max_threads, "records");
		one(reader);
		pull->where = where;
	}
}

static void reader_read_thread(struct reader *reader)
{
	if (reader->pass == PASS_SKIM)
		thread_reader_skip(reader->of, &reader->pull);
	else
		thread_reader_read(reader->of, &reader->pull, &reader->cells, reader->host,
				   reader->input);
}

static void reader_read_changed(struct reader *reader)
{
	reader->of->partial = true;
	reader_read_thread(reader);
	reader->of->partial = false;
}

static void reader_read_named(struct reader *reader)
{
	if (reader->pass == PASS_SKIM)
		pull_skip(&reader->pull);
	else
		named_read(&reader->named, &reader->pull, &reader->cells, reader->host,
			   reader->input, reader->pass == PASS_DELTA);
}

static void reader_read_gone(struct reader *reader)
{
	struct cells *cells = &reader->cells;

	reader->pull.where = "what is gone";
	object_read(&reader->pull, &reader->lost, cells, reader->states, "");
	if (reader->pull.error)
		return;
	bool named = cells->cells[LOST_NAME].state == CELL_VALUE;
	struct text path = cells_text(cells, named ? LOST_NAME : LOST_PATH);
	const struct ctprof_target target = {
		.struct_size = sizeof target,
		.tgid = (int32_t)cells->cells[LOST_TGID].bits,
		.tid = (int32_t)cells->cells[LOST_TID].bits,
		.task_fd = -1,
		.path_len = (uint32_t)path.len,
		.path = named || cells->cells[LOST_PATH].state == CELL_VALUE ? path.p : NULL,
		.group = named ? cells_text(cells, LOST_GROUP).p : NULL,
	};
	reader->gone(reader, &target, (uint32_t)cells->cells[LOST_NTH].bits);
}

static void reader_read_metrics(struct reader *reader)
{
	about_read_metrics(&reader->pull, &reader->cells, reader_take_metric, reader);
	int r = reader->pull.error ? 0 : reader_settle_metrics(reader);

	if (r < 0)
		pull_stop(&reader->pull, r);
}

static void reader_read_sets(struct reader *reader)
{
	struct thread_reader *of = reader->of;
	/* If one of the two members was delayed, the other is not a duplicate. */
	bool is_time = reader->sealed && (reader->pass != PASS_SETS || of->sets_delayed);

	of->sets_delayed = of->sets_delayed || !reader->sealed;
	if (is_time)
		thread_reader_read_sets(of, &reader->pull);
	else
		pull_skip(&reader->pull);
}

/* The passes as bits. */
enum {
	SKIM = 1 << PASS_SKIM,
	SETS = 1 << PASS_SETS,
	ONCE = 1 << PASS_ONCE,
	FILL = 1 << PASS_FILL | ONCE,
	TAIL = 1 << PASS_TAIL,
	DELTA = 1 << PASS_DELTA,
};

/* Members of the top object except those made of dotted names. */
static const struct part {
	const char *key;
	int passes; /* the passes in which it is read; in others it is skipped */
	void (*read)(struct reader *reader);
	void (*each)(struct reader *reader); /* a record of an array */
	/* The parts that are only reported to the host. */
	void (*read_about)(struct pull *pull, struct cells *cells,
			   const struct ctprof_input *input);
	bool is_of_exits;
} parts[] = {
	{"threads", SKIM | FILL, .each = reader_read_thread},
	{"gone", DELTA, .each = reader_read_gone},
	{"new", DELTA, .each = reader_read_thread},
	{"changed", DELTA, .each = reader_read_changed},
	{"exits", SKIM | FILL | DELTA, .each = reader_read_thread, .is_of_exits = true},
	{"cgroup_stats", FILL | DELTA, .read = reader_read_cgroups},
	{"objects", SKIM | FILL | DELTA, .each = reader_read_named},
	{"format", SKIM | ONCE | DELTA, .read = reader_read_format},
	{"captured_at_unix_ns", SKIM | ONCE | DELTA, .read_about = about_read_time},
	{"metrics", SKIM | TAIL, .read = reader_read_metrics},
	{"plugins", SKIM | TAIL | DELTA, .read_about = about_read_plugins},
	{"presence_sets", SKIM | TAIL | SETS | DELTA, .read = reader_read_sets},
	{"exit_presence_sets", SKIM | TAIL | SETS | DELTA, .read = reader_read_sets,
	 .is_of_exits = true},
	{"capture", SKIM | TAIL | DELTA, .read_about = about_read_capture},
};

enum { PART_THREADS, N_PARTS = sizeof parts / sizeof parts[0] };

_Static_assert(N_PARTS + SCHEMA_N_OBJECTS <= 32, "struct reader.seen has a bit for each");

/* Finds the part with that key, or the object, numbered after the parts; NULL if there is
 * neither. */
static const char *reader_find_part(struct text key, size_t *ret_part)
{
	for (size_t i = 0; i < N_PARTS + SCHEMA_N_OBJECTS; i++) {
		const char *other = i < N_PARTS ? parts[i].key : schema_objects[i - N_PARTS].key;

		if (!text_equal(key, other))
			continue;
		*ret_part = i;
		return other;
	}
	return NULL;
}

static void reader_read_part(struct reader *reader, const struct part *part)
{
	reader->of = part->is_of_exits ? &reader->exits : &reader->threads;
	if (!(part->passes & 1 << reader->pass))
		pull_skip(&reader->pull);
	else if (part->each)
		reader_each(reader, part->each);
	else if (part->read)
		part->read(reader);
	else
		part->read_about(&reader->pull, &reader->cells, reader->input);
}

static void reader_read_member(struct reader *reader, struct text key)
{
	size_t part;
	const char *name = reader_find_part(key, &part);

	if (!name) {
		pull_skip(&reader->pull);
		return;
	}
	if (reader->seen & 1u << part)
		pull_fail_twice(&reader->pull, key);
	reader->seen |= 1u << part;
	reader->pull.where = name;
	/* The second frame is read again at the end of this pass: a lie is a second key. */
	if (reader->pass == PASS_ONCE && part < N_PARTS && parts[part].passes & TAIL &&
	    !(reader->in_tail & 1u << part)) {
		reader->pull.where = "the first of two frames";
		pull_fail_at(&reader->pull, reader->pull.p, "no member of the second", key);
	}
	if (part < N_PARTS)
		reader_read_part(reader, &parts[part]);
	else if (reader->pass >= PASS_FILL && reader->pass != PASS_TAIL)
		reader_fill_object(reader, part - N_PARTS);
	else
		pull_skip(&reader->pull);
}

static void reader_read_top(struct reader *reader)
{
	static const char where[] = "the snapshot";
	const bool is_tail = reader->pass == PASS_TAIL;
	struct pull *pull = &reader->pull;
	struct pull_list list = {.close = '}', .begun = true};
	struct text key;

	pull->where = where;
	pull->depth = is_tail;
	if (!is_tail)
		pull_open(pull, '{', &list);
	while (pull_more(pull, &list) && pull_key(pull, &key)) {
		reader_read_member(reader, key);
		pull->where = where;
	}
	if (!pull->error && reader->pass != PASS_DELTA && !is_tail &&
	    !(reader->seen & 1u << PART_THREADS))
		pull_fail_at(pull, pull->p, "a member threads", (struct text){"its end", 7});
	pull_finish(pull);
}

static int reader_pass(struct reader *reader, enum pass pass)
{
	int r = unzstd_rewind(reader->unzstd, pass == PASS_TAIL ? reader->tail : 0);

	if (r < 0)
		return r;
	pull_rewind(&reader->pull);
	reader->pass = pass;
	reader->seen = 0;
	const bool fills = pass == PASS_FILL || pass == PASS_ONCE;
	if (fills)
		reader_begin_rows(reader);
	reader_read_top(reader);
	/* Invalid text is mostly due to damage of the file, which is the better explanation:
	 * reading on may find the damage, and the last message counts. */
	if (reader->faulted)
		(void)unzstd_drain(reader->unzstd);
	for (size_t i = 0; fills && reader->own && i < SCHEMA_N_OBJECTS; i++)
		if (!(reader->seen & 1u << (N_PARTS + i)))
			reader_put_missing(reader, i);
	return reader->pull.error;
}

static int reader_skim(struct reader *reader)
{
	int r = reader_pass(reader, PASS_SKIM);

	if (r < 0 || reader->sealed)
		return r;
	r = reader_take_known_metrics(reader);
	return r < 0 ? r : reader_settle_metrics(reader);
}

/* Reads what rows need from the second frame. */
static int reader_read_tail(struct reader *reader)
{
	int r = reader_pass(reader, PASS_TAIL);

	reader->in_tail = reader->seen;
	reader->own = true;
	if (r < 0 || reader->sealed)
		return r;
	reader->input->fault(reader->input, UINT64_MAX,
			     "second frame: expected metrics, found none");
	return -EBADMSG;
}

int reader_read(struct reader *reader)
{
	/* The first pass of two finds damage before there are rows. */
	bool is_once = reader->tail > 0 && !BORDER_MEMBER(reader->input, must_check, 0);
	int r = is_once ? reader_read_tail(reader) : reader_skim(reader);

	if (r == 0 && (reader->threads.sets_delayed || reader->exits.sets_delayed))
		r = reader_pass(reader, PASS_SETS);
	r = r < 0 ? r : reader->input->seal(reader->input);
	return r < 0 ? r : reader_pass(reader, is_once ? PASS_ONCE : PASS_FILL);
}

int reader_read_delta(struct reader *reader)
{
	thread_reader_clear_sets(&reader->threads);
	thread_reader_clear_sets(&reader->exits);
	return reader_pass(reader, PASS_DELTA);
}

int read_snapshot(const struct ctprof_host *host, const struct ctprof_input *input, uint64_t tail)
{
	__attribute__((cleanup(reader_free))) struct reader reader = {
		.host = host,
		.input = input,
		.tail = tail,
	};
	int r = reader_init(&reader);

	return r < 0 ? r : reader_read(&reader);
}
