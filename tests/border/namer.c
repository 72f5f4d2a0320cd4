/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A source that names objects: per capture NAMER_ROWS (600) segments of two
 * kinds, and two parts.  NAMER_FAULT names the rule it breaks, a row of the
 * table below.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctprof/source.h"

enum { SIZE, SORT, PART, DEAR, THREAD, N_METRICS };

#define METRIC(scope_, name_, group_, kind_, unit_, flags_)                                        \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_metric), .kind = (kind_), .unit = (unit_),     \
		.scope = (scope_), .flags = (flags_), .name = (name_), .group = (group_),          \
		.help = "made up", .origin = "nowhere"                                             \
	}
#define OBJECT(...) METRIC(CTPROF_SCOPE_OBJECT, __VA_ARGS__)

static const struct ctprof_metric metrics[N_METRICS] = {
	[SIZE] = OBJECT("seg_bytes", "segments", CTPROF_LEVEL, CTPROF_UNIT_BYTES, 0),
	[SORT] = OBJECT("seg_sort", "segments", CTPROF_CATEGORY, CTPROF_UNIT_TEXT, 0),
	[PART] = OBJECT("part_bytes", "parts", CTPROF_LEVEL, CTPROF_UNIT_BYTES, 0),
	[DEAR] = OBJECT("dear_bytes", "dear", CTPROF_LEVEL, CTPROF_UNIT_BYTES,
			CTPROF_METRIC_ON_DEMAND),
	[THREAD] = METRIC(CTPROF_SCOPE_THREAD, "namer_count", "namer", CTPROF_COUNTER,
			  CTPROF_UNIT_NONE, 0),
};

static const struct ctprof_host *host;
static uint32_t slots[N_METRICS];
static unsigned int named;

static unsigned int number_of(const char *variable, unsigned int otherwise)
{
	const char *text = getenv(variable);

	return text ? (unsigned int)strtoul(text, NULL, 10) : otherwise;
}

static int name_object(struct ctprof_batch *batch, const char *group, const char *name,
		       uint64_t *ret_row)
{
	return host->object(batch, group, name, strlen(name), ret_row);
}

/* ---- faults -------------------------------------------------------------- */

static void break_rules(struct ctprof_batch *batch)
{
	static char longest[4098];
	uint64_t row = 4711;
	int good = 0;

	memset(longest, 'x', sizeof longest - 1);
	good += host->object(batch, "segments", "", 0, &row) != -EINVAL;
	good += host->object(batch, "segments", "a\0b", 3, &row) != -EINVAL;
	good += host->object(batch, "segments", longest, 4097, &row) != -EINVAL;
	good += host->object(batch, "toy", "of another source", 17, &row) != -EINVAL;
	good += host->object(batch, "namer", "of threads", 10, &row) != -EINVAL;
	good += host->object(batch, NULL, "x", 1, &row) != -EINVAL;
	if (good || row != 4711 || batch->n)
		abort();
	host->put_u64(batch, 0, slots[SIZE], 1);
	if (name_object(batch, "parts", "good", &row))
		abort();
	host->put_u64(batch, row, slots[SIZE], 1);
	host->put_u64(batch, row, slots[THREAD], 1);
	host->vanished(batch, row);
	host->put_u64(batch, row, slots[PART], 8);
	if (!host->filled(batch, row, slots[PART]))
		abort();
}

static int break_rules_once(struct ctprof_batch *batch)
{
	if (named++ == 0)
		break_rules(batch);
	return 0;
}

/* Fails in the second batch, whose contents must be ignored. */
static int fail_in_the_second(struct ctprof_batch *batch)
{
	char name[16];
	uint64_t row;

	for (;; named++) {
		snprintf(name, sizeof name, "%u", named);
		if (name_object(batch, "parts", name, &row) < 0)
			return 0;
		if (named < 300)
			continue;
		host->error(host, "out of luck");
		return -EIO;
	}
}

static int crash_in_collect(struct ctprof_batch *batch)
{
	(void)batch;
	*(volatile char *)(uintptr_t)(8 + named) = 0;
	return 0;
}

static int name_without_end(struct ctprof_batch *batch)
{
	uint64_t row;

	usleep(1000);
	while (name_object(batch, "parts", "more", &row) == 0)
		named++;
	return 0;
}

/* Names objects of a group that is not wanted: the rows must be dropped. */
static int name_the_unasked(struct ctprof_batch *batch)
{
	uint64_t row;

	while (named < 400 && name_object(batch, named % 4 ? "dear" : "parts", "x", &row) == 0) {
		host->put_u64(batch, row, slots[named % 4 ? DEAR : PART], named);
		named++;
	}
	return 0;
}

static const struct fault {
	const char *name;
	int (*collect)(struct ctprof_batch *batch);
} faults[] = {
	{"rules", break_rules_once},   {"fails", fail_in_the_second}, {"crash", crash_in_collect},
	{"endless", name_without_end}, {"unasked", name_the_unasked},
};

/* ---- a sound source ------------------------------------------------------ */

static int collect_segment(struct ctprof_batch *batch)
{
	const char *sort = named % 2 ? "odd" : "even";
	char name[32];
	uint64_t row;

	snprintf(name, sizeof name, "/seg-%u", named);
	int r = name_object(batch, "segments", name, &row);
	if (r < 0)
		return r;
	host->put_u64(batch, row, slots[SIZE], named + number_of("NAMER_MORE", 0));
	host->put_text(batch, row, slots[SORT], sort, strlen(sort));
	return 0;
}

static int collect_part(struct ctprof_batch *batch, const char *name)
{
	uint64_t row;
	int r = name_object(batch, "parts", name, &row);

	if (r < 0)
		return r;
	if (strcmp(name, "used0") == 0)
		host->put_u64(batch, row, slots[PART], 1024);
	else
		host->put_absent(batch, row, slots[PART], CTPROF_ABSENT_DENIED);
	return 0;
}

static int collect_objects(struct ctprof_batch *batch)
{
	static const char *const parts[] = {"used0", "used1"};
	unsigned int rows = number_of("NAMER_ROWS", 600);
	int r = 0;

	for (; r == 0 && named < rows + 2; named += r == 0)
		r = named < rows ? collect_segment(batch)
				 : collect_part(batch, parts[named - rows]);
	return r == -ENOSPC ? 0 : r;
}

static int namer_collect(void *self, void *context, struct ctprof_batch *batch)
{
	const char *fault = getenv("NAMER_FAULT");

	(void)self;
	(void)context;
	if (batch->scope != CTPROF_SCOPE_OBJECT)
		return 0;
	for (size_t i = 0; fault && i < sizeof faults / sizeof faults[0]; i++)
		if (strcmp(faults[i].name, fault) == 0)
			return faults[i].collect(batch);
	if (fault)
		abort(); /* a test that asks for an unknown fault must not pass */
	return collect_objects(batch);
}

static int namer_open(const struct ctprof_host *lent, void **ret_self)
{
	int r = 0;

	host = lent;
	*ret_self = NULL;
	for (size_t i = 0; r == 0 && i < N_METRICS; i++)
		r = lent->metric(lent, &metrics[i], &slots[i]);
	return r;
}

static void namer_close(void *self)
{
	(void)self;
}

static const struct ctprof_source_ops ops = {
	.struct_size = sizeof ops,
	.open = namer_open,
	.close = namer_close,
	.collect = namer_collect,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SOURCE,
	.thread_model = CTPROF_THREADS_SERIAL,
	.cost = CTPROF_COST_CHEAP,
	.name = "namer",
	.version = "1",
	.summary = "Names objects",
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
