/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read-thread.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema.h"

#define MAX_FLAGS 2

#define NO_GATE 0

/* The fields of a row's target. */
enum { FIELD_TID, FIELD_TGID };

_Static_assert(FIELD_TGID == SCHEMA_TARGET_FIELDS - 1, "tid and tgid come first");

/*
 * In a file without presence, flags of the same record show that a value was
 * measured: all of them must be set. The first matching pattern counts.
 */
static const struct gate {
	const char *pattern; /* for names of members */
	const char *flags[MAX_FLAGS];
} gates[] = {
	[NO_GATE] = {"", {NULL}},
	{"cpu_delay_*", {"taskstats_measured", "cpu_delay_active"}},
	{"*_delay_*", {"taskstats_measured", "delay_block_active"}},
	{"hiwater_*", {"taskstats_measured", "xacct_active"}},
	{"*allocated_bytes", {"jemalloc_measured"}},
};

#define N_GATES (sizeof gates / sizeof gates[0])

int thread_reader_init(struct thread_reader *reader, size_t place)
{
	bool ended = place == SCHEMA_EXIT;

	*reader = (struct thread_reader){
		.set = PRESENCE_NO_SET,
		.scope = ended ? CTPROF_SCOPE_EXIT : CTPROF_SCOPE_THREAD,
		.flat = ended,
		.where = ended ? "an exit record" : "a thread record",
	};
	return schema_add_fields(&reader->shape, place);
}

void thread_reader_free(struct thread_reader *reader)
{
	shape_free(&reader->shape);
	presence_sets_free(&reader->sets);
	free(reader->states);
	free(reader->gates);
	free(reader->wanted);
	*reader = (struct thread_reader){0};
}

static uint8_t find_gate(const struct member *member)
{
	struct text name = member_name(member);
	char copy[64];

	if (member->kind == VALUE_BOOL || name.len >= sizeof copy)
		return NO_GATE;
	memcpy(copy, name.p, name.len);
	copy[name.len] = '\0';
	for (uint8_t i = NO_GATE + 1; i < N_GATES; i++)
		if (fnmatch(gates[i].pattern, copy, 0) == 0)
			return i;
	return NO_GATE;
}

int thread_reader_seal(struct thread_reader *reader)
{
	uint32_t n = reader->shape.n;

	reader->states = calloc(n, 1);
	reader->gates = calloc(n, 1);
	reader->wanted = calloc(n, sizeof *reader->wanted);
	if (!reader->states || !reader->gates || !reader->wanted)
		return -ENOMEM;
	for (uint32_t i = SCHEMA_TARGET_FIELDS; i < n; i++)
		if (reader->shape.members[i].registered)
			reader->wanted[reader->n_wanted++] = i;
	for (uint32_t i = SCHEMA_TARGET_FIELDS; i < reader->shape.n_fields; i++)
		reader->gates[i] = find_gate(&reader->shape.members[i]);
	return 0;
}

void thread_reader_read_sets(struct thread_reader *reader, struct pull *pull)
{
	presence_sets_read(&reader->sets, pull, &reader->shape, reader->states);
	(void)snprintf(reader->expected, sizeof reader->expected, "a presence below %u",
		       reader->sets.n);
}

void thread_reader_clear_sets(struct thread_reader *reader)
{
	presence_sets_free(&reader->sets);
	reader->set = PRESENCE_NO_SET;
	reader->sets_delayed = false;
}

void thread_reader_skip(const struct thread_reader *reader, struct pull *pull)
{
	struct pull_list list;
	struct text key;
	size_t next = 0;

	pull->where = reader->where;
	pull_open(pull, '{', &list);
	while (pull_more(pull, &list)) {
		/* If the key is the expected next one, it need not be compared byte by byte. */
		if (next < reader->shape.n_fields &&
		    pull_match(pull, &reader->shape.members[next].key))
			next++;
		else if (!pull_key(pull, &key))
			return;
		pull_skip(pull);
	}
}

static void read_presence(struct thread_reader *reader, struct pull *pull)
{
	uint32_t n = reader->sets.n;
	uint64_t set;

	if (reader->has_states)
		pull_fail_twice(pull, (struct text){"presence", 8});
	reader->has_states = true;
	if (pull_peek(pull) == '{') {
		reader->set = PRESENCE_NO_SET;
		memset(reader->states, CTPROF_PRESENT, reader->shape.n);
		presence_read_set(pull, &reader->shape, reader->states);
		return;
	}
	if (n == 0)
		pull_fail(pull, "no presence, as there are no sets");
	else if (pull_integer(pull, 0, n - 1, reader->expected, &set) && set != reader->set) {
		/* In most cases it is the set of the previous record. */
		reader->set = (uint32_t)set;
		presence_sets_get(&reader->sets, reader->set, reader->states, reader->shape.n);
	}
}

static void read_other_extra(struct cells *cells, struct pull *pull, struct text key, void *context)
{
	const struct thread_reader *reader = context;

	cells_read_other(cells, pull, &reader->shape, key);
}

static void read_extra(struct thread_reader *reader, struct pull *pull, struct cells *cells)
{
	if (reader->has_extra)
		pull_fail_twice(pull, (struct text){"extra", 5});
	reader->has_extra = true;
	cells_read_object(cells, pull, &reader->shape, reader->shape.n_fields, reader->shape.n,
			  read_other_extra, reader);
}

static void read_other(struct cells *cells, struct pull *pull, struct text key, void *context)
{
	struct thread_reader *reader = context;

	if (text_equal(key, "presence"))
		read_presence(reader, pull);
	else if (!reader->flat && text_equal(key, "extra"))
		read_extra(reader, pull, cells);
	else
		cells_read_other(cells, pull, &reader->shape, key);
}

static bool is_set(const struct thread_reader *reader, const struct cells *cells, const char *flag)
{
	uint32_t i = shape_find(&reader->shape, (struct text){flag, strlen(flag)});

	return i != SHAPE_NONE && cells_has(cells, &reader->shape, i) && cells->cells[i].bits != 0;
}

static bool is_measured(const struct thread_reader *reader, const struct cells *cells,
			const struct gate *gate)
{
	for (size_t i = 0; i < MAX_FLAGS; i++)
		if (gate->flags[i] && !is_set(reader, cells, gate->flags[i]))
			return false;
	return true;
}

/* For a record of another writer: derives states from its flags, and from '~', which is not a valid
 * state. */
static void derive_states(struct thread_reader *reader, const struct cells *cells)
{
	bool measured[N_GATES];

	for (size_t i = 0; i < N_GATES; i++)
		measured[i] = is_measured(reader, cells, &gates[i]);
	for (uint32_t i = 0; i < reader->shape.n; i++) {
		bool absent = !measured[reader->gates[i]] ||
			      (reader->shape.members[i].kind == VALUE_CHAR &&
			       cells->cells[i].bits == '~');

		reader->states[i] = absent ? CTPROF_ABSENT_UNSUPPORTED : CTPROF_PRESENT;
	}
}

static void put_values(struct thread_reader *reader, struct pull *pull, struct cells *cells,
		       const struct row *row)
{
	const struct shape *shape = &reader->shape;
	int r = 0;

	for (uint32_t w = 0; r == 0 && w < reader->n_wanted; w++) {
		uint32_t i = reader->wanted[w];

		if (reader->states[i] == CTPROF_PRESENT && cells_has(cells, shape, i))
			r = cells_put(cells, shape, i, row);
		/* All values of a new row are UNSUPPORTED. */
		else if (reader->states[i] != CTPROF_PRESENT &&
			 (reader->partial || reader->states[i] != CTPROF_ABSENT_UNSUPPORTED))
			row->host->put_absent(row->batch, row->row, shape->members[i].slot,
					      reader->states[i]);
	}
	if (r < 0)
		pull_stop(pull, r);
}

/* Finds the thread's IDs, which every record must have. */
static bool find_target(struct pull *pull, const struct cells *cells,
			struct ctprof_target *ret_target)
{
	const struct cell *tid = &cells->cells[FIELD_TID], *tgid = &cells->cells[FIELD_TGID];

	if (pull->error)
		return false;
	if (tid->state != CELL_VALUE || tgid->state != CELL_VALUE) {
		pull_fail_at(pull, pull->p, "a tid and a tgid", (struct text){"its end", 7});
		return false;
	}
	if (tid->bits > INT32_MAX || tgid->bits > INT32_MAX) {
		pull_fail_at(pull, pull->p, "a tid and a tgid of 31 bits",
			     (struct text){"more", 4});
		return false;
	}
	*ret_target = (struct ctprof_target){
		.struct_size = sizeof *ret_target,
		.flags = tid->bits == tgid->bits ? CTPROF_TARGET_LEADER : 0,
		.tgid = (int32_t)tgid->bits,
		.tid = (int32_t)tid->bits,
		.task_fd = -1,
	};
	return true;
}

void thread_reader_read(struct thread_reader *reader, struct pull *pull, struct cells *cells,
			const struct ctprof_host *host, const struct ctprof_input *input)
{
	struct row row = {.host = host};
	struct ctprof_target target;

	pull->where = reader->where;
	reader->has_states = false;
	reader->has_extra = false;
	cells_begin(cells, pull, reader->shape.n);
	cells->may_grow = reader->partial;
	cells_read_object(cells, pull, &reader->shape, 0,
			  reader->flat ? reader->shape.n : reader->shape.n_fields, read_other,
			  reader);
	cells->may_grow = false;
	if (!find_target(pull, cells, &target))
		return;
	if (!reader->has_states)
		reader->set = PRESENCE_NO_SET;
	if (!reader->has_states && reader->partial)
		memset(reader->states, CTPROF_PRESENT, reader->shape.n);
	else if (!reader->has_states)
		derive_states(reader, cells);
	int r = input->row(input, reader->scope, &target, &row.batch, &row.row);
	if (r < 0)
		pull_stop(pull, r);
	else
		put_values(reader, pull, cells, &row);
}
