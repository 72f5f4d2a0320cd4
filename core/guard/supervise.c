/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/fd.h"
#include "base/root.h"
#include "base/ui.h"
#include "capabilities.h"
#include "crash.h"
#include "delivery.h"

#define LIMIT_MS 60000
/* Progress is checked about this many times within the limit. */
#define TICKS 8
#define TICK_MIN_MS 10
/* A thread may wait in the kernel for the limit divided by this. */
#define WAIT_PARTS 4
#define TICK_MAX_MS 1000
/* If more plugins crash than this, stop repeating the run. */
#define MAX_DROPPED 32
/* Time for the child to end after an interrupt. */
#define TIME_TO_END_MS 400
/* A child that ran no code for this long, and still exists, is not ended even by SIGKILL. */
#define TIME_TO_DIE_MS 500
/* How often a run may be repeated because a plugin waited in vain for a process. */
#define MAX_WAITS 3

static const char *const trespasses[] = {
	[TRESPASS_NONE] = "ended the program in",
	[TRESPASS_FORKED] = "forked, and returned twice from",
	[TRESPASS_CLOSED] = "closed a descriptor of ctprof in",
	[TRESPASS_DIRECTORY] = "changed the working directory in",
	[TRESPASS_TIMER] = "left an alarm set in",
	[TRESPASS_FILE] = "wrote to a file of ctprof in",
	[TRESPASS_PIPE] = "wrote to a pipe or socket without a reader in",
};

static struct dropped_plugin {
	char *plugin, *why;
} dropped[MAX_DROPPED];
static guint n_dropped, n_reported, n_waits;
guint64 supervise_limit_ms = LIMIT_MS;
gboolean supervise_follows_stops, supervise_has_workload;
guint supervise_time_to_end_ms = TIME_TO_END_MS;

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

/* A run, as shared by run_once() and the child. */
struct run {
	SuperviseStep step;
	gpointer data;
	CrashPage *page;
	sigset_t signals, before; /* signals to wait for; the child's signal mask */
	int line[2];              /* the supervisor's end and the child's (delivery.h) */
};

static G_NORETURN void work(const struct run *run, pid_t supervisor)
{
	/* Without the supervisor no one would watch this child or clean up after it.  A child that
	 * has the terminal gets SIGTERM, to give it back first. */
	prctl(PR_SET_PDEATHSIG, supervise_follows_stops ? SIGTERM : SIGKILL);
	if (getppid() != supervisor)
		_exit(EXIT_FAILED);
	crash_register();
	trespass_watch();
	close(run->line[0]);
	delivery_attend(run->line[1]);
	sigprocmask(SIG_SETMASK, &run->before, NULL);
	g_autoptr(GError) error = NULL;
	int status = run->step(run->data, &error);
	if (error)
		status = error_report(error);
	if (status == EXIT_FAILED)
		crash_reraise();
	run->page->status = status;
	run->page->is_finished = TRUE;
	exit(status);
}

static pid_t start(struct run *run)
{
	pid_t supervisor = getpid(), child = -1;

	fflush(NULL);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, run->line) == 0)
		child = fork();
	if (child == 0)
		work(run, supervisor);
	if (child < 0)
		ui_error("cannot start a process: %s", g_strerror(errno));
	fd_close(&run->line[1]);
	return child;
}

/* ---- the supervisor --------------------------------------------------------- */

static guint64 tick_ms(void)
{
	return CLAMP(supervise_limit_ms / TICKS, TICK_MIN_MS, TICK_MAX_MS);
}

/* For each thread in the page: its last known moves, and the ticks since it moved. */
static struct {
	guint32 moves, ticks;
} seen[CRASH_MAX_THREADS];

/* Whether thread i waits in the kernel, for a process that does not answer, in a run that can be
 * repeated.  The hangcheck of the next run finds the process (hangcheck.h). */
static gboolean is_hung(const CrashPage *page, pid_t child, guint i)
{
	return n_waits < MAX_WAITS && page->output == CRASH_NOTHING_OUT &&
	       root_thread_state(child, page->blames[i].tid) == 'D';
}

/* Called once per tick: returns the place, from 1, of a thread that has not moved for the
 * whole limit, or that waits in vain and has not moved for a part of it; 0: none. */
static guint find_stuck(const CrashPage *page, pid_t child, gboolean *ret_waits)
{
	for (guint i = 0; i < page->n_blames; i++) {
		guint32 moves = page->blames[i].moves;

		seen[i].ticks = moves == seen[i].moves && moves % 2 ? seen[i].ticks + 1 : 0;
		seen[i].moves = moves;
		guint64 ms = seen[i].ticks * tick_ms();
		if (supervise_limit_ms == 0 || ms * WAIT_PARTS <= supervise_limit_ms)
			continue;
		*ret_waits = is_hung(page, child, i);
		if (*ret_waits || ms > supervise_limit_ms)
			return i + 1;
	}
	return 0;
}

/* Forwards interrupts to the child, except those of the terminal, which the kernel sends to
 * the whole process group.  Returns whether the child must end now. */
static gboolean pass_on(pid_t child, const struct signalfd_siginfo *info)
{
	int number = (int)info->ssi_signo;

	if (number == SIGTSTP && info->ssi_code <= 0)
		kill(child, SIGTSTP);
	if (number == SIGCHLD || number == SIGTSTP)
		return FALSE;
	crash_note_signal(number);
	if (info->ssi_code <= 0)
		sigqueue(child, number, (union sigval){0});
	return !delivery_keys_are_lent() || (number != SIGINT && number != SIGQUIT);
}

/* The state of the supervisor while it waits for the child. */
struct watch {
	struct pollfd ready[2]; /* signals; requests of the child (delivery.h) */
	guint stuck;            /* the place of the thread that is stuck; 0: none */
	gboolean waits;         /* the stuck thread waits for a process that does not answer */
	gint64 tick;            /* when the child is checked next, µs */
	gint64 end;             /* when an interrupted child is killed, µs; 0: it is not */
	gboolean killed;
	gboolean is_quiet; /* the last wait ended without an event */
	gint64 dying;      /* since when the child has run no code, µs; 0: it still runs */
	guint stopped;     /* ticks since the child was stopped, from 1; 0: it is not */
};

/* Whether the child should end at any moment, and will be abandoned if it does not. */
static gboolean is_ending(const CrashPage *page, const struct watch *watch)
{
	return watch->killed || watch->dying || page->is_finished;
}

/* Waits for an event until the next tick, or for what is left of the time to end.  TRUE: a signal
 * was read. */
static gboolean wait_for_event(const CrashPage *page, struct watch *watch,
			       struct signalfd_siginfo *ret_info)
{
	gint64 now = g_get_monotonic_time(), us = MAX(watch->tick - now, 0);

	if (is_ending(page, watch))
		us = MIN(us, TIME_TO_DIE_MS * 1000 / TICKS);
	else if (watch->end)
		us = CLAMP(watch->end - now, 1000, us);
	int n = poll(watch->ready, G_N_ELEMENTS(watch->ready), (int)((us + 999) / 1000));
	watch->is_quiet = n == 0;
	if (n > 0 && watch->ready[1].revents && !delivery_serve(watch->ready[1].fd))
		watch->ready[1].fd = -1;
	return n > 0 && watch->ready[0].revents &&
	       read(watch->ready[0].fd, ret_info, sizeof *ret_info) == sizeof *ret_info;
}

/* Whether it is time to look at the child: by the clock, not by the number of events, which the
 * child can cause.  While ctprof is stopped, no ticks are counted. */
static gboolean is_tick(struct watch *watch)
{
	gint64 now = g_get_monotonic_time();

	if (now < watch->tick)
		return FALSE;
	watch->tick = now + (gint64)tick_ms() * 1000;
	return TRUE;
}

/* Notes that the child was stopped or continued. */
static void note_stop(struct watch *watch, pid_t child, int status)
{
	gboolean is_followed =
		supervise_follows_stops && WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP;

	watch->stopped = WIFSTOPPED(status) && !is_followed;
	/* This process stops after the child, which has given the terminal back by now. */
	if (is_followed) {
		raise(SIGSTOP);
		kill(child, SIGCONT);
	}
}

static void kill_child(struct watch *watch, pid_t child)
{
	watch->killed = TRUE;
	kill(child, SIGKILL);
}

/* Whether the child must be abandoned: it is dying, but another process keeps one of its threads
 * in the kernel (process_vm_readv() waits for the mmap lock of its target).  The thread will end
 * there. */
static gboolean must_abandon(struct watch *watch, pid_t child)
{
	gint64 now = g_get_monotonic_time();

	if (!watch->killed && root_thread_state(child, child) != 'Z')
		watch->dying = 0;
	else if (watch->dying == 0)
		watch->dying = now;
	return watch->dying && now - watch->dying >= TIME_TO_DIE_MS * 1000;
}

/* ---- what plugins leave behind -------------------------------------------- */

static gboolean is_among(const GArray *pids, pid_t pid)
{
	guint i = 0;

	while (i < pids->len && g_array_index(pids, pid_t, i) != pid)
		i++;
	return i < pids->len;
}

/* Sends a signal to each child of this process that is not among others, and reaps it if it has
 * ended.  FALSE: there are no such children. */
static gboolean end_children(const GArray *others, int number)
{
	g_autoptr(GArray) pids = root_list_own_children();
	gboolean found = FALSE;

	for (guint i = 0; i < pids->len; i++) {
		pid_t pid = g_array_index(pids, pid_t, i);

		if (is_among(others, pid))
			continue;
		found = TRUE;
		kill(pid, number);
		(void)waitpid(pid, NULL, WNOHANG);
	}
	return found;
}

/* Makes processes that a plugin forks children of this one when their parent ends.  Returns the
 * children that exist already. */
static GArray *adopt(void)
{
	if (!supervise_has_workload)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	return root_list_own_children();
}

/* Ends the adopted processes: first with SIGTERM, as a pager has to restore the terminal.  Gives
 * up after a while, as a fork bomb may fork faster than it is killed. */
static void end_adopted(const GArray *others)
{
	gint64 half = g_get_monotonic_time() + TIME_TO_DIE_MS * 1000 / 2;
	gint64 end = half + TIME_TO_DIE_MS * 1000 / 2;

	while (!supervise_has_workload &&
	       end_children(others, g_get_monotonic_time() < half ? SIGTERM : SIGKILL) &&
	       g_get_monotonic_time() < end)
		g_usleep(1000);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* Returns the status of an abandoned child, in the form that waitpid() uses. */
static int status_of_abandoned(const CrashPage *page)
{
	return page->is_finished ? W_EXITCODE(page->status & 0xff, 0) : W_EXITCODE(0, SIGKILL);
}

/* Checks the child once per tick.  The terminal stops ctprof as a whole, so a child that is stopped
 * while this process runs was stopped by a plugin.  If a plugin is being called, it is to blame;
 * otherwise no one is, and the child is continued. */
static void check_child(const CrashPage *page, struct watch *watch, pid_t child)
{
	if (watch->end || watch->killed)
		return;
	watch->stuck = find_stuck(page, child, &watch->waits);
	if (watch->stuck)
		kill_child(watch, child);
	else if (watch->stopped && watch->stopped++ * tick_ms() > 2 * supervise_limit_ms)
		kill(child, SIGCONT);
}

/* Waits for the child to end, and returns its status.  Kills the child because of a stuck
 * thread, whose place it notes, or because the child goes on for too long after an interrupt;
 * finished output is not lost then, and unfinished files have no name.  Time in which ctprof as a
 * whole is stopped does not count. */
static int watch_child(const struct run *run, pid_t child, struct watch *watch)
{
	AUTO_FD signals = signalfd(-1, &run->signals, SFD_CLOEXEC | SFD_NONBLOCK);
	int status = 0;

	*watch = (struct watch){.ready = {{signals, POLLIN, 0}, {run->line[0], POLLIN, 0}},
				.tick = g_get_monotonic_time() + (gint64)tick_ms() * 1000};

	for (;;) {
		/* A copy, as the child may write to the page itself meanwhile. */
		const CrashPage *page = crash_read();
		struct signalfd_siginfo info;
		pid_t changed = waitpid(child, &status, WNOHANG | WUNTRACED | WCONTINUED);

		if (changed == child && !WIFSTOPPED(status) && !WIFCONTINUED(status))
			return status;
		if (changed == child)
			note_stop(watch, child, status);
		if (wait_for_event(page, watch, &info) && pass_on(child, &info) && watch->end == 0)
			watch->end =
				g_get_monotonic_time() + (gint64)supervise_time_to_end_ms * 1000;
		if (watch->end && g_get_monotonic_time() >= watch->end)
			kill_child(watch, child);
		gboolean is_time = is_tick(watch);
		if (is_time)
			check_child(crash_read(), watch, child);
		gboolean is_due = is_time || (watch->is_quiet && is_ending(page, watch));
		if (is_due && must_abandon(watch, child))
			return status_of_abandoned(crash_read());
	}
}

/* Whether a plugin brought the process down; if so, drops that plugin. */
static gboolean note_culprit(const CrashPage *page, guint stuck, int status)
{
	const CrashBlame *culprit = stuck && crash_is_legible(page) ? &page->blames[stuck - 1]
								    : crash_find_culprit(page);
	const char *number = WIFSIGNALED(status) ? crash_signal_name(WTERMSIG(status)) : NULL;
	g_autofree char *what = NULL;

	if (!culprit || n_dropped == MAX_DROPPED || supervise_lost(culprit->plugin))
		return FALSE;
	if (stuck)
		what = g_strdup_printf("made no progress for %g s in",
				       (gdouble)supervise_limit_ms / 1000);
	else if (number)
		what = g_strdup_printf("crashed with %s in", number);
	else if (WIFEXITED(status) && !page->is_finished)
		what = g_strdup(trespasses[page->trespass]);
	if (what)
		drop(culprit->plugin, what, culprit->op);
	return what != NULL;
}

/* Returns why a process was killed by a limit of the system, and not by a plugin; NULL: the signal
 * does not mean that. */
static const char *limit_of(int number)
{
	return number == SIGXCPU   ? "out of CPU time (see 'ulimit -t')"
	       : number == SIGKILL ? "killed by the kernel, or from outside (out of memory, or of "
				     "CPU time: see 'ulimit -t')"
				   : NULL;
}

/* Returns the exit status of a run that finished, or that ended for an unknown reason. */
static int conclude(const CrashPage *page, guint stuck, int status)
{
	if (WIFEXITED(status) && page->is_finished == TRUE &&
	    WEXITSTATUS(status) == (page->status & 0xff))
		return WEXITSTATUS(status);
	if (WIFEXITED(status)) {
		ui_error("a plugin ended the process, but which one is unknown; "
			 "retry with fewer plugins");
		return EXIT_FAILED;
	}
	if (crash_interrupted() && WTERMSIG(status) == SIGKILL) {
		ui_error("interrupted");
		return EXIT_FAILED;
	}
	const char *number = crash_signal_name(WTERMSIG(status));
	const char *why = limit_of(WTERMSIG(status));
	if (!crash_is_legible(page)) {
		ui_error("ended by %s; a plugin has overwritten the record that would show which "
			 "plugin it was; retry with fewer plugins",
			 stuck    ? "ctprof, as a plugin made no progress"
			 : number ? number
				  : "a signal");
		return EXIT_FAILED;
	}
	if (why) {
		ui_error("%s", why);
		crash_note_signal(WTERMSIG(status));
		return EXIT_FAILED;
	}
	if (number && page->output == CRASH_ALL_OUT) {
		ui_warning("crashed with %s, outside of any plugin, after all work was done",
			   number);
		return EXIT_LOST;
	}
	if (number)
		ui_error(
			"crashed with %s, outside of any plugin; a plugin may have corrupted memory: "
			"retry with fewer plugins",
			number);
	crash_note_signal(WTERMSIG(status));
	return EXIT_FAILED;
}

/* Whether to repeat the run without a process that does not answer. */
static gboolean note_wait(const CrashPage *page, const struct watch *watch)
{
	if (!watch->waits || !crash_is_legible(page) || page->output != CRASH_NOTHING_OUT ||
	    crash_interrupted())
		return FALSE;
	n_waits++;
	ui_clear_line();
	ui_warning("a process kept plugin %s waiting for %g s: starting over without that process",
		   page->blames[watch->stuck - 1].plugin,
		   (gdouble)supervise_limit_ms / WAIT_PARTS / 1000);
	return TRUE;
}

/* Whether to repeat the run after a plugin was dropped; the next run reports the plugin. */
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

/* Starts the child and waits for its end; FALSE: it could not be started. */
static gboolean run_child(struct run *run, pid_t *ret_pid, struct watch *ret_watch, int *ret_status)
{
	gboolean ran = FALSE;

	crash_list_interrupts(&run->signals);
	sigaddset(&run->signals, SIGCHLD);
	if (supervise_follows_stops)
		sigaddset(&run->signals, SIGTSTP);
	sigprocmask(SIG_BLOCK, &run->signals, &run->before);
	memset(seen, 0, sizeof seen);
	g_autoptr(GArray) others = adopt();
	*ret_pid = start(run);
	if (*ret_pid > 0) {
		if (ui_verbosity() >= 0)
			n_reported = n_dropped;
		gpointer suspended = capabilities_suspend();
		*ret_status = watch_child(run, *ret_pid, ret_watch);
		/* The child has been reaped, or abandoned: do not end it again. */
		g_array_append_val(others, *ret_pid);
		end_adopted(others);
		capabilities_resume(suspended);
		delivery_end(run->line[0]);
		ran = TRUE;
	}
	fd_close(&run->line[0]);
	sigprocmask(SIG_SETMASK, &run->before, NULL);
	return ran;
}

/* Does one run; TRUE if it must be repeated. */
static gboolean run_once(SuperviseStep step, gconstpointer data, pid_t *ret_pid, int *ret_status)
{
	struct run run = {.step = step,
			  .data = (gpointer)(uintptr_t)data,
			  .page = crash_reset(),
			  .line = {-1, -1}};
	struct watch watch;
	int status;

	*ret_status = EXIT_FAILED;
	if (!run_child(&run, ret_pid, &watch, &status))
		return FALSE;
	CrashPage *page = crash_read();
	if (note_wait(page, &watch))
		return TRUE;
	if (note_culprit(page, watch.stuck, status))
		return may_begin_again(page, ret_status);
	*ret_status = conclude(page, watch.stuck, status);
	return FALSE;
}

int supervise_run(SuperviseStep step, gconstpointer data, pid_t *ret_pid)
{
	int status;
	pid_t pid;

	while (run_once(step, data, &pid, &status))
		continue;
	if (ret_pid)
		*ret_pid = pid;
	return status;
}
