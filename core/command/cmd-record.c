/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/ui.h"
#include "capture-options.h"
#include "cmd.h"
#include "guard/supervise.h"
#include "road/capturing.h"
#include "road/load.h"
#include "road/record-run.h"
#include "road/redacting.h"

#define NS_PER_MS G_GUINT64_CONSTANT(1000000)
#define NS_PER_S (1000 * NS_PER_MS)
#define MAX_SAMPLES 1000000000
#define MAX_KEPT 1000
/* Time for the current sample and the table that ends the file, on a busy host. */
#define TIME_TO_END_MS 10000

static CapturingRequest request = {.listens = TRUE};
static RecordPlan plan = {.interval_ns = NS_PER_S, .keep = 1, .mark_inputs = {-1, -1}};
static guint64 mark_fd = G_MAXUINT64; /* none */

static const Option options[] = {
	OPTION(PATH, "output", 'o', &plan.path, "FILE",
	       "Write FILE, which must not exist; '-' for standard output", .from = FROM_FILES,
	       .row.default_value = "HOST-TIME" RECORD_SUFFIX),
	OPTION(TIME, "interval", 'i', &plan.interval_ns, "TIME", "Take a sample every TIME",
	       .row.least = 10 * NS_PER_MS, .row.default_value = "1s"),
	OPTION(TIME, "duration", 'd', &plan.duration_ns, "TIME", "Stop after TIME", .row.least = 1),
	OPTION(COUNT, "count", 'n', &plan.count, "N", "Stop after N samples", .row.least = 1,
	       .row.most = MAX_SAMPLES),
	OPTION(TEXT, "every", 0, &plan.every, "GROUP=TIME",
	       "Read this group of metrics only every TIME, as smaps=30s (repeatable)",
	       .many = TRUE, .from = FROM_GROUPS),
	OPTION(SIZE, "max-size", 0, &plan.max_size, "SIZE",
	       "Start a new file when FILE is larger; the previous one becomes FILE.1",
	       .row.least = 1),
	OPTION(TIME, "max-age", 0, &plan.max_age_ns, "TIME", "The same after TIME", .row.least = 1),
	OPTION(COUNT, "keep", 0, &plan.keep, "N", "Keep as much as fits into N full files",
	       .row.least = 1, .row.most = MAX_KEPT, .row.default_value = "1"),
	OPTION(COUNT, "mark-fd", 0, &mark_fd, "FD",
	       "Read marks from this descriptor, a pipe, one per line (see 'ctprof mark')",
	       .row.most = G_MAXINT32),
	OPTION_PID(&request.pids, "Record only this process (repeatable)"),
	OPTION(TEXT, "metrics", 'm', &request.metrics, "LIST",
	       "Read only these metrics; '-NAME' leaves one out", .from = FROM_METRICS),
	OPTION_END,
};

/* Prepares the state that must outlive a process in which a plugin fails. */
static gboolean prepare(Globals *globals, char **command, GError **error)
{
	plan.globals = globals;
	plan.request = &request;
	supervise_time_to_end_ms = TIME_TO_END_MS;
	if (plan.path && strcmp(plan.path, "-") == 0 && (plan.max_size || plan.max_age_ns))
		return error_set_usage(error, "--max-size, --max-age: not with standard output");
	if (mark_fd != G_MAXUINT64 && !marks_open_lines(&plan.mark_inputs, (int)mark_fd, error))
		return FALSE;
	plan.state = mmap(NULL, sizeof *plan.state, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (plan.state == MAP_FAILED)
		return error_set_failed(error, "out of memory");
	if (command[0] && !(plan.workload = workload_new(command, error)))
		return FALSE;
	if (plan.workload)
		supervise_has_workload = TRUE;
	return redacting_prepare(FALSE, error) && record_parse_every(&plan, error);
}

/* Runs a process for each file, as only this process may open files. */
static int run_files(void)
{
	int status;

	do {
		g_autoptr(GError) error = NULL;

		if (!record_open(&plan, &error))
			return error_report(error);
		status = supervise_run(record_step, &plan, NULL);
		/* Nothing was recorded. */
		if (plan.state->bytes == 0)
			output_remove(plan.output);
	} while (status == EXIT_DONE && plan.state->wants_another);
	marks_end(&plan.mark_inputs);
	return supervise_status(status);
}

static int cmd_record_run(Globals *globals, char **arguments, GError **error)
{
	if (!prepare(globals, arguments, error))
		return EXIT_FAILED;
	int status = run_files();
	int own = plan.workload ? workload_wait(plan.workload) : EXIT_DONE;
	return own != EXIT_DONE ? own : status;
}

const Command cmd_record = {
	.name = "record",
	.arguments = "[-- COMMAND [ARGUMENT…]]",
	.summary = "Write a recording: a sample of every thread, every second",
	.help = "Samples are taken at multiples of the interval. A late one is skipped and\n"
		"counted. Ends after --duration or --count, with COMMAND, or with SIGINT or\n"
		"SIGTERM; after that, and also after SIGKILL or a full disk, the file can be read to\n"
		"the last whole sample. With COMMAND, the exit status is that of COMMAND.\n\n"
		"Recording threads that end needs CAP_NET_ADMIN in the initial namespaces.\n"
		"The file has one zstd frame per sample: 'zstdcat FILE | jq -c .changed'.\n\n"
		"Examples:\n"
		"  ctprof record -d 2s\n"
		"  ctprof record -i 100ms --every smaps=10m -o sleep.ctprof -- sleep 1\n"
		"  ctprof record -g jemalloc -p $(pidof -s postgres) -n 3 -o heap.ctprof\n"
		"  ctprof record -n 3 -o host.ctprof --max-size 100MiB --keep 10\n"
		"  echo 'load on' | ctprof record -n 2 -i 100ms --mark-fd 0 -o marked.ctprof\n"
		"  ctprof record -n 2 -o - | zstdcat | jq -c .changed",
	.options = options,
	.shared = {capturing_options, capturing_cost_options, redacting_options,
		   redacting_key_options},
	.plugin_options = ALL_PLUGIN_OPTIONS,
	.arguments_from = FROM_COMMANDS,
	.supervises = TRUE,
	.run = cmd_record_run,
};
