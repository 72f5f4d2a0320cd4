/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "crash.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALT_STACK_BYTES 65536

/* Signal handlers may only use what cannot be half-written. */
static char doomed[PATH_MAX];
static volatile sig_atomic_t doomed_set;
static volatile sig_atomic_t interrupted;
static _Thread_local const char *volatile blamed_plugin;
static _Thread_local const char *volatile blamed_op;

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
static const struct crash_signal {
	int number;
	const char *name;
} crashes[] = {
	{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
	{SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"},
};

static void put(const char *text)
{
	/* Nothing can be done about a failing stderr here. */
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

static void unlink_doomed(void)
{
	if (doomed_set)
		unlink(doomed);
}

static void on_interrupt(int number)
{
	if (interrupted) {
		unlink_doomed();
		signal(number, SIG_DFL);
		raise(number); /* delivered when this handler returns */
		return;
	}
	interrupted = number;
}

/* "ctprof: plugin NAME: WHAT its OP function; ..." */
static void put_blame(const char *what, const char *signal_name)
{
	put("ctprof: plugin ");
	put(blamed_plugin);
	put(": ");
	put(what);
	put(signal_name);
	put(" in its ");
	put(blamed_op);
	put(" function; nothing was written; leave it out with --plugins=-");
	put(blamed_plugin);
	put("\n");
}

static void on_crash(int number)
{
	const char *name = "a signal";

	unlink_doomed();
	if (!blamed_plugin) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	for (guint i = 0; i < G_N_ELEMENTS(crashes); i++)
		if (crashes[i].number == number)
			name = crashes[i].name;
	put_blame("crashed with ", name);
	_exit(1);
}

/* A plugin that calls exit() must not make a failure look like success. */
static void on_exit_called(void)
{
	unlink_doomed();
	if (!blamed_plugin)
		return;
	put_blame("ended the program", "");
	_exit(1);
}

void crash_init(void)
{
	struct sigaction interrupt = {.sa_handler = on_interrupt};
	struct sigaction crash = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER};

	crash_init_thread();
	atexit(on_exit_called);
	sigemptyset(&interrupt.sa_mask);
	sigemptyset(&crash.sa_mask);
	for (guint i = 0; i < G_N_ELEMENTS(interrupts); i++) {
		struct sigaction old;

		/* nohup and the like stay in force. */
		if (sigaction(interrupts[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(interrupts[i], &interrupt, NULL);
	}
	for (guint i = 0; i < G_N_ELEMENTS(crashes); i++)
		sigaction(crashes[i].number, &crash, NULL);
}

static void free_stack(void *stack)
{
	stack_t off = {.ss_flags = SS_DISABLE};

	sigaltstack(&off, NULL);
	g_free(stack);
}

void crash_init_thread(void)
{
	static GPrivate stack = G_PRIVATE_INIT(free_stack);

	stack_t alt = {.ss_sp = g_malloc(ALT_STACK_BYTES), .ss_size = ALT_STACK_BYTES};
	if (sigaltstack(&alt, NULL) < 0)
		g_free(alt.ss_sp);
	else
		g_private_set(&stack, alt.ss_sp);
}

void crash_blame(const char *plugin, const char *op)
{
	blamed_op = op;
	blamed_plugin = plugin;
}

void crash_unlink(const char *path)
{
	doomed_set = 0;
	if (path && g_strlcpy(doomed, path, sizeof doomed) < sizeof doomed)
		doomed_set = 1;
}

gboolean crash_interrupted(void)
{
	return interrupted != 0;
}

void crash_reraise(void)
{
	if (!interrupted)
		return;
	signal(interrupted, SIG_DFL);
	raise(interrupted);
}
