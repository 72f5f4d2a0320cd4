/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A source that listens for thread exits, and adds two rows.  EARS_FAULT names the op
 * in which it crashes: listen, drain, collect.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/source.h"

static const struct ctprof_metric metric = {
	.struct_size = sizeof metric,
	.kind = CTPROF_COUNTER,
	.unit = CTPROF_UNIT_NONE,
	.scope = CTPROF_SCOPE_EXIT,
	.name = "ears",
	.group = "ears",
	.help = "made up",
	.origin = "nowhere",
};

static const struct ctprof_host *host;
static uint32_t slot;
static int told;

static int crash_in(const char *op)
{
	const char *fault = getenv("EARS_FAULT");

	if (fault && strcmp(fault, op) == 0)
		raise(SIGSEGV);
	return 0;
}

static int ears_open(const struct ctprof_host *lent, void **ret_self)
{
	host = lent;
	*ret_self = &slot;
	return host->metric(host, &metric, &slot);
}

static void ears_close(void *self)
{
	(void)self;
}

static int ears_listen(void *self)
{
	(void)self;
	return crash_in("listen");
}

static int ears_drain(void *self)
{
	(void)self;
	return crash_in("drain");
}

static int ears_collect(void *self, void *context, struct ctprof_batch *batch)
{
	uint64_t row;

	(void)self;
	(void)context;
	if (batch->scope != CTPROF_SCOPE_EXIT)
		return 0;
	crash_in("collect");
	for (; told < 2 && host->exited(batch, 1, 1, &row) == 0; told++)
		host->put_u64(batch, row, slot, 7);
	return 0;
}

static const struct ctprof_source_ops ops = {
	.struct_size = sizeof ops,
	.open = ears_open,
	.close = ears_close,
	.collect = ears_collect,
	.listen = ears_listen,
	.drain = ears_drain,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SOURCE,
	.thread_model = CTPROF_THREADS_SERIAL,
	.cost = CTPROF_COST_CHEAP,
	.name = "ears",
	.version = "1",
	.summary = "A toy that listens",
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
