/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "about.h"

#include <stdlib.h>

#include "words.h"

static void about_write_flags(struct json *json, uint32_t set)
{
	size_t written = 0;

	json_literal(json, ",\"flags\":[");
	for (const struct word *flag = words_flags; flag->word; flag++)
		if (set & flag->value)
			json_print(json, written++ > 0 ? ",%s" : "%s", flag->word);
	json_literal(json, "]");
}

static void about_write_polarity(struct json *json, const struct ctprof_metric *metric)
{
	uint32_t polarity = BORDER_MEMBER(metric, polarity, 0);
	uint32_t gate_percent = BORDER_MEMBER(metric, gate_percent, 0);
	uint64_t gate = BORDER_MEMBER(metric, gate, 0);

	if (polarity != CTPROF_POLARITY_NEUTRAL)
		json_print(json, ",\"polarity\":%s", words_find(words_polarities, polarity));
	if (gate_percent > 0)
		json_print(json, ",\"gate_percent\":%ju", (uintmax_t)gate_percent);
	if (gate > 0)
		json_print(json, ",\"gate\":%ju", (uintmax_t)gate);
}

static void about_write_metric(struct json *json, const struct ctprof_metric_info *info)
{
	const struct ctprof_metric *metric = info->metric;

	json_print(json, "{\"name\":%s,\"kind\":%s,\"unit\":%s,\"scope\":%s,\"group\":%s",
		   metric->name, words_find(words_kinds, metric->kind),
		   words_find(words_units, metric->unit), words_find(words_scopes, metric->scope),
		   metric->group);
	json_print(json, ",\"plugin\":%s,\"rank\":%ju", info->plugin, (uintmax_t)metric->rank);
	if (metric->tag)
		json_print(json, ",\"tag\":%s", metric->tag);
	if (metric->gates)
		json_print(json, ",\"gates\":%s", metric->gates);
	/* Leave out STILL, for which readers of the file have no use. */
	if (metric->flags & ~CTPROF_METRIC_STILL)
		about_write_flags(json, metric->flags);
	about_write_polarity(json, metric);
	json_print(json, ",\"help\":%s,\"origin\":%s}", metric->help, metric->origin);
}

void about_write_metrics(struct json *json, const struct ctprof_capture *capture)
{
	size_t written = 0;

	json_literal(json, "[");
	for (uint64_t i = 0; i < capture->n_metrics; i++) {
		const struct ctprof_metric_info *info = BORDER_AT(capture->metrics, i);

		if (!about_has_metric(info))
			continue;
		json_raw(json, ",", written++ > 0);
		about_write_metric(json, info);
	}
	json_literal(json, "]");
}

static void about_write_plugin(struct json *json, const struct ctprof_plugin_report *report)
{
	json_print(json, "{\"name\":%s,\"version\":%s,\"kind\":%s,\"state\":%s", report->name,
		   report->version, words_find(words_plugin_kinds, report->kind),
		   words_find(words_plugin_states, report->state));
	if (report->why)
		json_print(json, ",\"why\":%s", report->why);
	json_print(json, ",\"batches\":%ju,\"failures\":%ju,\"cpu_ns\":%ju}", report->batches,
		   report->failures, report->cpu_ns);
}

void about_write_plugins(struct json *json, const struct ctprof_capture_end *end)
{
	json_literal(json, "[");
	for (uint64_t i = 0; i < end->n_plugins; i++) {
		json_raw(json, ",", i > 0);
		about_write_plugin(json, BORDER_AT(end->plugins, i));
	}
	json_literal(json, "]");
}

static void about_write_marks(struct json *json, const struct ctprof_capture *capture)
{
	uint64_t n = BORDER_MEMBER(capture, n_marks, 0);
	const struct ctprof_fact *marks = BORDER_MEMBER(capture, marks, NULL);

	if (n == 0 || !marks)
		return;
	json_literal(json, ",\"marks\":[");
	for (uint64_t i = 0; i < n; i++) {
		const struct ctprof_fact *mark = BORDER_AT(marks, i);

		json_print(json,
			   i > 0 ? ",{\"name\":%s,\"unix_ns\":%ju}"
				 : "{\"name\":%s,\"unix_ns\":%ju}",
			   mark->value, (uintmax_t)strtoull(mark->key, NULL, 10));
	}
	json_literal(json, "]");
}

static void about_write_begin(struct json *json, const struct ctprof_capture *capture)
{
	const char *note = BORDER_MEMBER(capture, note, NULL);

	json_print(json, "\"begin_unix_ns\":%ju,\"begin_boottime_ns\":%ju", capture->realtime_ns,
		   capture->monotonic_ns);
	if (note)
		json_print(json, ",\"note\":%s", note);
	about_write_marks(json, capture);
}

void about_begin_capture(struct json *json, const struct ctprof_capture *capture)
{
	json_print(json, "{\"version\":%s,\"kernel\":%s,\"jobs\":%ju,\"options\":{",
		   capture->version, capture->kernel, (uintmax_t)capture->jobs);
	for (uint64_t i = 0; i < capture->n_options; i++) {
		const struct ctprof_fact *fact = BORDER_AT(capture->options, i);

		json_print(json, i > 0 ? ",%s:%s" : "%s:%s", fact->key, fact->value);
	}
	json_literal(json, "},");
	about_write_begin(json, capture);
}

void about_begin_sample(struct json *json, const struct ctprof_capture *capture)
{
	json_literal(json, "{");
	about_write_begin(json, capture);
}

/* Writes the fields that a redaction replaced, and the key it used. */
static void about_write_redaction(struct json *json, const struct ctprof_capture_end *end)
{
	const char *key = BORDER_MEMBER(end, redaction_key, NULL);

	if (!key)
		return;
	json_print(json, ",\"redacted\":{\"key\":%s,\"fields\":{", key);
	for (uint64_t i = 0; i < end->n_replaced; i++) {
		const struct ctprof_fact *fact = BORDER_AT(end->replaced, i);

		json_print(json, i > 0 ? ",%s:%ju" : "%s:%ju", fact->key,
			   (uintmax_t)strtoull(fact->value, NULL, 10));
	}
	json_literal(json, "}}");
}

void about_end_capture(struct json *json, const struct ctprof_capture_end *end,
		       uint64_t began_monotonic_ns)
{
	/* CLOCK_BOOTTIME does not go back; in a recorded root all times are the same. */
	uint64_t skew =
		end->monotonic_ns > began_monotonic_ns ? end->monotonic_ns - began_monotonic_ns : 0;

	json_print(json, ",\"end_unix_ns\":%ju,\"end_boottime_ns\":%ju,\"skew_ns\":%ju",
		   end->realtime_ns, end->monotonic_ns, skew);
	json_print(json, ",\"threads\":%ju,\"processes\":%ju,\"vanished\":%ju", end->threads,
		   end->processes, end->vanished);
	uint64_t unseen = BORDER_MEMBER(end, unseen, 0);
	if (unseen > 0)
		json_print(json, ",\"unseen\":%ju", unseen);
	json_print(json, ",\"cpu_ns\":%ju,\"peak_rss_bytes\":%ju", end->cpu_ns,
		   end->peak_rss_bytes);
	about_write_redaction(json, end);
	json_literal(json, "}");
}
