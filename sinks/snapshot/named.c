/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "named.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "presence.h"

/* The host's limit for a name. */
#define MAX_NAME 4096u

/* Members that every record has: no metric can have their names. */
#define GROUP "group"
#define NAME "name"
#define NTH "nth"
#define ABSENT "absent"

static const char where[] = "an object";

/* The members that every record has, which come first in the shape. */
enum { MEMBER_GROUP, MEMBER_NAME, MEMBER_NTH, N_FIXED };

int named_init(struct named *named)
{
	int r = shape_add_field(&named->shape, GROUP, VALUE_TEXT);

	r = r < 0 ? r : shape_add_field(&named->shape, NAME, VALUE_TEXT);
	return r < 0 ? r : shape_add_field(&named->shape, NTH, VALUE_U16);
}

void named_free(struct named *named)
{
	shape_free(&named->shape);
	for (uint32_t i = 0; i < named->n_groups; i++)
		free(named->groups[i]);
	free(named->groups);
	free(named->states);
}

/* Returns the index of the group, or the number of groups if it is unknown. */
static uint32_t named_find_group(const struct named *named, struct text name)
{
	uint32_t i = 0;

	while (i < named->n_groups && !text_equal(name, named->groups[i]))
		i++;
	return i;
}

static int named_take_group(struct named *named, const char *name, uint32_t *ret_group)
{
	uint32_t group = named_find_group(named, (struct text){name, strlen(name)});

	*ret_group = group;
	if (group < named->n_groups)
		return 0;
	char **groups = array_room(named->groups, named->n_groups, sizeof *groups);
	if (!groups)
		return -ENOMEM;
	named->groups = groups;
	groups[group] = strdup(name);
	if (!groups[group])
		return -ENOMEM;
	named->n_groups++;
	return 0;
}

static bool is_reserved(const char *name)
{
	return strcmp(name, GROUP) == 0 || strcmp(name, NAME) == 0 ||
	       strcmp(name, NAME "_hex") == 0 || strcmp(name, NTH) == 0 ||
	       strcmp(name, ABSENT) == 0;
}

int named_add(struct named *named, const struct ctprof_metric_info *info, enum value_kind natural)
{
	uint32_t at = named->shape.n, group;

	if (is_reserved(info->metric->name))
		return -EEXIST;
	int r = named_take_group(named, info->metric->group, &group);
	if (r < 0)
		return r;
	r = shape_add_metric(&named->shape, info, natural);
	if (r == 0)
		named->shape.members[at].group = group;
	return r;
}

int named_seal(struct named *named)
{
	named->states = calloc(named->shape.n, 1);
	return named->states ? 0 : -ENOMEM;
}

/* ---- writing ---------------------------------------------------------- */

void named_write_name(struct json *json, const struct ctprof_target *target, uint32_t nth)
{
	json_literal(json, "{\"" GROUP "\":");
	json_string(json, target->group ? target->group : "");
	json_key(json, NAME);
	if (!json_text(json, target->path, target->path_len)) {
		json_key(json, NAME "_hex");
		json_hex(json, target->path, target->path_len);
	}
	if (nth > 0)
		json_print(json, ",\"" NTH "\":%ju", (uintmax_t)nth);
}

bool named_write(struct named *named, struct json *json, bool comma, const struct source_row *row)
{
	const char *name = row->target->group ? row->target->group : "";
	uint32_t group = named_find_group(named, (struct text){name, strlen(name)});

	if (group == named->n_groups)
		return false;
	json_raw(json, ",", comma);
	named_write_name(json, row->target, row->nth);
	memset(named->states, CTPROF_PRESENT, named->shape.n);
	(void)shape_write(&named->shape, json, N_FIXED, named->shape.n, group, "", row,
			  named->states);
	for (uint32_t i = N_FIXED; i < named->shape.n; i++)
		if (!named->shape.members[i].wanted)
			named->states[i] = CTPROF_PRESENT;
	if (shape_has_absent(&named->shape, named->states)) {
		json_key(json, ABSENT);
		presence_write_set(json, &named->shape, named->states);
	}
	json_literal(json, "}");
	return true;
}

/* ---- reading ---------------------------------------------------------- */

static void read_other(struct cells *cells, struct pull *pull, struct text key, void *context)
{
	struct named *named = context;

	if (!text_equal(key, ABSENT)) {
		cells_read_other(cells, pull, &named->shape, key);
		return;
	}
	if (named->has_absent)
		pull_fail_twice(pull, key);
	named->has_absent = true;
	presence_read_set(pull, &named->shape, named->states);
}

/* Finds the name of the object, which every record must have. */
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

void named_read(struct named *named, struct pull *pull, struct cells *cells,
		const struct ctprof_host *host, const struct ctprof_input *input, bool partial)
{
	struct row row = {.host = host};
	struct ctprof_target target;

	pull->where = where;
	cells_begin(cells, pull, named->shape.n);
	named->has_absent = false;
	memset(named->states, CTPROF_PRESENT, named->shape.n);
	cells_read_object(cells, pull, &named->shape, 0, named->shape.n, read_other, named);
	if (!find_target(pull, cells, &target))
		return;
	uint32_t group = named_find_group(named, cells_text(cells, MEMBER_GROUP));
	if (group == named->n_groups)
		return;
	target.group = named->groups[group];
	named->nth = (uint32_t)cells->cells[MEMBER_NTH].bits;
	int r = input->row(input, CTPROF_SCOPE_OBJECT, &target, &row.batch, &row.row);
	if (r < 0)
		pull_stop(pull, r);
	/* Values of other groups are not part of the record. */
	cells_put_all(cells, pull, &named->shape, named->states, group, CTPROF_ABSENT_SKIPPED,
		      partial, &row);
}
