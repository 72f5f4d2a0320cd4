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

/* Each process that does not answer keeps one: beyond them, no further one is asked. */
#define MAX_THREADS 128
/* Of all scouts together, left behind: then no process is asked, and all are silent. */
#define MAX_LOST 1024
/* After so long without news, more threads go on with the others. */
#define RELIEF_US 2000
#define RELIEF 16
/* A process that does nothing itself is silent after so long, another after that. */
#define SILENT_US 30000
#define BUSY_US G_USEC_PER_SEC

enum answer { UNASKED, ASKED, ANSWERED, SILENT };

struct attempt {
	enum answer answer;
	gboolean is_back; /* atomic: before who asks has the lock, for which it may wait */
	pid_t tid;        /* who asks */
	gint64 since_us;  /* it has not moved, as far as was seen */
	guint64 switches; /* of that thread, while it has not */
};

struct scout {
	gatomicrefcount refs; /* the owner's, and each thread's */
	int proc;
	gint32 *pids;
	guint n;
	GMutex lock;
	GCond news;
	/* Under the lock, from here on. */
	guint next, n_started;
	guint n_threads; /* of them, not given up with the process they ask */
	gboolean is_waited_for, is_over;
	gint64 news_us; /* when a process was begun, or those under way were looked at */
	struct attempt *attempts;
};

/* The processes that a thread of this or an earlier scout still waits for: to ask them again
 * would cost another. */
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

/* The switch by which it blocks, if it does so at once, is no move. */
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

	/* What was decided stays; but the thread is back. */
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

/* Who may not open auxv, which takes the lock (mm_access()), does not read io either. */
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

/* The status of a thread of ours; "" where it cannot be read. */
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

/* Looks at who asks; whether that thread is blocked, as docs/design.md has it.  One that was
 * woken since the last look has moved, too. */
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

/* It is silent if it was blocked in all looks at it, for long enough. */
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

/* Looks at all, so that what is silent at the same time is waited for at the same time. */
static guint count_blocked(Scout *scout)
{
	guint n = 0;

	for (guint i = 0; i < scout->next; i++)
		n += is_blocked(scout, &scout->attempts[i]) ? 1 : 0;
	return n;
}

/* Has more than twice as many threads as are blocked, n, as what comes next may be of the
 * same kind; those given up do not count.  FALSE when all that there may be are. */
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

/* Without news, though there could be. */
static gboolean is_held_up(const Scout *scout)
{
	return scout->next < scout->n && scout->n_threads < MAX_THREADS &&
	       g_get_monotonic_time() - scout->news_us >= RELIEF_US;
}

/* Those ahead of who asks are looked at, too: so their time runs before it comes to them. */
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
	/* Silent together with one that was waited for before. */
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
