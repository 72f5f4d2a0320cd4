/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capture-options.h"
#include "cmd.h"
#include "export/export-run.h"
#include "frame/quantity.h"
#include "road/capturing.h"
#include "road/load.h"
#include "road/redacting.h"

/* Implements the request's tabulate(). */
static gboolean tabulate(const Session *session, Plugin *sink, Output *output,
			 CaptureOptions *options, CaptureResult *ret_result, GError **error)
{
	const ExportOptions usual = {.group_by = GROUP_BY_PCOMM, .redactor = options->redactor};
	g_autoptr(Export) export = export_new(sink, output, &usual, error);
	g_autofree char *host = export_name_host(NULL, output_label(output));
	const ExportSample sample = {
		.file = output_label(output),
		.host = host,
		.realtime_ns = root_time(session->root).realtime_ns,
	};

	if (!export)
		return FALSE;
	export_learn(export, session->registry);
	options->each = export_take;
	options->data = export;
	return export_begin(export, error) && export_begin_sample(export, &sample, error) &&
	       capture_run(session->root, session->plugins, session->registry, NULL, NULL, options,
			   ret_result, error) &&
	       export_end_sample(export, session->registry, NULL, error) &&
	       export_finish(export, error);
}

static CapturingRequest request = {.tabulate = tabulate};
static char *metrics;

static const Option options[] = {
	OPTION(PATH, "output", 'o', &request.output, "FILE", "Write FILE, '-' for standard output",
	       .from = FROM_FILES, .row.default_value = "HOST-TIME" CAPTURING_SUFFIX),
	OPTION(TEXT, "sink", 0, &request.sink, "NAME", "Plugin that writes FILE",
	       .from = FROM_WRITERS, .row.default_value = SNAPSHOT_SINK),
	OPTION_PID(&request.pids, "Capture only this process (repeatable)"),
	OPTION(TEXT, "metrics", 'm', &metrics, "LIST",
	       "Read only these metrics; '-NAME' leaves one out", .from = FROM_METRICS),
	OPTION_END,
};

static int cmd_capture_run(Globals *globals, char **arguments, GError **error)
{
	g_autofree char *named = metrics ? quantity_list_inputs(metrics) : NULL;

	request.metrics = named;
	return EXIT_OF(cmd_no_arguments(arguments, error) && redacting_prepare(FALSE, error) &&
		       capturing_run(globals, &request, error));
}

const Command cmd_capture = {
	.name = "capture",
	.arguments = "",
	.summary = "Write a snapshot of every thread on this host",
	.help = "The snapshot is zstd-compressed JSON: 'zstdcat FILE | jq .threads[0]'.\n"
		"Values that could not be read are absent, each with the reason.\n\n"
		"Examples:\n"
		"  ctprof capture\n"
		"  ctprof --plugins=procfs capture -o before.ctprof.zst\n"
		"  ctprof capture --pid $(pidof -s postgres) --groups=sched,io\n"
		"  ctprof capture --smaps=never -o - | zstdcat | jq '.threads | length'",
	.options = options,
	.shared = {capturing_options, capturing_cost_options, redacting_options,
		   redacting_key_options},
	.plugin_options = ALL_PLUGIN_OPTIONS,
	.run = cmd_capture_run,
};
