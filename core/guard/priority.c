/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "priority.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/root.h"
#include "base/ui.h"
#include "capabilities.h"
#include "sandbox.h"

#define NS_PER_US 1000u
/* A raised thread gets at most SHARE_US of each period; the rest is for others. */
#define PERIOD_US 4000u
#define SHARE_US 3000u
/* Bandwidth of all SCHED_DEADLINE threads, in percent of the CPUs: less than the 95 that the
 * kernel admits by default (kernel.sched_rt_runtime_us). */
#define ADMITTED_PERCENT 90u
/* SCHED_RR priorities of the threads that read, and of the one that raises and paces them. */
#define RANK_READER 1
#define RANK_PACER 2

/* Maximum number of threads that stay raised during a pause, and of programs that are raised along
 * with the threads. */
#define MAX_LIGHT 4
#define MAX_LENT 64

#define POLICY_DEADLINE 6
#define FLAG_RESET_ON_FORK 1

/* struct sched_attr, which older C libraries do not declare. */
struct attributes {
	guint32 size, policy;
	guint64 flags;
	gint32 nice;
	guint32 rank;
	guint64 runtime_ns, deadline_ns, period_ns;
};

gint priority_choice = PRIORITY_AUTO;

struct priority {
	/* Threads and programs that plugins start from a raised thread do not inherit this. */
	struct attributes raised, lowered;
	GThread *pacer;
	atomic_int is_harmless, is_over;
};

/* State of the process, which has at most one Priority. */
static GMutex pause_lock; /* protects what is not atomic below */
static GCond pause_news;
static atomic_int is_paused;
static atomic_int light[MAX_LIGHT]; /* thread ids */
static guint n_light;               /* number of threads ever noted */
static pid_t lent[MAX_LENT];

/* Returns 0 or -errno; does nothing to a thread that has these attributes already. */
static int apply(pid_t tid, const struct attributes *attributes)
{
	return syscall(SYS_sched_setattr, tid, attributes, 0) == 0 ? 0 : -errno;
}

static struct attributes make_rr(guint32 rank, guint64 flags)
{
	return (struct attributes){.size = sizeof(struct attributes),
				   .policy = SCHED_RR,
				   .flags = flags,
				   .rank = rank};
}

static struct attributes make_deadline(guint n_threads)
{
	guint share = PERIOD_US * g_get_num_processors() * ADMITTED_PERCENT / 100 / n_threads;

	return (struct attributes){.size = sizeof(struct attributes),
				   .policy = POLICY_DEADLINE,
				   .flags = FLAG_RESET_ON_FORK,
				   .runtime_ns = MIN(share, SHARE_US) * NS_PER_US,
				   .deadline_ns = PERIOD_US * NS_PER_US,
				   .period_ns = PERIOD_US * NS_PER_US};
}

/* ---- the pacer: the one thread that keeps CAP_SYS_NICE ------------------------ */

static gboolean is_light(pid_t tid)
{
	guint i = 0;

	while (i < MAX_LIGHT && atomic_load(&light[i]) != tid)
		i++;
	return i < MAX_LIGHT;
}

/* The attributes for light threads, and those for the others. */
struct round {
	const struct attributes *light, *heavy;
};

static void apply_to_thread(pid_t tid, gconstpointer data)
{
	const struct round *round = data;

	if (tid != gettid())
		(void)apply(tid, is_light(tid) ? round->light : round->heavy);
}

/* The caller holds pause_lock: no program in lent is reaped meanwhile, so its PID cannot be reused.
 * SCHED_DEADLINE bandwidth is for threads only. */
static void apply_to_lent(const struct attributes *attributes)
{
	for (guint i = 0; i < MAX_LENT && attributes->policy != POLICY_DEADLINE; i++)
		if (lent[i] > 0)
			(void)apply(lent[i], attributes);
}

/* The load may preempt a lowered thread while it holds a lock.  So never wait for a lock here, nor
 * allocate memory, which takes locks; if pause_lock is taken, lent programs wait for the next
 * period. */
static void apply_now(const struct attributes *attributes)
{
	root_each_own_thread(apply_to_thread, &(struct round){attributes, attributes});
	if (!g_mutex_trylock(&pause_lock))
		return;
	apply_to_lent(attributes);
	g_mutex_unlock(&pause_lock);
}

/* Pacing threads while they are idle would cost more than a small sample of a recording. */
static void wait_while_paused(const Priority *priority)
{
	const struct attributes *raised = &priority->raised;
	const struct attributes *heavy = raised->policy == SCHED_RR ? &priority->lowered : raised;

	if (!atomic_load(&is_paused))
		return;
	HOLD(&pause_lock);
	while (atomic_load(&is_paused) && !atomic_load(&priority->is_over)) {
		apply_to_lent(heavy);
		root_each_own_thread(apply_to_thread, &(struct round){raised, heavy});
		g_cond_wait(&pause_news, &pause_lock);
	}
}

static gpointer pace(gpointer data)
{
	Priority *priority = data;
	g_autoptr(GPtrArray) kept = g_ptr_array_new();
	sigset_t all;

	/* Give up rights like the threads that run plugins, and run no signal handler of theirs. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	g_ptr_array_add(kept, (gpointer)(uintptr_t) "CAP_SYS_NICE");
	if (!capabilities_drop(kept, TRUE, NULL) || !sandbox_confine(NULL))
		atomic_store(&priority->is_over, TRUE);
	atomic_store(&priority->is_harmless, TRUE);
	while (!atomic_load(&priority->is_over)) {
		apply_now(&priority->raised);
		g_usleep(SHARE_US);
		/* The kernel paces SCHED_DEADLINE by itself; also, it would not return the
		 * bandwidth of a thread that is lowered while asleep (switched_from_dl()). */
		if (priority->raised.policy == SCHED_RR)
			apply_now(&priority->lowered);
		g_usleep(PERIOD_US - SHARE_US);
		wait_while_paused(priority);
	}
	return NULL;
}

/* ---- whether and how ----------------------------------------------------------- */

/* Whether more threads than CPUs are runnable, ctprof's own included. */
static gboolean is_overloaded(void)
{
	g_autoptr(Root) root = root_open(NULL, NULL, NULL, NULL);
	g_autofree char *load = root ? root_read(root, "loadavg") : NULL;
	guint running = 0;

	return load && sscanf(load, "%*s %*s %*s %u/", &running) == 1 &&
	       running > g_get_num_processors();
}

/* FALSE if the user chose a policy or a niceness for ctprof, which then stays. */
static gboolean is_ordinary(void)
{
	return sched_getscheduler(0) == SCHED_OTHER && getpriority(PRIO_PROCESS, 0) <= 0;
}

/* Raises the calling thread by the first policy that works; 0 or -errno.  Unless the user asked
 * for it, SCHED_DEADLINE is tried last: bandwidth is granted per thread, so threads that plugins
 * start beyond n_threads would be refused it, and the load would delay them. */
static int raise_first(guint n_threads, struct attributes *ret)
{
	int result = -EPERM;

	if (priority_choice != PRIORITY_DEADLINE) {
		*ret = make_rr(RANK_READER, FLAG_RESET_ON_FORK);
		result = apply(0, ret);
	}
	if (result < 0 && priority_choice != PRIORITY_RR) {
		*ret = make_deadline(n_threads);
		result = apply(0, ret);
	}
	return result;
}

Priority *priority_begin(guint n_threads)
{
	const struct attributes pacer = make_rr(RANK_PACER, 0);
	struct attributes raised;
	/* With SCHED_FLAG_RESET_ON_FORK still set, lowering needs no privilege. */
	struct attributes lowered = {
		.size = sizeof lowered, .policy = SCHED_OTHER, .flags = FLAG_RESET_ON_FORK};

	if (priority_choice == PRIORITY_NONE ||
	    (priority_choice == PRIORITY_AUTO && !(is_ordinary() && is_overloaded())))
		return NULL;
	lowered.nice = getpriority(PRIO_PROCESS, 0);
	int result = raise_first(n_threads, &raised);
	if (result < 0 && priority_choice != PRIORITY_AUTO)
		ui_warning("--priority: refused: %s%s; reading at normal priority",
			   g_strerror(-result), result == -EPERM ? " (needs CAP_SYS_NICE)" : "");
	if (result < 0)
		return NULL;
	Priority *priority = g_new0(Priority, 1);
	priority->raised = raised;
	priority->lowered = lowered;
	/* The pacer inherits its policy when it is created: the load must not delay it. */
	(void)apply(0, &pacer);
	priority->pacer = g_thread_try_new("ctprof-pacer", pace, priority, NULL);
	if (!priority->pacer) {
		(void)apply(0, &lowered);
		g_free(priority);
		return NULL;
	}
	/* The pacer must have dropped its rights before any plugin can act on the process. */
	while (!atomic_load(&priority->is_harmless))
		g_usleep(SHARE_US / 100);
	(void)apply(0, atomic_load(&priority->is_over) ? &lowered : &raised);
	ui_verbose(1, "reading under SCHED_%s", raised.policy == SCHED_RR ? "RR" : "DEADLINE");
	return priority;
}

void priority_pause(Priority *priority, gboolean pause)
{
	HOLD(&pause_lock);

	if (!priority || atomic_load(&is_paused) == pause)
		return;
	atomic_store(&is_paused, pause);
	g_cond_signal(&pause_news);
}

void priority_lend(pid_t child, gboolean lend)
{
	pid_t before = lend ? 0 : child;
	guint i = 0;
	HOLD(&pause_lock);

	while (i < MAX_LENT && lent[i] != before)
		i++;
	if (i < MAX_LENT)
		lent[i] = lend ? child : 0;
}

void priority_note_light(void)
{
	HOLD(&pause_lock);

	atomic_store(&light[n_light++ % MAX_LIGHT], gettid());
	g_cond_signal(&pause_news);
}

void priority_end(Priority *priority)
{
	if (!priority)
		return;
	atomic_store(&priority->is_over, TRUE);
	priority_pause(priority, FALSE);
	g_thread_join(priority->pacer);
	(void)apply(0, &priority->lowered);
	g_free(priority);
}
