/* SPDX-License-Identifier: 0BSD */
/* A source by a third party, who has only the installed files. */
#include <ctprof/source.h>

static const struct ctprof_host *host;
static uint32_t slot;

static int stranger_open(const struct ctprof_host *lent, void **ret_self)
{
	static const struct ctprof_metric metric = {
		.struct_size = sizeof metric,
		.kind = CTPROF_COUNTER,
		.unit = CTPROF_UNIT_NONE,
		.scope = CTPROF_SCOPE_THREAD,
		.name = "stranger_twice",
		.group = "stranger",
		.help = "the tid, twice",
		.origin = "the target",
	};

	host = lent;
	*ret_self = &slot;
	return host->metric(host, &metric, &slot);
}

static void stranger_close(void *self)
{
	(void)self;
}

static int stranger_collect(void *self, void *context, struct ctprof_batch *batch)
{
	(void)self;
	(void)context;
	for (uint64_t i = 0; i < batch->n; i++)
		host->put_u64(batch, i, slot, 2 * (uint64_t)ctprof_batch_target(batch, i)->tid);
	return 0;
}

static const struct ctprof_source_ops ops = {
	.struct_size = sizeof ops,
	.open = stranger_open,
	.close = stranger_close,
	.collect = stranger_collect,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.kind = CTPROF_KIND_SOURCE,
	.thread_model = CTPROF_THREADS_PER_WORKER,
	.cost = CTPROF_COST_CHEAP,
	.name = "stranger",
	.version = "0.1",
	.summary = "From outside",
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
