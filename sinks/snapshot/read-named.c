/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read-named.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "named.h"

/* What the host takes of a name. */
#define MAX_NAME 4096u

static const char where[] = "an object";

/* The members every record has; the shape's first ones. */
enum { MEMBER_GROUP, MEMBER_NAME, N_FIXED };

static const struct schema_field fixed[N_FIXED] = {
	[MEMBER_GROUP] = {NAMED_GROUP, VALUE_TEXT},
	[MEMBER_NAME] = {NAMED_NAME, VALUE_TEXT},
};

int named_reader_init(struct named_reader *reader)
{
	const struct schema_fields fields = {fixed, N_FIXED};

	*reader = (struct named_reader){0};
	return shape_add_fields(&reader->shape, &fields);
}

void named_reader_free(struct named_reader *reader)
{
	shape_free(&reader->shape);
	for (uint32_t i = 0; i < reader->n_groups; i++)
		free(reader->groups[i].name);
	free(reader->groups);
	free(reader->member_groups);
	free(reader->states);
	*reader = (struct named_reader){0};
}

/* The number of the group, or how many there are. */
static uint32_t find_group(const struct named_reader *reader, struct text name)
{
	uint32_t i = 0;

	while (i < reader->n_groups && !text_equal(name, reader->groups[i].name))
		i++;
	return i;
}

static int take_group(struct named_reader *reader, const char *name, uint32_t *ret_group)
{
	uint32_t group = find_group(reader, (struct text){name, strlen(name)});

	*ret_group = group;
	if (group < reader->n_groups)
		return 0;
	struct named_group *groups = array_room(reader->groups, reader->n_groups, sizeof *groups);
	if (!groups)
		return -ENOMEM;
	reader->groups = groups;
	groups[group].name = strdup(name);
	if (!groups[group].name)
		return -ENOMEM;
	reader->n_groups++;
	return 0;
}

int named_reader_add(struct named_reader *reader, const struct ctprof_metric *metric, uint32_t slot)
{
	uint32_t at = reader->shape.n - N_FIXED, group;
	int r = take_group(reader, metric->group, &group);

	if (r < 0)
		return r;
	uint32_t *groups = array_room(reader->member_groups, at, sizeof *groups);
	if (!groups)
		return -ENOMEM;
	reader->member_groups = groups;
	groups[at] = group;
	/* One that is named like a fixed member gets no values. */
	return shape_add_metric(&reader->shape, metric, slot);
}

int named_reader_seal(struct named_reader *reader)
{
	reader->states = calloc(reader->shape.n, 1);
	return reader->states ? 0 : -ENOMEM;
}

static void read_members(struct named_reader *reader, struct pull *pull, struct cells *cells)
{
	const struct shape *shape = &reader->shape;
	struct pull_list list;
	struct text key;
	bool has_absent = false;

	pull_open(pull, '{', &list);
	while (pull_more(pull, &list) && pull_key(pull, &key)) {
		uint32_t i = shape_find(shape, key);
		uint32_t hex = shape_find_hex(shape, key);

		if (i != SHAPE_NONE) {
			cells_read(cells, pull, shape, i);
		} else if (hex != SHAPE_NONE) {
			cells_read_hex(cells, pull, shape, hex);
		} else if (text_equal(key, NAMED_ABSENT)) {
			if (has_absent)
				pull_fail_twice(pull, key);
			has_absent = true;
			absences_read(pull, shape, reader->states);
		} else {
			pull_skip(pull);
		}
	}
}

/* Every record must name its object. */
static bool find_target(struct pull *pull, const struct cells *cells,
			struct ctprof_target *ret_target)
{
	struct text name = cells_text(cells, MEMBER_NAME);

	if (pull->error)
		return false;
	if (cells->cells[MEMBER_GROUP].state != CELL_VALUE || name.len == 0) {
		pull_fail_at(pull, pull->p, "a group and a name", (struct text){"its end", 7});
		return false;
	}
	if (name.len > MAX_NAME) {
		pull_fail_limit(pull, MAX_NAME, "bytes of a name");
		return false;
	}
	*ret_target = (struct ctprof_target){
		.struct_size = sizeof *ret_target,
		.task_fd = -1,
		.path_len = (uint32_t)name.len,
		.path = name.p,
	};
	return true;
}

/* Values of other groups' metrics have no business in the record. */
static int put_values(const struct named_reader *reader, struct cells *cells, uint32_t group,
		      const struct row *row)
{
	const struct shape *shape = &reader->shape;
	int r = 0;

	for (uint32_t i = N_FIXED; r == 0 && i < shape->n; i++) {
		const struct member *member = &shape->members[i];
		uint8_t state = reader->states[i];

		if (reader->member_groups[i - N_FIXED] != group)
			continue;
		if (state == CTPROF_PRESENT && cells_has(cells, shape, i))
			r = cells_put(cells, shape, i, row);
		else
			row->host->put_absent(row->batch, row->row, member->slot,
					      state == CTPROF_PRESENT ? CTPROF_ABSENT_SKIPPED
								      : state);
	}
	return r;
}

void named_reader_read(struct named_reader *reader, struct pull *pull, struct cells *cells,
		       const struct ctprof_host *host, const struct ctprof_input *input)
{
	struct row row = {.host = host};
	struct ctprof_target target;

	pull->where = where;
	int r = cells_begin(cells, reader->shape.n);
	if (r < 0)
		pull_stop(pull, r);
	memset(reader->states, CTPROF_PRESENT, reader->shape.n);
	read_members(reader, pull, cells);
	if (!find_target(pull, cells, &target))
		return;
	uint32_t group = find_group(reader, cells_text(cells, MEMBER_GROUP));
	if (group == reader->n_groups)
		return;
	target.group = reader->groups[group].name;
	r = input->row(input, CTPROF_SCOPE_OBJECT, &target, &row.batch, &row.row);
	if (r == 0)
		r = put_values(reader, cells, group, &row);
	if (r < 0)
		pull_stop(pull, r);
}
