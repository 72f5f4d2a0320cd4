/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the state of the sched_ext class: which BPF schedulers run, since when, and what happens to
 * them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup-lines.h"
#include "cleanup.h"
#include "ctprof/source.h"
#include "descriptor.h"
#include "file.h"
#include "instance.h"
#include "need.h"
#include "schedulers.h"
#include "slots.h"
#include "thread-file.h"

#define GROUP "scx"
#define GROUP_SCHEDULERS "scx-schedulers"
#define GROUP_THREADS "scx-threads"
#define DIRECTORY SCHED_EXT_DIRECTORY
#define MAX_EVENTS 128u
#define EVENTS_BYTES 16384u /* the kernel writes a page */
#define NOT_BUILT "CONFIG_SCHED_CLASS_EXT is not set"
#define REMEDY "use a kernel (6.12 or later) built with CONFIG_SCHED_CLASS_EXT"
#define NOT_LOADED "no BPF scheduler is loaded"

#define METRIC(kind, unit, name, help, origin, ...)                                                \
	METRIC_ROW(kind, unit, HOST, "sched_ext." name, GROUP, help, "sched_ext/" origin,          \
		   .gates = "SCHED_CLASS_EXT", __VA_ARGS__)

#define EVENTS_OF(scope, name, group, flags_)                                                      \
	METRIC_ROW(MAP, NONE, scope, name "events", group,                                         \
		   "events of the BPF scheduler; they start at 0 with each load",                  \
		   "sched_ext/root/events: scx_attr_events_show()", .gates = "SCHED_CLASS_EXT",    \
		   .flags = flags_),                                                               \
		METRIC_ROW(MAP, NS, scope, name "durations", group,                                \
			   "events that are times, such as how long it was bypassed",              \
			   "sched_ext/root/events: scx_attr_events_show()",                        \
			   .gates = "SCHED_CLASS_EXT", .flags = flags_, WORSE)

enum {
	SCX_OPS = 5,
	N_FILES,
	SCX_VERSION = N_FILES,
	SCX_EVENTS,
	SCX_DURATIONS,
	N_HOST,
	SCHEDULER_EVENTS = N_HOST,
	SCHEDULER_DURATIONS,
	SCHEDULER_OPS,
	SCHEDULER_CGROUP,
	N_OBJECT,
	THREAD_SCHEDULER = N_OBJECT,
	N_METRICS,
};

static const struct ctprof_metric metrics[N_METRICS] = {
	METRIC(CATEGORY, TEXT, "state", "enabling, enabled, disabling or disabled",
	       "state: scx_attr_state_show()"),
	METRIC(GAUGE, NONE, "switch_all", "1 when every fair thread runs under the BPF scheduler",
	       "switch_all: scx_attr_switch_all_show()"),
	METRIC(COUNTER, NONE, "nr_rejected",
	       "threads the loaded BPF scheduler rejected; starts at 0 with each load",
	       "nr_rejected: scx_attr_nr_rejected_show()", WORSE_BY(1)),
	METRIC(COUNTER, NONE, "hotplug_seq", "CPU hotplug events seen by the class",
	       "hotplug_seq: scx_attr_hotplug_seq_show()"),
	METRIC(COUNTER, NONE, "enable_seq", "times a BPF scheduler was loaded since boot",
	       "enable_seq: scx_attr_enable_seq_show()"),
	METRIC(CATEGORY, TEXT, "ops", "name of the loaded BPF scheduler",
	       "root/ops: scx_attr_ops_show()"),
	METRIC(CATEGORY, TEXT, "version", "version in that name", "root/ops: scx_attr_ops_show()"),
	EVENTS_OF(HOST, "sched_ext.", GROUP, 0),

	EVENTS_OF(OBJECT, "scheduler_", GROUP_SCHEDULERS, CTPROF_METRIC_QUIET),
	METRIC_ROW(LABEL, TEXT, OBJECT, "scheduler_ops", GROUP_SCHEDULERS,
		   "name of the BPF scheduler", "sched_ext/root/ops: scx_attr_ops_show()",
		   .gates = "SCHED_CLASS_EXT", .flags = CTPROF_METRIC_QUIET),
	METRIC_ROW(LABEL, TEXT, OBJECT, "scheduler_cgroup", GROUP_SCHEDULERS,
		   "cgroup that the BPF scheduler is attached to",
		   "sched_ext/root/sub/sub-ID: scx_alloc_and_add_sched()",
		   .gates = "SCHED_CLASS_EXT", .flags = CTPROF_METRIC_QUIET),

	METRIC_ROW(LABEL, TEXT, THREAD, "scheduler", GROUP_THREADS,
		   "BPF scheduler of the thread's cgroup, or of the nearest one above it",
		   "cgroup of the thread, and sched_ext/root/ops", .gates = "SCHED_CLASS_EXT",
		   .flags = CTPROF_METRIC_ON_DEMAND),
};

/* Each metric's file below the sys root. */
static const char *const files[N_FILES] = {
	DIRECTORY "/state",       DIRECTORY "/switch_all", DIRECTORY "/nr_rejected",
	DIRECTORY "/hotplug_seq", DIRECTORY "/enable_seq", DIRECTORY "/root/ops",
};

struct scx {
	const struct ctprof_host *host;
	uint32_t slots[N_METRICS];
	/* The schedulers of this capture, read when first needed. */
	struct schedulers schedulers;
	bool are_known;
	size_t next; /* the next scheduler to add as an object */
	char text[CGROUP_LINES_BYTES];
};

static int scx_open(const struct ctprof_host *host, void **ret_self)
{
	struct scx *scx = instance_new(host, sizeof *scx);

	if (!scx)
		return -ENOMEM;
	scx->host = host;
	return instance_give(scx, slots_declare(host, metrics, N_METRICS, scx->slots), ret_self);
}

static void scx_close(void *self)
{
	schedulers_clear(&((struct scx *)self)->schedulers);
	instance_free(self);
}

static void learn_schedulers(struct scx *scx)
{
	if (!scx->are_known)
		schedulers_read(scx->host, &scx->schedulers);
	scx->are_known = true;
}

static int scx_probe(void *self)
{
	const struct scx *scx = self;
	const struct ctprof_host *host = scx->host;
	static const char *const others[] = {GROUP_SCHEDULERS, GROUP_THREADS};
	bool is_built = file_check_root(host, CTPROF_ROOT_SYS, DIRECTORY) >= 0;
	bool is_loaded = file_check_root(host, CTPROF_ROOT_SYS, DIRECTORY "/root") >= 0;

	if (!is_built)
		finding_put(host, GROUP, CTPROF_FAILS, NOT_BUILT, REMEDY);
	else if (!is_loaded)
		finding_put(host, GROUP, CTPROF_PARTLY, NOT_LOADED ", so sched_ext.ops is absent",
			    NULL);
	else
		finding_put(host, GROUP, CTPROF_WORKS, NULL, NULL);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (!is_loaded)
			finding_put(host, others[i], CTPROF_FAILS,
				    is_built ? NOT_LOADED : NOT_BUILT, is_built ? NULL : REMEDY);
		else
			finding_put(host, others[i], CTPROF_WORKS, NULL, NULL);
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

/* Puts the file's value, with the type of the metric; if that fails, returns the reason. */
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

/* ---- events ---------------------------------------------------------------- */

static bool is_unique(const struct ctprof_map_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (entries[i].key_len == entries[j].key_len &&
			    memcmp(entries[i].key, entries[j].key, entries[i].key_len) == 0)
				return false;
	return true;
}

/* Puts the events of a scheduler: counts in one map, times in another. */
static uint32_t put_events(const struct scx *scx, struct ctprof_batch *batch, uint64_t row,
			   const char *directory, uint32_t events_slot, uint32_t durations_slot)
{
	struct ctprof_map_entry entries[2][MAX_EVENTS];
	char path[256], text[EVENTS_BYTES];
	size_t n[2] = {0, 0};
	struct text name;
	uint64_t number;
	bool valid;

	(void)snprintf(path, sizeof path, "%s/events", directory);
	ssize_t got = file_read_root(scx->host, CTPROF_ROOT_SYS, path, text, sizeof text);
	if (got < 0)
		return file_absence((int)-got);
	struct text rest = {text, (size_t)got};
	while (events_take(&rest, &name, &number, &valid)) {
		bool is_time = events_is_duration(name);

		if (!valid || n[is_time] == MAX_EVENTS)
			return CTPROF_ABSENT_INVALID;
		entries[is_time][n[is_time]++] = (struct ctprof_map_entry){
			.key = name.p, .key_len = (uint32_t)name.len, .number = number};
	}
	/* Every kernel that has the file counts some events. */
	if (n[0] + n[1] == 0 || !is_unique(entries[0], n[0]) || !is_unique(entries[1], n[1]))
		return CTPROF_ABSENT_INVALID;
	scx->host->put_map(batch, row, events_slot, entries[0], n[0]);
	scx->host->put_map(batch, row, durations_slot, entries[1], n[1]);
	return CTPROF_PRESENT;
}

static void collect_events(const struct scx *scx, struct ctprof_batch *batch, uint64_t row,
			   const char *directory, size_t first)
{
	const uint32_t *slots = &scx->slots[first];

	if (!slots_wanted(scx->host, slots, 2))
		return;
	uint32_t why = put_events(scx, batch, row, directory, slots[0], slots[1]);
	if (why != CTPROF_PRESENT)
		slots_put_absent(scx->host, batch, row, slots, 2, why);
}

/* ---- the host ---------------------------------------------------------------- */

static void put_version(const struct scx *scx, struct ctprof_batch *batch, struct text ops)
{
	uint32_t slot = scx->slots[SCX_VERSION];
	struct text version;

	if (scheduler_version(ops, &version))
		scx->host->put_text(batch, 0, slot, version.p, version.len);
	else
		scx->host->put_absent(batch, 0, slot, CTPROF_ABSENT_INAPPLICABLE);
}

static void collect_host(const struct scx *scx, struct ctprof_batch *batch)
{
	const struct ctprof_host *host = scx->host;
	char buf[4096];

	for (size_t i = 0; i < N_FILES; i++) {
		if (!slots_wanted(host, &scx->slots[i], i == SCX_OPS ? 2 : 1))
			continue;
		ssize_t got = file_read_root(host, CTPROF_ROOT_SYS, files[i], buf, sizeof buf);
		struct text value = text_trim((struct text){buf, got > 0 ? (size_t)got : 0});
		uint32_t why = got < 0 ? file_absence((int)-got) : put_value(scx, batch, i, value);

		if (why != CTPROF_PRESENT)
			slots_put_absent(host, batch, 0, &scx->slots[i], i == SCX_OPS ? 2 : 1, why);
		else if (i == SCX_OPS)
			put_version(scx, batch, value);
	}
	collect_events(scx, batch, 0, DIRECTORY "/root", SCX_EVENTS);
}

/* ---- schedulers ---------------------------------------------------------------- */

/* Adds an object, whose name consists of the scheduler and its cgroup, so that a replaced scheduler
 * is a different object; if the path of the cgroup is unknown, its ID is used. */
static int put_scheduler(const struct scx *scx, struct ctprof_batch *batch,
			 const struct scheduler *one)
{
	const struct ctprof_host *host = scx->host;
	uint32_t slot = scx->slots[SCHEDULER_CGROUP];
	AUTO_FREE char *name = NULL;
	uint64_t row;
	int len = one->place ? asprintf(&name, "%s %s", one->ops, one->place)
			     : asprintf(&name, "%s cgroup %" PRIu64, one->ops, one->cgroup);

	if (len < 0 || len > 4096)
		return 0;
	if (host->object(batch, GROUP_SCHEDULERS, name, (size_t)len, &row) < 0)
		return -ENOSPC;
	host->put_text(batch, row, scx->slots[SCHEDULER_OPS], one->ops, strlen(one->ops));
	if (one->place)
		host->put_text(batch, row, slot, one->place, strlen(one->place));
	else
		host->put_absent(batch, row, slot, CTPROF_ABSENT_UNSUPPORTED);
	collect_events(scx, batch, row, one->path, SCHEDULER_EVENTS);
	return 0;
}

static void collect_schedulers(struct scx *scx, struct ctprof_batch *batch)
{
	if (!slots_wanted(scx->host, &scx->slots[N_HOST], N_OBJECT - N_HOST))
		return;
	learn_schedulers(scx);
	while (scx->next < scx->schedulers.n &&
	       put_scheduler(scx, batch, &scx->schedulers.list[scx->next]) == 0)
		scx->next++;
}

/* ---- threads ------------------------------------------------------------------- */

/* Puts the scheduler of a thread, or returns the reason for its absence (enum ctprof_absence). */
static uint32_t put_nearest(struct scx *scx, struct ctprof_batch *batch, uint64_t row)
{
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	const struct scheduler *one = &scx->schedulers.list[0];
	struct text cgroup;

	if (scx->schedulers.n == 0)
		return CTPROF_ABSENT_INAPPLICABLE;
	if (schedulers_are_nested(&scx->schedulers)) {
		ssize_t got = thread_file_read(scx->host, target->task_fd, target->tid, "cgroup",
					       scx->text, sizeof scx->text);
		if (got < 0)
			return got == -ENOENT ? CTPROF_ABSENT_VANISHED : file_absence((int)-got);
		one = cgroup_lines_main((struct text){scx->text, (size_t)got}, &cgroup)
			      ? schedulers_nearest(&scx->schedulers, cgroup)
			      : NULL;
	}
	if (!one)
		return CTPROF_ABSENT_UNSUPPORTED;
	scx->host->put_text(batch, row, scx->slots[THREAD_SCHEDULER], one->ops, strlen(one->ops));
	return CTPROF_PRESENT;
}

static void collect_threads(struct scx *scx, struct ctprof_batch *batch)
{
	uint32_t slot = scx->slots[THREAD_SCHEDULER];

	if (!scx->host->wanted(scx->host, slot))
		return;
	learn_schedulers(scx);
	for (uint64_t row = 0; row < batch->n; row++) {
		uint32_t why = put_nearest(scx, batch, row);

		if (why != CTPROF_PRESENT)
			scx->host->put_absent(batch, row, slot, why);
	}
}

/* ---- the plugin ------------------------------------------------------------------ */

static int scx_collect(void *self, void *context, struct ctprof_batch *batch)
{
	(void)context;
	if (batch->scope == CTPROF_SCOPE_HOST)
		collect_host(self, batch);
	else if (batch->scope == CTPROF_SCOPE_THREAD)
		collect_threads(self, batch);
	else
		collect_schedulers(self, batch);
	return 0;
}

static int scx_again(void *self)
{
	struct scx *scx = self;

	scx->are_known = false;
	scx->next = 0;
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
	NEED_PARTLY(FILE, "sys/" DIRECTORY "/root/events", "sched_ext.events"),
	NEED_PARTLY(FILE, "sys/" DIRECTORY "/root/<path>", "schedulers of cgroups, since 7.1"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/cgroup", "scheduler, if cgroups have their own"),
	NEED_PARTLY(FILE, "cgroup/<path>", "the paths of cgroups with a scheduler"),
};

SOURCE_PLUGIN("scx", SERIAL, CHEAP, "BPF schedulers of the sched_ext class, and their events",
	      SOURCE_OPS(.open = scx_open, .close = scx_close, .probe = scx_probe,
			 .start = scx_start, .collect = scx_collect, .again = scx_again))
