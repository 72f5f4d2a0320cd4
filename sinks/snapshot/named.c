/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "named.h"

#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "presence.h"
#include "value.h"

struct member {
	struct json_piece key; /* ,"name": */
	enum value_kind kind;
	uint32_t index; /* in a row */
	bool wanted;    /* told when absent */
};

/* The metrics of one slot group. */
struct group {
	char *name;
	struct member *members;   /* with names and absences in step */
	struct json_piece *names; /* quoted */
	uint8_t *absences;        /* as told of the record being written */
	size_t n;
};

struct named_writer {
	struct group *groups;
	size_t n;
};

struct named_writer *named_writer_new(void)
{
	return calloc(1, sizeof(struct named_writer));
}

static void group_free(struct group *group)
{
	for (size_t i = 0; i < group->n; i++)
		free(group->members[i].key.p);
	json_pieces_free(group->names, group->n);
	free(group->members);
	free(group->absences);
	free(group->name);
}

void named_writer_free(struct named_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; i < writer->n; i++)
		group_free(&writer->groups[i]);
	free(writer->groups);
	free(writer);
}

static struct group *named_find_group(const struct named_writer *writer, const char *name)
{
	for (size_t i = 0; i < writer->n; i++)
		if (strcmp(writer->groups[i].name, name) == 0)
			return &writer->groups[i];
	return NULL;
}

static struct group *named_make_group(struct named_writer *writer, const char *name)
{
	struct group *groups = array_room(writer->groups, writer->n, sizeof *groups);

	if (!groups)
		return NULL;
	writer->groups = groups;
	groups[writer->n] = (struct group){.name = strdup(name)};
	return groups[writer->n].name ? &groups[writer->n++] : NULL;
}

static bool is_reserved(const char *name)
{
	return strcmp(name, NAMED_GROUP) == 0 || strcmp(name, NAMED_NAME) == 0 ||
	       strcmp(name, NAMED_NAME "_hex") == 0 || strcmp(name, NAMED_ABSENT) == 0;
}

int named_writer_add(struct named_writer *writer, const struct ctprof_metric_info *info)
{
	const char *name = info->metric->name;
	struct group *group = named_find_group(writer, info->metric->group);
	const struct member model = {
		.kind = value_kind_of(info),
		.index = info->index,
		.wanted = info->wanted != 0,
	};

	if (is_reserved(name))
		return -EEXIST;
	if (!group && !(group = named_make_group(writer, info->metric->group)))
		return -ENOMEM;
	struct member *members = array_room(group->members, group->n, sizeof *members);
	if (members)
		group->members = members;
	struct json_piece *names = array_room(group->names, group->n, sizeof *names);
	if (names)
		group->names = names;
	uint8_t *absences = array_room(group->absences, group->n, sizeof *absences);
	if (absences)
		group->absences = absences;
	if (!members || !names || !absences)
		return -ENOMEM;
	struct member *member = &members[group->n];
	struct json_piece *quoted = &names[group->n];
	*member = model;
	*quoted = (struct json_piece){0};
	group->n++;
	if (json_piece_make(",\"", name, strlen(name), "\":", &member->key) < 0)
		return -ENOMEM;
	return json_piece_make("\"", name, strlen(name), "\"", quoted);
}

/* `,"KEY_hex":"..."`, behind a text that is no UTF-8. */
static void named_write_hex(struct json *json, const struct member *member, uint64_t bits)
{
	json_raw(json, member->key.p, member->key.len - 2);
	json_literal(json, "_hex\":");
	json_hex(json, value_text(bits)->bytes, value_text(bits)->length);
}

/* Writes what is present; true when something is to be told as absent. */
static bool named_write_members(struct group *group, struct json *json, const uint64_t *values,
				const uint8_t *states)
{
	bool absent = false;

	for (size_t i = 0; i < group->n; i++) {
		const struct member *member = &group->members[i];
		uint64_t bits = values[member->index];
		uint8_t state = states[member->index];

		if (state == CTPROF_PRESENT && !value_fits(member->kind, bits))
			state = CTPROF_ABSENT_INVALID;
		group->absences[i] = member->wanted ? state : CTPROF_PRESENT;
		absent = absent || group->absences[i] != CTPROF_PRESENT;
		if (state != CTPROF_PRESENT)
			continue;
		json_raw(json, member->key.p, member->key.len);
		if (!value_write(member->kind, json, bits))
			named_write_hex(json, member, bits);
	}
	return absent;
}

bool named_write(struct named_writer *writer, struct json *json, bool comma,
		 const struct ctprof_target *target, const uint64_t *values, const uint8_t *states)
{
	struct group *group = target->group ? named_find_group(writer, target->group) : NULL;

	if (!group)
		return false;
	json_raw(json, ",", comma);
	json_literal(json, "{\"" NAMED_GROUP "\":");
	json_string(json, group->name);
	json_key(json, NAMED_NAME);
	if (!json_text(json, target->path, target->path_len)) {
		json_key(json, NAMED_NAME "_hex");
		json_hex(json, target->path, target->path_len);
	}
	if (named_write_members(group, json, values, states)) {
		json_key(json, NAMED_ABSENT);
		presence_write_set(json, group->names, group->absences, group->n);
	}
	json_literal(json, "}");
	return true;
}
