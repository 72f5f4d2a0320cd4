/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A source of a later ABI: every struct that it passes is longer than this host
 * knows, and contains values that the host cannot know.
 */
#include "ctprof/source.h"

#define AND_MORE(type)                                                                             \
	struct {                                                                                   \
		struct type now;                                                                   \
		uint64_t later[5];                                                                 \
	}
#define LATER .later = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}

static const struct ctprof_host *host;
static uint32_t slot;

static int future_open(const struct ctprof_host *lent, void **ret_self)
{
	static const AND_MORE(ctprof_metric) metric = {{
							       .struct_size = sizeof metric,
							       .kind = CTPROF_COUNTER,
							       .unit = CTPROF_UNIT_NONE,
							       .scope = CTPROF_SCOPE_THREAD,
							       .name = "future_thrice",
							       .group = "future",
							       .help = "the tid, three times",
							       .origin = "the target",
						       },
						       LATER};

	host = lent;
	*ret_self = &slot;
	return host->metric(host, &metric.now, &slot);
}

static void future_close(void *self)
{
	(void)self;
}

static int future_probe(void *self)
{
	static const AND_MORE(ctprof_finding) finding = {{.struct_size = sizeof finding,
							  .state = CTPROF_PARTLY,
							  .group = "future",
							  .why = "it is not there yet",
							  .remedy = "wait"},
							 LATER};

	(void)self;
	host->finding(host, &finding.now);
	return 0;
}

static int future_collect(void *self, void *context, struct ctprof_batch *batch)
{
	(void)self;
	(void)context;
	for (uint64_t i = 0; i < batch->n; i++)
		host->put_u64(batch, i, slot, 3 * (uint64_t)ctprof_batch_target(batch, i)->tid);
	return 0;
}

/* An array: the size of its first element is the stride. */
static const AND_MORE(ctprof_need) needs[] = {
	{{.struct_size = sizeof needs[0],
	  .kind = CTPROF_NEED_FILE,
	  .name = "proc/first",
	  .why = "the first"},
	 LATER},
	{{.struct_size = sizeof needs[0],
	  .kind = 9990, /* a kind for which this host has no word */
	  .name = "second",
	  .why = "the second"},
	 LATER},
};

static const AND_MORE(ctprof_source_ops) ops = {{.struct_size = sizeof ops,
						 .open = future_open,
						 .close = future_close,
						 .probe = future_probe,
						 .collect = future_collect},
						LATER};

static const AND_MORE(ctprof_plugin) descriptor = {
	{
		.struct_size = sizeof descriptor,
		.abi_major = CTPROF_ABI_MAJOR,
		.abi_minor = CTPROF_ABI_MINOR + 7,
		.kind = CTPROF_KIND_SOURCE,
		.thread_model = CTPROF_THREADS_PER_WORKER,
		.cost = CTPROF_COST_CHEAP,
		.n_needs = sizeof needs / sizeof needs[0],
		.name = "future",
		.version = "9",
		.summary = "From the future",
		.needs = &needs[0].now,
		.ops = &ops.now,
	},
	LATER};

CTPROF_PLUGIN(descriptor.now)
