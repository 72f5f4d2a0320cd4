/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "thread.h"

#include <errno.h>
#include <stdlib.h>

int thread_writer_init(struct thread_writer *writer, size_t place)
{
	writer->flat = place == SCHEMA_EXIT;
	presence_init(&writer->presence, &writer->shape);
	return schema_add_fields(&writer->shape, place);
}

void thread_writer_free(struct thread_writer *writer)
{
	for (uint32_t i = 0; writer->absent && i < writer->shape.n_fields; i++)
		free(writer->absent[i].p);
	free(writer->absent);
	shape_free(&writer->shape);
	presence_clear(&writer->presence);
	free(writer->states);
	free(writer->inexact);
}

int thread_writer_add(struct thread_writer *writer, const struct ctprof_metric_info *info)
{
	const char *name = info->metric->name;
	uint32_t i = shape_find(&writer->shape, (struct text){name, strlen(name)});

	return i < SCHEMA_TARGET_FIELDS || (writer->flat && strcmp(name, "presence") == 0)
		       ? -EEXIST
		       : shape_add_metric(&writer->shape, info, value_kind_of(info));
}

int thread_writer_seal(struct thread_writer *writer)
{
	uint32_t n = writer->shape.n;
	int r = 0;

	writer->absent = calloc(writer->shape.n_fields, sizeof *writer->absent);
	writer->states = calloc(n, sizeof *writer->states);
	writer->inexact = calloc(n, sizeof *writer->inexact);
	if (!writer->absent || !writer->states || !writer->inexact)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < writer->shape.n_fields; i++) {
		const struct member *member = &writer->shape.members[i];
		const char *absent = value_absent(member->kind);

		r = json_piece_make(",", member->key.p, member->key.len, absent,
				    &writer->absent[i]);
	}
	return r;
}

/* Writes all fields, then the bytes of those that are not UTF-8. */
static void thread_write_fields(struct thread_writer *writer, struct json *json,
				const struct source_row *row)
{
	size_t n_inexact = 0;

	for (uint32_t i = SCHEMA_TARGET_FIELDS; i < writer->shape.n_fields; i++) {
		const struct member *member = &writer->shape.members[i];
		uint8_t state = member_state(member, row->values, row->states);

		writer->states[i] = state;
		if (state != CTPROF_PRESENT) {
			json_raw(json, writer->absent[i].p, writer->absent[i].len);
			continue;
		}
		member_write_key(json, member, true);
		if (!value_write(member->kind, json, row->values[member->slot]))
			writer->inexact[n_inexact++] = i;
	}
	for (size_t i = 0; i < n_inexact; i++) {
		const struct member *member = &writer->shape.members[writer->inexact[i]];

		value_write_hex(json, member_name(member), row->values[member->slot]);
	}
}

static void thread_write_extra(struct thread_writer *writer, struct json *json,
			       const struct source_row *row)
{
	size_t n = shape_write(&writer->shape, json, writer->shape.n_fields, writer->shape.n, 0,
			       writer->flat ? "" : ",\"extra\":{", row, writer->states);

	if (n > 0 && !writer->flat)
		json_literal(json, "}");
}

static void thread_write_changed(struct thread_writer *writer, struct json *json,
				 const struct source_row *row)
{
	memset(writer->states, CTPROF_PRESENT, writer->shape.n);
	(void)shape_write(&writer->shape, json, SCHEMA_TARGET_FIELDS, writer->shape.n_fields, 0, "",
			  row, writer->states);
	thread_write_extra(writer, json, row);
	if (!shape_has_absent(&writer->shape, writer->states))
		return;
	json_literal(json, ",\"presence\":");
	presence_write_set(json, &writer->shape, writer->states);
}

void thread_write(struct thread_writer *writer, struct json *json, const struct source_row *row)
{
	json_literal(json, "{\"tid\":");
	json_i64(json, row->target->tid);
	json_literal(json, ",\"tgid\":");
	json_i64(json, row->target->tgid);
	if (row->changed) {
		thread_write_changed(writer, json, row);
	} else {
		thread_write_fields(writer, json, row);
		thread_write_extra(writer, json, row);
		json_literal(json, ",\"presence\":");
		presence_write_ref(&writer->presence, json, writer->states);
	}
	json_literal(json, "}");
}
