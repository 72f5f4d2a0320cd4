/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run-set.h"

#include <string.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/fd.h"
#include "capturing.h"
#include "guard/capabilities.h"
#include "guard/output.h"
#include "guard/userfile.h"
#include "load.h"
#include "marks.h"
#include "report/plan/command-fields.h"

#define LIST_NAME "runs.ini"
#define GROUP "run "
#define MAX_LIST_BYTES ((gsize)4 << 20)
#define MAX_RUNS 10000u
#define PAIR ','

GPtrArray *run_set_new(void)
{
	return g_ptr_array_new_with_free_func(saved_run_free);
}

void saved_run_free(gpointer data)
{
	SavedRun *run = data;

	g_free(run->before);
	g_free(run->after);
	g_clear_pointer(&run->own, g_array_unref);
	g_free(run->facts.line);
	g_free(run->facts.scheduler);
	g_strfreev(run->facts.marks);
	g_free(run);
}

static gboolean add(GPtrArray *runs, SavedRun *run, GError **error)
{
	g_ptr_array_add(runs, run);
	return runs->len <= MAX_RUNS || error_set_usage(error, "more than %u runs", MAX_RUNS);
}

static gboolean add_files(GPtrArray *runs, char *before, char *after, GError **error)
{
	SavedRun *run = g_new0(SavedRun, 1);

	run->before = before;
	run->after = after;
	return add(runs, run, error);
}

/* ---- the list of a set ---- */

/* Returns the path of a file of the set; NULL: the list names none, or one outside the
 * directory. */
static char *file_of(GKeyFile *list, const char *group, const char *key, const char *directory)
{
	g_autofree char *name = g_key_file_get_string(list, group, key, NULL);

	if (!name || !*name || strchr(name, G_DIR_SEPARATOR))
		return NULL;
	return g_build_filename(directory, name, NULL);
}

static GArray *own_of(GKeyFile *list, const char *group)
{
	gsize n = 0;
	g_autofree gint *pids = g_key_file_get_integer_list(list, group, "own", &n, NULL);
	GArray *own = g_array_new(FALSE, FALSE, sizeof(gint32));

	if (pids)
		g_array_append_vals(own, pids, (guint)n);
	return own;
}

/* Also returns NULL if the list has a value that no run can have. */
static char **marks_of(GKeyFile *list, const char *group)
{
	gsize n = 0;
	g_auto(GStrv) marks = g_key_file_get_string_list(list, group, "marks", &n, NULL);

	for (gsize i = 0; i < n; i++) {
		const char *name = marks[i] + strspn(marks[i], G_CSET_DIGITS);

		if (n > MARKS_MOST || *name != ' ' || mark_name_fault(name + 1, strlen(name + 1)))
			return NULL;
	}
	return g_steal_pointer(&marks);
}

static gboolean take_listed(GPtrArray *runs, GKeyFile *list, const char *group,
			    const char *directory, GError **error)
{
	SavedRun *run = g_new0(SavedRun, 1);

	run->before = file_of(list, group, "before", directory);
	run->after = file_of(list, group, "after", directory);
	run->own = own_of(list, group);
	/* The first process started the command. */
	run->facts.parent = run->own->len > 0 ? g_array_index(run->own, gint32, 0) : 0;
	run->facts.line = g_key_file_get_string(list, group, "command", NULL);
	run->facts.scheduler = g_key_file_get_string(list, group, "scheduler", NULL);
	run->facts.marks = marks_of(list, group);
	for (guint i = 0; i < N_COMMAND_NUMBERS; i++)
		if (command_numbers[i].offset > 0)
			G_STRUCT_MEMBER(guint64, &run->facts, command_numbers[i].offset) =
				g_key_file_get_uint64(list, group, command_numbers[i].field.name,
						      NULL);
	if (!add(runs, run, error))
		return FALSE;
	return (run->before && run->after) ||
	       error_set_failed(error,
				"%s/%s: [%s]: expected files of this directory as before "
				"and after",
				directory, LIST_NAME, group);
}

static gboolean read_list(GPtrArray *runs, const char *directory, int file, GError **error)
{
	g_autoptr(GKeyFile) list = g_key_file_new();
	/* One byte more than allowed, to detect a longer file. */
	g_autofree char *text = g_malloc(MAX_LIST_BYTES + 1);
	g_autoptr(GError) cause = NULL;
	gssize length = userfile_read(file, text, MAX_LIST_BYTES + 1);

	if (length < 0)
		return error_set_errno(error, (int)-length, "%s/%s", directory, LIST_NAME);
	if ((gsize)length > MAX_LIST_BYTES)
		return error_set_failed(error, "%s/%s: too long", directory, LIST_NAME);
	if (!g_key_file_load_from_data(list, text, (gsize)length, G_KEY_FILE_NONE, &cause))
		return error_set_failed(error, "%s/%s: %s", directory, LIST_NAME, cause->message);
	g_auto(GStrv) groups = g_key_file_get_groups(list, NULL);
	for (guint i = 0; groups[i]; i++)
		if (g_str_has_prefix(groups[i], GROUP) &&
		    !take_listed(runs, list, groups[i], directory, error))
			return FALSE;
	return TRUE;
}

static void write_run(GKeyFile *list, const SavedRun *run, guint number)
{
	g_autofree char *group = g_strdup_printf(GROUP "%u", number);
	g_autofree char *before = g_path_get_basename(run->before);
	g_autofree char *after = g_path_get_basename(run->after);

	g_key_file_set_string(list, group, "before", before);
	g_key_file_set_string(list, group, "after", after);
	if (run->own)
		g_key_file_set_integer_list(list, group, "own", (gint *)(gpointer)run->own->data,
					    run->own->len);
	if (run->facts.line)
		g_key_file_set_string(list, group, "command", run->facts.line);
	if (run->facts.scheduler)
		g_key_file_set_string(list, group, "scheduler", run->facts.scheduler);
	if (run->facts.marks)
		g_key_file_set_string_list(list, group, "marks",
					   (const char *const *)run->facts.marks,
					   g_strv_length(run->facts.marks));
	for (guint i = 0; i < N_COMMAND_NUMBERS; i++)
		if (command_numbers[i].offset > 0)
			g_key_file_set_uint64(
				list, group, command_numbers[i].field.name,
				command_value(&run->facts, &command_numbers[i]).number);
}

gboolean run_set_write(const GPtrArray *runs, const char *directory, GError **error)
{
	g_autoptr(GKeyFile) list = g_key_file_new();
	g_autofree char *path = g_build_filename(directory, LIST_NAME, NULL);

	for (guint i = 0; i < runs->len; i++)
		write_run(list, g_ptr_array_index(runs, i), i + 1);
	gsize length;
	g_autofree char *text = g_key_file_to_data(list, &length, NULL);
	g_autoptr(Output) output = output_open(path, FALSE, error);
	if (!output)
		return FALSE;
	(void)output_write(output, text, length);
	return !output_failed(output, error) && output_commit(output, error);
}

/* ---- arguments ---- */

/* Takes all snapshots and recordings of a directory, each as a run. */
static gboolean take_directory(GPtrArray *runs, const char *directory, GError **error)
{
	AS_USER;
	g_autoptr(GPtrArray) files = load_list(directory, CAPTURING_SUFFIX, error);

	if (!files)
		return FALSE;
	if (files->len == 0)
		return error_set_failed(error,
					"%s: contains no runs (*%s, *%s, or what 'stat --repeat "
					"--set' keeps)",
					directory, CAPTURING_SUFFIX, RECORD_SUFFIX);
	for (guint i = 0; i < files->len; i++)
		if (!add_files(runs, g_strdup(g_ptr_array_index(files, i)), NULL, error))
			return FALSE;
	return TRUE;
}

gboolean run_set_is_one(const char *argument)
{
	return g_file_test(argument, G_FILE_TEST_IS_DIR);
}

static gboolean take_set(GPtrArray *runs, const char *directory, GError **error)
{
	g_autofree char *path = g_build_filename(directory, LIST_NAME, NULL);
	AUTO_FD file = userfile_open(path, 0);

	return file < 0 ? take_directory(runs, directory, error)
			: read_list(runs, directory, file, error);
}

gboolean run_set_take(GPtrArray *runs, const char *argument, GError **error)
{
	const char *comma = strchr(argument, PAIR);

	if (run_set_is_one(argument))
		return take_set(runs, argument, error);
	/* A comma may be part of a file name. */
	if (!comma || g_file_test(argument, G_FILE_TEST_EXISTS))
		return add_files(runs, g_strdup(argument), NULL, error);
	if (comma == argument || !comma[1] || strchr(comma + 1, PAIR))
		return error_set_usage(error, "'%s': expected BEFORE,AFTER", argument);
	return add_files(runs, g_strndup(argument, (gsize)(comma - argument)), g_strdup(comma + 1),
			 error);
}

char *run_set_label(char *const *arguments)
{
	guint n = 0;

	while (arguments[n])
		n++;
	return n > 1 ? g_strdup_printf("%s and %u more", arguments[0], n - 1)
		     : g_strdup(n > 0 ? arguments[0] : "");
}

int run_set_status(const CommandFacts *result)
{
	return result->signal ? COMMAND_SIGNAL + result->signal : result->exit_status;
}
