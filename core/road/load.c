/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "load.h"

#include "base/error.h"
#include "base/texts.h"
#include "base/ui.h"
#include "guard/capabilities.h"
#include "guard/userfile.h"
#include "past.h"
#include "snapshot/rotated.h"
#include "snapshot/when.h"

SampleChoice sample_choice;
gboolean load_alone;

void load_keep(const char *file)
{
	if (!file || g_str_equal(file, "-"))
		return;
	(void)userfile_keep(file, 0);
	rotated_keep(file);
}

GPtrArray *load_list(const char *directory, const char *more, GError **error)
{
	g_autoptr(GDir) folder = g_dir_open(directory, 0, error);
	GPtrArray *files = folder ? g_ptr_array_new_with_free_func(g_free) : NULL;
	const char *name;

	while (folder && (name = g_dir_read_name(folder)))
		if (g_str_has_suffix(name, RECORD_SUFFIX) || g_str_has_suffix(name, more))
			g_ptr_array_add(files, g_build_filename(directory, name, NULL));
	if (files)
		g_ptr_array_sort(files, texts_compare);
	return files;
}

gboolean load_find(char **path, GError **error)
{
	AS_USER;

	if (!g_file_test(*path, G_FILE_TEST_IS_DIR))
		return TRUE;
	g_autoptr(GPtrArray) files = load_list(*path, RECORD_SUFFIX, error);
	for (guint i = files ? files->len : 0; i-- > 0;)
		if (g_file_test(g_ptr_array_index(files, i), G_FILE_TEST_IS_SYMLINK) ||
		    !g_file_test(g_ptr_array_index(files, i), G_FILE_TEST_IS_REGULAR))
			g_ptr_array_remove_index(files, i);
	if (!files || files->len != 1)
		return files && error_set_failed(error,
						 "%s: expected a directory with one recording "
						 "(*" RECORD_SUFFIX "), found %u",
						 *path, files->len);
	g_free(*path);
	*path = g_ptr_array_steal_index(files, 0);
	return TRUE;
}

Session *load_session(const Globals *globals, const char *sink, GError **error)
{
	const char *const needed[] = {SNAPSHOT_SINK, sink, NULL};
	g_autofree char *plugins = g_strjoinv(",", (char **)(uintptr_t)needed);
	Globals own = *globals;

	own.plugins = plugins;
	return session_load(&own, needed, error);
}

gboolean load_begin(Session *session, const char *sink, GError **error)
{
	const char *const needed[] = {SNAPSHOT_SINK, sink, NULL};

	return session_open(session, needed, error);
}

Plugin *load_reader(const Session *session)
{
	return plugin_find(session->plugins, SNAPSHOT_SINK, CTPROF_KIND_SINK);
}

static Recording *open_file(const Session *session, const char *file, gboolean alone,
			    GError **error)
{
	g_autoptr(Recording) recording = recording_open(load_reader(session), file, error);

	if (!recording || !(alone || rotated_take(recording, file, error)))
		return NULL;
	if (recording_damage(recording))
		ui_warning("%s: %s", file, recording_damage(recording));
	return g_steal_pointer(&recording);
}

Recording *load_open(const Session *session, const char *file, GError **error)
{
	return open_file(session, file, load_alone, error);
}

/* ---- samples ----------------------------------------------------------------- */

/* Chooses the sample for a report of one sample. */
static gboolean choose_sample(Recording *recording, guint *ret_sample, GError **error)
{
	const SampleChoice *choice = &sample_choice;

	if (choice->at && choice->sample)
		return error_set_usage(error, "--at and --sample exclude each other");
	if (choice->at)
		return when_find(recording, "--at", choice->at, NULL, ret_sample, error);
	if (choice->sample)
		return when_find_number(recording, "--sample", choice->sample, ret_sample, error);
	*ret_sample = recording_n_samples(recording) - 1;
	return TRUE;
}

gboolean load_choose(Recording *recording, guint *ret_from, guint *ret_to, GError **error)
{
	const SampleChoice *choice = &sample_choice;

	*ret_from = 0;
	*ret_to = recording_n_samples(recording) - 1;
	return (!choice->from ||
		when_find(recording, "--from", choice->from, NULL, ret_from, error)) &&
	       (!choice->to || when_find(recording, "--to", choice->to, ret_from, ret_to, error));
}

/* Chooses the two samples of a window within one recording. */
static gboolean choose_window(Recording *recording, guint *ret_from, guint *ret_to, GError **error)
{
	const char *at = sample_choice.at;

	if (!load_choose(recording, ret_from, ret_to, error) ||
	    (at && !when_find(recording, "--at", at, NULL, ret_to, error)))
		return FALSE;
	/* No window ends at the first sample; but one begins there. */
	if (at) {
		*ret_from = MAX(*ret_to, 1) - 1;
		*ret_to = MIN(*ret_from + 1, recording_n_samples(recording) - 1);
	}
	if (*ret_from < *ret_to)
		return TRUE;
	if (recording_n_samples(recording) == 1)
		return error_set_usage(error, "expected two snapshots, or a recording of several "
					      "samples ('ctprof show FILE' shows one)");
	return error_set_usage(error,
			       "--from, --to: both are in one sample, or in the wrong order");
}

/* Reads the past, for reports that have a first screen. */
static gboolean load_past(const LoadRequest *request, Recording *recording, guint from, guint to,
			  Filling *filling, GError **error)
{
	return !request->has_past || to < from + 2 ||
	       past_read(recording, from, to, filling, error);
}

/* Returns the first sample of the past of a single sample: as far back as is cheap to read. */
static guint begin_of_past(const Recording *recording, guint sample)
{
	return recording_find_key(recording, sample - MIN(sample, 2 * PAST_WINDOWS));
}

/* ---- sides ------------------------------------------------------------------- */

/* Appends the last mark before the sample to the name of the side in the report. */
static void name_mark(Filling *filling, guint side, const GArray *marks)
{
	if (marks->len == 0)
		return;
	const struct ctprof_fact *last = &g_array_index(marks, struct ctprof_fact, marks->len - 1);
	g_autofree char *name =
		g_strdup_printf("%s after '%s'", filling->options.files[side], last->value);

	filling->options.files[side] = g_intern_string(name);
}

static gboolean load_side(Recording *recording, guint sample, guint n_exits, Filling *filling,
			  guint side, GError **error)
{
	const SampleSide sides[] = {{.filling = filling, .side = side}, {.filling = NULL}};
	g_autoptr(Loaded) loaded = filling_read(recording, sample, n_exits, sides, error);

	if (loaded && loaded->facts.note) {
		g_autofree char *when = when_name(recording, sample);
		g_autofree char *text = g_strdup_printf("before %s: %s", when, loaded->facts.note);

		analysis_warn(filling->analysis, text);
	}
	if (!loaded)
		return FALSE;
	name_mark(filling, side, loaded->facts.marks);
	if (loaded->facts.marks->len >= FACTS_MOST)
		analysis_warn(filling->analysis,
			      "the window has too many marks to list its phases");
	else if (n_exits > 1)
		filling->options.marks = g_array_ref(loaded->facts.marks);
	return TRUE;
}

/* Appends the sample of a recording to the file's name in the report. */
static void name_side(const LoadRequest *request, Filling *filling, guint side,
		      const Recording *recording, guint sample)
{
	g_autofree char *when = when_name(recording, sample);
	g_autofree char *name = g_strdup_printf("%s@%s", request->files[0], when);

	filling->options.files[side] = g_intern_string(name);
}

/* Returns the file of a side, which is already open, or is now opened in ret_own. */
static Recording *open_side(const Session *session, const LoadRequest *request, guint side,
			    gboolean alone, Recording **ret_own, GError **error)
{
	if (side == 0 && request->first)
		return request->first;
	return *ret_own = open_file(session, request->files[side], alone, error);
}

/* Loads both sides from one file: the exits and marks of all samples in between belong to the
 * window. */
static gboolean load_window(const Session *session, const LoadRequest *request, Filling *filling,
			    GError **error)
{
	g_autoptr(Recording) own = NULL;
	Recording *recording = open_side(session, request, 0, FALSE, &own, error);
	guint from, to;

	if (!recording || !choose_window(recording, &from, &to, error))
		return FALSE;
	name_side(request, filling, 0, recording, from);
	name_side(request, filling, 1, recording, to);
	return load_past(request, recording, from, to, filling, error) &&
	       load_side(recording, from, 1, filling, 0, error) &&
	       load_side(recording, to, to - from, filling, 1, error);
}

static gboolean load_one(const Session *session, const LoadRequest *request, Filling *filling,
			 guint side, GError **error)
{
	g_autoptr(Recording) own = NULL;
	/* The last sample is in the newest of the rotated files. */
	gboolean is_last = !sample_choice.at && !sample_choice.sample;
	Recording *recording = open_side(session, request, side, is_last, &own, error);
	guint sample;

	return recording && choose_sample(recording, &sample, error) &&
	       (filling->options.compare ||
		load_past(request, recording, begin_of_past(recording, sample), sample, filling,
			  error)) &&
	       load_side(recording, sample, 1, filling, side, error);
}

gboolean load_files(const Session *session, const LoadRequest *request, Filling *filling,
		    GError **error)
{
	gboolean is_window = filling->options.compare && !request->files[1];

	if (!(is_window ? load_window(session, request, filling, error)
			: load_one(session, request, filling, 0, error)))
		return FALSE;
	filling->options.captures[0] = context_capture(filling->contexts[0]);
	if (context_is_redacted(filling->contexts[0]))
		analysis_warn(filling->analysis, "the capture is redacted: names are pseudonyms");
	if (!filling->options.compare)
		return TRUE;
	return (is_window || load_one(session, request, filling, 1, error)) &&
	       filling_relate(&filling->options, filling->analysis, filling->contexts,
			      request->window, error);
}
