/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The statistics of a scheduler: its answers, interpreted by its own description of their names and
 * types (stats_meta).  Pure: answers may be any text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "jsontree.h"

#define STATS_OBJECTS 1024u
#define STATS_ENTRIES 1024u /* maximum entries of each kind, per object */
#define STATS_NAME 1024u

/* The interpretation of a number, by the type and the description of its field. */
enum stats_kind {
	STATS_NUMBERS,     /* whole numbers */
	STATS_PERCENT,     /* fractions whose description says %, in hundredths of a percent */
	STATS_THOUSANDTHS, /* other fractions */
	STATS_TEXTS,       /* strings, and numbers below 0 */
	N_STATS_KINDS
};

/* A struct in the answer. */
struct stats_object {
	char name[STATS_NAME]; /* "top", "layers/batch" */
	uint32_t meta;         /* its description, a node */
	uint32_t value;        /* the struct, a node */
};

struct stats {
	struct json meta, answer;
	char *meta_text;  /* the text that meta points into */
	uint32_t structs; /* the node that has all descriptions */
	uint32_t top;     /* the description of the outermost struct */
	struct stats_object *objects;
	uint32_t n;
	size_t room;
	bool is_cut; /* there were more objects, or more deeply nested ones */
};

/* The entries of an object; keys are in keys. */
struct stats_entries {
	struct ctprof_map_entry entries[N_STATS_KINDS][STATS_ENTRIES];
	size_t n[N_STATS_KINDS];
	char keys[65536];
	size_t used;
};

/* Parses a copy of the answer to stats_meta; returns NULL, or the reason why it cannot be used. */
const char *stats_take_meta(struct stats *stats, const char *text, size_t length);
/* Parses the answer to stats and lists its objects.  The text is modified, and must remain valid
 * while stats is used.  Returns NULL, or the reason why it cannot be used. */
const char *stats_take_answer(struct stats *stats, char *text, size_t length);
void stats_clear(struct stats *stats);

/* Reads the numbers and texts of an object. */
void stats_read(const struct stats *stats, const struct stats_object *object,
		struct stats_entries *ret);
/* Lists the meaning of each field, "STRUCT.FIELD" to text, in ret->entries[STATS_TEXTS]. */
void stats_explain(const struct stats *stats, struct stats_entries *ret);
/* Returns the name of an object's struct. */
struct text stats_struct(const struct stats *stats, const struct stats_object *object);
