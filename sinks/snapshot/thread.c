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

static void thread_write_fields(struct thread_writer *writer, struct json *json,
				const uint64_t *values, const uint8_t *states)
{
	for (uint32_t i = SCHEMA_TARGET_FIELDS; i < writer->shape.n_fields; i++) {
		const struct member *member = &writer->shape.members[i];
		uint8_t state = member_state(member, values, states);

		writer->states[i] = state;
		if (state != CTPROF_PRESENT) {
			json_raw(json, writer->absent[i].p, writer->absent[i].len);
			continue;
		}
		member_write_key(json, member, true);
		if (!value_write(member->kind, json, values[member->slot]))
			writer->inexact[writer->n_inexact++] = i;
	}
}

/* Writes the present ones of the members first..end whose slots are in changed (NULL: all), after
 * `before` if there are any; returns their number. */
static size_t thread_write_some(struct thread_writer *writer, struct json *json, uint32_t first,
				uint32_t end, const char *before, const uint64_t *values,
				const uint8_t *states, const uint8_t *changed)
{
	size_t written = 0;

	for (uint32_t i = first; i < end; i++) {
		const struct member *member = &writer->shape.members[i];

		if (!member->registered || (changed && !changed[member->slot]))
			continue;
		writer->states[i] = member_state(member, values, states);
		if (writer->states[i] != CTPROF_PRESENT)
			continue;
		json_raw(json, before, written == 0 ? strlen(before) : 0);
		member_write_key(json, member, !before[0] || written > 0);
		written++;
		if (!value_write(member->kind, json, values[member->slot]))
			value_write_hex(json, member_name(member), values[member->slot]);
	}
	return written;
}

/* Writes the members of "extra", or the record's own if there is none; changed: only those whose
 * slots are set (NULL: all). */
static void thread_write_extra(struct thread_writer *writer, struct json *json,
			       const uint64_t *values, const uint8_t *states,
			       const uint8_t *changed)
{
	const char *open = writer->flat ? "" : ",\"extra\":{";

	if (thread_write_some(writer, json, writer->shape.n_fields, writer->shape.n, open, values,
			      states, changed) > 0 &&
	    !writer->flat)
		json_literal(json, "}");
}

void thread_write(struct thread_writer *writer, struct json *json,
		  const struct ctprof_target *target, const uint64_t *values, const uint8_t *states)
{
	writer->n_inexact = 0;
	json_literal(json, "{\"tid\":");
	json_i64(json, target->tid);
	json_literal(json, ",\"tgid\":");
	json_i64(json, target->tgid);
	thread_write_fields(writer, json, values, states);
	for (size_t i = 0; i < writer->n_inexact; i++) {
		const struct member *member = &writer->shape.members[writer->inexact[i]];

		value_write_hex(json, member_name(member), values[member->slot]);
	}
	thread_write_extra(writer, json, values, states, NULL);
	json_literal(json, ",\"presence\":");
	presence_write_ref(&writer->presence, json, writer->states);
	json_literal(json, "}");
}

static bool has_absent(const struct thread_writer *writer)
{
	for (uint32_t i = 0; i < writer->shape.n; i++)
		if (writer->states[i] != CTPROF_PRESENT)
			return true;
	return false;
}

void thread_write_changed(struct thread_writer *writer, struct json *json,
			  const struct ctprof_target *target, const uint64_t *values,
			  const uint8_t *states, const uint8_t *changed)
{
	memset(writer->states, CTPROF_PRESENT, writer->shape.n);
	json_literal(json, "{\"tid\":");
	json_i64(json, target->tid);
	json_literal(json, ",\"tgid\":");
	json_i64(json, target->tgid);
	thread_write_some(writer, json, SCHEMA_TARGET_FIELDS, writer->shape.n_fields, "", values,
			  states, changed);
	thread_write_extra(writer, json, values, states, changed);
	if (has_absent(writer)) {
		json_literal(json, ",\"presence\":");
		presence_write_set(json, &writer->shape, writer->states);
	}
	json_literal(json, "}");
}
