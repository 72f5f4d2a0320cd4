/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lock.h"
#include "row/stuck.h"

/* A process that does not answer occupies a thread: beyond this many, no further one is asked. */
#define MAX_THREADS 128
/* Threads that all scouts together may leave behind; then no process is asked: all are silent. */
#define MAX_LOST 1024
/* After this time without news, RELIEF more threads go on with the other processes. */
#define RELIEF_US 2000
#define RELIEF 16
/* A process counts as silent after SILENT_US, or, while it is running itself, after BUSY_US. */
#define SILENT_US 30000
#define BUSY_US G_USEC_PER_SEC

enum answer { UNASKED, ASKED, ANSWERED, SILENT };

struct attempt {
	enum answer answer;
	gboolean is_back; /* the asking thread has returned, but may wait for the lock; atomic */
	pid_t tid;        /* the asking thread */
	gint64 since_us;  /* since when that thread has not been seen to move */
	guint64 switches; /* its context switches since then do not differ from this number */
};

struct scout {
	gatomicrefcount refs; /* one for the owner, and one for each thread */
	int proc;
	gint32 *pids;
	guint n;
	GMutex lock;
	GCond news;
	/* The rest is protected by the lock. */
	guint next, n_started;
	guint n_threads; /* started threads, except those that wait for a silent process */
	gboolean is_waited_for, is_over;
	gint64 news_us; /* when a process was last asked, or the asking threads looked at */
	struct attempt *attempts;
};

/* Returns the processes for which a thread of this or an earlier scout still waits: asking them
 * again would cost another thread. */
static Stuck *lost(void)
{
	static gsize made;

	if (g_once_init_enter(&made))
		g_once_init_leave(&made, (gsize)stuck_new());
	return (Stuck *)made;
}

static void unref(Scout *scout)
{
	if (!g_atomic_ref_count_dec(&scout->refs))
		return;
	fd_close(&scout->proc);
	g_mutex_clear(&scout->lock);
	g_cond_clear(&scout->news);
	g_free(scout->pids);
	g_free(scout->attempts);
	g_free(scout);
}

/* ---- a thread ---------------------------------------------------------- */

static guint64 own_switches(void)
{
	struct rusage used = {0};

	(void)getrusage(RUSAGE_THREAD, &used);
	return (guint64)used.ru_nvcsw + (guint64)used.ru_nivcsw;
}

/* Takes the next process to ask; FALSE: none is left.  The context switch by which the thread
 * blocks, if it does so at once, does not count as a move. */
static gboolean begin(Scout *scout, guint *ret_i)
{
	HOLD(&scout->lock);

	while (scout->next < scout->n && scout->attempts[scout->next].answer == SILENT)
		scout->next++;
	if (scout->is_over || scout->next == scout->n)
		return FALSE;
	*ret_i = scout->next++;
	scout->news_us = g_get_monotonic_time();
	scout->attempts[*ret_i] = (struct attempt){.answer = ASKED,
						   .tid = gettid(),
						   .since_us = scout->news_us,
						   .switches = own_switches() + 1};
	return TRUE;
}

static void end(Scout *scout, guint i)
{
	HOLD(&scout->lock);

	/* If the process was declared silent, it remains so; but the thread is usable again. */
	if (scout->attempts[i].answer == ASKED) {
		scout->attempts[i].answer = ANSWERED;
	} else {
		scout->n_threads++;
		stuck_remove(lost(), scout->pids[i]);
	}
	if (scout->is_waited_for)
		g_cond_signal(&scout->news);
}

static int open_file(const Scout *scout, guint i, const char *name)
{
	char path[48];

	g_snprintf(path, sizeof path, "%d/%s", scout->pids[i], name);
	return openat(scout->proc, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/* If auxv cannot be opened, which takes the lock (mm_access()), io cannot be read either. */
static void ask(const Scout *scout, guint i)
{
	char byte;
	AUTO_FD auxv = open_file(scout, i, "auxv");
	AUTO_FD stat = auxv < 0 ? open_file(scout, i, "stat") : -1;

	(void)!read(stat, &byte, stat >= 0);
}

static gpointer run(gpointer data)
{
	Scout *scout = data;
	guint i;

	while (begin(scout, &i)) {
		ask(scout, i);
		__atomic_store_n(&scout->attempts[i].is_back, TRUE, __ATOMIC_RELAXED);
		end(scout, i);
	}
	unref(scout);
	return NULL;
}

/* ---- its owner; the lock is held ----------------------------------------- */

static void start_thread(Scout *scout)
{
	g_atomic_ref_count_inc(&scout->refs);
	GThread *thread = stuck_count(lost()) < MAX_LOST
				  ? g_thread_try_new("ctprof-scout", run, scout, NULL)
				  : NULL;
	if (!thread) {
		unref(scout);
		return;
	}
	g_thread_unref(thread);
	scout->n_threads++;
	scout->n_started++;
}

/* Reads the status of a thread of this process; "" if that fails. */
static const char *read_status(const Scout *scout, pid_t id, char text[4096])
{
	char path[48];

	g_snprintf(path, sizeof path, "self/task/%d/status", id);
	AUTO_FD fd = openat(scout->proc, path, O_RDONLY | O_CLOEXEC);
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

static char state_of(const Scout *scout, pid_t pid)
{
	char path[16];

	g_snprintf(path, sizeof path, "%d", pid);
	return root_state(scout->proc, path);
}

/* Looks at the asking thread; returns whether it is blocked, as defined in docs/design.md.  A
 * thread that was woken since the last look has moved, too. */
static gboolean is_blocked(const Scout *scout, struct attempt *attempt)
{
	char text[4096];

	if (attempt->answer != ASKED || is_back(attempt))
		return FALSE;
	read_status(scout, attempt->tid, text);
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

/* Declares a process silent if its thread was blocked at every look, for long enough. */
static void decide(Scout *scout, guint i)
{
	struct attempt *attempt = &scout->attempts[i];

	if (!is_blocked(scout, attempt))
		return;
	gint64 us = g_get_monotonic_time() - attempt->since_us;
	if (us < SILENT_US || (us < BUSY_US && state_of(scout, scout->pids[i]) == 'R'))
		return;
	attempt->answer = SILENT;
	scout->n_threads--;
	stuck_add(lost(), scout->pids[i]);
}

/* Looks at all asking threads, so that the times of processes that are silent together run
 * together.  Returns how many are blocked. */
static guint count_blocked(Scout *scout)
{
	guint n = 0;

	for (guint i = 0; i < scout->next; i++)
		n += is_blocked(scout, &scout->attempts[i]) ? 1 : 0;
	return n;
}

/* If all n_threads are blocked (n), starts as many again and RELIEF more, as the next processes may
 * be silent, too.  FALSE: all are blocked and no more can be started. */
static gboolean relieve(Scout *scout, guint n)
{
	if (n < scout->n_threads)
		return TRUE;
	guint before = scout->n_started;
	for (n = MIN(n + RELIEF, scout->n - scout->next); n > 0 && scout->n_threads < MAX_THREADS;
	     n--)
		start_thread(scout);
	return scout->n_started > before;
}

/* Whether there was no news for RELIEF_US although more threads could be started. */
static gboolean is_held_up(const Scout *scout)
{
	return scout->next < scout->n && scout->n_threads < MAX_THREADS &&
	       g_get_monotonic_time() - scout->news_us >= RELIEF_US;
}

/* Looks at all processes under way, so that the time of those ahead of the caller's runs already;
 * starts more threads if needed. */
static gboolean look_ahead(Scout *scout)
{
	guint n = count_blocked(scout);

	scout->news_us = g_get_monotonic_time();
	return scout->next == scout->n || relieve(scout, n);
}

Scout *scout_new(const Root *root, const GArray *pids)
{
	Scout *scout = g_new0(Scout, 1);

	g_atomic_ref_count_init(&scout->refs);
	g_mutex_init(&scout->lock);
	g_cond_init(&scout->news);
	scout->proc = fcntl(root_fd(root, CTPROF_ROOT_PROC), F_DUPFD_CLOEXEC, 0);
	scout->n = pids->len;
	scout->pids = g_memdup2(pids->data, pids->len * sizeof(gint32));
	scout->attempts = g_new0(struct attempt, pids->len);
	gboolean is_full = stuck_count(lost()) >= MAX_LOST;
	for (guint i = 0; i < pids->len; i++)
		if (is_full || stuck_has(lost(), scout->pids[i]))
			scout->attempts[i].answer = SILENT;
	start_thread(scout);
	if (scout->n_threads > 0 || is_full)
		return scout;
	unref(scout);
	return NULL;
}

void scout_free(Scout *scout)
{
	g_mutex_lock(&scout->lock);
	scout->is_over = TRUE;
	g_mutex_unlock(&scout->lock);
	unref(scout);
}

enum scout_news scout_ask(Scout *scout, guint i, gboolean may_wait)
{
	struct attempt *attempt = &scout->attempts[i];
	gboolean has_news = TRUE;
	HOLD(&scout->lock);

	if (is_held_up(scout))
		look_ahead(scout);
	scout->is_waited_for = TRUE;
	/* The process may have been silent while an earlier one was waited for. */
	decide(scout, i);
	while (attempt->answer < ANSWERED && (has_news || may_wait)) {
		gint64 until = g_get_monotonic_time() + RELIEF_US;

		has_news = g_cond_wait_until(&scout->news, &scout->lock, until);
		gboolean is_alone = !has_news && !look_ahead(scout);

		decide(scout, i);
		if (is_alone && attempt->answer == UNASKED)
			attempt->answer = SILENT;
	}
	scout->is_waited_for = FALSE;
	return attempt->answer == ANSWERED ? SCOUT_ANSWERS
	       : attempt->answer == SILENT ? SCOUT_SILENT
					   : SCOUT_UNKNOWN;
}
