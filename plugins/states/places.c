/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where threads wait in the kernel, in interruptible or uninterruptible sleep. */
#include "places.h"

#include <errno.h>
#include <linux/capability.h>

#include "capability.h"
#include "descriptor.h"
#include "file.h"
#include "places-parse.h"
#include "slots.h"
#include "thread-file.h"

#define GROUP "wait"
#define TEXT_MAX 8192u

enum { CHANNEL, STACK };

static const struct ctprof_metric metrics[N_PLACES] = {
	[CHANNEL] = METRIC_ROW(CATEGORY, TEXT, THREAD, "wait_channel", GROUP,
			       "kernel function the thread waits in",
			       "wchan: proc_pid_wchan(), get_wchan()", .gates = "KALLSYMS",
			       .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET),
	[STACK] =
		METRIC_ROW(CATEGORY, TEXT, THREAD, "wait_stack", GROUP,
			   "wait_channel and the two functions that called it",
			   "stack: proc_pid_stack(), stack_trace_save_tsk()", .gates = "STACKTRACE",
			   .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET),
};

int places_declare(struct places *places, const struct ctprof_host *host)
{
	places->host = host;
	return slots_declare(host, metrics, N_PLACES, places->slots);
}

/* ---- what works ---------------------------------------------------------- */

void places_probe(const struct places *places)
{
	const struct ctprof_host *host = places->host;
	struct ctprof_finding finding = FINDING_WORKS(GROUP);
	char text[TEXT_MAX];
	ssize_t stack = file_read_root(host, CTPROF_ROOT_PROC, "self/stack", text, sizeof text);

	if (file_check_root(host, CTPROF_ROOT_PROC, "self/wchan") < 0)
		finding_set(&finding, CTPROF_FAILS, "no wchan: the kernel is built without it",
			    "CONFIG_KALLSYMS=y");
	else if (stack == -EACCES || stack == -EPERM)
		finding_set(
			&finding, CTPROF_PARTLY,
			"no kernel stacks: they need CAP_SYS_ADMIN in the initial user namespace",
			"run as root");
	else if (stack < 0)
		finding_set(&finding, CTPROF_PARTLY,
			    "no kernel stacks: the kernel is built without them",
			    "CONFIG_STACKTRACE=y");
	else if (!capability_is_held(host, CAP_SYS_PTRACE))
		finding_set(&finding, CTPROF_PARTLY, "only for the user's own threads",
			    "CAP_SYS_PTRACE");
	host->finding(host, &finding);
}

/* ---- threads ------------------------------------------------------------- */

/* Reads a thread's file; returns its length, or -errno. */
static ssize_t read_file(const struct places *places, const struct ctprof_target *target,
			 const char *name, char text[TEXT_MAX])
{
	return thread_file_read(places->host, target->task_fd, target->tid, name, text, TEXT_MAX);
}

/* The reason for not reading the thread (enum ctprof_absence); CTPROF_PRESENT: it waits. */
static uint32_t judge(const struct places *places, const struct ctprof_target *target,
		      struct wait_stat *ret_stat)
{
	char text[TEXT_MAX];
	ssize_t got = read_file(places, target, "stat", text);

	if (got < 0)
		return got == -ENOENT ? CTPROF_ABSENT_VANISHED : file_absence((int)-got);
	if (!wait_stat_parse((struct text){text, (size_t)got}, ret_stat))
		return CTPROF_ABSENT_INVALID;
	return ret_stat->waits ? CTPROF_PRESENT : CTPROF_ABSENT_INAPPLICABLE;
}

/* The reason why the kernel shows nothing: the thread no longer waits, access is denied, or its
 * stack cannot be walked. */
static uint32_t judge_nothing(const struct places *places, const struct ctprof_target *target)
{
	struct wait_stat stat;
	uint32_t why = judge(places, target, &stat);

	if (why != CTPROF_PRESENT)
		return why;
	return stat.denied ? CTPROF_ABSENT_DENIED : CTPROF_ABSENT_UNSUPPORTED;
}

static uint32_t put_channel(const struct places *places, struct ctprof_batch *batch, uint64_t row)
{
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	char text[TEXT_MAX];
	ssize_t got = read_file(places, target, "wchan", text);

	if (got < 0)
		return file_absence((int)-got);
	struct text name = text_trim((struct text){text, (size_t)got});
	if (name.len == 0 || text_equal(name, "0"))
		return judge_nothing(places, target);
	if (!wait_is_symbol(name))
		return CTPROF_ABSENT_INVALID;
	places->host->put_text(batch, row, places->slots[CHANNEL], name.p, name.len);
	return CTPROF_PRESENT;
}

static uint32_t put_stack(const struct places *places, struct ctprof_batch *batch, uint64_t row)
{
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	char text[TEXT_MAX], place[WAIT_PLACE_MAX];
	ssize_t got = read_file(places, target, "stack", text);

	if (got < 0)
		return file_absence((int)-got);
	size_t len = wait_stack_parse((struct text){text, (size_t)got}, place);
	if (len == 0)
		return judge_nothing(places, target);
	places->host->put_text(batch, row, places->slots[STACK], place, len);
	return CTPROF_PRESENT;
}

static void collect_thread(const struct places *places, struct ctprof_batch *batch, uint64_t row)
{
	static uint32_t (*const put[N_PLACES])(const struct places *, struct ctprof_batch *,
					       uint64_t) = {put_channel, put_stack};
	const struct ctprof_host *host = places->host;
	struct wait_stat stat;
	uint32_t state = judge(places, ctprof_batch_target(batch, row), &stat);

	for (size_t i = 0; i < N_PLACES; i++) {
		if (!host->wanted(host, places->slots[i]))
			continue;
		uint32_t why = state == CTPROF_PRESENT ? put[i](places, batch, row) : state;
		if (why != CTPROF_PRESENT)
			host->put_absent(batch, row, places->slots[i], why);
	}
}

void places_collect(const struct places *places, struct ctprof_batch *batch)
{
	/* Some samples of a recording may not want this group. */
	for (uint64_t row = 0;
	     slots_wanted(places->host, places->slots, N_PLACES) && row < batch->n; row++)
		collect_thread(places, batch, row);
}
