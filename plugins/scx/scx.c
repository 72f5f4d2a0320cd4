/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State of the sched_ext class: which BPF scheduler runs, since when. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/plugin.h"
#include "ctprof/source.h"
#include "descriptor.h"
#include "file.h"
#include "instance.h"
#include "need.h"
#include "slots.h"
#include "text.h"

#define GROUP "scx"
#define DIRECTORY "kernel/sched_ext"
#define NOT_BUILT "CONFIG_SCHED_CLASS_EXT is not set"
#define REMEDY "use a kernel (6.12 or later) built with CONFIG_SCHED_CLASS_EXT"
#define NOT_LOADED "no BPF scheduler is loaded"

#define METRIC(kind, unit, name, help, origin)                                                     \
	METRIC_ROW(kind, unit, HOST, "sched_ext." name, GROUP, help, "sched_ext/" origin,          \
		   .gates = "SCHED_CLASS_EXT")

static const struct ctprof_metric metrics[] = {
	METRIC(CATEGORY, TEXT, "state", "enabling, enabled, disabling or disabled",
	       "state: scx_attr_state_show()"),
	METRIC(GAUGE, NONE, "switch_all", "1 when every fair thread runs under the BPF scheduler",
	       "switch_all: scx_attr_switch_all_show()"),
	METRIC(COUNTER, NONE, "nr_rejected",
	       "threads the loaded BPF scheduler turned away; starts at 0 with each load",
	       "nr_rejected: scx_attr_nr_rejected_show()"),
	METRIC(COUNTER, NONE, "hotplug_seq", "CPU hotplug events seen by the class",
	       "hotplug_seq: scx_attr_hotplug_seq_show()"),
	METRIC(COUNTER, NONE, "enable_seq", "times a BPF scheduler was loaded since boot",
	       "enable_seq: scx_attr_enable_seq_show()"),
	METRIC(CATEGORY, TEXT, "ops", "name of the loaded BPF scheduler",
	       "root/ops: scx_attr_ops_show()"),
};

#define N_METRICS (sizeof metrics / sizeof metrics[0])

/* Each metric's file below the sys root. */
static const char *const files[N_METRICS] = {
	DIRECTORY "/state",       DIRECTORY "/switch_all", DIRECTORY "/nr_rejected",
	DIRECTORY "/hotplug_seq", DIRECTORY "/enable_seq", DIRECTORY "/root/ops",
};

struct scx {
	const struct ctprof_host *host;
	uint32_t slots[N_METRICS];
};

static int scx_open(const struct ctprof_host *host, void **ret_self)
{
	struct scx *scx = instance_new(host, sizeof *scx);

	if (!scx)
		return -ENOMEM;
	scx->host = host;
	return instance_give(scx, slots_declare(host, metrics, N_METRICS, scx->slots), ret_self);
}

static int scx_probe(void *self)
{
	const struct scx *scx = self;
	struct ctprof_finding finding = FINDING_WORKS(GROUP);

	if (file_check_root(scx->host, CTPROF_ROOT_SYS, DIRECTORY) < 0) {
		finding.state = CTPROF_FAILS;
		finding.why = NOT_BUILT;
		finding.remedy = REMEDY;
	} else if (file_check_root(scx->host, CTPROF_ROOT_SYS, DIRECTORY "/root") < 0) {
		finding.state = CTPROF_PARTLY;
		finding.why = NOT_LOADED ", so sched_ext.ops is absent";
	}
	scx->host->finding(scx->host, &finding);
	return 0;
}

static int scx_start(void *self)
{
	const struct scx *scx = self;

	int result = file_check_root(scx->host, CTPROF_ROOT_SYS, DIRECTORY);

	if (result == 0)
		return 0;
	if (result == -EACCES || result == -EPERM) {
		scx->host->error(scx->host, DIRECTORY " cannot be opened");
		return result;
	}
	scx->host->error(scx->host, NOT_BUILT);
	return -EOPNOTSUPP;
}

/* Puts the file's value in the type of the metric; otherwise returns the
 * reason. */
static uint32_t put_value(const struct scx *scx, struct ctprof_batch *batch, size_t i,
			  struct text value)
{
	const struct ctprof_host *host = scx->host;
	uint64_t number;

	if (value.len == 0 || memchr(value.p, '\0', value.len))
		return CTPROF_ABSENT_INVALID;
	if (metrics[i].unit == CTPROF_UNIT_TEXT)
		host->put_text(batch, 0, scx->slots[i], value.p, value.len);
	else if (text_u64(value, &number))
		host->put_u64(batch, 0, scx->slots[i], number);
	else
		return CTPROF_ABSENT_INVALID;
	return CTPROF_PRESENT;
}

static int scx_collect(void *self, void *context, struct ctprof_batch *batch)
{
	const struct scx *scx = self;
	const struct ctprof_host *host = scx->host;
	char buf[4096];

	(void)context;
	for (size_t i = 0; i < N_METRICS; i++) {
		if (!host->wanted(host, scx->slots[i]))
			continue;
		ssize_t got = file_read_root(host, CTPROF_ROOT_SYS, files[i], buf, sizeof buf);
		uint32_t why = got < 0 ? file_absence((int)-got)
				       : put_value(scx, batch, i,
						   text_trim((struct text){buf, (size_t)got}));
		if (why != CTPROF_PRESENT)
			host->put_absent(batch, 0, scx->slots[i], why);
	}
	return 0;
}

#define NEED_FILE(name_) NEED_PARTLY(FILE, "sys/" DIRECTORY "/" name_, "sched_ext." name_)

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(KCONFIG, "CONFIG_SCHED_CLASS_EXT", "the sched_ext class"),
	NEED_FILE("state"),
	NEED_FILE("switch_all"),
	NEED_FILE("nr_rejected"),
	NEED_FILE("hotplug_seq"),
	NEED_FILE("enable_seq"),
	NEED_PARTLY(FILE, "sys/" DIRECTORY "/root/ops", "sched_ext.ops"),
};

static const struct ctprof_source_ops ops = {
	.struct_size = sizeof ops,
	.open = scx_open,
	.close = instance_free,
	.probe = scx_probe,
	.start = scx_start,
	.collect = scx_collect,
};

static const struct ctprof_plugin plugin = {
	SOURCE_DESCRIPTOR("scx", ops, needs),
	.thread_model = CTPROF_THREADS_SERIAL,
	.cost = CTPROF_COST_CHEAP,
	.summary = "state of the sched_ext scheduler class",
};

CTPROF_PLUGIN(plugin)
