/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite.h"

#include <string.h>

#include "base/error.h"
#include "base/texts.h"
#include "capture/receiver.h"
#include "guard/crash.h"
#include "row/rowset.h"

typedef struct rewriting {
	Recording *recording;
	Output *output;
	Loaded *first; /* the first sample; all others must have its metrics */
	Rowset *host;  /* the host's row: a file ends with it, a sink needs it first */
	Receiver receiver;
} Rewriting;

static void rewriting_clear(Rewriting *self)
{
	g_clear_pointer(&self->first, loaded_free);
	g_clear_pointer(&self->host, rowset_free);
	receiver_clear(&self->receiver);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rewriting, rewriting_clear)

/* ---- facts about a capture in a file ----------------------------------------- */

static guint64 number_of(const char *text)
{
	return text ? g_ascii_strtoull(text, NULL, 10) : 0;
}

static guint64 number_in(const LoadFacts *facts, const char *key)
{
	return number_of(g_hash_table_lookup(facts->capture, key));
}

static GArray *list_options(const LoadFacts *facts)
{
	g_autoptr(GList) keys =
		g_list_sort(g_hash_table_get_keys(facts->options), (GCompareFunc)strcmp);
	GArray *options = g_array_new(FALSE, FALSE, sizeof(struct ctprof_fact));

	for (GList *key = keys; key; key = key->next)
		texts_add_fact(options, key->data, g_hash_table_lookup(facts->options, key->data));
	return options;
}

/* Returns the state of a plugin for its word in the file; any word but "live" and "left_out" is a
 * failure. */
static guint32 state_of(const LoadFacts *facts, const char *name)
{
	gsize len = strlen(name);

	for (guint i = 0; i < facts->plugins->len; i++) {
		const char *plugin = g_ptr_array_index(facts->plugins, i);

		if (strncmp(plugin, name, len) != 0 || plugin[len] != ' ')
			continue;
		return g_str_equal(plugin + len + 1, "live")       ? CTPROF_STATE_LIVE
		       : g_str_equal(plugin + len + 1, "left_out") ? CTPROF_STATE_LEFT_OUT
								   : CTPROF_STATE_FAILED;
	}
	return CTPROF_STATE_LIVE;
}

/* words: takes ownership of the texts of the reports. */
static GArray *list_reports(const LoadFacts *facts, GPtrArray *words)
{
	GArray *reports = g_array_new(FALSE, FALSE, sizeof(struct ctprof_plugin_report));

	for (guint i = 0; i < facts->reports->len; i++) {
		char **of = g_strsplit(g_ptr_array_index(facts->reports, i), " ", 6);

		g_ptr_array_add(words, of);
		if (g_strv_length(of) != 6)
			continue;
		struct ctprof_plugin_report report = {
			.struct_size = sizeof report,
			.state = state_of(facts, of[0]),
			.kind = g_str_equal(of[1], "sink") ? CTPROF_KIND_SINK : CTPROF_KIND_SOURCE,
			.batches = number_of(of[2]),
			.failures = number_of(of[3]),
			.cpu_ns = number_of(of[4]),
			.name = of[0],
			.version = of[5],
		};
		/* Drop the text, since the redactor would remove it. */
		report.why = report.state == CTPROF_STATE_LIVE ? NULL : "";
		g_array_append_val(reports, report);
	}
	return reports;
}

static gboolean begin(Rewriting *self, const LoadFacts *facts, guint64 sample, GError **error)
{
	g_autoptr(GArray) options = list_options(facts);
	const char *version = g_hash_table_lookup(facts->capture, "version");
	struct ctprof_capture capture = {
		.struct_size = sizeof capture,
		.jobs = (guint32)number_in(facts, "jobs"),
		.realtime_ns = facts->realtime_ns,
		.monotonic_ns = facts->boottime_ns,
		.n_options = options->len,
		.options = (const void *)options->data,
		.version = version ? version : "",
		.kernel = g_hash_table_lookup(facts->capture, "kernel"),
		.sample = sample,
		.note = facts->note,
		.n_marks = facts->marks->len,
		.marks = (const void *)facts->marks->data,
	};

	return receiver_begin(&self->receiver, self->output, &capture, error);
}

static gboolean end(const Rewriting *self, const LoadFacts *facts, GError **error)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
	g_autoptr(GArray) reports = list_reports(facts, words);
	struct ctprof_capture_end capture = {
		.struct_size = sizeof capture,
		.realtime_ns = number_in(facts, "end_unix_ns"),
		.monotonic_ns = number_in(facts, "end_boottime_ns"),
		.threads = number_in(facts, "threads"),
		.processes = number_in(facts, "processes"),
		.vanished = number_in(facts, "vanished"),
		.unseen = facts->unseen,
		.cpu_ns = number_in(facts, "cpu_ns"),
		.peak_rss_bytes = number_in(facts, "peak_rss_bytes"),
		.n_plugins = reports->len,
		.plugins = (const void *)reports->data,
	};

	return receiver_end(&self->receiver, &capture, error);
}

/* ---- rows ---------------------------------------------------------------------- */

/* A TakeRows for the first reading of a sample. */
static gboolean keep_host(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	Rewriting *self = data;

	(void)error;
	if (rows->scope == CTPROF_SCOPE_HOST && rowset_size(self->host) == 0)
		rowset_add(self->host, registry, rows, 0, NULL, NULL);
	return TRUE;
}

/* A TakeRows for the second reading. */
static gboolean pass_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	const Rewriting *self = data;

	(void)registry;
	if (crash_fail_interrupted(error))
		return FALSE;
	if (rows->scope == CTPROF_SCOPE_HOST)
		return TRUE;
	return receiver_rows(&self->receiver, rows, error);
}

/* The metrics may change in the middle of a file when a plugin ends, or a newer ctprof continues
 * it. */
static gboolean has_same_metrics(const Registry *a, const Registry *b)
{
	for (enum row_class row = 0; row < N_ROW_CLASSES; row++) {
		const GPtrArray *mine = registry_row(a, row), *other = registry_row(b, row);

		if (mine->len != other->len)
			return FALSE;
		for (guint i = 0; i < mine->len; i++) {
			const Metric *x = g_ptr_array_index(mine, i);
			const Metric *y = g_ptr_array_index(other, i);

			if (strcmp(x->def.name, y->def.name) != 0 || x->type != y->type)
				return FALSE;
		}
	}
	return TRUE;
}

static gboolean hand_rows(Rewriting *self, guint sample, GError **error)
{
	g_autoptr(Loaded) loaded =
		recording_read(self->recording, sample, 1, pass_rows, self, error);

	return loaded != NULL;
}

static gboolean rewrite_sample(Rewriting *self, guint sample, guint64 number, GError **error)
{
	struct ctprof_rows host;

	rowset_clear(self->host);
	g_autoptr(Loaded) loaded =
		recording_read(self->recording, sample, 1, keep_host, self, error);
	if (!loaded)
		return FALSE;
	/* The first sample stays loaded: the sink knows only its metrics. */
	const LoadFacts *facts = &loaded->facts;
	if (!self->first)
		self->first = g_steal_pointer(&loaded);
	else if (!has_same_metrics(self->first->registry, loaded->registry))
		return error_set_failed(
			error,
			"sample %u has different metrics from those before it ('ctprof "
			"cut' divides the recording)",
			sample);
	self->receiver.registry = self->first->registry;
	rowset_view_all(self->host, &host);
	gboolean ok = begin(self, facts, number, error) &&
		      (host.n == 0 || receiver_rows(&self->receiver, &host, error)) &&
		      hand_rows(self, sample, error) && end(self, facts, error);
	receiver_clear(&self->receiver);
	return ok;
}

gboolean rewrite_recording(Recording *recording, Plugin *sink, Redactor *redactor, Output *output,
			   GError **error)
{
	gboolean is_snapshot = recording_time(recording, 0) == 0;
	g_auto(Rewriting) self = {
		.recording = recording,
		.output = output,
		.host = rowset_new(),
		.receiver = {.sink = sink, .redactor = redactor},
	};

	for (guint i = 0; i < recording_n_samples(recording); i++)
		if (!rewrite_sample(&self, i, is_snapshot ? 0 : i + 1, error))
			return FALSE;
	return is_snapshot || plugin_finish(sink, error);
}
