/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "thread.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "presence.h"

#define NO_SLOT UINT32_MAX

/* All pieces begin with the comma; the record's first member has none before. */
struct member {
	struct json_piece key;    /* ,"name": */
	struct json_piece absent; /* ,"name":0 */
	enum value_kind kind;
	uint32_t index; /* in a row; NO_SLOT: no metric registered */
};

struct thread_writer {
	struct member *members;   /* the format's fields, then those of "extra" */
	struct json_piece *names; /* quoted */
	size_t n;
	uint8_t *states;   /* of the members in the row being written */
	uint32_t *inexact; /* members whose bytes are no UTF-8, likewise */
	size_t n_inexact;
	struct presence *presence;
};

static int member_make(struct member *member, const char *name, enum value_kind kind,
		       uint32_t index)
{
	const char *absent = value_absent(kind);

	*member = (struct member){.kind = kind, .index = index};
	if (json_piece_make(",\"", name, strlen(name), "\":", &member->key) < 0)
		return -ENOMEM;
	return json_piece_make(member->key.p, absent, strlen(absent), "", &member->absent);
}

static void member_clear(struct member *member)
{
	free(member->key.p);
	free(member->absent.p);
}

static int thread_writer_append(struct thread_writer *writer, const char *name,
				enum value_kind kind, uint32_t index)
{
	struct member *members = array_room(writer->members, writer->n, sizeof *members);
	if (members)
		writer->members = members;
	struct json_piece *names = array_room(writer->names, writer->n, sizeof *names);
	if (names)
		writer->names = names;
	if (!members || !names ||
	    json_piece_make("\"", name, strlen(name), "\"", &names[writer->n]) < 0)
		return -ENOMEM;
	return member_make(&members[writer->n++], name, kind, index);
}

struct thread_writer *thread_writer_new(void)
{
	struct thread_writer *writer = calloc(1, sizeof *writer);
	int r = writer ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < schema_thread.n; i++) {
		const struct schema_field *field = &schema_thread.fields[i];

		r = thread_writer_append(writer, field->name, field->kind, NO_SLOT);
	}
	if (r == 0)
		return writer;
	thread_writer_free(writer);
	return NULL;
}

void thread_writer_free(struct thread_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; i < writer->n; i++)
		member_clear(&writer->members[i]);
	json_pieces_free(writer->names, writer->n);
	presence_free(writer->presence);
	free(writer->members);
	free(writer->states);
	free(writer->inexact);
	free(writer);
}

static struct member *thread_writer_find(struct thread_writer *writer, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < writer->n; i++) {
		const struct json_piece *other = &writer->names[i]; /* in quotes */

		if (other->len == len + 2 && memcmp(other->p + 1, name, len) == 0)
			return &writer->members[i];
	}
	return NULL;
}

int thread_writer_add(struct thread_writer *writer, const struct ctprof_metric_info *info)
{
	struct member *member = thread_writer_find(writer, info->metric->name);
	enum value_kind kind = value_kind_of(info);

	if (!member)
		return thread_writer_append(writer, info->metric->name, kind, info->index);
	if (member - writer->members < SCHEMA_TARGET_FIELDS || member->index != NO_SLOT ||
	    !value_accepts(member->kind, kind))
		return -EEXIST;
	member->index = info->index;
	return 0;
}

int thread_writer_seal(struct thread_writer *writer)
{
	writer->states = calloc(writer->n, sizeof *writer->states);
	writer->inexact = calloc(writer->n, sizeof *writer->inexact);
	writer->presence = presence_new(writer->names, writer->n);
	return writer->states && writer->inexact && writer->presence ? 0 : -ENOMEM;
}

/* The member's state in the row; what does not fit its kind is not believed. */
static uint8_t member_state(const struct member *member, const uint64_t *values,
			    const uint8_t *states)
{
	if (member->index == NO_SLOT)
		return CTPROF_ABSENT_SKIPPED;
	uint8_t state = states[member->index];
	if (state == CTPROF_PRESENT && !value_fits(member->kind, values[member->index]))
		return CTPROF_ABSENT_INVALID;
	return state;
}

static void thread_write_fields(struct thread_writer *writer, struct json *json,
				const uint64_t *values, const uint8_t *states)
{
	for (size_t i = SCHEMA_TARGET_FIELDS; i < schema_thread.n; i++) {
		const struct member *member = &writer->members[i];
		uint8_t state = member_state(member, values, states);

		writer->states[i] = state;
		if (state != CTPROF_PRESENT) {
			json_raw(json, member->absent.p, member->absent.len);
			continue;
		}
		json_raw(json, member->key.p, member->key.len);
		if (!value_write(member->kind, json, values[member->index]))
			writer->inexact[writer->n_inexact++] = (uint32_t)i;
	}
}

/* `,"name_hex":"..."` */
static void thread_write_hex(struct json *json, const struct member *member, uint64_t bits)
{
	json_raw(json, member->key.p, member->key.len - 2);
	json_literal(json, "_hex\":");
	json_hex(json, value_text(bits)->bytes, value_text(bits)->length);
}

static void thread_write_extra(struct thread_writer *writer, struct json *json,
			       const uint64_t *values, const uint8_t *states)
{
	size_t written = 0;

	for (size_t i = schema_thread.n; i < writer->n; i++) {
		const struct member *member = &writer->members[i];
		uint8_t state = member_state(member, values, states);

		writer->states[i] = state;
		if (state != CTPROF_PRESENT)
			continue;
		if (written++ == 0) {
			json_literal(json, ",\"extra\":{");
			json_raw(json, member->key.p + 1, member->key.len - 1);
		} else {
			json_raw(json, member->key.p, member->key.len);
		}
		if (!value_write(member->kind, json, values[member->index]))
			thread_write_hex(json, member, values[member->index]);
	}
	if (written > 0)
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
		const struct member *member = &writer->members[writer->inexact[i]];

		thread_write_hex(json, member, values[member->index]);
	}
	thread_write_extra(writer, json, values, states);
	json_literal(json, ",\"presence\":");
	presence_write_ref(writer->presence, json, writer->states);
	json_literal(json, "}");
}

void thread_write_presence_sets(const struct thread_writer *writer, struct json *json)
{
	presence_write_sets(writer->presence, json);
}
