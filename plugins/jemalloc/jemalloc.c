/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The jemalloc source: the bytes that each thread has allocated and freed. */
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
#include "clock.h"
#include "descriptor.h"
#include "file.h"
#include "instance.h"
#include "need.h"
#include "newer-host.h"
#include "objects.h"
#include "option.h"
#include "owner.h"
#include "slots.h"
#include "summary.h"
#include "text.h"
#include "tls.h"
#include "visit.h"

#ifndef JEMALLOC_HELPER
#define JEMALLOC_HELPER ""
#endif

/* Limits on how long a process may block, and on its total time. */
#define BLOCKED_NS UINT64_C(250000000)
#define WHOLE_NS (80 * BLOCKED_NS)
#define SLICE_NS (BLOCKED_NS / 64)
#define NS_PER_MS UINT64_C(1000000)

enum { SLOT_ALLOCATED, SLOT_DEALLOCATED, SLOT_MEASURED, N_SLOTS };

struct jemalloc {
	const struct ctprof_host *host;
	uint32_t slots[N_SLOTS];
	uint32_t summary_slots[SUMMARY_METRICS];
	struct tally tally;
	bool wanted;
	bool use_ptrace;
	struct async_limits job_limits;
	char helper[4096];
	struct objects *objects;
};

/* The rows of one process in a batch, while they are read. */
struct piece {
	struct visit *visit; /* must not be used once abandoned */
	int32_t tgid;
	bool has_leader;
	uint64_t first, n;
};

/* The state of one worker. */
struct worker {
	struct async *async;
	struct piece pieces[ASYNC_JOBS]; /* by job */
};

#define METRIC(kind, unit, rank_, name, help, origin, ...)                                         \
	METRIC_ROW(kind, unit, THREAD, name, "jemalloc", help, origin, .rank = rank_, __VA_ARGS__)

static const struct ctprof_metric metrics[N_SLOTS] = {
	[SLOT_ALLOCATED] = METRIC(COUNTER, BYTES, 41, "allocated_bytes",
				  "bytes the thread has allocated through jemalloc",
				  "jemalloc tsd_s.thread_allocated, mallctl thread.allocated",
				  .flags = CTPROF_METRIC_RESTARTS | CTPROF_METRIC_STILL),
	[SLOT_DEALLOCATED] = METRIC(COUNTER, BYTES, 42, "deallocated_bytes",
				    "bytes the thread has freed through jemalloc",
				    "jemalloc tsd_s.thread_deallocated, mallctl thread.deallocated",
				    .flags = CTPROF_METRIC_RESTARTS | CTPROF_METRIC_STILL),
	[SLOT_MEASURED] =
		METRIC(LABEL, BOOL, 98, "jemalloc_measured",
		       "whether the thread's jemalloc counters were read",
		       "ctprof, set by the jemalloc source", .flags = CTPROF_METRIC_STILL),
};

/* ---- life --------------------------------------------------------------- */

static void jemalloc_close(void *data)
{
	struct jemalloc *self = data;

	objects_unref(self->objects);
	free(self);
}

/* Finds the helper: the program given by the option, else that of this build, else the installed
 * one. */
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
	self->job_limits = (struct async_limits){
		.begun_ns = clock_now(), .timeout_ns = BLOCKED_NS, .whole_ns = WHOLE_NS};
	owner_again();
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
	/* With ptrace, each stop has a deadline of its own. */
	if (self->use_ptrace)
		self->job_limits = (struct async_limits){.timeout_ns = WHOLE_NS};
	self->wanted = slots_wanted(host, self->slots, N_SLOTS);
	find_helper(self);
	int rc = parser_check(self->helper);
	if (rc < 0) {
		host->error(host, "'%s', which reads files of other users: %s", self->helper,
			    rc == -EPERM ? "other users can write to it" : strerror(-rc));
		return rc;
	}
	self->objects = objects_new(host, self->helper);
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

	if (!host->live(host))
		finding_set(&finding, CTPROF_FAILS, "recorded root: no process memory", NULL);
	else if (!file_shows_own_pids(host))
		finding_set(&finding, CTPROF_FAILS, FILE_FOREIGN_PIDS, FILE_FOREIGN_PIDS_REMEDY);
	else if (!can_read_memory())
		finding_set(&finding, CTPROF_FAILS, "process_vm_readv is refused",
			    "a kernel with CONFIG_CROSS_MEMORY_ATTACH");
	else if (!capability_is_held(host, CAP_SYS_PTRACE))
		finding_set(&finding, CTPROF_PARTLY,
			    "only the user's own processes, as far as "
			    "kernel.yama.ptrace_scope permits",
			    "CAP_SYS_PTRACE");
	host->finding(host, &finding);
	return 0;
}

/* ---- threads ------------------------------------------------------------ */

static int worker_open(void *data, uint32_t number, void **ret_context)
{
	const struct jemalloc *self = data;
	const struct ctprof_host *host = self->host;

	(void)number;
	struct worker *worker = instance_new(host, sizeof *worker);
	if (!worker)
		return -ENOMEM;
	int rc = async_open(NULL, host->root(host, CTPROF_ROOT_PROC), &worker->async);
	return instance_give(worker, rc, ret_context);
}

static void worker_close(void *data, void *context)
{
	struct worker *worker = context;

	(void)data;
	async_close(worker->async);
	instance_free(worker);
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

/* Fills the rows of a piece from readings; NULL: no answer in time. */
static void put_piece(struct jemalloc *self, struct ctprof_batch *batch, const struct piece *piece,
		      enum tag tag, const struct reading *readings)
{
	struct reading stuck;

	running_progress(self->host);
	/* Count a process once, even if it is split between workers. */
	if (piece->has_leader)
		tally_process(&self->tally, tag);
	reading_fail(&stuck, TAG_PROCESS_STUCK);
	for (uint64_t i = 0; i < piece->n; i++) {
		if (tag == TAG_OK)
			tally_thread(&self->tally, readings[i].tag);
		put_row(self, batch, piece->first + i, readings ? &readings[i] : &stuck);
	}
}

/* Waits briefly, and takes the finished visits. */
static void take_some(struct jemalloc *self, struct worker *worker, struct ctprof_batch *batch)
{
	const struct ctprof_host *host = self->host;
	int rc = async_wait(worker->async, SLICE_NS);
	const struct piece *pieces = worker->pieces;
	uint64_t ns;
	unsigned i;

	while (async_take(worker->async, &i)) {
		struct visit *visit = pieces[i].visit;

		put_piece(self, batch, &pieces[i], visit->tag, visit->readings);
		visit_free(visit);
	}
	while (async_abandon(worker->async, &self->job_limits, &i, &ns)) {
		host->log(host, CTPROF_LOG_INFO, "process %d: no answer within %" PRIu64 " ms",
			  (int)pieces[i].tgid, ns / NS_PER_MS);
		put_piece(self, batch, &pieces[i], TAG_PROCESS_STUCK, NULL);
	}
	while (rc < 0 && async_cancel(worker->async, &i)) {
		put_piece(self, batch, &pieces[i], TAG_PROCESS_STUCK, NULL);
		visit_free(pieces[i].visit);
	}
}

static int submit(struct jemalloc *self, struct worker *worker, const struct ctprof_batch *batch,
		  struct piece piece, unsigned i)
{
	piece.visit = visit_new(self->objects, batch, piece.first, piece.n, self->use_ptrace);
	if (!piece.visit)
		return -ENOMEM;
	worker->pieces[i] = piece;
	*async_job(worker->async, i) = (struct async_job){
		.fd = -1, .tgid = piece.tgid, .consumer = &visit_consumer, .data = piece.visit};
	async_submit(worker->async, i);
	return 0;
}

/* Returns the rows of the next process. */
static struct piece cut_piece(const struct ctprof_batch *batch, uint64_t first)
{
	struct piece piece = {.tgid = ctprof_batch_target(batch, first)->tgid, .first = first};
	const struct ctprof_target *row;

	for (; first + piece.n < batch->n; piece.n++) {
		row = ctprof_batch_target(batch, first + piece.n);
		if (row->tgid != piece.tgid)
			break;
		piece.has_leader = piece.has_leader || (row->flags & CTPROF_TARGET_LEADER);
	}
	return piece;
}

/* Puts the rows of ctprof, which does not examine itself. */
static void put_own(struct jemalloc *self, struct ctprof_batch *batch, const struct piece *piece)
{
	const struct reading none = {.tag = TAG_JEMALLOC_NOT_FOUND,
				     .absence = CTPROF_ABSENT_SKIPPED};

	for (uint64_t i = 0; i < piece->n; i++)
		put_row(self, batch, piece->first + i, &none);
}

static int submit_some(struct jemalloc *self, struct worker *worker, struct ctprof_batch *batch,
		       uint64_t *next)
{
	int proc = self->host->root(self->host, CTPROF_ROOT_PROC), rc = 0;
	unsigned i;

	while (*next < batch->n && rc == 0 && async_wants_more(worker->async, &i)) {
		struct piece piece = cut_piece(batch, *next);

		*next += piece.n;
		if (piece.tgid == getpid())
			put_own(self, batch, &piece);
		else if (stuck_is(self->host, batch, piece.first) ||
			 async_has_lost(piece.tgid, proc))
			put_piece(self, batch, &piece, TAG_PROCESS_STUCK, NULL);
		else
			rc = submit(self, worker, batch, piece, i);
	}
	return rc;
}

static int collect_threads(struct jemalloc *self, struct worker *worker, struct ctprof_batch *batch)
{
	uint64_t next = 0;
	int rc = 0;

	if (!self->wanted)
		return 0;
	while ((next < batch->n && rc == 0) || async_is_busy(worker->async)) {
		if (rc == 0)
			rc = submit_some(self, worker, batch, &next);
		take_some(self, worker, batch);
	}
	owner_report(self->host);
	if (rc < 0)
		self->host->error(self->host, "out of memory");
	return rc;
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

/* The facts about files are kept for the next sample, as an abandoned reader may still use them. */
static int jemalloc_again(void *data)
{
	struct jemalloc *self = data;

	async_limits_again(&self->job_limits);
	objects_again(self->objects);
	self->tally = (struct tally){0};
	self->wanted = slots_wanted(self->host, self->slots, N_SLOTS);
	return 0;
}

/* ---- the descriptor ----------------------------------------------------- */

static const struct ctprof_need needs[] = {
	NEED_PARTLY(CAPABILITY, "CAP_SYS_PTRACE", "counters of other users' threads"),
	NEED_PARTLY(CAPABILITY, "CAP_DAC_READ_SEARCH",
		    "libraries in directories that only their user may enter, together with "
		    "CAP_SYS_PTRACE"),
	NEED_PARTLY(CAPABILITY, "CAP_CHECKPOINT_RESTORE",
		    "libraries that were replaced while in use (or CAP_SYS_ADMIN)"),
	NEED_ALWAYS(KCONFIG, "CONFIG_PROC_PAGE_MONITOR", "all counters: which pages are in memory"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/pagemap", "which pages are in memory"),
	NEED_ALWAYS(KCONFIG, "CONFIG_CROSS_MEMORY_ATTACH", "all counters"),
	NEED_ALWAYS(KCONFIG, "CONFIG_SECCOMP_FILTER", "all counters: files are read in a sandbox"),
	NEED_PARTLY(SYSCTL, "kernel.yama.ptrace_scope",
		    "0: users without CAP_SYS_PTRACE can read their own processes"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/exe", "whether a file has jemalloc"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/maps", "the libraries of a process"),
	NEED_PARTLY(FILE, "proc/thread-self/fd",
		    "files of processes, once known to be regular "
		    "files"),
	NEED_PARTLY(FILE, "proc/self/status", "the capabilities of ctprof"),
	NEED_PARTLY(FILE, "proc/<tgid>/map_files", "the libraries themselves"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/root", "libraries by path; debug files"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/status", "thread IDs in a container"),
	NEED_PARTLY(FILE, "proc/<tgid>/stat",
		    "whether a process that does not answer is stuck or "
		    "slow"),
	NEED_PARTLY(FILE, "proc/self/mountinfo", "which files are on FUSE, and not read"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/mountinfo", "files on FUSE in containers"),
	NEED_PARTLY(FILE, "proc/thread-self/fdinfo", "which files are on FUSE, before Linux 5.8"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/stat", "whether a thread has begun to end"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/comm", "whether a process still exists"),
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

SOURCE_PLUGIN("jemalloc", PER_WORKER, MODERATE,
	      "bytes each thread allocated and freed through jemalloc, read without stopping "
	      "it",
	      SOURCE_OPS(.open = jemalloc_open, .close = jemalloc_close, .probe = jemalloc_probe,
			 .start = jemalloc_start, .worker_open = worker_open,
			 .worker_close = worker_close, .collect = jemalloc_collect,
			 .again = jemalloc_again),
	      SOURCE_OPTIONS(options))
