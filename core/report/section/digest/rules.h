/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands out, and from where on: see rules.c. */
#pragma once

#include "digest.h"
#include "throttling.h"

typedef struct subject {
	const Digest *digest;
	const CostLine *line; /* NULL: the host, or a cgroup */
	const Limits *limits; /* of a cgroup; else NULL */
	gdouble value;        /* what the rule measured */
} Subject;

/* Ended by a NULL name. */
typedef struct rule {
	const char *name, *unit;
	gdouble limit; /* a finding begins here */
	/* NAN: does not apply. */
	gdouble (*measure)(const Subject *subject);
	gdouble (*cost)(const Subject *subject);
	void (*say)(const Subject *subject, GPtrArray *pieces);
} Rule;

extern const Rule pool_rules[], host_rules[], cgroup_rules[];
