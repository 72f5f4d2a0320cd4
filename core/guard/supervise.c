/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/ui.h"
#include "capabilities.h"
#include "crash.h"

#define LIMIT_MS 60000
/* The limit is watched for in steps of a part of it. */
#define TICKS 8
#define TICK_MIN_MS 10
#define TICK_MAX_MS 1000
/* More crashing plugins are not an accident. */
#define MAX_DROPPED 32

static struct dropped_plugin {
	char *plugin, *why;
} dropped[MAX_DROPPED];
static guint n_dropped, n_reported;
static guint64 limit = LIMIT_MS;

void supervise_set_limit(guint64 limit_ms)
{
	limit = limit_ms;
}

const char *supervise_lost(const char *plugin)
{
	for (guint i = 0; i < n_dropped; i++)
		if (strcmp(dropped[i].plugin, plugin) == 0)
			return dropped[i].why;
	return NULL;
}

gboolean supervise_lost_news(const char *plugin)
{
	for (guint i = n_reported; i < n_dropped; i++)
		if (strcmp(dropped[i].plugin, plugin) == 0)
			return TRUE;
	return FALSE;
}

guint supervise_n_lost(void)
{
	return n_dropped;
}

int supervise_status(int status)
{
	if (n_dropped == 0)
		return status;
	/* A metric may be unknown because its plugin was dropped: not a usage error. */
	return status == EXIT_DONE ? EXIT_LOST : status == EXIT_USAGE ? EXIT_FAILED : status;
}

static void drop(const char *plugin, const char *what, const char *op)
{
	dropped[n_dropped++] = (struct dropped_plugin){
		.plugin = g_strdup(plugin),
		.why = g_strdup_printf("%s its %s function", what, op),
	};
}

/* ---- the child ------------------------------------------------------------- */

static G_NORETURN void work(SuperviseStep step, gpointer data, CrashPage *page, pid_t supervisor,
			    const sigset_t *mask)
{
	/* Without the supervisor no one would watch it or clean up after it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != supervisor)
		_exit(EXIT_FAILED);
	crash_register();
	sigprocmask(SIG_SETMASK, mask, NULL);
	int status = step(data);
	if (status == EXIT_FAILED)
		crash_reraise();
	page->is_finished = TRUE;
	exit(status);
}

static pid_t start(SuperviseStep step, gpointer data, CrashPage *page, const sigset_t *mask)
{
	pid_t supervisor = getpid();

	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		work(step, data, page, supervisor, mask);
	if (child < 0)
		ui_error("cannot start a process: %s", g_strerror(errno));
	return child;
}

/* ---- the supervisor --------------------------------------------------------- */

static guint64 tick_ms(void)
{
	return CLAMP(limit / TICKS, TICK_MIN_MS, TICK_MAX_MS);
}

/* Called each tick: returns a thread that has not moved for the whole limit. */
static const CrashBlame *find_stuck(CrashPage *page)
{
	guint n = MIN(__atomic_load_n(&page->n_blames, __ATOMIC_RELAXED), CRASH_MAX_THREADS);

	for (guint i = 0; i < n; i++) {
		CrashBlame *blame = &page->blames[i];
		guint32 moves = __atomic_load_n(&blame->moves, __ATOMIC_ACQUIRE);

		blame->ticks = moves == blame->seen && moves % 2 ? blame->ticks + 1 : 0;
		blame->seen = moves;
		if (limit > 0 && blame->ticks * tick_ms() > limit)
			return blame;
	}
	return NULL;
}

/* Forwards interrupts, except those of the terminal, which the kernel sends to the
 * whole group. */
static void pass_on(pid_t child, int number, const siginfo_t *info)
{
	if (number == SIGCHLD)
		return;
	crash_note_signal(number);
	if (info->si_code <= 0)
		sigqueue(child, number, (union sigval){0});
}

/* Waits for the child to end, or kills it because of a stuck thread, which it
 * returns.  Time in which the child, or all of ctprof, is stopped does not count. */
static const CrashBlame *watch(CrashPage *page, pid_t child, const sigset_t *signals,
			       int *ret_status)
{
	const struct timespec tick = {.tv_sec = (time_t)(tick_ms() / 1000),
				      .tv_nsec = (long)(tick_ms() % 1000) * 1000000};
	const CrashBlame *stuck = NULL;
	gboolean stopped = FALSE;

	for (;;) {
		siginfo_t info;
		pid_t changed = waitpid(child, ret_status, WNOHANG | WUNTRACED | WCONTINUED);

		if (changed == child && !WIFSTOPPED(*ret_status) && !WIFCONTINUED(*ret_status))
			return stuck;
		if (changed == child)
			stopped = WIFSTOPPED(*ret_status);
		int number = sigtimedwait(signals, &info, &tick);
		if (number > 0)
			pass_on(child, number, &info);
		else if (errno == EAGAIN && !stopped && !stuck && (stuck = find_stuck(page)))
			kill(child, SIGKILL);
	}
}

/* Whether a plugin brought the process down; then it is dropped. */
static gboolean note_culprit(const CrashPage *page, const CrashBlame *stuck, int status)
{
	const CrashBlame *culprit =
		stuck && crash_is_legible(page) ? stuck : crash_find_culprit(page);
	const char *number = WIFSIGNALED(status) ? crash_signal_name(WTERMSIG(status)) : NULL;
	g_autofree char *what = NULL;

	if (!culprit || n_dropped == MAX_DROPPED || supervise_lost(culprit->plugin))
		return FALSE;
	if (stuck)
		what = g_strdup_printf("made no progress for %g s in", (gdouble)limit / 1000);
	else if (number)
		what = g_strdup_printf("crashed with %s in", number);
	else if (WIFEXITED(status) && !page->is_finished)
		what = g_strdup("ended the program in");
	if (what)
		drop(culprit->plugin, what, culprit->op);
	return what != NULL;
}

/* The exit status of a run that finished, or ended for an unknown reason. */
static int conclude(const CrashPage *page, int status)
{
	if (WIFEXITED(status) && page->is_finished == TRUE)
		return WEXITSTATUS(status);
	if (WIFEXITED(status)) {
		ui_error("a plugin ended the process, but it is not known which; "
			 "retry with fewer plugins");
		return EXIT_FAILED;
	}
	const char *number = crash_signal_name(WTERMSIG(status));
	if (!crash_is_legible(page)) {
		ui_error("ended by %s; a plugin has written over the record of which plugin it "
			 "was; retry with fewer plugins",
			 number ? number : "a signal");
		return EXIT_FAILED;
	}
	if (number)
		ui_error("crashed with %s, outside of any plugin", number);
	crash_note_signal(WTERMSIG(status));
	return EXIT_FAILED;
}

/* After a plugin was dropped; the next run reports it. */
static gboolean may_begin_again(const CrashPage *page, int *ret_status)
{
	const struct dropped_plugin *last = &dropped[n_dropped - 1];

	ui_clear_line();
	if (page->output == CRASH_ALL_OUT) {
		ui_warning("plugin %s: %s, after all work was done", last->plugin, last->why);
		*ret_status = EXIT_DONE;
	} else if (page->output != CRASH_NOTHING_OUT) {
		ui_error("plugin %s: %s; the output is incomplete", last->plugin, last->why);
	}
	return page->output == CRASH_NOTHING_OUT && !crash_interrupted();
}

/* One run.  TRUE if it must be repeated. */
static gboolean run_once(SuperviseStep step, gpointer data, pid_t *ret_pid, int *ret_status)
{
	CrashPage *page = crash_reset();
	sigset_t signals, before;
	int status;

	crash_list_interrupts(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &before);
	*ret_status = EXIT_FAILED;
	*ret_pid = start(step, data, page, &before);
	if (*ret_pid < 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return FALSE;
	}
	if (ui_verbosity() >= 0)
		n_reported = n_dropped;
	gpointer suspended = capabilities_suspend();
	const CrashBlame *stuck = watch(page, *ret_pid, &signals, &status);
	capabilities_resume(suspended);
	sigprocmask(SIG_SETMASK, &before, NULL);
	crash_remove_unlinked();
	if (note_culprit(page, stuck, status))
		return may_begin_again(page, ret_status);
	*ret_status = conclude(page, status);
	return FALSE;
}

int supervise_run(SuperviseStep step, gpointer data, pid_t *ret_pid)
{
	int status;
	pid_t pid;

	while (run_once(step, data, &pid, &status))
		continue;
	if (ret_pid)
		*ret_pid = pid;
	return status;
}
