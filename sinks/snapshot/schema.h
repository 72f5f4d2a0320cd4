/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The contents of the file's objects: first the members that they always have, which the format
 * defines independently of the metrics that a build registers, then other metrics.
 */
#pragma once

#include "shape.h"

/* The metrics of the reference: the metrics of files without definitions and, except for those of
 * the host, members that a file always has.  help and origin are "" in most; a test compares the
 * rest with the plugins. */
extern const struct ctprof_metric known_metrics[];
extern const size_t known_n_metrics;

/* How an object without present values is written. */
enum schema_empty {
	SCHEMA_EMPTY_NULL,
	SCHEMA_EMPTY_SHAPE, /* all its fields, with placeholders */
	SCHEMA_EMPTY_OMIT,
};

/* An object at the top level, made of values of the host or capture row. */
struct schema_object {
	const char *key;    /* "KEY.rest" is the name of its metrics */
	const char *prefix; /* the part of the names that stands for the object: "KEY." */
	uint32_t scope;     /* scope of its metrics; 0: all metrics without another place */
	enum schema_empty empty;
};

/* In the file's order; the last one has scope 0. */
extern const struct schema_object schema_objects[];

/* Places of values: an index of schema_objects, or these. */
enum {
	SCHEMA_HOST,
	SCHEMA_N_OBJECTS = 7,
	SCHEMA_THREAD = SCHEMA_N_OBJECTS,
	SCHEMA_CGROUP,
	SCHEMA_NAMED,
	SCHEMA_EXIT,
};

/* Returns the place of the metric's values. */
size_t schema_find_place(const struct ctprof_metric *metric);

/* The first fields of a thread, and of one that ended, come from the row's target. */
#define SCHEMA_TARGET_FIELDS 2

/* Adds the members that an object of that place always has.  0 or -ENOMEM. */
int schema_add_fields(struct shape *shape, size_t place);
