/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the memory is: of each process, and in the objects they share. */
#include <errno.h>
#include <stdlib.h>

#include "memory.h"

#include "need.h"
#include "smaps-probe.h"

struct worker {
	struct memory *memory;
	struct process_worker process;
	void *parts[MEMORY_PARTS_MAX]; /* as memory_parts; NULL: does not look */
};

static void close_parts(struct memory *memory)
{
	while (memory->n_parts > 0) {
		memory->n_parts--;
		memory_parts[memory->n_parts]->close(memory->parts[memory->n_parts]);
	}
}

static int open_parts(struct memory *memory, const struct ctprof_host *host)
{
	for (unsigned i = 0; i < MEMORY_PARTS_MAX && memory_parts[i]; i++) {
		int r = memory_parts[i]->open(host, &memory->limits, &memory->parts[i]);

		if (r < 0) {
			close_parts(memory);
			return r;
		}
		memory->n_parts = i + 1;
	}
	return 0;
}

static void free_memory(struct memory **memory)
{
	free(*memory);
}

static int memory_open(const struct ctprof_host *host, void **ret_self)
{
	__attribute__((cleanup(free_memory))) struct memory *made = calloc(1, sizeof *made);

	if (!made) {
		host->error(host, "out of memory");
		return -ENOMEM;
	}
	made->host = host;
	smaps_limits_configure(&made->limits, host);
	int r = process_plan_open(&made->plan, host, &made->limits);
	if (r < 0)
		return r;
	r = open_parts(made, host);
	if (r < 0) {
		process_plan_close(&made->plan);
		return r;
	}
	*ret_self = made;
	made = NULL;
	return 0;
}

static void memory_close(void *self)
{
	struct memory *memory = self;

	close_parts(memory);
	process_plan_close(&memory->plan);
	free(memory);
}

/* Groups whose values stand or fall with what smaps tells. */
static const char *const of_smaps[] = {"memory", "memory-shared", "memory-swap", "memory-mappings"};

static int memory_probe(void *self)
{
	const struct memory *memory = self;

	for (size_t i = 0; i < sizeof of_smaps / sizeof of_smaps[0]; i++)
		smaps_probe(memory->host, of_smaps[i]);
	for (unsigned i = 0; i < memory->n_parts; i++)
		if (memory_parts[i]->probe)
			memory_parts[i]->probe(memory->parts[i]);
	return 0;
}

static int memory_start(void *self)
{
	struct memory *memory = self;

	process_plan_start(&memory->plan);
	for (unsigned i = 0; i < memory->n_parts; i++) {
		int r = memory_parts[i]->start ? memory_parts[i]->start(memory->parts[i]) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- workers ---------------------------------------------------------- */

static void free_worker(struct worker **worker)
{
	if (!*worker)
		return;
	for (unsigned i = 0; i < (*worker)->memory->n_parts; i++)
		if ((*worker)->parts[i])
			memory_parts[i]->worker_close((*worker)->parts[i]);
	process_worker_close(&(*worker)->process);
	free(*worker);
}

static bool part_looks(const struct memory *memory, unsigned i)
{
	return memory_parts[i]->looks && memory_parts[i]->looks(memory->parts[i]);
}

static int memory_worker_open(void *self, uint32_t number, void **ret_context)
{
	struct memory *memory = self;
	struct worker *fresh = calloc(1, sizeof *fresh);

	(void)number;
	if (!fresh) {
		memory->host->error(memory->host, "out of memory");
		return -ENOMEM;
	}
	fresh->memory = memory;
	__attribute__((cleanup(free_worker))) struct worker *made = fresh;
	int r = process_worker_open(&memory->plan, &made->process);
	for (unsigned i = 0; r == 0 && i < memory->n_parts; i++)
		if (part_looks(memory, i))
			r = memory_parts[i]->worker_open(memory->parts[i], &made->parts[i]);
	if (r < 0) {
		memory->host->error(memory->host, "out of memory");
		return r;
	}
	*ret_context = made;
	made = NULL;
	return 0;
}

static void memory_worker_close(void *self, void *context)
{
	__attribute__((cleanup(free_worker))) struct worker *worker = context;

	(void)self;
	(void)worker;
}

/* ---- batches ---------------------------------------------------------- */

static int begin(struct worker *worker, uint64_t rows)
{
	int r = process_begin(&worker->process, rows);

	for (unsigned i = 0; r == 0 && i < worker->memory->n_parts; i++)
		if (worker->parts[i])
			r = memory_parts[i]->begin(worker->parts[i], rows);
	return r;
}

static void show_to_parts(struct worker *worker, uint64_t row)
{
	struct memory_process process;

	if (!process_describe(&worker->process, row, &process))
		return;
	for (unsigned i = 0; i < worker->memory->n_parts; i++)
		if (worker->parts[i])
			memory_parts[i]->add(worker->parts[i], &process);
}

static int collect_threads(struct memory *memory, struct worker *worker, struct ctprof_batch *batch)
{
	bool looks = memory->plan.wanted;

	for (unsigned i = 0; i < memory->n_parts; i++)
		looks = looks || worker->parts[i];
	/* What it shares with other sources is theirs to read then. */
	if (!looks)
		return 0;
	int r = begin(worker, batch->n);
	if (r < 0) {
		memory->host->error(memory->host, "out of memory");
		return r;
	}
	for (uint64_t row = 0; row < batch->n; row++)
		process_add(&worker->process, batch, row);
	process_finish(&worker->process, batch);
	for (uint64_t row = 0; row < batch->n; row++)
		show_to_parts(worker, row);
	for (unsigned i = 0; i < memory->n_parts; i++)
		if (worker->parts[i])
			memory_parts[i]->finish(worker->parts[i], batch);
	return 0;
}

/* One part after the other, each until it has no more rows. */
static int collect_objects(struct memory *memory, struct ctprof_batch *batch)
{
	uint64_t before = batch->n;

	while (memory->emitting < memory->n_parts) {
		unsigned i = memory->emitting;
		int r = memory_parts[i]->emit(memory->parts[i], batch);

		if (r < 0)
			return r;
		if (batch->n > before)
			return 0;
		memory->emitting++;
	}
	return 0;
}

static int memory_collect(void *self, void *context, struct ctprof_batch *batch)
{
	struct memory *memory = self;

	if (batch->scope == CTPROF_SCOPE_THREAD)
		return collect_threads(memory, context, batch);
	if (batch->scope == CTPROF_SCOPE_OBJECT)
		return collect_objects(memory, batch);
	if (batch->scope == CTPROF_SCOPE_CAPTURE)
		process_summary_put(&memory->plan, batch);
	return 0;
}

/* ---- descriptor ------------------------------------------------------- */

static const struct ctprof_source_ops ops = {
	.struct_size = sizeof ops,
	.open = memory_open,
	.close = memory_close,
	.probe = memory_probe,
	.start = memory_start,
	.worker_open = memory_worker_open,
	.worker_close = memory_worker_close,
	.collect = memory_collect,
};

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(FILE, "proc/<tgid>/task/<tid>/stat", "names and lives of processes"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/status", "RSS, swap, peak, parent and user"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/smaps_rollup", "PSS, USS and their parts"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/smaps",
		    "the same before Linux 4.14, or with smaps-source=smaps"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/cmdline", "command lines"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/cwd", "working directories"),
	NEED_PARTLY(FILE, "proc/meminfo", "the host's ledger"),
	NEED_PARTLY(FILE, "proc/self/mountinfo", "tmpfs, and telling files by their device"),
	NEED_PARTLY(FILE, "proc/self/status", "which rights ctprof has"),
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
	OPTION(COUNT, "pid", "Read the mappings of these processes", .flags = CTPROF_OPTION_LIST,
	       .placeholder = "PID,…", .least = 1, .most = INT32_MAX),
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SOURCE,
	.thread_model = CTPROF_THREADS_PER_WORKER,
	.cost = CTPROF_COST_DEAR,
	.n_needs = sizeof needs / sizeof needs[0],
	.name = "memory",
	.version = CTPROF_VERSION,
	.summary = "Memory of processes, and the objects they share",
	.needs = needs,
	.ops = &ops,
	.options = options,
	.n_options = sizeof options / sizeof options[0],
	.preference = 10,
};

CTPROF_PLUGIN(descriptor)
