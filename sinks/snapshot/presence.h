/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is absent, and why: objects reason -> names.  Rows mostly lack the same
 * values for the same reasons, so each distinct set is kept once and rows name
 * it by number.
 */
#pragma once

#include "json.h"
#include "text.h"

struct presence;

/* Sets kept at most; the rows of further ones carry theirs themselves. */
#define PRESENCE_MAX_SETS 65536

/* Sets over n names, which must outlive it: quoted JSON text.  NULL: out of memory. */
struct presence *presence_new(const struct json_piece *names, size_t n);
void presence_free(struct presence *presence);

/* Writes the number of the set with these n states (enum ctprof_absence), or
 * the set itself when there is no place for another. */
void presence_write_ref(struct presence *presence, struct json *json, const uint8_t *states);
/* All sets, as an array. */
void presence_write_sets(const struct presence *presence, struct json *json);

/* One set: the object reason -> names.  Names that are present do not appear. */
void presence_write_set(struct json *json, const struct json_piece *names, const uint8_t *states,
			size_t n);

/* The state a reason stands for; false for a word of a newer writer. */
bool presence_parse_reason(struct text word, uint8_t *ret_state);
