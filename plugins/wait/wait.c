/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where threads wait in the kernel, in interruptible or uninterruptible sleep. */
#include <errno.h>
#include <linux/capability.h>

#include "capability.h"
#include "ctprof/source.h"
#include "descriptor.h"
#include "file.h"
#include "instance.h"
#include "need.h"
#include "parse.h"
#include "slots.h"
#include "thread-file.h"

#define GROUP "wait"
#define TEXT_MAX 8192u

enum { CHANNEL, STACK, N_METRICS };

static const struct ctprof_metric metrics[N_METRICS] = {
	[CHANNEL] = METRIC_ROW(CATEGORY, TEXT, THREAD, "wait_channel", GROUP,
			       "kernel function the thread waits in",
			       "wchan: proc_pid_wchan(), get_wchan()", .gates = "KALLSYMS",
			       .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET),
	[STACK] =
		METRIC_ROW(CATEGORY, TEXT, THREAD, "wait_stack", GROUP,
			   "that function and the two that called it",
			   "stack: proc_pid_stack(), stack_trace_save_tsk()", .gates = "STACKTRACE",
			   .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET),
};

struct wait {
	const struct ctprof_host *host;
	uint32_t slots[N_METRICS];
};

static int wait_open(const struct ctprof_host *host, void **ret_self)
{
	struct wait *wait = instance_new(host, sizeof *wait);

	if (!wait)
		return -ENOMEM;
	wait->host = host;
	return instance_give(wait, slots_declare(host, metrics, N_METRICS, wait->slots), ret_self);
}

/* ---- what works ---------------------------------------------------------- */

static void set(struct ctprof_finding *finding, uint32_t state, const char *why, const char *remedy)
{
	finding->state = state;
	finding->why = why;
	finding->remedy = remedy;
}

static int wait_probe(void *self)
{
	const struct wait *wait = self;
	const struct ctprof_host *host = wait->host;
	struct ctprof_finding finding = FINDING_WORKS(GROUP);
	char text[TEXT_MAX];
	ssize_t stack = file_read_root(host, CTPROF_ROOT_PROC, "self/stack", text, sizeof text);

	if (file_check_root(host, CTPROF_ROOT_PROC, "self/wchan") < 0)
		set(&finding, CTPROF_FAILS, "no wchan: the kernel is built without it",
		    "CONFIG_KALLSYMS=y");
	else if (stack == -EACCES || stack == -EPERM)
		set(&finding, CTPROF_PARTLY,
		    "no kernel stacks: they need CAP_SYS_ADMIN in the initial user namespace",
		    "run as root");
	else if (stack < 0)
		set(&finding, CTPROF_PARTLY, "no kernel stacks: the kernel is built without them",
		    "CONFIG_STACKTRACE=y");
	else if (!capability_is_held(host, CAP_SYS_PTRACE))
		set(&finding, CTPROF_PARTLY, "only for the user's own threads", "CAP_SYS_PTRACE");
	host->finding(host, &finding);
	return 0;
}

/* ---- threads ------------------------------------------------------------- */

/* Reads a thread's file; returns its length, or -errno. */
static ssize_t read_file(const struct wait *wait, const struct ctprof_target *target,
			 const char *name, char text[TEXT_MAX])
{
	char path[THREAD_FILE_PATH_MAX];

	thread_file_path(path, target->tid, name);
	return file_read_at(wait->host, target->task_fd, path, text, TEXT_MAX);
}

/* Why nothing is read of the thread (enum ctprof_absence); CTPROF_PRESENT: it waits. */
static uint32_t judge(const struct wait *wait, const struct ctprof_target *target,
		      struct wait_stat *ret_stat)
{
	char text[TEXT_MAX];
	ssize_t got = read_file(wait, target, "stat", text);

	if (got < 0)
		return got == -ENOENT ? CTPROF_ABSENT_VANISHED : file_absence((int)-got);
	if (!wait_stat_parse((struct text){text, (size_t)got}, ret_stat))
		return CTPROF_ABSENT_INVALID;
	return ret_stat->waits ? CTPROF_PRESENT : CTPROF_ABSENT_INAPPLICABLE;
}

/* Why the kernel shows nothing: the thread no longer waits, access is denied, or its
 * stack cannot be walked. */
static uint32_t judge_nothing(const struct wait *wait, const struct ctprof_target *target)
{
	struct wait_stat stat;
	uint32_t why = judge(wait, target, &stat);

	if (why != CTPROF_PRESENT)
		return why;
	return stat.denied ? CTPROF_ABSENT_DENIED : CTPROF_ABSENT_UNSUPPORTED;
}

static uint32_t put_channel(const struct wait *wait, struct ctprof_batch *batch, uint64_t row)
{
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	char text[TEXT_MAX];
	ssize_t got = read_file(wait, target, "wchan", text);

	if (got < 0)
		return file_absence((int)-got);
	struct text name = text_trim((struct text){text, (size_t)got});
	if (name.len == 0 || text_equal(name, "0"))
		return judge_nothing(wait, target);
	if (!wait_is_symbol(name))
		return CTPROF_ABSENT_INVALID;
	wait->host->put_text(batch, row, wait->slots[CHANNEL], name.p, name.len);
	return CTPROF_PRESENT;
}

static uint32_t put_stack(const struct wait *wait, struct ctprof_batch *batch, uint64_t row)
{
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	char text[TEXT_MAX], place[WAIT_PLACE_MAX];
	ssize_t got = read_file(wait, target, "stack", text);

	if (got < 0)
		return file_absence((int)-got);
	size_t len = wait_stack_parse((struct text){text, (size_t)got}, place);
	if (len == 0)
		return judge_nothing(wait, target);
	wait->host->put_text(batch, row, wait->slots[STACK], place, len);
	return CTPROF_PRESENT;
}

static void collect_thread(const struct wait *wait, struct ctprof_batch *batch, uint64_t row)
{
	static uint32_t (*const put[N_METRICS])(const struct wait *, struct ctprof_batch *,
						uint64_t) = {put_channel, put_stack};
	const struct ctprof_host *host = wait->host;
	struct wait_stat stat;
	uint32_t state = judge(wait, ctprof_batch_target(batch, row), &stat);

	for (size_t i = 0; i < N_METRICS; i++) {
		if (!host->wanted(host, wait->slots[i]))
			continue;
		uint32_t why = state == CTPROF_PRESENT ? put[i](wait, batch, row) : state;
		if (why != CTPROF_PRESENT)
			host->put_absent(batch, row, wait->slots[i], why);
	}
}

static int wait_collect(void *self, void *context, struct ctprof_batch *batch)
{
	const struct wait *wait = self;
	bool is_due = false;

	(void)context;
	/* Of a recording it may rest. */
	for (size_t i = 0; i < N_METRICS; i++)
		is_due |= wait->host->wanted(wait->host, wait->slots[i]) != 0;
	for (uint64_t row = 0; is_due && row < batch->n; row++)
		collect_thread(wait, batch, row);
	return 0;
}

/* ---- the plugin ---------------------------------------------------------- */

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(FILE, "proc/<tgid>/task/<tid>/stat", "whether a thread waits"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/wchan", "wait_channel"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/stack", "wait_stack"),
	NEED_PARTLY(FILE, "proc/self/wchan", "for doctor: whether there are wait channels"),
	NEED_PARTLY(FILE, "proc/self/stack", "for doctor: whether stacks may be read"),
	NEED_PARTLY(FILE, "proc/self/status", "for doctor: the capabilities of ctprof"),
	NEED_PARTLY(KCONFIG, "CONFIG_KALLSYMS", "wait_channel"),
	NEED_PARTLY(KCONFIG, "CONFIG_STACKTRACE", "wait_stack"),
	NEED_PARTLY(CAPABILITY, "CAP_SYS_PTRACE", "other users' threads, kernel threads"),
	NEED_PARTLY(CAPABILITY, "CAP_SYS_ADMIN", "wait_stack"),
	NEED_PARTLY(CAPABILITY, "CAP_DAC_READ_SEARCH", "wait_stack of other users' threads"),
};

SOURCE_PLUGIN("wait", PER_WORKER, MODERATE, "Where threads wait in the kernel",
	      SOURCE_OPS(.open = wait_open, .close = instance_free, .probe = wait_probe,
			 .collect = wait_collect))
