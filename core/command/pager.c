/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ui.h"
#include "guard/delivery.h"

/* Quit if everything fits, keep colours, leave the text on the screen. */
#define LESS_FLAGS "FRX"

struct pager {
	GPid pid;
	int terminal; /* the original standard output */
	struct sigaction interrupt, quit, broken_pipe;
};

static const char *find_command(void)
{
	const char *command = g_getenv("CTPROF_PAGER");

	if (!command)
		command = g_getenv("PAGER");
	if (!command)
		command = "less";
	return command[0] && strcmp(command, "cat") != 0 ? command : NULL;
}

/* Starts the pager without a shell, so that a missing one is detected. */
static gboolean spawn(const char *command, GPid *ret_pid, int *ret_input)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) argv = NULL;
	g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "LESS", LESS_FLAGS, FALSE);

	environment = g_environ_setenv(environment, "LV", "-c", FALSE);
	if (g_shell_parse_argv(command, NULL, &argv, &error) &&
	    g_spawn_async_with_pipes(NULL, argv, environment,
				     G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
				     ret_pid, ret_input, NULL, NULL, &error))
		return TRUE;
	ui_verbose(1, "no pager: %s", error->message);
	return FALSE;
}

/* Leaves the keyboard to the pager; quitting it early is not an error. */
static void leave_keys_to(Pager *pager)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	sigemptyset(&ignore.sa_mask);
	sigaction(SIGINT, &ignore, &pager->interrupt);
	sigaction(SIGQUIT, &ignore, &pager->quit);
	sigaction(SIGPIPE, &ignore, &pager->broken_pipe);
}

Pager *pager_start(void)
{
	const char *command = find_command();
	GPid pid;
	int input;

	/* With raised privileges, run nothing that the environment names. */
	if (!command || !isatty(STDOUT_FILENO) || getauxval(AT_SECURE) ||
	    !spawn(command, &pid, &input))
		return NULL;
	Pager *pager = g_new0(Pager, 1);
	pager->pid = pid;
	fflush(stdout);
	pager->terminal = dup(STDOUT_FILENO);
	dup2(input, STDOUT_FILENO);
	close(input);
	leave_keys_to(pager);
	delivery_lend_keys(TRUE);
	return pager;
}

void pager_finish(Pager *pager)
{
	if (pager->terminal >= 0) {
		/* Closes our end of the pipe, so that the pager sees the end of the output. */
		dup2(pager->terminal, STDOUT_FILENO);
		close(pager->terminal);
	} else {
		close(STDOUT_FILENO);
	}
	while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	delivery_lend_keys(FALSE);
	sigaction(SIGINT, &pager->interrupt, NULL);
	sigaction(SIGQUIT, &pager->quit, NULL);
	sigaction(SIGPIPE, &pager->broken_pipe, NULL);
	g_free(pager);
}
