/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ui.h"
#include "guard/crash.h"
#include "guard/delivery.h"

/* Maximum size of a child's findings; if there is more, the plugin writes to our pipe. */
#define MAX_OUTPUT_BYTES (4 * 1024 * 1024)
#define DONE "D"

/* Shared memory that outlives the child. */
struct board {
	const char *op; /* static text, so also valid in the parent; atomic */
};

static struct board *board;
static const CrashPage *page; /* shows where each thread of the child is */
static int pipe_fd = -1;      /* the child's end */

static const char marks[] = {[CHECK_OK] = 'O', [CHECK_FAIL] = 'F', [CHECK_NOTE] = 'N'};

static void finding_free(gpointer data)
{
	CheckFinding *finding = data;

	g_free(finding->check);
	g_free(finding->text);
	g_free(finding);
}

GPtrArray *check_findings_new(void)
{
	return g_ptr_array_new_with_free_func(finding_free);
}

guint check_findings_failed(const GPtrArray *findings)
{
	guint failed = 0;

	for (guint i = 0; i < findings->len; i++) {
		const CheckFinding *finding = g_ptr_array_index(findings, i);

		failed += finding->result == CHECK_FAIL;
	}
	return failed;
}

void check_findings_add(GPtrArray *findings, guint32 result, const char *check, const char *text)
{
	CheckFinding *finding = g_new(CheckFinding, 1);

	*finding = (CheckFinding){result, g_strdup(check), g_strdup(text)};
	g_ptr_array_add(findings, finding);
}

static void put_line(const char *line)
{
	gsize len = strlen(line), at = 0;

	while (at < len) {
		ssize_t put = write(pipe_fd, line + at, len - at);

		if (put < 0 && errno != EINTR)
			return;
		at += put > 0 ? (gsize)put : 0;
	}
}

void check_report(enum check_result result, const char *check, const char *format, ...)
{
	static GMutex lock;
	va_list ap;

	va_start(ap, format);
	g_autofree char *text = g_strdup_vprintf(format, ap);
	va_end(ap);
	g_autofree char *safe = ui_escape(text, -1);
	g_autofree char *line = g_strdup_printf("%c\t%s\t%s\n", marks[result], check, safe);
	g_mutex_lock(&lock);
	put_line(line);
	g_mutex_unlock(&lock);
}

void check_report_op(const char *op)
{
	__atomic_store_n(&board->op, op, __ATOMIC_RELAXED);
}

static gpointer do_nothing(gpointer nothing)
{
	return nothing;
}

static G_NORETURN void child_main(CheckStep step, gconstpointer data, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpgid(0, 0);
	crash_register();
	delivery_attend(-1);
	/* A sanitizer may start a thread of its own along with the first one. */
	g_thread_join(g_thread_new("ctprof-first", do_nothing, NULL));
	/* Output of the plugin must not mix with the report. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	step(data);
	put_line(DONE "\n");
	_exit(0);
}

/* Reads until the child is done, has ended, or its time is over. */
static GString *listen_to(int fd, gint64 deadline, gboolean *ret_in_time)
{
	GString *output = g_string_new(NULL);
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	char buf[4096];

	*ret_in_time = TRUE;
	while (output->len < MAX_OUTPUT_BYTES && !g_str_has_suffix(output->str, "\n" DONE "\n") &&
	       strcmp(output->str, DONE "\n") != 0) {
		gint64 left = (deadline - g_get_monotonic_time()) / 1000;

		if (left <= 0 || crash_interrupted()) {
			*ret_in_time = FALSE;
			break;
		}
		if (poll(&ready, 1, (int)left) <= 0)
			continue;
		ssize_t got = read(fd, buf, sizeof buf);
		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		if (got > 0)
			g_string_append_len(output, buf, got);
	}
	return output;
}

/* Returns whether the child reported that it was done. */
static gboolean take_lines(const char *output, GPtrArray *findings)
{
	g_auto(GStrv) lines = g_strsplit(output, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) cells = g_strsplit(lines[i], "\t", 3);

		if (strcmp(lines[i], DONE) == 0)
			return TRUE;
		const char *mark = memchr(marks, lines[i][0], sizeof marks);
		if (mark && g_strv_length(cells) == 3 && !cells[0][1])
			check_findings_add(findings, (guint32)(mark - marks), cells[1], cells[2]);
	}
	return FALSE;
}

/* Describes the function of the plugin in which the child ended. */
static char *describe_place(void)
{
	const CrashBlame *culprit = crash_find_culprit(page);

	if (culprit)
		return g_strdup_printf("in its %s function", culprit->op);
	return g_strdup_printf("the last function called was %s", board->op ? board->op : "load");
}

static char *describe_end(int status, gboolean in_time, guint timeout_s)
{
	g_autofree char *place = describe_place();

	/* A helper process may hold the pipe long after the child crashed. */
	if (WIFSIGNALED(status) && (in_time || WTERMSIG(status) != SIGKILL))
		return g_strdup_printf("crashed with signal %d (%s); %s", WTERMSIG(status),
				       g_strsignal(WTERMSIG(status)), place);
	if (!in_time)
		return g_strdup_printf("not finished after %u s; %s", timeout_s, place);
	return g_strdup_printf("ended the process with status %d; %s", WEXITSTATUS(status), place);
}

static void attend(pid_t pid, int fd, const char *check, guint timeout_s, GPtrArray *findings)
{
	gint64 deadline = g_get_monotonic_time() + (gint64)timeout_s * G_USEC_PER_SEC;
	gboolean in_time;
	int status = 0;
	g_autoptr(GString) output = listen_to(fd, deadline, &in_time);
	gboolean done = take_lines(output->str, findings);

	if (!in_time)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	kill(-pid, SIGKILL); /* helpers that it left */
	if (done)
		return;
	g_autofree char *end = describe_end(status, in_time, timeout_s);
	check_findings_add(findings, CHECK_FAIL, check, end);
}

void check_run_child(CheckStep step, gconstpointer data, const char *check, guint timeout_s,
		     GPtrArray *findings)
{
	int fds[2];
	pid_t parent = getpid();

	board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (board == MAP_FAILED || pipe2(fds, O_CLOEXEC) < 0) {
		check_findings_add(findings, CHECK_FAIL, check, g_strerror(errno));
		return;
	}
	fflush(NULL);
	page = crash_reset();
	pid_t pid = fork();
	if (pid == 0) {
		close(fds[0]);
		pipe_fd = fds[1];
		child_main(step, data, parent);
	}
	close(fds[1]);
	if (pid < 0)
		check_findings_add(findings, CHECK_FAIL, check, g_strerror(errno));
	else
		attend(pid, fds[0], check, timeout_s, findings);
	close(fds[0]);
	munmap(board, sizeof *board);
}
