/* SPDX-License-Identifier: 0BSD */
/*
 * A source plugin to copy: one metric from one kernel file.  wchan is the name of the kernel
 * function that a thread sleeps in.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "ctprof/source.h"

static const struct ctprof_host *host;
static uint32_t slot;

static int example_open(const struct ctprof_host *lent, void **ret_self)
{
	static const struct ctprof_metric wchan = {
		.struct_size = sizeof wchan,
		.kind = CTPROF_CATEGORY,
		.unit = CTPROF_UNIT_TEXT,
		.scope = CTPROF_SCOPE_THREAD,
		.flags = CTPROF_METRIC_ON_DEMAND,
		.name = "wchan",
		.group = "example",
		.gates = "KALLSYMS",
		.help = "kernel function the thread sleeps in, 0 when it runs",
		.origin = "wchan; fs/proc/base.c proc_pid_wchan",
	};

	host = lent;
	*ret_self = &slot;
	return host->metric(host, &wchan, &slot);
}

static void example_close(void *self)
{
	(void)self;
}

static int example_collect(void *self, void *context, struct ctprof_batch *batch)
{
	char path[32], text[256];

	(void)self;
	(void)context;
	for (uint64_t i = 0; i < batch->n; i++) {
		const struct ctprof_target *target = ctprof_batch_target(batch, i);

		snprintf(path, sizeof path, "%d/wchan", target->tid);
		int fd = host->open_file(host, target->task_fd, path);
		ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text);
		if (fd >= 0)
			close(fd);
		if (got > 0)
			host->put_text(batch, i, slot, text, (size_t)got);
		else
			host->put_absent(batch, i, slot,
					 fd == -EACCES ? CTPROF_ABSENT_DENIED
						       : CTPROF_ABSENT_UNSUPPORTED);
	}
	return 0;
}

static const struct ctprof_need needs[] = {
	{.struct_size = sizeof needs[0],
	 .kind = CTPROF_NEED_FILE,
	 .required = 1,
	 .name = "proc/<tgid>/task/<tid>/wchan",
	 .why = "the one metric"},
	{.struct_size = sizeof needs[0],
	 .kind = CTPROF_NEED_CAPABILITY,
	 .name = "CAP_SYS_PTRACE",
	 .why = "other users' threads"},
};

static const struct ctprof_source_ops ops = {
	.struct_size = sizeof ops,
	.open = example_open,
	.close = example_close,
	.collect = example_collect,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SOURCE,
	.thread_model = CTPROF_THREADS_PER_WORKER, /* shares nothing but constants */
	.cost = CTPROF_COST_CHEAP,
	.n_needs = sizeof needs / sizeof needs[0],
	.name = "example",
	.version = "1.0",
	.summary = "The plugin to copy: where a sleeping thread sleeps",
	.needs = needs,
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
