/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program itself is core/plugin-check.c. */
#include "cmd.h"

#define DEFAULT_TIMEOUT_S 60
#define MAX_TIMEOUT_S 86400

char **cmd_check_pids;
guint64 cmd_check_timeout_s = DEFAULT_TIMEOUT_S;

static const Option options[] = {
	OPTION_PID(&cmd_check_pids, "Run it on this process only (repeatable)"),
	OPTION(COUNT, "timeout", 0, &cmd_check_timeout_s, "S", "Time limit of each run, in seconds",
	       .row.least = 1, .row.most = MAX_TIMEOUT_S, .row.default_value = "60"),
	OPTION_END,
};

const Command cmd_plugin_check = {
	.name = "plugin-check",
	.arguments = "FILE",
	.summary = "Check a plugin file: what it declares, opens, puts, leaks",
	.help = "Loads the plugin in separate processes and runs it on this host (or on the "
		"recorded\n"
		"one of --proc-root), on a host without any files, with nothing wanted, and from "
		"two\n"
		"workers at once; a sink gets a capture and reports. Run it as an ordinary user "
		"and\n"
		"as root.\n"
		"\n"
		"FAIL: a rule of ctprof/plugin.h is broken; a note is for you to judge. The exit\n"
		"status is 0 without failures, otherwise 1.\n"
		"\n"
		"Examples:\n"
		"  ctprof plugin-check ctprof-example.so\n"
		"  ctprof plugin-check --timeout 10 ctprof-example.so\n"
		"  ctprof plugin-check --format json ctprof-example.so | jq .failed",
	.options = options,
	.shared = {cmd_format_options},
	.arguments_from = FROM_FILES,
	.program = "ctprof-plugin-check",
};
