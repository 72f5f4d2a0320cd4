/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "capture-options.h"
#include "check/check.h"
#include "cmd.h"
#include "plugin/settings.h"

#define DEFAULT_TIMEOUT_S 60
#define MAX_TIMEOUT_S 86400

static char **pids;
static guint64 timeout_s = DEFAULT_TIMEOUT_S;

static const Option options[] = {
	OPTION_PID(&pids, "Run it on this process only (repeatable)"),
	OPTION(COUNT, "timeout", 0, &timeout_s, "S", "Time limit of each run, in seconds",
	       .row.least = 1, .row.most = MAX_TIMEOUT_S, .row.default_value = "60"),
	OPTION_END,
};

static const char *const words[] = {
	[CHECK_OK] = "ok",
	[CHECK_FAIL] = "FAIL",
	[CHECK_NOTE] = "note",
};

static void print_text(const GPtrArray *findings)
{
	guint failed = check_findings_failed(findings);

	for (guint i = 0; i < findings->len; i++) {
		const CheckFinding *finding = g_ptr_array_index(findings, i);

		printf("%-4s  %s%s%s\n", words[finding->result], finding->check,
		       finding->text[0] ? ": " : "", finding->text);
	}
	if (failed == 0)
		puts("every check passed");
	else
		printf("%u %s\n", failed, failed == 1 ? "failure" : "failures");
}

static void print_json(const char *file, const GPtrArray *findings)
{
	g_autoptr(JsonBuilder) builder = json_begin();

	json_add_texts(builder, "file", file, NULL);
	json_add_int(builder, "failed", check_findings_failed(findings));
	json_begin_list(builder, "findings");
	for (guint i = 0; i < findings->len; i++) {
		const CheckFinding *finding = g_ptr_array_index(findings, i);

		json_builder_begin_object(builder);
		json_add_texts(builder, "check", finding->check, "result", words[finding->result],
			       "text", finding->text, NULL);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	json_print(builder);
}

static int run(Globals *globals, char **arguments)
{
	g_autoptr(GError) error = NULL;

	if (!arguments[0] || arguments[1])
		error_set_usage(&error, "expected one FILE");
	g_autoptr(GArray) only = capturing_list_pids(pids);
	g_autoptr(GHashTable) settings = error ? NULL : settings_parse(globals->settings, &error);
	g_autoptr(Root) root =
		settings ? root_open(globals->proc, globals->sys, globals->cgroup, &error) : NULL;
	if (!root)
		return cmd_fail(error);
	CheckRequest request = {
		.file = arguments[0],
		.globals = globals,
		.pids = only,
		.timeout_s = (guint)timeout_s,
	};
	g_autoptr(GPtrArray) findings = check_plugin(&request, &error);
	if (!findings)
		return cmd_fail(error);
	if (cmd_json)
		print_json(request.file, findings);
	else
		print_text(findings);
	int status = cmd_printed();
	return status == EXIT_DONE && check_findings_failed(findings) > 0 ? EXIT_FAILED : status;
}

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
		"  ctprof plugin-check --format json ctprof-example.so | jq .failed",
	.options = options,
	.shared = {cmd_format_options},
	.arguments_from = FROM_FILES,
	.supervises = TRUE,
	.run = run,
};
