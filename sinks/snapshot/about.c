/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "about.h"

#include "words.h"

static void about_write_flags(struct json *json, uint32_t set)
{
	const char *separator = "";

	json_literal(json, ",\"flags\":[");
	for (const struct word *flag = words_flags; flag->word; flag++) {
		if (!(set & flag->value))
			continue;
		json_raw(json, separator, strlen(separator));
		separator = ",";
		json_string(json, flag->word);
	}
	json_literal(json, "]");
}

static void about_write_metric(struct json *json, const struct ctprof_metric_info *info)
{
	const struct ctprof_metric *metric = info->metric;

	json_literal(json, "{\"name\":");
	json_string(json, metric->name);
	json_member_string(json, "kind", words_find(words_kinds, metric->kind));
	json_member_string(json, "unit", words_find(words_units, metric->unit));
	json_member_string(json, "scope", words_find(words_scopes, metric->scope));
	json_member_string(json, "group", metric->group);
	json_member_string(json, "plugin", info->plugin);
	json_member_u64(json, "rank", metric->rank);
	if (metric->tag)
		json_member_string(json, "tag", metric->tag);
	if (metric->gates)
		json_member_string(json, "gates", metric->gates);
	if (metric->flags)
		about_write_flags(json, metric->flags);
	json_member_string(json, "help", metric->help);
	json_member_string(json, "origin", metric->origin);
	json_literal(json, "}");
}

void about_write_metrics(struct json *json, const struct ctprof_capture *capture)
{
	bool first = true;

	json_literal(json, "[");
	for (uint64_t i = 0; i < capture->n_metrics; i++) {
		const struct ctprof_metric_info *info = about_metric(capture, i);

		if (!about_is_told(info))
			continue;
		if (!first)
			json_literal(json, ",");
		first = false;
		about_write_metric(json, info);
	}
	json_literal(json, "]");
}

static void about_write_plugin(struct json *json, const struct ctprof_plugin_report *report)
{
	json_literal(json, "{\"name\":");
	json_string(json, report->name);
	json_member_string(json, "version", report->version);
	json_member_string(json, "kind", words_find(words_plugin_kinds, report->kind));
	json_member_string(json, "state", words_find(words_plugin_states, report->state));
	if (report->why)
		json_member_string(json, "why", report->why);
	json_member_u64(json, "batches", report->batches);
	json_member_u64(json, "failures", report->failures);
	json_member_u64(json, "cpu_ns", report->cpu_ns);
	json_literal(json, "}");
}

void about_write_plugins(struct json *json, const struct ctprof_capture_end *end)
{
	const char *at = (const char *)end->plugins;

	json_literal(json, "[");
	for (uint64_t i = 0; i < end->n_plugins; i++, at += end->plugins->struct_size) {
		if (i > 0)
			json_literal(json, ",");
		about_write_plugin(json, (const void *)at);
	}
	json_literal(json, "]");
}

static void about_write_options(struct json *json, const struct ctprof_capture *capture)
{
	const char *at = (const char *)capture->options;

	json_literal(json, ",\"options\":{");
	for (uint64_t i = 0; i < capture->n_options; i++, at += capture->options->struct_size) {
		const struct ctprof_fact *fact = (const void *)at;

		if (i > 0)
			json_literal(json, ",");
		json_string(json, fact->key);
		json_literal(json, ":");
		json_string(json, fact->value);
	}
	json_literal(json, "}");
}

void about_begin_capture(struct json *json, const struct ctprof_capture *capture)
{
	json_literal(json, "{\"version\":");
	json_string(json, capture->version);
	json_member_string(json, "kernel", capture->kernel);
	json_member_u64(json, "jobs", capture->jobs);
	about_write_options(json, capture);
	json_member_u64(json, "begin_unix_ns", capture->realtime_ns);
	json_member_u64(json, "begin_boottime_ns", capture->monotonic_ns);
}

void about_end_capture(struct json *json, const struct ctprof_capture_end *end,
		       uint64_t began_monotonic_ns)
{
	/* CLOCK_BOOTTIME does not step back: less than 0 is a recorded root's. */
	uint64_t skew =
		end->monotonic_ns > began_monotonic_ns ? end->monotonic_ns - began_monotonic_ns : 0;

	json_member_u64(json, "end_unix_ns", end->realtime_ns);
	json_member_u64(json, "end_boottime_ns", end->monotonic_ns);
	json_member_u64(json, "skew_ns", skew);
	json_member_u64(json, "threads", end->threads);
	json_member_u64(json, "processes", end->processes);
	json_member_u64(json, "vanished", end->vanished);
	json_member_u64(json, "cpu_ns", end->cpu_ns);
	json_member_u64(json, "peak_rss_bytes", end->peak_rss_bytes);
	json_literal(json, "}");
}
