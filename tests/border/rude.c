/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A source whose captures work, but which breaks a rule of the plugin ABI that
 * only plugin-check tests: the one named by RUDE_FAULT.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctprof/histogram.h"
#include "ctprof/source.h"

static const struct ctprof_host *host;
static uint32_t wchan_slot, stat_slot, size_slot;
static struct ctprof_batch *last;

static int has_fault(const char *name)
{
	const char *fault = getenv("RUDE_FAULT");

	return fault && strcmp(fault, name) == 0;
}

static int declare(const char *name, uint32_t *slot)
{
	const struct ctprof_metric metric = {
		.struct_size = sizeof metric,
		.kind = CTPROF_CATEGORY,
		.unit = CTPROF_UNIT_TEXT,
		.scope = CTPROF_SCOPE_THREAD,
		.name = name,
		.group = "rude",
		.help = has_fault("full-stop") ? "what a file says." : "what a file says",
		.origin = "the file",
	};

	return host->metric(host, &metric, slot);
}

static int declare_sizes(void)
{
	static const struct ctprof_metric metric = {
		.struct_size = sizeof metric,
		.kind = CTPROF_HISTOGRAM,
		.unit = CTPROF_UNIT_BYTES,
		.scope = CTPROF_SCOPE_THREAD,
		.name = "rude_sizes",
		.group = "rude",
		.help = "lengths of texts",
		.origin = "the reads",
		.buckets = CTPROF_BUCKETS_QUARTERS,
	};

	return host->metric(host, &metric, &size_slot);
}

static void *idle(void *nothing)
{
	pause();
	return nothing;
}

static int rude_open(const struct ctprof_host *lent, void **ret_self)
{
	pthread_t thread;

	host = lent;
	*ret_self = &wchan_slot;
	if (has_fault("prints")) {
		puts("every check passed");
		fflush(stdout);
	}
	if (has_fault("thread"))
		(void)pthread_create(&thread, NULL, idle, NULL);
	if (has_fault("left"))
		(void)dup(STDERR_FILENO);
	if (has_fault("early"))
		(void)host->open_file(host, host->root(host, CTPROF_ROOT_PROC), "rude");
	if (has_fault("twice"))
		(void)declare("rude_stat", &stat_slot);
	if (has_fault("mute"))
		return 0;
	int result = declare("rude_wchan", &wchan_slot);
	result = result < 0 ? result : declare("rude_stat", &stat_slot);
	return result < 0 ? result : declare_sizes();
}

static void rude_close(void *self)
{
	(void)self;
	if (has_fault("stray-put"))
		host->put_u64(last, 0, wchan_slot, 1);
}

static void put_file(struct ctprof_batch *batch, uint64_t row, uint32_t slot, const char *file)
{
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	char path[64], text[512];

	if (!has_fault("demand") && !host->wanted(host, slot))
		return;
	snprintf(path, sizeof path, "%d/%s", target->tid, file);
	int fd = host->open_file(host, target->task_fd, path);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text);
	if (fd >= 0 && !has_fault("leak"))
		close(fd);
	if (got >= 0)
		host->put_text(batch, row, slot, text, (size_t)got);
	else
		host->put_absent(batch, row, slot, CTPROF_ABSENT_UNSUPPORTED);
}

static void put_sizes(struct ctprof_batch *batch, uint64_t row)
{
	uint64_t counts[CTPROF_BUCKETS + 1] = {0};

	counts[ctprof_bucket_of(row + 1)]++;
	host->put_histogram(batch, row, size_slot, counts,
			    has_fault("many-buckets") ? CTPROF_BUCKETS + 1 : CTPROF_BUCKETS);
}

static int rude_collect(void *self, void *context, struct ctprof_batch *batch)
{
	(void)self;
	(void)context;
	last = batch;
	/* Fail before a vanished thread could be the reason. */
	if (has_fault("silent"))
		return -EIO;
	for (uint64_t i = 0; i < batch->n; i++) {
		put_file(batch, i, wchan_slot, "wchan");
		put_file(batch, i, stat_slot, has_fault("undeclared") ? "statm" : "stat");
		put_sizes(batch, i);
	}
	if (has_fault("absolute"))
		(void)host->open_file(host, AT_FDCWD, "/etc/hostname-that-is-not-there");
	return has_fault("positive") ? 1 : 0;
}

static const struct ctprof_need needs[] = {
	{.struct_size = sizeof needs[0],
	 .kind = CTPROF_NEED_FILE,
	 .name = "proc/<tgid>/task/<tid>/wchan",
	 .why = "one metric"},
	{.struct_size = sizeof needs[0],
	 .kind = CTPROF_NEED_FILE,
	 .name = "proc/<tgid>/task/<tid>/stat",
	 .why = "the other"},
};

static const struct ctprof_source_ops ops = {
	.struct_size = sizeof ops,
	.open = rude_open,
	.close = rude_close,
	.collect = rude_collect,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SOURCE,
	.thread_model = CTPROF_THREADS_PER_WORKER,
	.cost = CTPROF_COST_CHEAP,
	.n_needs = sizeof needs / sizeof needs[0],
	.name = "rude",
	.version = "1",
	.summary = "Breaks a rule",
	.needs = needs,
	.ops = &ops,
};

#ifdef RUDE_EXPORT
CTPROF_EXPORT int rude_helper(void);
CTPROF_EXPORT int rude_helper(void)
{
	return 0;
}
#endif

CTPROF_PLUGIN(descriptor)
