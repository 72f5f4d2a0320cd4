/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of each process, and the objects they share. */
#include "memory.h"

#include <stdio.h>

#include "descriptor.h"
#include "file.h"
#include "holders-worker.h"
#include "instance.h"
#include "need.h"
#include "smaps-probe.h"

struct worker {
	struct process_worker process;
	struct holders_worker holders; /* when mappings are wanted */
};

static int memory_open(const struct ctprof_host *host, void **ret_self)
{
	struct memory *made = instance_new(host, sizeof *made);

	if (!made)
		return -ENOMEM;
	made->host = host;
	smaps_limits_configure(&made->limits, host);
	int r = process_plan_open(&made->plan, host, &made->limits);
	if (r < 0)
		return instance_give(made, r, ret_self);
	r = objects_open(&made->objects, host, &made->limits);
	if (r < 0)
		process_plan_close(&made->plan);
	return instance_give(made, r, ret_self);
}

static void memory_close(void *self)
{
	struct memory *memory = self;

	objects_close(&memory->objects);
	process_plan_close(&memory->plan);
	instance_free(memory);
}

/* Groups whose values come from smaps. */
static const char *const of_smaps[] = {"memory", "memory-shared", "memory-swap", "memory-mappings"};

/* Groups that come from a single file of the proc root. */
static const char *const of_files[][2] = {
	{"memory-ledger", "meminfo"},
	{"memory-sysv", "sysvipc/shm"},
};

static void probe_file(const struct ctprof_host *host, const char *group, const char *file)
{
	struct ctprof_finding finding = FINDING_WORKS(group);
	char why[64];

	if (file_check_root(host, CTPROF_ROOT_PROC, file) < 0) {
		bool partial = file_proc_is_partial(host);

		(void)snprintf(why, sizeof why, "proc/%s cannot be opened", file);
		finding_set(&finding, CTPROF_FAILS, partial ? FILE_PROC_PARTIAL : why,
			    partial ? FILE_PROC_WHOLE : NULL);
	}
	host->finding(host, &finding);
}

static int memory_probe(void *self)
{
	const struct memory *memory = self;

	for (size_t i = 0; i < sizeof of_smaps / sizeof of_smaps[0]; i++)
		smaps_probe(memory->host, of_smaps[i]);
	for (size_t i = 0; i < sizeof of_files / sizeof of_files[0]; i++)
		probe_file(memory->host, of_files[i][0], of_files[i][1]);
	return 0;
}

static int memory_start(void *self)
{
	struct memory *memory = self;

	process_plan_start(&memory->plan);
	objects_start(&memory->objects);
	return 0;
}

static int memory_again(void *self)
{
	struct memory *memory = self;

	process_plan_again(&memory->plan);
	objects_again(&memory->objects);
	smaps_limits_again(&memory->limits);
	return 0;
}

/* ---- workers ---------------------------------------------------------- */

static void memory_worker_close(void *self, void *context)
{
	struct worker *worker = context;

	(void)self;
	holders_worker_close(&worker->holders);
	process_worker_close(&worker->process);
	instance_free(worker);
}

static int memory_worker_open(void *self, uint32_t number, void **ret_context)
{
	struct memory *memory = self;
	struct worker *made = instance_new(memory->host, sizeof *made);

	(void)number;
	if (!made)
		return -ENOMEM;
	int r = process_worker_open(&memory->plan, &made->process);
	holders_worker_open(&made->holders, &memory->objects, &made->process);
	if (r < 0) {
		memory->host->error(memory->host, "out of memory");
		memory_worker_close(memory, made);
		return r;
	}
	*ret_context = made;
	return 0;
}

/* ---- batches ---------------------------------------------------------- */

static int collect_threads(struct memory *memory, struct worker *worker, struct ctprof_batch *batch)
{
	bool holding = memory->objects.holding;

	/* Otherwise, values that other sources also provide are left to them. */
	if (!memory->plan.wanted && !holding)
		return 0;
	int r = process_begin(&worker->process, batch->n);
	for (uint64_t row = 0; r == 0 && row < batch->n; row++)
		process_add(&worker->process, batch, row);
	if (r == 0)
		process_finish(&worker->process, batch);
	if (r == 0 && holding)
		r = holders_worker_collect(&worker->holders, batch);
	if (r < 0)
		memory->host->error(memory->host, "out of memory");
	return r;
}

static int memory_collect(void *self, void *context, struct ctprof_batch *batch)
{
	struct memory *memory = self;

	if (batch->scope == CTPROF_SCOPE_THREAD)
		return collect_threads(memory, context, batch);
	if (batch->scope == CTPROF_SCOPE_OBJECT)
		return objects_emit(&memory->objects, batch);
	if (batch->scope == CTPROF_SCOPE_CAPTURE)
		process_summary_put(&memory->plan, batch);
	return 0;
}

/* ---- descriptor ------------------------------------------------------- */

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(FILE, "proc/<tgid>/task/<tid>/stat", "names and start times of processes"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/status", "RSS, swap, peak, parent and user"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/smaps_rollup", "PSS, USS and their parts"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/smaps",
		    "PSS and USS before Linux 4.14, or with smaps-source=smaps"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/cmdline", "command lines"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/cwd", "working directories"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/cgroup", "cgroups of processes"),
	NEED_PARTLY(FILE, "proc/meminfo", "the host's ledger"),
	NEED_PARTLY(FILE, "proc/self/mountinfo", "tmpfs, and the kinds of files by their device"),
	NEED_PARTLY(FILE, "proc/<tgid>/mountinfo", "tmpfs of other mount namespaces"),
	NEED_PARTLY(FILE, "proc/self/status", "the capabilities of ctprof"),
	NEED_PARTLY(FILE, "proc/sysvipc/shm", "System V segments"),
	NEED_PARTLY(FILE, "proc/driver/nvidia/params", "whether pools of NVIDIA's driver are on"),
	NEED_PARTLY(FILE, "sys/kernel/debug/shrinker", "the pages in them"),
	NEED_PARTLY(FILE, "sys/block/zram*/mm_stat", "zram"),
	NEED_PARTLY(KCONFIG, "CONFIG_PROC_PAGE_MONITOR", "PSS, USS and their parts"),
	NEED_PARTLY(CAPABILITY, "CAP_SYS_PTRACE",
		    "PSS, USS and working directories of other users' processes"),
	NEED_PARTLY(CAPABILITY, "CAP_DAC_READ_SEARCH",
		    "files in tmpfs of other users' directories"),
	NEED_PARTLY(CAPABILITY, "CAP_PERFMON",
		    "PSS and USS of other users' processes, since Linux 6.15"),
};

#define ALL_BUT_FILES "memory-ledger,memory,memory-shared,memory-swap,memory-sysv,memory-tmpfs"

static const struct ctprof_option_word parts[] = {
	OPTION_WORD("ledger", NULL, .groups = "memory-ledger"),
	OPTION_WORD("processes", NULL, .groups = "memory"),
	OPTION_WORD("shared", NULL, .groups = "memory-shared,memory-swap,memory-sysv"),
	OPTION_WORD("tmpfs", NULL, .groups = "memory-tmpfs"),
	OPTION_WORD("files", NULL, .groups = "memory-files"),
	OPTION_WORD("sysv", NULL, .groups = "memory-sysv"),
	OPTION_WORD("all", "all but files", .groups = ALL_BUT_FILES),
};

static const struct ctprof_option options[] = {
	OPTION(WORD, "parts", "Read where the memory is", .long_name = "memory",
	       .placeholder = "LIST", .flags = CTPROF_OPTION_LIST | CTPROF_OPTION_OPTIONAL,
	       .default_value = "ledger,processes,tmpfs,sysv", OPTION_WORDS(parts)),
	SMAPS_OPTIONS,
	OPTION(WORD, "smaps-source", "Read PSS and USS from", .long_name = "smaps-source",
	       .placeholder = "FILE", .flags = CTPROF_OPTION_COST, .default_value = "auto",
	       .n_words = N_PROCESS_SOURCES, .words = process_sources),
	OPTION(SIZE, "smaps-max-rss", "Skip processes with a larger RSS, e.g. 4GiB",
	       .long_name = "smaps-max-rss", .flags = CTPROF_OPTION_COST, .least = 1),
	OPTION(BOOL, "no-cmdline",
	       "Leave out command lines and working directories, which --memory reads",
	       .long_name = "no-cmdline"),
	OPTION(COUNT, "pid", "Read the mappings of these processes (0: of all that are read)",
	       .flags = CTPROF_OPTION_LIST, .placeholder = "PID,…", .most = INT32_MAX),
};

SOURCE_PLUGIN("memory", PER_WORKER, EXPENSIVE, "Memory of processes, and the objects they share",
	      SOURCE_OPS(.open = memory_open, .close = memory_close, .probe = memory_probe,
			 .start = memory_start, .worker_open = memory_worker_open,
			 .worker_close = memory_worker_close, .collect = memory_collect,
			 .again = memory_again),
	      SOURCE_OPTIONS(options), .preference = 10)
