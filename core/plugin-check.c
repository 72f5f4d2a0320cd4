/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks plugins: a separate program for their authors. `ctprof plugin-check` starts it with its
 * own command line.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "check/check.h"
#include "plugin/settings.h"
#include "program.h"
#include "road/capturing.h"

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
	json_print_document(builder);
}

static int plugin_check_run(Globals *globals, char **arguments, GError **error)
{
	if (!arguments[0] || arguments[1])
		return error_set_usage(error, "expected one FILE");
	g_autoptr(GArray) only = capturing_list_pids(cmd_check_pids);
	g_autoptr(GHashTable) settings = settings_parse(globals->settings, error);
	g_autoptr(Root) root =
		settings ? root_open(globals->proc, globals->sys, globals->cgroup, error) : NULL;
	if (!root)
		return EXIT_FAILED;
	CheckRequest request = {
		.file = arguments[0],
		.globals = globals,
		.pids = only,
		.timeout_s = (guint)cmd_check_timeout_s,
	};
	g_autoptr(GPtrArray) findings = check_plugin(&request, error);
	if (!findings)
		return EXIT_FAILED;
	if (cmd_json)
		print_json(request.file, findings);
	else
		print_text(findings);
	int status = cmd_printed();
	return status == EXIT_DONE && check_findings_failed(findings) > 0 ? EXIT_FAILED : status;
}

int main(int argc, char **argv)
{
	Command command = cmd_plugin_check;
	const Command *const commands[] = {&command, NULL};

	(void)argc;
	command.program = NULL;
	command.supervises = TRUE;
	command.run = plugin_check_run;
	return program_run(commands, argv);
}
