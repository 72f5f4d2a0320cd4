/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/ui.h"
#include "capture-options.h"
#include "cmd.h"
#include "guard/capabilities.h"
#include "guard/crash.h"
#include "guard/supervise.h"
#include "report-options.h"
#include "road/capture-ahead.h"
#include "road/capturing.h"
#include "road/load.h"
#include "road/record-run.h"
#include "road/repeat.h"

#define MAX_COUNT 1000000
#define MAX_REPEATS 1000
/* Two files to compare, and one that is written meanwhile. */
#define N_FILES 3
#define NAP_MS 5
#define NS_PER_MS 1000000
#define NS_PER_US G_GUINT64_CONSTANT(1000)

extern char **environ;

static guint64 every_ns;            /* 0: not given */
static guint64 count;               /* 0: not given */
static Repeat repeat = REPEAT_INIT; /* n: 0: not given */

static const Option options[] = {
	OPTION(TIME, "every", 'i', &every_ns, "TIME", "Compare repeatedly, every TIME (500ms, 5s)",
	       .row.least = NS_PER_MS),
	OPTION(COUNT, "count", 'c', &count, "N",
	       "Stop after N comparisons (default: when COMMAND ends)", .row.least = 1,
	       .row.most = MAX_COUNT),
	OPTION(COUNT, "repeat", 'r', &repeat.n, "N",
	       "Run COMMAND N times, and show the median and range of its runs", .row.least = 1,
	       .row.most = MAX_REPEATS),
	OPTION(TEXT, "versus", 0, &repeat.versus, "'COMMAND'",
	       "With --repeat: alternate with this command (A B B A B A A B …), and show what "
	       "differs"),
	OPTION(TEXT, "versus-scheduler", 0, &repeat.under, "'PROGRAM'",
	       "With --repeat: alternate with COMMAND under the BPF scheduler that PROGRAM runs, "
	       "and show what differs"),
	OPTION(BOOL, "replace", 0, &repeat.replace, NULL,
	       "With --versus-scheduler: PROGRAM may replace a scheduler that is already running"),
	OPTION(COUNT, "warmup", 0, &repeat.warmup, "N",
	       "With --repeat: first run each command N times without measuring",
	       .row.most = MAX_REPEATS),
	OPTION(PATH, "set", 0, &repeat.set, "DIR",
	       "With --repeat: keep the runs in DIR, which must not exist, for 'ctprof compare'",
	       .from = FROM_DIRECTORIES),
	OPTION(COUNT, "seed", 0, &repeat.seed, "N",
	       "With --versus: randomize which run of each pair is first, with this seed",
	       .row.least = 1, .row.most = G_MAXUINT32),
	OPTION(COUNT, "mark-fd", 0, &repeat.mark_fd, "FD",
	       "With --repeat: read marks from this descriptor, a pipe: each line is one (see "
	       "'ctprof mark')",
	       .row.most = G_MAXINT),
	OPTION_END,
};

/* A run: its snapshots are in unnamed files, which are written in turn. */
struct stat_run {
	Globals *globals;
	char **command; /* empty: none */
	guint64 every_ms;
	char *files[N_FILES];
	GArray *own;              /* gint32: our own processes, which are in the captures */
	CaptureAhead *ahead;      /* the next capture, except the first; NULL: no more */
	CapturingRequest request; /* of ahead */
	pid_t pid;                /* PID of the command; 0: not running */
	int pidfd;                /* descriptor of the command; -1: none */
	gint64 began_us;          /* when it was started; 0: no command */
	CommandFacts facts;       /* valid once the command has ended: wall_ns is not 0 */
	gboolean is_reported;     /* the facts were reported */
};
typedef struct stat_run StatRun;

static void stat_run_clear(StatRun *self)
{
	g_clear_pointer(&self->ahead, capture_ahead_free);
	for (guint i = 0; i < N_FILES; i++)
		g_clear_pointer(&self->files[i], g_free);
	g_clear_pointer(&self->own, g_array_unref);
	g_clear_pointer(&self->facts.line, g_free);
	g_clear_pointer(&self->facts.marks, g_strfreev);
	if (self->pidfd >= 0)
		close(self->pidfd);
	self->pidfd = -1;
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(StatRun, stat_run_clear)

/* ---- steps that run in a process of their own ---------------------------- */

typedef int (*StepOfStat)(const StatRun *self, guint n, GError **error);

struct step {
	const StatRun *run;
	StepOfStat function;
	guint n;
};

static int take_step(gpointer data, GError **error)
{
	const struct step *step = data;

	return step->function(step->run, step->n, error);
}

/* A capture drops capabilities for good and leaves threads and plugins running, so it runs in a
 * child process. */
static int run_apart(const StatRun *self, StepOfStat function, guint n)
{
	const struct step step = {self, function, n};
	pid_t pid;
	int status = supervise_run(take_step, &step, &pid);

	g_array_append_val(self->own, pid);
	return status;
}

static CapturingRequest request_of(const StatRun *self, guint n)
{
	return (CapturingRequest){
		.output = self->files[n % N_FILES],
		.pids = reporting_pids(),
		.is_interim = TRUE,
	};
}

static int step_prepare(const StatRun *self, guint n, GError **error)
{
	const CapturingRequest request = request_of(self, n);

	return EXIT_OF(capturing_prepare(self->globals, &request, error));
}

static int step_capture(const StatRun *self, guint n, GError **error)
{
	const CapturingRequest request = request_of(self, n);

	/* Be quiet: all runs lack the same values. */
	if (repeat.n > 0 && repeat.sides[0]->len > 0)
		ui_set_verbosity(-1);
	return EXIT_OF(capturing_run(self->globals, &request, error));
}

/* Makes capture n listen from now on. */
static int begin_capture(StatRun *self, guint n)
{
	int status = EXIT_DONE;

	self->request = request_of(self, n);
	self->ahead = capture_ahead_begin(self->globals, &self->request, self->own, &status);
	return status;
}

/* Makes the first capture; the second one listens before it.  If the first one lost a plugin, the
 * second one is restarted without it. */
static int capture_first(StatRun *self)
{
	guint lost;
	int status;

	do {
		lost = supervise_n_lost();
		g_clear_pointer(&self->ahead, capture_ahead_free);
		status = begin_capture(self, 1);
		if (status == EXIT_DONE)
			status = run_apart(self, step_capture, 0);
	} while (status == EXIT_DONE && supervise_n_lost() > lost);
	capture_ahead_begin_window(self->ahead);
	return status;
}

static const char *const names[] = {"before", "after", NULL};

/* Compares capture n with the previous one. */
static int step_compare(const StatRun *self, guint n, GError **error)
{
	/* A series of reports is for watching, so it is not paged. */
	if (self->every_ms > 0)
		g_setenv("CTPROF_PAGER", "cat", TRUE);
	const char *files[] = {self->files[(n - 1) % N_FILES], self->files[n % N_FILES], NULL};

	CommandFacts facts = self->facts;
	const ReportRun request = {
		.files = files,
		.names = names,
		.hidden = self->own,
		.command = facts.wall_ns > 0 && !self->is_reported ? &facts : NULL,
	};

	return reporting_run(self->globals, &request, error);
}

/* ---- the command ------------------------------------------------------------ */

/* Leaves the keyboard to the command: it gets SIGINT and SIGQUIT, and we wait. */
static void ignore_keys(gboolean leave)
{
	static struct sigaction before[2];
	static const int signals[] = {SIGINT, SIGQUIT};
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigemptyset(&ignore.sa_mask);
	for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
		sigaction(signals[i], leave ? &ignore : &before[i], leave ? &before[i] : NULL);
}

static gboolean start_command(StatRun *self, GError **error)
{
	posix_spawnattr_t attributes;
	sigset_t defaults;

	/* With several runs, these signals end the whole series. */
	if (repeat.n == 0)
		ignore_keys(TRUE);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGQUIT);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	repeat_note_start(&repeat);
	self->began_us = g_get_monotonic_time();
	int result = posix_spawnp(&self->pid, self->command[0], NULL, &attributes, self->command,
				  environ);
	posix_spawnattr_destroy(&attributes);
	if (result == 0) {
		/* -1 before Linux 5.3. */
		self->pidfd = (int)syscall(SYS_pidfd_open, self->pid, 0);
		return TRUE;
	}
	self->pid = 0;
	if (repeat.n == 0)
		ignore_keys(FALSE);
	return error_set_errno(error, result, "cannot run '%s'", self->command[0]);
}

static guint64 ns_of(struct timeval time)
{
	return ((guint64)time.tv_sec * G_USEC_PER_SEC + (guint64)time.tv_usec) * NS_PER_US;
}

static void note_facts(StatRun *self, int status, const struct rusage *usage)
{
	gint64 wall_us = g_get_monotonic_time() - self->began_us;
	guint64 rss = (guint64)usage->ru_maxrss * 1024; /* includes ours, before exec() */

	/* A warm-up may have left it. */
	g_free(self->facts.line);
	g_strfreev(self->facts.marks);
	self->facts = (CommandFacts){
		.parent = getpid(),
		.line = g_strjoinv(" ", self->command),
		.marks = repeat_take_marks(&repeat),
		.wall_ns = (guint64)MAX(wall_us, 1) * NS_PER_US,
		.user_ns = ns_of(usage->ru_utime),
		.system_ns = ns_of(usage->ru_stime),
		.max_rss_bytes = rss > root_own_rss() ? rss : 0,
		.minflt = (guint64)usage->ru_minflt,
		.majflt = (guint64)usage->ru_majflt,
		.voluntary_csw = (guint64)usage->ru_nvcsw,
		.nonvoluntary_csw = (guint64)usage->ru_nivcsw,
		.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
		.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	};
}

/* Sleeps for a moment, or less if the command ends. */
static void sleep_briefly(const StatRun *self)
{
	struct pollfd end = {.fd = self->pidfd, .events = POLLIN};
	gpointer before = capabilities_suspend();

	(void)poll(&end, 1, NAP_MS);
	capabilities_resume(before);
}

/* Whether the command has ended; waits for that if requested. It polls, as a
 * signal to us may arrive between a check and the wait. */
static gboolean reap_command(StatRun *self, gboolean wait)
{
	struct rusage usage = {.ru_maxrss = 0};
	int status = 0;

	if (self->pid == 0)
		return TRUE;
	for (;;) {
		pid_t result = wait4(self->pid, &status, WNOHANG, &usage);

		if (result == self->pid || (result < 0 && errno != EINTR))
			break;
		/* SIGTERM and SIGHUP are sent to us: the command must not outlive us. */
		if (crash_interrupted())
			kill(self->pid, SIGTERM);
		if (!wait)
			return FALSE;
		marks_take(&repeat.mark_inputs, &repeat.marks);
		sleep_briefly(self);
	}
	note_facts(self, status, &usage);
	self->pid = 0;
	if (repeat.n == 0)
		ignore_keys(FALSE);
	return TRUE;
}

/* Waits for an interval, or less if the command ends or the user interrupts;
 * returns whether there will be another. */
static gboolean wait_interval(StatRun *self)
{
	gint64 end = g_get_monotonic_time() + (gint64)self->every_ms * 1000;

	while (g_get_monotonic_time() < end && !crash_interrupted()) {
		if (self->command[0] && reap_command(self, FALSE))
			return FALSE;
		sleep_briefly(self);
	}
	return !crash_interrupted();
}

/* Makes capture n, which has listened since the previous one, and shows it; the next capture
 * listens before this one reads. */
static int take_window(StatRun *self, guint n, gboolean is_last)
{
	g_autoptr(CaptureAhead) ahead = g_steal_pointer(&self->ahead);
	int next = is_last ? EXIT_DONE : begin_capture(self, n + 1);
	int status = capture_ahead_finish(ahead);

	capture_ahead_begin_window(self->ahead);
	if (status != EXIT_DONE && status != EXIT_LOST)
		return status;
	self->facts.exits_why = capture_ahead_exits_failure(ahead);
	int compared = run_apart(self, step_compare, n);
	self->facts.exits_why = NULL;
	self->is_reported = self->facts.wall_ns > 0;
	if (next != EXIT_DONE)
		return next;
	return compared != EXIT_DONE ? compared : status;
}

/* Makes a comparison after each interval; the first capture has been made. */
static int watch(StatRun *self)
{
	gboolean more = TRUE;
	int worst = EXIT_DONE;

	for (guint n = 1; more && (count == 0 || n <= count); n++) {
		if (self->every_ms > 0)
			more = wait_interval(self);
		else
			more = !reap_command(self, TRUE);
		if (crash_interrupted())
			break;
		int status = take_window(self, n, !more || (count > 0 && n == count));
		if (status != EXIT_DONE)
			worst = status;
		more = more && status != EXIT_FAILED && status != EXIT_USAGE;
	}
	reap_command(self, TRUE);
	return worst;
}

/* Whether the argument is a recording, to be reported, and not a command. */
static gboolean is_recording(char *const *command)
{
	return command[0] && !command[1] && g_str_has_suffix(command[0], RECORD_SUFFIX) &&
	       access(command[0], X_OK) < 0;
}

static gboolean check_options(const StatRun *self, GError **error)
{
	if (is_recording(self->command))
		return (every_ns == 0 && repeat.n == 0) ||
		       error_set_usage(error, "%s: not with a recording",
				       every_ns > 0 ? "--every" : "--repeat");
	if (sample_choice.from || sample_choice.to)
		return error_set_usage(error, "--from, --to: only with a recording");
	if (!repeat_check(&repeat, error))
		return FALSE;
	if (repeat.n > 0 && (every_ns > 0 || !self->command[0]))
		return error_set_usage(error, every_ns > 0 ? "--repeat: not with --every"
							   : "--repeat: expected '-- COMMAND'");
	if (repeat.under && (self->globals->proc || self->globals->sys || self->globals->cgroup))
		return error_set_usage(error, "--versus-scheduler: not with a recorded tree");
	if (count > 0 && every_ns == 0)
		return error_set_usage(error, "--count: only with --every");
	if (!self->command[0] && every_ns == 0)
		return error_set_usage(error, "expected '-- COMMAND', or --every TIME");
	return TRUE;
}

static gboolean prepare(StatRun *self, GError **error)
{
	self->every_ms = every_ns / NS_PER_MS;
	if (!check_options(self, error))
		return FALSE;
	gint32 me = getpid();
	self->own = g_array_new(FALSE, FALSE, sizeof me);
	g_array_append_val(self->own, me);
	if (is_recording(self->command))
		return TRUE;
	if (repeat.n > 0)
		return repeat_begin(&repeat, self->command, error);
	for (guint i = 0; i < N_FILES; i++)
		if (!(self->files[i] = output_make_unnamed(error)))
			return FALSE;
	return TRUE;
}

/* ---- one command ------------------------------------------------------------ */

static int fail_start(const GError *error)
{
	error_report(error);
	return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND) ? COMMAND_NOT_FOUND
									: COMMAND_NOT_RUN;
}

static int run_once(StatRun *self)
{
	const ReportRun any = {.names = names};
	g_autoptr(GError) error = NULL;
	int status = reporting_check(self->globals, &any);

	if (status == EXIT_DONE)
		status = run_apart(self, step_prepare, 0);
	if (status == EXIT_DONE)
		status = capture_first(self);
	if (status != EXIT_DONE)
		return status;
	if (self->command[0] && !start_command(self, &error))
		return fail_start(error);
	status = watch(self);
	int own = self->command[0] ? run_set_status(&self->facts) : EXIT_DONE;
	return own != EXIT_DONE ? own : status;
}

/* ---- many runs ---------------------------------------------------------------- */

/* Lists our own processes in a run: this one, and those of the run. */
static GArray *own_since(const StatRun *self, guint from)
{
	GArray *own = g_array_new(FALSE, FALSE, sizeof(gint32));

	g_array_append_val(own, g_array_index(self->own, gint32, 0));
	g_array_append_vals(own, &g_array_index(self->own, gint32, from), self->own->len - from);
	return own;
}

static int run_command_of(StatRun *self)
{
	g_autoptr(GError) error = NULL;

	if (!start_command(self, &error))
		return fail_start(error);
	reap_command(self, TRUE);
	return EXIT_DONE;
}

/* A RepeatOnce. */
static int run_one_of_many(gpointer data, char **command, SavedRun *run)
{
	StatRun *self = data;
	guint from = self->own->len;
	int status = EXIT_DONE;

	self->command = command;
	if (!run)
		return run_command_of(self);
	self->files[0] = run->before;
	self->files[1] = run->after;
	status = capture_first(self);
	if (status == EXIT_DONE)
		status = run_command_of(self);
	if (status == EXIT_DONE && !crash_interrupted())
		status = capture_ahead_finish(self->ahead);
	g_clear_pointer(&self->ahead, capture_ahead_free);
	self->files[0] = self->files[1] = NULL;
	if (status == EXIT_DONE || status == EXIT_LOST) {
		run->own = own_since(self, from);
		run->facts = self->facts;
		self->facts = (CommandFacts){.line = NULL};
	}
	return status;
}

/* only_checks: checks the options only. */
static int step_report(const StatRun *self, guint only_checks, GError **error)
{
	g_autofree char *a = repeat_label(&repeat, 0);
	g_autofree char *b = repeat_label(&repeat, 1);
	const char *const commands[] = {a, b, NULL};
	const ReportRun request = {.sides = {repeat.sides[0], repeat.sides[1]}, .names = commands};

	return only_checks ? reporting_check(self->globals, &request)
			   : reporting_run(self->globals, &request, error);
}

static int run_many(StatRun *self)
{
	g_autoptr(GError) error = NULL;
	int status = step_report(self, TRUE, NULL);

	if (status == EXIT_DONE)
		status = run_apart(self, step_prepare, 0);
	if (status != EXIT_DONE)
		return status;
	status = repeat_do(&repeat, run_one_of_many, self);
	/* After Ctrl-C, report the completed runs. */
	int number = crash_take_signal();
	if ((number && number != SIGINT) || repeat.sides[0]->len == 0) {
		crash_note_signal(number);
		return status;
	}
	if (!repeat_keep(&repeat, &error))
		status = error_report(error);
	int reported = run_apart(self, step_report, FALSE);
	crash_note_signal(number);
	int worst = repeat_status(&repeat);
	if (worst != EXIT_DONE)
		return worst;
	return reported != EXIT_DONE ? reported : status;
}

/* Reports a recording as compare does. */
static int step_recording(const StatRun *self, guint n, GError **error)
{
	const ReportRun request = {.files = (const char *const *)self->command, .is_window = TRUE};

	(void)n;
	return reporting_run(self->globals, &request, error);
}

static int cmd_stat_run(Globals *globals, char **arguments, GError **error)
{
	g_auto(StatRun) self = {.globals = globals, .command = arguments, .pidfd = -1};
	int status = !prepare(&self, error)    ? EXIT_FAILED
		     : is_recording(arguments) ? run_apart(&self, step_recording, 0)
		     : repeat.n > 0            ? run_many(&self)
					       : run_once(&self);

	repeat_clear(&repeat);
	if (crash_interrupted()) {
		stat_run_clear(&self);
		crash_reraise();
	}
	return status;
}

const Command cmd_stat = {
	.name = "stat",
	.arguments = "-- COMMAND [ARGUMENT…] | RECORDING",
	.summary = "Run a command, and show what changed on the host meanwhile",
	.help = "Captures, runs COMMAND, captures again and compares. The exit status is that\n"
		"of COMMAND (128 + N if signal N ended it). Takes the options of capture and\n"
		"compare; ctprof itself is not shown. The report goes to standard output, or\n"
		"to --output FILE.\n"
		"\n"
		"The section \"command\" shows the time, CPU and memory of COMMAND and the\n"
		"children it waited for; it needs no privileges. With CAP_NET_ADMIN in the "
		"initial\n"
		"namespaces, threads that end in between are recorded as well.\n\n"
		"A RECORDING, written by 'ctprof record', is reported as by compare.\n\n"
		"With --repeat and --versus, two commands run in turn, and differences that "
		"exceed\n"
		"chance are shown: see \"Is it noise?\" in ctprof-stat(1).\n"
		"\n"
		"Examples:\n"
		"  ctprof stat --changed --group-by comm -- sleep 1\n"
		"  ctprof stat --rate --sections primary --sort run_time_ns -- sleep 1\n"
		"  ctprof stat --every 500ms --count 2 --group-by pcomm --changed\n"
		"  ctprof stat --repeat 4 --versus 'sleep 0.2' -- sleep 0.1",
	.options = options,
	.shared = {capturing_options, capturing_cost_options, reporting_options,
		   reporting_compare_options, presenting_options, reading_options, window_options},
	.plugin_options = ALL_PLUGIN_OPTIONS,
	.arguments_from = FROM_COMMANDS,
	.supervises = TRUE,
	.run = cmd_stat_run,
};
