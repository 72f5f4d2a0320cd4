/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capture-options.h"
#include "cmd.h"

static CapturingRequest request;

static const GOptionEntry entries[] = {
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &request.output,
	 "Write FILE, '-' for standard output (default: HOST-TIME" CAPTURING_SUFFIX ")", "FILE"},
	{"sink", 0, 0, G_OPTION_ARG_STRING, &request.sink,
	 "Plugin that writes FILE (default: snapshot)", "NAME"},
	{"pid", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &request.pids,
	 "Capture this process only (repeatable)", "PID"},
	{"metrics", 'm', 0, G_OPTION_ARG_STRING, &request.metrics,
	 "Read these metrics only; '-NAME' leaves one out", "LIST"},
	G_OPTION_ENTRY_NULL,
};

static int run(Globals *globals, char **arguments)
{
	g_autoptr(GError) error = NULL;

	if (cmd_no_arguments(arguments, &error) && capturing_run(globals, &request, &error))
		return EXIT_DONE;
	return cmd_fail(error);
}

const Command cmd_capture = {
	.name = "capture",
	.arguments = "",
	.summary = "Write a snapshot of every thread of this host",
	.help = "The snapshot is zstd-compressed JSON: 'zstdcat FILE | jq .threads[0]'.\n"
		"Values that could not be read are absent in it, each with the reason.\n\n"
		"Examples:\n"
		"  ctprof capture\n"
		"  ctprof --plugins=procfs capture -o before.ctprof.zst\n"
		"  ctprof capture --pid $(pidof -s postgres) --groups=sched,io\n"
		"  ctprof capture --smaps=never -o - | zstdcat | jq '.threads | length'",
	.entries = entries,
	.shared = {capturing_entries, capturing_cost_entries},
	.run = run,
};
