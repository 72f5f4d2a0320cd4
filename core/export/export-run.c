/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "export-run.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/ui.h"
#include "guard/capabilities.h"
#include "guard/crash.h"
#include "road/load.h"
#include "road/redacting.h"
#include "snapshot/when.h"

#define NS_PER_DAY (G_GUINT64_CONSTANT(86400) * 1000000000)
#define ENDING ".ctprof"
/* "-20261122T031200Z" */
#define TIME_PATTERN "-ddddddddTddddddZ"
#define FOLDER_MODE 0777

/* ---- names --------------------------------------------------------------------- */

char *export_stem_of(const char *path)
{
	char *name = g_path_get_basename(path);
	char *ending = strstr(name, ENDING);

	/* The name may end differently, such as "host.parquet" written by capture. */
	if (!ending)
		ending = strchr(name, '.');
	if (ending && ending > name)
		*ending = '\0';
	return name;
}

static gboolean is_time(const char *text)
{
	const char *pattern = TIME_PATTERN;

	for (; *pattern && *text; pattern++, text++)
		if (*pattern == 'd' ? !g_ascii_isdigit(*text) : *pattern != *text)
			return FALSE;
	return !*pattern && !*text;
}

/* Returns "web-1" for "…/web-1-20261122T031200Z.ctprof.zst"; for other files, the name up to the
 * first ".ctprof"; NULL: standard input or output. */
static char *host_of(const char *path)
{
	if (strcmp(path, "-") == 0 || strcmp(path, "standard output") == 0)
		return NULL;
	char *name = export_stem_of(path);
	gsize length = strlen(name), ending = strlen(TIME_PATTERN);
	if (length > ending && is_time(name + length - ending))
		name[length - ending] = '\0';
	return name;
}

char *export_name_host(const char *given, const char *path)
{
	g_autofree char *name = given ? g_strdup(given) : host_of(path);

	return redacting_name(name);
}

/* ---- the session ----------------------------------------------------------------- */

static const Plugin *find_sink(const Session *session, const char *name, GError **error)
{
	const Plugin *sink = plugin_find(session->plugins, name, CTPROF_KIND_SINK);

	if (sink && plugin_can_tabulate(sink))
		return sink;
	error_set_usage(error,
			"--format '%s': expected parquet, ndjson, csv, sqlite, openmetrics or "
			"another sink that writes tables (see 'ctprof plugins')",
			name);
	return NULL;
}

/* If format is NULL, nothing is written. */
static Session *open_session(const Globals *globals, const char *format, const char *path,
			     Output **ret_output, GError **error)
{
	g_autoptr(Session) session =
		session_check(globals, error) ? load_session(globals, format, error) : NULL;
	const Plugin *sink = session && format ? find_sink(session, format, error) : NULL;

	if (!session || (format && !sink))
		return NULL;
	/* Do this while the process still has the rights of the user. */
	if (sink &&
	    !(*ret_output = output_open(path, !(sink->sink.flags & CTPROF_SINK_TEXT), error)))
		return NULL;
	return load_begin(session, format, error) ? g_steal_pointer(&session) : NULL;
}

static void keep_files(const char *const *files)
{
	for (; *files; files++)
		load_keep(*files);
}

static GPtrArray *open_recordings(const Session *session, const char *const *files, GError **error)
{
	g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func((GDestroyNotify)recording_free);

	for (; *files; files++) {
		Recording *recording = load_open(session, *files, error);

		if (!recording)
			return NULL;
		g_ptr_array_add(list, recording);
	}
	return g_steal_pointer(&list);
}

/* ---- what is in the files ---------------------------------------------------------- */

/* Reads the metrics and the time of a file quickly, without any row. */
typedef struct glance {
	Export *export; /* export that learns the metrics; NULL: not needed */
	const Recording *recording;
	guint64 realtime_ns;
	gboolean is_enough;
} Glance;

static gboolean take_glance(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			    GError **error)
{
	Glance *glance = data;

	(void)rows;
	if (glance->export)
		export_learn(glance->export, registry);
	glance->realtime_ns = recording_facts(glance->recording)->realtime_ns;
	glance->is_enough = TRUE;
	return error_set_failed(error, "enough was read");
}

static gboolean look_at(Recording *recording, Glance *glance, GError **error)
{
	g_autoptr(GError) cause = NULL;

	glance->recording = recording;
	glance->is_enough = FALSE;
	g_autoptr(Loaded) loaded = recording_read(recording, 0, 1, take_glance, glance, &cause);
	if (glance->is_enough)
		return TRUE;
	if (!loaded) {
		g_propagate_error(error, g_steal_pointer(&cause));
		return FALSE;
	}
	/* The file has no rows at all. */
	if (glance->export)
		export_learn(glance->export, loaded->registry);
	glance->realtime_ns = loaded->facts.realtime_ns;
	return TRUE;
}

/* ---- one file of tables -------------------------------------------------------------- */

typedef struct writing {
	const ExportJob *job;
	Export *export;
	gboolean has_begun; /* the tables have begun: the metrics of all files are known */
	ExportSample sample;
} Writing;

/* Begins the tables of a single file.  Its metrics are known with its first row, so the file need
 * not be read in advance to learn them. */
static gboolean begin_tables(Writing *writing, const Registry *registry, GError **error)
{
	if (writing->has_begun)
		return TRUE;
	writing->has_begun = TRUE;
	export_learn(writing->export, registry);
	return export_begin(writing->export, error) &&
	       export_begin_sample(writing->export, &writing->sample, error);
}

static gboolean take_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	Writing *writing = data;

	return begin_tables(writing, registry, error) &&
	       export_take(writing->export, registry, rows, error);
}

static gboolean write_sample(Writing *writing, Recording *recording, guint file, guint sample,
			     gboolean goes_on, GError **error)
{
	const ExportJob *job = writing->job;
	g_autofree char *host = export_name_host(job->host, job->files[file]);

	writing->sample = (ExportSample){
		.file = job->files[file],
		.host = host,
		.recording = recording,
		.goes_on = goes_on,
	};
	if (writing->has_begun && !export_begin_sample(writing->export, &writing->sample, error))
		return FALSE;
	/* Rows on standard output cannot be taken back. */
	recording_set_must_check(recording, strcmp(job->path, "-") == 0);
	g_autoptr(Loaded) loaded = recording_read(recording, sample, 1, take_rows, writing, error);
	return loaded && begin_tables(writing, loaded->registry, error) &&
	       export_end_sample(writing->export, loaded->registry, &loaded->facts, error);
}

static gboolean write_recording(Writing *writing, Recording *recording, guint file, GError **error)
{
	const ExportJob *job = writing->job;
	const Export *export = writing->export;
	guint n = recording_n_samples(recording), first = job->first;

	if (export_needs_windows(export) && n < 2)
		return error_set_usage(error,
				       "%s: expected a recording of several samples, for --rows "
				       "windows ('ctprof record' writes one)",
				       job->files[file]);
	/* The first window of a part begins with the sample before it. */
	if (first > 0 && export_needs_windows(export))
		first--;
	for (guint i = first; i < n && i <= job->last; i++)
		if (!write_sample(writing, recording, file, i, i > first, error))
			return FALSE;
	return TRUE;
}

static gboolean learn_all(Export *export, const GPtrArray *recordings, GError **error)
{
	Glance glance = {.export = export};

	for (guint i = 0; i < recordings->len; i++)
		if (!look_at(g_ptr_array_index(recordings, i), &glance, error))
			return FALSE;
	return export_begin(export, error);
}

static gboolean write_tables(const ExportJob *job, const Session *session, Export *export,
			     GError **error)
{
	g_autoptr(GPtrArray) recordings = open_recordings(session, job->files, error);
	Writing writing = {.job = job, .export = export};

	if (!recordings || (recordings->len > 1 && !learn_all(export, recordings, error)))
		return FALSE;
	writing.has_begun = recordings->len > 1;
	for (guint i = 0; i < recordings->len; i++)
		if (!write_recording(&writing, g_ptr_array_index(recordings, i), i, error))
			return FALSE;
	return export_finish(export, error);
}

static gboolean make_folder(const char *path, GError **error)
{
	AS_USER;
	g_autofree char *folder = g_path_get_dirname(path);

	return g_mkdir_with_parents(folder, FOLDER_MODE) == 0 ||
	       error_set_errno(error, errno, "cannot make '%s'", folder);
}

int export_step(gpointer data, GError **error)
{
	const ExportJob *job = data;
	g_autoptr(Output) output = NULL;

	if (job->makes_folders && !make_folder(job->path, error))
		return EXIT_FAILED;
	keep_files(job->files);
	g_autoptr(Session) session =
		open_session(job->globals, job->format, job->path, &output, error);
	Plugin *sink =
		session ? plugin_find(session->plugins, job->format, CTPROF_KIND_SINK) : NULL;
	g_autoptr(Redactor) redactor = redacting_new();
	ExportOptions options = job->options;
	options.redactor = redactor;
	g_autoptr(Export) export = sink ? export_new(sink, output, &options, error) : NULL;
	if (!export || !write_tables(job, session, export, error) || !output_commit(output, error))
		return EXIT_FAILED;
	g_autofree char *size = ui_format_size(output_bytes(output));
	guint64 n = export_n_records(export);
	ui_note("%" G_GUINT64_FORMAT " row%s; %s: %s", n, n == 1 ? "" : "s", output_label(output),
		size);
	return EXIT_DONE;
}

/* ---- the days of the files -------------------------------------------------------------- */

static gboolean add_day(ExportDays *days, guint file, guint sample, guint64 realtime_ns,
			GError **error)
{
	gint32 day = (gint32)(realtime_ns / NS_PER_DAY);
	ExportDay *last = days->n > 0 ? &days->days[days->n - 1] : NULL;

	if (last && last->file == file && last->day == day) {
		last->last = sample;
		return TRUE;
	}
	if (days->n == EXPORT_MAX_DAYS)
		return error_set_failed(error, "more than %u days over all files", EXPORT_MAX_DAYS);
	days->days[days->n++] = (ExportDay){file, sample, sample, day};
	return TRUE;
}

static gboolean survey_file(ExportDays *days, guint file, Recording *recording, GError **error)
{
	Glance glance = {.export = NULL};
	guint n = recording_n_samples(recording);

	if (recording_time(recording, 0) == 0 && !look_at(recording, &glance, error))
		return FALSE;
	for (guint i = 0; i < n; i++) {
		guint64 time = recording_time(recording, i);

		if (!add_day(days, file, i, time > 0 ? time : glance.realtime_ns, error))
			return FALSE;
	}
	return TRUE;
}

int export_survey_step(gpointer data, GError **error)
{
	const ExportSurvey *survey = data;

	keep_files(survey->files);
	g_autoptr(Session) session = open_session(survey->globals, NULL, NULL, NULL, error);
	g_autoptr(GPtrArray) recordings =
		session ? open_recordings(session, survey->files, error) : NULL;

	survey->days->n = 0;
	for (guint i = 0; recordings && i < recordings->len; i++)
		if (!survey_file(survey->days, i, g_ptr_array_index(recordings, i), error))
			return EXIT_FAILED;
	return EXIT_OF(recordings);
}
