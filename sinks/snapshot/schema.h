/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The members the file always has, in their order: a fact of the format, which
 * holds for every file whatever metrics a build registers.
 */
#pragma once

#include "value.h"

struct schema_field {
	const char *name; /* the metric's; a dot nests, but in threads */
	enum value_kind kind;
};

struct schema_fields {
	const struct schema_field *fields;
	size_t n;
};

/* Members of a thread; the first SCHEMA_TARGET_FIELDS come from the row's target. */
extern const struct schema_fields schema_thread;
#define SCHEMA_TARGET_FIELDS 2

/* Members of a cgroup, but for psi. */
extern const struct schema_fields schema_cgroup;
/* psi, of the host and of a cgroup. */
extern const struct schema_fields schema_psi;

/* What is written for an object none of whose values is present. */
enum schema_empty {
	SCHEMA_EMPTY_NULL,
	SCHEMA_EMPTY_SHAPE, /* all its fields, with what stands for an absent value */
	SCHEMA_EMPTY_OMIT,
};

/* An object of the top level made of values of the host or capture row. */
struct schema_object {
	const char *key; /* "KEY.rest" is the name of its metrics */
	uint32_t scope;  /* of its metrics; 0: whatever found no other place */
	enum schema_empty empty;
	const struct schema_fields *fields; /* NULL: only what is registered */
};

/* In the file's order; the last has scope 0. */
extern const struct schema_object schema_objects[];
#define SCHEMA_N_OBJECTS 7

/* The object a metric of host or capture scope belongs to, as an index of
 * schema_objects; *ret_skip: how much of its name stands for the object. */
size_t schema_find_object(const struct ctprof_metric *metric, size_t *ret_skip);
