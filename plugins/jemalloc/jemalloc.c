/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The jemalloc source: bytes every thread has allocated and freed. */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#include "cleanup.h"
#include "counters.h"
#include "ctprof/source.h"

#include "capability.h"
#include "descriptor.h"
#include "file.h"
#include "instance.h"
#include "list.h"
#include "need.h"
#include "objects.h"
#include "option.h"
#include "ptrace.h"
#include "slots.h"
#include "summary.h"
#include "target.h"
#include "text.h"
#include "tls.h"

#ifndef JEMALLOC_HELPER
#define JEMALLOC_HELPER ""
#endif

enum { SLOT_ALLOCATED, SLOT_DEALLOCATED, SLOT_MEASURED, N_SLOTS };

struct jemalloc {
	const struct ctprof_host *host;
	uint32_t slots[N_SLOTS];
	uint32_t summary_slots[SUMMARY_METRICS];
	struct tally tally;
	bool wanted;
	bool use_ptrace;
	char helper[4096];
	struct objects *objects;
};

/* One worker's. */
struct worker {
	struct target target;
	struct parser parser;
	struct reading *readings;
	size_t room;
};

#define METRIC(kind, unit, rank_, name, help, origin, ...)                                         \
	METRIC_ROW(kind, unit, THREAD, name, "jemalloc", help, origin, .rank = rank_, __VA_ARGS__)

static const struct ctprof_metric metrics[N_SLOTS] = {
	[SLOT_ALLOCATED] = METRIC(COUNTER, BYTES, 41, "allocated_bytes",
				  "bytes the thread has allocated through jemalloc",
				  "jemalloc tsd_s.thread_allocated, mallctl thread.allocated",
				  .flags = CTPROF_METRIC_RESTARTS),
	[SLOT_DEALLOCATED] = METRIC(COUNTER, BYTES, 42, "deallocated_bytes",
				    "bytes the thread has freed through jemalloc",
				    "jemalloc tsd_s.thread_deallocated, mallctl thread.deallocated",
				    .flags = CTPROF_METRIC_RESTARTS),
	[SLOT_MEASURED] = METRIC(LABEL, BOOL, 98, "jemalloc_measured",
				 "whether the thread's jemalloc counters were read",
				 "ctprof, set by the jemalloc source", .flags = 0),
};

/* ---- life --------------------------------------------------------------- */

static void jemalloc_close(void *data)
{
	struct jemalloc *self = data;

	objects_free(self->objects);
	free(self);
}

/* The helper as option helper gives it, of this very build, or as installed. */
static void find_helper(struct jemalloc *self)
{
	static const char in_build[] = "plugins/jemalloc/ctprof-jemalloc-examine";
	const char *given = self->host->option(self->host, "helper");
	Dl_info info;

	if (given) {
		snprintf(self->helper, sizeof self->helper, "%s", given);
		return;
	}
	if (dladdr(metrics, &info) != 0 && info.dli_fname) {
		const char *slash = strrchr(info.dli_fname, '/');
		int dir = slash ? (int)(slash - info.dli_fname) : 0;
		int len = snprintf(self->helper, sizeof self->helper, "%.*s/%s", dir,
				   info.dli_fname, in_build);

		if (slash && len > 0 && (size_t)len < sizeof self->helper &&
		    access(self->helper, X_OK) == 0)
			return;
	}
	snprintf(self->helper, sizeof self->helper, "%s", JEMALLOC_HELPER);
}

static int jemalloc_open(const struct ctprof_host *host, void **ret_self)
{
	struct jemalloc *self = instance_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	self->host = host;
	int rc = slots_declare(host, metrics, N_SLOTS, self->slots);
	if (rc == 0)
		rc = slots_declare(host, summary_metrics, SUMMARY_METRICS, self->summary_slots);
	return instance_give(self, rc, ret_self);
}

static int jemalloc_start(void *data)
{
	struct jemalloc *self = data;
	const struct ctprof_host *host = self->host;
	const char *mode = host->option(host, "mode");

	if (!host->live(host)) {
		host->error(host, "recorded root: no process memory");
		return -EOPNOTSUPP;
	}
	if (!file_shows_own_pids(host)) {
		host->error(host, FILE_FOREIGN_PIDS " (" FILE_FOREIGN_PIDS_REMEDY ")");
		return -EOPNOTSUPP;
	}
	if (tls_native_machine() == 0) {
		host->error(host, "thread-local storage is supported on x86_64 and aarch64 only");
		return -EOPNOTSUPP;
	}
	self->use_ptrace = mode && strcmp(mode, "ptrace") == 0;
	self->wanted = slots_wanted(host, self->slots, N_SLOTS);
	find_helper(self);
	int rc = parser_check(self->helper);
	if (rc < 0) {
		host->error(host, "'%s', which reads files of other users: %s", self->helper,
			    rc == -EPERM ? "other users can write to it" : strerror(-rc));
		return rc;
	}
	self->objects = objects_new();
	if (!self->objects) {
		host->error(host, "out of memory");
		return -ENOMEM;
	}
	return 0;
}

/* ---- how it works here -------------------------------------------------- */

static bool can_read_memory(void)
{
	int there = 1, here = 0;
	struct iovec source = {&there, sizeof there}, local = {&here, sizeof here};

	return process_vm_readv(getpid(), &local, 1, &source, 1, 0) == (ssize_t)sizeof here;
}

static int jemalloc_probe(void *data)
{
	struct jemalloc *self = data;
	const struct ctprof_host *host = self->host;
	struct ctprof_finding finding = FINDING_WORKS("jemalloc");

	if (!host->live(host)) {
		finding.state = CTPROF_FAILS;
		finding.why = "recorded root: no process memory";
	} else if (!file_shows_own_pids(host)) {
		finding.state = CTPROF_FAILS;
		finding.why = FILE_FOREIGN_PIDS;
		finding.remedy = FILE_FOREIGN_PIDS_REMEDY;
	} else if (!can_read_memory()) {
		finding.state = CTPROF_FAILS;
		finding.why = "process_vm_readv is refused";
		finding.remedy = "a kernel with CONFIG_CROSS_MEMORY_ATTACH";
	} else if (!capability_is_held(host, CAP_SYS_PTRACE)) {
		finding.state = CTPROF_PARTLY;
		finding.why = "only the user's own processes, as far as "
			      "kernel.yama.ptrace_scope permits";
		finding.remedy = "CAP_SYS_PTRACE";
	}
	host->finding(host, &finding);
	return 0;
}

/* ---- threads ------------------------------------------------------------ */

static int worker_open(void *data, uint32_t number, void **ret_context)
{
	const struct jemalloc *self = data;

	(void)number;
	struct worker *worker = instance_new(self->host, sizeof *worker);
	if (!worker)
		return -ENOMEM;
	worker->parser = (struct parser){.host = self->host, .program = self->helper};
	*ret_context = worker;
	return 0;
}

static void worker_close(void *data, void *context)
{
	struct worker *worker = context;

	(void)data;
	parser_stop(&worker->parser);
	target_clear(&worker->target);
	free(worker->readings);
	free(worker);
}

static void put_row(struct jemalloc *self, struct ctprof_batch *batch, uint64_t row,
		    const struct reading *reading)
{
	const struct ctprof_host *host = self->host;
	bool ok = reading->tag == TAG_OK;

	host->put_u64(batch, row, self->slots[SLOT_MEASURED], ok ? 1 : 0);
	if (ok) {
		host->put_u64(batch, row, self->slots[SLOT_ALLOCATED], reading->allocated);
		host->put_u64(batch, row, self->slots[SLOT_DEALLOCATED], reading->deallocated);
		return;
	}
	slots_put_absent(host, batch, row, &self->slots[SLOT_ALLOCATED], 2, reading->absence);
}

/* Nothing that was read counts when the process is gone: its number may have
 * been another process's by then. */
static void check_still_there(const struct target *target, struct reading *readings, uint64_t n)
{
	if (process_check_alive(&target->process) == 0)
		return;
	for (uint64_t i = 0; i < n; i++)
		reading_fail(&readings[i], TAG_THREAD_EXITED);
}

static void read_target(struct jemalloc *self, struct worker *worker, uint64_t n)
{
	struct target *target = &worker->target;

	if (target->tag != TAG_OK) {
		for (uint64_t i = 0; i < n; i++) {
			worker->readings[i].tag = target->tag;
			worker->readings[i].absence = target->absence;
		}
		return;
	}
	if (self->use_ptrace)
		ptrace_read(target, worker->readings, (size_t)n);
	else
		counters_read(target, worker->readings, (size_t)n);
	check_still_there(target, worker->readings, n);
	for (uint64_t i = 0; i < n; i++)
		tally_thread(&self->tally, worker->readings[i].tag);
}

/* The n rows of one process, from first on. */
static void collect_process(struct jemalloc *self, struct worker *worker,
			    struct ctprof_batch *batch, uint64_t first, uint64_t n)
{
	const struct ctprof_target *row = ctprof_batch_target(batch, first);
	bool has_leader = false;

	for (uint64_t i = 0; i < n; i++) {
		const struct ctprof_target *each = ctprof_batch_target(batch, first + i);

		worker->readings[i] = (struct reading){
			.tid = each->tid,
			.tag = TAG_JEMALLOC_NOT_FOUND,
			.absence = CTPROF_ABSENT_SKIPPED,
		};
		has_leader = has_leader || (each->flags & CTPROF_TARGET_LEADER);
	}
	/* ctprof does not look at itself. */
	if (row->tgid != getpid()) {
		int32_t other = ctprof_batch_target(batch, first + n - 1)->tid;

		target_enter(&worker->target, self->objects, &worker->parser, row, other,
			     !self->use_ptrace);
		/* The pieces of a process that is spread over workers count once. */
		if (has_leader)
			tally_process(&self->tally, worker->target.tag);
		read_target(self, worker, n);
	}
	for (uint64_t i = 0; i < n; i++)
		put_row(self, batch, first + i, &worker->readings[i]);
}

static int collect_threads(struct jemalloc *self, struct worker *worker, struct ctprof_batch *batch)
{
	if (!self->wanted)
		return 0;
	int rc = list_reserve(&worker->readings, &worker->room, batch->n, SIZE_MAX,
			      sizeof *worker->readings);
	if (rc < 0) {
		self->host->error(self->host, "out of memory");
		return rc;
	}
	for (uint64_t first = 0, end; first < batch->n; first = end) {
		int32_t tgid = ctprof_batch_target(batch, first)->tgid;

		for (end = first + 1; end < batch->n; end++)
			if (ctprof_batch_target(batch, end)->tgid != tgid)
				break;
		collect_process(self, worker, batch, first, end - first);
	}
	return 0;
}

static int jemalloc_collect(void *data, void *context, struct ctprof_batch *batch)
{
	struct jemalloc *self = data;

	if (batch->scope == CTPROF_SCOPE_THREAD)
		return collect_threads(self, context, batch);
	if (batch->scope != CTPROF_SCOPE_CAPTURE)
		return 0;
	if (self->wanted)
		summary_put(self->host, self->summary_slots, batch, &self->tally);
	else
		slots_put_absent(self->host, batch, 0, self->summary_slots, SUMMARY_METRICS,
				 CTPROF_ABSENT_SKIPPED);
	return 0;
}

/* ---- what it is --------------------------------------------------------- */

static const struct ctprof_need needs[] = {
	NEED_PARTLY(CAPABILITY, "CAP_SYS_PTRACE", "counters of other users' threads"),
	NEED_PARTLY(CAPABILITY, "CAP_CHECKPOINT_RESTORE",
		    "libraries that were replaced while in use (or CAP_SYS_ADMIN)"),
	NEED_ALWAYS(KCONFIG, "CONFIG_CROSS_MEMORY_ATTACH", "all counters"),
	NEED_ALWAYS(KCONFIG, "CONFIG_SECCOMP_FILTER", "all counters: files are read in a sandbox"),
	NEED_PARTLY(SYSCTL, "kernel.yama.ptrace_scope",
		    "0: users without CAP_SYS_PTRACE can read their own processes"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/exe", "whether a file has jemalloc"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/maps", "the libraries of a process"),
	NEED_PARTLY(FILE, "proc/thread-self/fd", "files of processes, once known to be files"),
	NEED_PARTLY(FILE, "proc/self/status", "the capabilities of ctprof"),
	NEED_PARTLY(FILE, "proc/<tgid>/map_files", "the libraries themselves"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/root", "libraries by path; debug files"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/status", "thread IDs in a container"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/stat", "whether a thread has begun to end"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/comm", "whether a process still exists"),
};

static const struct ctprof_source_ops ops = {
	.struct_size = sizeof ops,
	.open = jemalloc_open,
	.close = jemalloc_close,
	.probe = jemalloc_probe,
	.start = jemalloc_start,
	.worker_open = worker_open,
	.worker_close = worker_close,
	.collect = jemalloc_collect,
};

static const struct ctprof_option_word modes[] = {
	OPTION_WORD("auto", "stops no thread"),
	OPTION_WORD("ptrace", NULL),
};

static const struct ctprof_option options[] = {
	OPTION(WORD, "mode", "Read the heap counters of jemalloc", .long_name = "jemalloc",
	       .placeholder = "HOW", .default_value = "auto", OPTION_WORDS(modes)),
	OPTION(PATH, "helper", "Read ELF files with this program instead of the installed one"),
};

static const struct ctprof_plugin plugin = {
	SOURCE_DESCRIPTOR("jemalloc", ops, needs),
	.thread_model = CTPROF_THREADS_PER_WORKER,
	.cost = CTPROF_COST_MODERATE,
	.summary = "bytes each thread allocated and freed through jemalloc, read without stopping "
		   "it",
	.options = options,
	.n_options = sizeof options / sizeof options[0],
};

CTPROF_PLUGIN(plugin)
