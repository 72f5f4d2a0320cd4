/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sink in the snapshot's place that writes lines a test can read:
 *	thread TGID TID NAME=VALUE|!STATE ...	host NAME=...
 *	metric NAME of PLUGIN			(when the capture ends)
 *	plugin NAME state=N failures=N why=TEXT	end threads=N processes=N
 * Only metrics of the group in TOYSINK_GROUP ("toy") are shown.  The environment
 * variable TOYSINK_FAULT names what goes wrong: one of those below, or of trouble.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/sink.h"
#include "trouble.h"

#define MAX_SHOWN 16

static const struct ctprof_host *host;
static const struct ctprof_metric_info *shown[MAX_SHOWN]; /* valid until the end */
static size_t n_shown;

static int has_fault(const char *name)
{
	const char *fault = getenv(TOYSINK_FAULT);

	return fault && strcmp(fault, name) == 0;
}

__attribute__((format(printf, 1, 2))) static int print(const char *format, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, format);
	int n = vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof line)
		return -EOVERFLOW;
	return has_fault("mute") ? 0 : host->write(host, line, (size_t)n);
}

static int sink_open(const struct ctprof_host *lent, void **ret_self)
{
	host = lent;
	*ret_self = &shown;
	trouble_at(getenv(TOYSINK_FAULT), "open");
	return 0;
}

static void sink_close(void *self)
{
	(void)self;
	trouble_at(getenv(TOYSINK_FAULT), "close");
}

static int sink_begin(void *self, const struct ctprof_capture *capture)
{
	const char *group = getenv("TOYSINK_GROUP");

	(void)self;
	trouble_at(getenv(TOYSINK_FAULT), "begin");
	if (has_fault("begin-fails")) {
		host->error(host, "will not begin");
		return -EINVAL;
	}
	for (uint64_t i = 0; i < capture->n_metrics && n_shown < MAX_SHOWN; i++)
		if (strcmp(capture->metrics[i].metric->group, group ? group : "toy") == 0)
			shown[n_shown++] = &capture->metrics[i];
	return print("begin jobs=%u\n", capture->jobs);
}

static int is_of(const struct ctprof_metric_info *info, const struct ctprof_rows *rows)
{
	uint32_t scope = info->metric->scope;

	return scope == rows->scope ||
	       (rows->scope == CTPROF_SCOPE_THREAD &&
		(scope == CTPROF_SCOPE_PROCESS || scope == CTPROF_SCOPE_MM));
}

static int print_value(const struct ctprof_metric_info *info, uint32_t state, uint64_t value)
{
	const char *name = info->metric->name;

	if (state != CTPROF_PRESENT)
		return print(" %s=!%u", name, state);
	if (info->type == CTPROF_TYPE_TEXT)
		return print(" %s=%s", name, ((const struct ctprof_text *)(uintptr_t)value)->bytes);
	return print(" %s=%" PRIu64, name, value);
}

static int print_target(uint32_t scope, const struct ctprof_target *target)
{
	if (scope == CTPROF_SCOPE_THREAD)
		return print("thread %d %d", target->tgid, target->tid);
	if (scope == CTPROF_SCOPE_OBJECT)
		return print("object %s %s", target->group, target->path);
	return print("scope %u", scope);
}

static int print_row(const struct ctprof_rows *rows, uint64_t row)
{
	int result = print_target(rows->scope, ctprof_rows_target(rows, row));

	for (size_t i = 0; i < n_shown && result >= 0; i++) {
		uint64_t at = row * rows->n_slots + shown[i]->index;

		if (is_of(shown[i], rows))
			result = print_value(shown[i], rows->states[at], rows->values[at]);
	}
	return result < 0 ? result : print("\n");
}

static int sink_rows(void *self, const struct ctprof_rows *rows)
{
	int result = 0;

	(void)self;
	trouble_at(getenv(TOYSINK_FAULT), "rows");
	if (has_fault("rows-fail")) {
		host->error(host, "no more rows");
		return -EINVAL;
	}
	for (uint64_t i = 0; i < rows->n && result >= 0; i++)
		result = print_row(rows, i);
	return result;
}

static int sink_end(void *self, const struct ctprof_capture_end *end)
{
	(void)self;
	trouble_at(getenv(TOYSINK_FAULT), "end");
	if (has_fault("end-fails"))
		return -EINVAL;
	for (size_t i = 0; i < n_shown; i++)
		print("metric %s of %s\n", shown[i]->metric->name, shown[i]->plugin);
	for (uint64_t i = 0; i < end->n_plugins; i++) {
		const struct ctprof_plugin_report *report = &end->plugins[i];

		if (report->kind != CTPROF_KIND_SINK)
			print("plugin %s state=%u failures=%" PRIu64 " why=%s\n", report->name,
			      report->state, report->failures, report->why ? report->why : "-");
	}
	/* The sink hides a failure of this write only: the host must remember it. */
	print("end threads=%" PRIu64 " processes=%" PRIu64 "\n", end->threads, end->processes);
	return 0;
}

static int sink_report(void *self, const struct ctprof_report *report)
{
	(void)self;
	(void)report;
	trouble_at(getenv(TOYSINK_FAULT), "report");
	return print("a report\n");
}

#ifdef TOYSINK_TABLES
static uint64_t n_records;

static int sink_table(void *self, const struct ctprof_table *table)
{
	(void)self;
	(void)table;
	trouble_at(getenv(TOYSINK_FAULT), "table");
	return 0;
}

static int sink_records(void *self, const struct ctprof_records *records)
{
	(void)self;
	trouble_at(getenv(TOYSINK_FAULT), "records");
	n_records += records->n;
	return 0;
}

static int sink_finish(void *self)
{
	(void)self;
	return print("%" PRIu64 " records\n", n_records);
}
#endif

static const struct ctprof_sink_ops ops = {
	.struct_size = sizeof ops,
	.open = sink_open,
	.close = sink_close,
#ifdef TOYSINK_TABLES
	.table = sink_table,
	.records = sink_records,
	.finish = sink_finish,
#endif
	.begin = sink_begin,
	.rows = sink_rows,
	.end = sink_end,
	.report = sink_report,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.kind = CTPROF_KIND_SINK,
	.thread_model = CTPROF_THREADS_SERIAL,
	.cost = CTPROF_COST_CHEAP,
	.name = TOYSINK_NAME,
	.version = "1",
	.summary = "A toy",
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
