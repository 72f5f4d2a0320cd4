/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hangcheck.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lock.h"
#include "row/stuck.h"

/* A process that does not answer occupies a thread; with this many occupied, no further process is
 * asked. */
#define MAX_THREADS 128
/* The number of threads that all hangchecks together may abandon; after that, no process is asked:
 * all count as stuck. */
#define MAX_LOST 1024
/* After this time without progress, RELIEF more threads go on with the other processes. */
#define RELIEF_US 2000
#define RELIEF 16
/* A process counts as stuck after STUCK_US, or, while it is running itself, after BUSY_US. */
#define STUCK_US 30000
#define BUSY_US G_USEC_PER_SEC

enum answer { UNASKED, ASKED, ANSWERED, STUCK };

struct attempt {
	enum answer answer;
	gboolean is_back; /* the asking thread has returned, but may wait for the lock; atomic */
	pid_t tid;        /* the asking thread */
	gint64 since_us;  /* since when that thread has not been seen to move */
	guint64 switches; /* its number of context switches, unchanged since then */
};

struct hangcheck {
	gatomicrefcount refs; /* references: one for the owner, and one for each thread */
	int proc;
	gint32 *pids;
	guint n;
	GMutex lock;
	GCond changed;
	/* The rest is protected by the lock. */
	guint next, n_started;
	guint n_threads; /* started threads, except those that wait for a stuck process */
	gboolean is_waited_for, is_over;
	gint64 progress_us; /* when a process was last asked, or the asking threads checked */
	struct attempt *attempts;
};

/* Returns the processes for which a thread of this or an earlier hangcheck still waits: asking them
 * again would cost another thread. */
static Stuck *stuck_pids(void)
{
	static gsize made;

	if (g_once_init_enter(&made))
		g_once_init_leave(&made, (gsize)stuck_new());
	return (Stuck *)made;
}

static void unref(HangCheck *hangcheck)
{
	if (!g_atomic_ref_count_dec(&hangcheck->refs))
		return;
	fd_close(&hangcheck->proc);
	g_mutex_clear(&hangcheck->lock);
	g_cond_clear(&hangcheck->changed);
	g_free(hangcheck->pids);
	g_free(hangcheck->attempts);
	g_free(hangcheck);
}

/* ---- a thread ---------------------------------------------------------- */

static guint64 own_switches(void)
{
	struct rusage used = {0};

	(void)getrusage(RUSAGE_THREAD, &used);
	return (guint64)used.ru_nvcsw + (guint64)used.ru_nivcsw;
}

/* Takes the next process to ask; FALSE: none is left.  If the thread blocks at once, the
 * context switch by which it blocks does not count as a move. */
static gboolean begin(HangCheck *hangcheck, guint *ret_i)
{
	HOLD(&hangcheck->lock);

	while (hangcheck->next < hangcheck->n &&
	       hangcheck->attempts[hangcheck->next].answer == STUCK)
		hangcheck->next++;
	if (hangcheck->is_over || hangcheck->next == hangcheck->n)
		return FALSE;
	*ret_i = hangcheck->next++;
	hangcheck->progress_us = g_get_monotonic_time();
	hangcheck->attempts[*ret_i] = (struct attempt){.answer = ASKED,
						       .tid = gettid(),
						       .since_us = hangcheck->progress_us,
						       .switches = own_switches() + 1};
	return TRUE;
}

static void end(HangCheck *hangcheck, guint i)
{
	HOLD(&hangcheck->lock);

	/* If the process was declared stuck, it remains so; but the thread is usable again. */
	if (hangcheck->attempts[i].answer == ASKED) {
		hangcheck->attempts[i].answer = ANSWERED;
	} else {
		hangcheck->n_threads++;
		stuck_remove(stuck_pids(), hangcheck->pids[i]);
	}
	if (hangcheck->is_waited_for)
		g_cond_signal(&hangcheck->changed);
}

static int open_file(const HangCheck *hangcheck, guint i, const char *name)
{
	char path[48];

	g_snprintf(path, sizeof path, "%d/%s", hangcheck->pids[i], name);
	return openat(hangcheck->proc, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/* If auxv cannot be opened, which takes the lock (mm_access()), io cannot be read either. */
static void ask(const HangCheck *hangcheck, guint i)
{
	char byte;
	AUTO_FD auxv = open_file(hangcheck, i, "auxv");
	AUTO_FD stat = auxv < 0 ? open_file(hangcheck, i, "stat") : -1;

	(void)!read(stat, &byte, stat >= 0);
}

static gpointer hangcheck_main(gpointer data)
{
	HangCheck *hangcheck = data;
	guint i;

	while (begin(hangcheck, &i)) {
		ask(hangcheck, i);
		__atomic_store_n(&hangcheck->attempts[i].is_back, TRUE, __ATOMIC_RELAXED);
		end(hangcheck, i);
	}
	unref(hangcheck);
	return NULL;
}

/* ---- its owner; the lock is held ----------------------------------------- */

static void start_thread(HangCheck *hangcheck)
{
	g_atomic_ref_count_inc(&hangcheck->refs);
	GThread *thread =
		stuck_count(stuck_pids()) < MAX_LOST
			? g_thread_try_new("ctprof-scout", hangcheck_main, hangcheck, NULL)
			: NULL;
	if (!thread) {
		unref(hangcheck);
		return;
	}
	g_thread_unref(thread);
	hangcheck->n_threads++;
	hangcheck->n_started++;
}

/* Reads the status of a thread of this process; "" if that fails. */
static const char *read_status(const HangCheck *hangcheck, pid_t id, char text[4096])
{
	char path[48];

	g_snprintf(path, sizeof path, "self/task/%d/status", id);
	AUTO_FD fd = openat(hangcheck->proc, path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, 4095);
	text[MAX(got, 0)] = '\0';
	return text;
}

static const char *after(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? line + strlen(key) : "";
}

static gboolean is_back(const struct attempt *attempt)
{
	return __atomic_load_n(&attempt->is_back, __ATOMIC_RELAXED);
}

static char state_of(const HangCheck *hangcheck, pid_t pid)
{
	char path[16];

	g_snprintf(path, sizeof path, "%d", pid);
	return root_state(hangcheck->proc, path);
}

/* Looks at the asking thread; returns whether it is blocked, as defined in docs/design.md.  A
 * thread that was woken since the last look has moved, too. */
static gboolean is_blocked(const HangCheck *hangcheck, struct attempt *attempt)
{
	char text[4096];

	if (attempt->answer != ASKED || is_back(attempt))
		return FALSE;
	read_status(hangcheck, attempt->tid, text);
	gboolean runs = after(text, "\nState:\t")[0] == 'R';
	guint64 switches =
		g_ascii_strtoull(after(text, "\nvoluntary_ctxt_switches:\t"), NULL, 10) +
		g_ascii_strtoull(after(text, "\nnonvoluntary_ctxt_switches:\t"), NULL, 10);
	if (runs || switches != attempt->switches) {
		attempt->since_us = g_get_monotonic_time();
		attempt->switches = switches;
	}
	return !runs;
}

/* Declares a process stuck if its thread was blocked at every look, for long enough. */
static void decide(HangCheck *hangcheck, guint i)
{
	struct attempt *attempt = &hangcheck->attempts[i];

	if (!is_blocked(hangcheck, attempt))
		return;
	gint64 us = g_get_monotonic_time() - attempt->since_us;
	if (us < STUCK_US || (us < BUSY_US && state_of(hangcheck, hangcheck->pids[i]) == 'R'))
		return;
	attempt->answer = STUCK;
	hangcheck->n_threads--;
	stuck_add(stuck_pids(), hangcheck->pids[i]);
}

/* Looks at all asking threads, so that the times of several stuck processes run in parallel.
 * Returns how many are blocked. */
static guint count_blocked(HangCheck *hangcheck)
{
	guint n = 0;

	for (guint i = 0; i < hangcheck->next; i++)
		n += is_blocked(hangcheck, &hangcheck->attempts[i]) ? 1 : 0;
	return n;
}

/* n: the number of blocked threads.  If all threads are blocked, starts n + RELIEF more, as the
 * next processes may be stuck, too.  Returns FALSE if all are blocked and none can be started. */
static gboolean relieve(HangCheck *hangcheck, guint n)
{
	if (n < hangcheck->n_threads)
		return TRUE;
	guint before = hangcheck->n_started;
	for (n = MIN(n + RELIEF, hangcheck->n - hangcheck->next);
	     n > 0 && hangcheck->n_threads < MAX_THREADS; n--)
		start_thread(hangcheck);
	return hangcheck->n_started > before;
}

/* Whether there was no progress for RELIEF_US although more threads could be started. */
static gboolean is_held_up(const HangCheck *hangcheck)
{
	return hangcheck->next < hangcheck->n && hangcheck->n_threads < MAX_THREADS &&
	       g_get_monotonic_time() - hangcheck->progress_us >= RELIEF_US;
}

/* Checks all processes that are being asked, including those that the caller has not reached yet,
 * so that their times run in parallel; starts more threads if needed. */
static gboolean check_all(HangCheck *hangcheck)
{
	guint n = count_blocked(hangcheck);

	hangcheck->progress_us = g_get_monotonic_time();
	return hangcheck->next == hangcheck->n || relieve(hangcheck, n);
}

HangCheck *hangcheck_new(const Root *root, const GArray *pids)
{
	HangCheck *hangcheck = g_new0(HangCheck, 1);

	g_atomic_ref_count_init(&hangcheck->refs);
	g_mutex_init(&hangcheck->lock);
	g_cond_init(&hangcheck->changed);
	hangcheck->proc = fcntl(root_fd(root, CTPROF_ROOT_PROC), F_DUPFD_CLOEXEC, 0);
	hangcheck->n = pids->len;
	hangcheck->pids = g_memdup2(pids->data, pids->len * sizeof(gint32));
	hangcheck->attempts = g_new0(struct attempt, pids->len);
	gboolean is_full = stuck_count(stuck_pids()) >= MAX_LOST;
	for (guint i = 0; i < pids->len; i++)
		if (is_full || stuck_has(stuck_pids(), hangcheck->pids[i]))
			hangcheck->attempts[i].answer = STUCK;
	start_thread(hangcheck);
	if (hangcheck->n_threads > 0 || is_full)
		return hangcheck;
	unref(hangcheck);
	return NULL;
}

void hangcheck_free(HangCheck *hangcheck)
{
	g_mutex_lock(&hangcheck->lock);
	hangcheck->is_over = TRUE;
	g_mutex_unlock(&hangcheck->lock);
	unref(hangcheck);
}

enum hangcheck_answer hangcheck_ask(HangCheck *hangcheck, guint i, gboolean may_wait)
{
	struct attempt *attempt = &hangcheck->attempts[i];
	gboolean has_changed = TRUE;
	HOLD(&hangcheck->lock);

	if (is_held_up(hangcheck))
		check_all(hangcheck);
	hangcheck->is_waited_for = TRUE;
	/* The process may have become stuck while we waited for an earlier one. */
	decide(hangcheck, i);
	while (attempt->answer < ANSWERED && (has_changed || may_wait)) {
		gint64 until = g_get_monotonic_time() + RELIEF_US;

		has_changed = g_cond_wait_until(&hangcheck->changed, &hangcheck->lock, until);
		gboolean is_alone = !has_changed && !check_all(hangcheck);

		decide(hangcheck, i);
		if (is_alone && attempt->answer == UNASKED)
			attempt->answer = STUCK;
	}
	hangcheck->is_waited_for = FALSE;
	return attempt->answer == ANSWERED ? HANGCHECK_ANSWERS
	       : attempt->answer == STUCK  ? HANGCHECK_STUCK
					   : HANGCHECK_UNKNOWN;
}
