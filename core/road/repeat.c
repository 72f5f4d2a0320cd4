/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "repeat.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/ui.h"
#include "capturing.h"
#include "ctprof/numbers.h"
#include "guard/crash.h"
#include "guard/output.h"

#define DIRECTORY_MODE 0700

static const char *const side_names[] = {"a", "b"};

static guint n_sides(const Repeat *repeat)
{
	return repeat->other ? 2 : 1;
}

/* If there are two sides, each is a set of its own. */
static char *directory_of(const Repeat *repeat, guint side)
{
	return repeat->directory && repeat->other
		       ? g_build_filename(repeat->directory, side_names[side], NULL)
		       : g_strdup(repeat->directory);
}

static gboolean make_directory(const char *path, GError **error)
{
	if (g_mkdir(path, DIRECTORY_MODE) < 0)
		return error_set_errno(error, errno, "--set '%s'", path);
	return TRUE;
}

static gboolean make_directories(Repeat *repeat, GError **error)
{
	if (!repeat->set)
		return TRUE;
	repeat->directory = g_strdup(repeat->set);
	if (!make_directory(repeat->directory, error))
		return FALSE;
	for (guint side = 0; repeat->other && side < n_sides(repeat); side++) {
		g_autofree char *path = directory_of(repeat, side);

		if (!make_directory(path, error))
			return FALSE;
	}
	return TRUE;
}

static gboolean begin_scheduler(Repeat *repeat, GError **error)
{
	repeat->other = g_strdupv(repeat->command);
	repeat->root = root_open(NULL, NULL, NULL, error);
	if (repeat->root)
		repeat->scheduler =
			scheduler_new(repeat->root, repeat->under, repeat->replace, error);
	return repeat->scheduler != NULL;
}

/* ---- marks ---- */

static gboolean begin_marks(Repeat *repeat, GError **error)
{
	g_autofree char *file = repeat->set ? g_strdup(repeat->set) : output_make_unnamed(error);

	if (!file || (repeat->mark_fd != G_MAXUINT64 &&
		      !marks_open_lines(&repeat->mark_inputs, (int)repeat->mark_fd, error)))
		return FALSE;
	marks_listen(&repeat->mark_inputs, &repeat->marks, file);
	return TRUE;
}

void repeat_note_start(Repeat *repeat)
{
	marks_take(&repeat->mark_inputs, &repeat->marks);
	marks_forget(&repeat->marks);
	repeat->began_ns = (guint64)g_get_real_time() * 1000;
}

char **repeat_take_marks(Repeat *repeat)
{
	const Marks *marks = &repeat->marks;

	marks_take(&repeat->mark_inputs, &repeat->marks);
	char **list = marks->n > 0 ? g_new0(char *, (gsize)marks->n + 1) : NULL;
	for (guint i = 0; i < marks->n; i++) {
		guint64 ns = g_ascii_strtoull(marks->of[i].moment, NULL, 10);

		list[i] = g_strdup_printf("%" G_GUINT64_FORMAT " %s",
					  MAX(ns, repeat->began_ns) - repeat->began_ns,
					  marks->of[i].name);
	}
	return list;
}

gboolean repeat_check(const Repeat *repeat, GError **error)
{
	const char *alone = repeat->versus                   ? "--versus"
			    : repeat->under                  ? "--versus-scheduler"
			    : repeat->warmup > 0             ? "--warmup"
			    : repeat->set                    ? "--set"
			    : repeat->seed > 0               ? "--seed"
			    : repeat->mark_fd != G_MAXUINT64 ? "--mark-fd"
							     : NULL;

	if (repeat->replace && !repeat->under)
		return error_set_usage(error, "--replace: only with --versus-scheduler");
	if (repeat->n == 0 && alone)
		return error_set_usage(error, "%s: only with --repeat", alone);
	if (repeat->under && repeat->versus)
		return error_set_usage(error, "--versus-scheduler: not with --versus");
	return TRUE;
}

gboolean repeat_begin(Repeat *repeat, char **command, GError **error)
{
	g_autoptr(GError) cause = NULL;

	repeat->command = command;
	for (guint side = 0; side < G_N_ELEMENTS(repeat->sides); side++)
		repeat->sides[side] = run_set_new();
	if (repeat->versus && !g_shell_parse_argv(repeat->versus, NULL, &repeat->other, &cause))
		return error_set_usage(error, "--versus '%s': %s", repeat->versus, cause->message);
	if (repeat->under && !begin_scheduler(repeat, error))
		return FALSE;
	if (repeat->seed > 0)
		repeat->rand = g_rand_new_with_seed((guint32)repeat->seed);
	return make_directories(repeat, error) && begin_marks(repeat, error);
}

void repeat_clear(Repeat *repeat)
{
	g_clear_pointer(&repeat->scheduler, scheduler_free);
	g_clear_pointer(&repeat->root, root_free);
	g_clear_pointer(&repeat->directory, g_free);
	for (guint side = 0; side < G_N_ELEMENTS(repeat->sides); side++)
		g_clear_pointer(&repeat->sides[side], g_ptr_array_unref);
	g_clear_pointer(&repeat->other, g_strfreev);
	g_clear_pointer(&repeat->rand, g_rand_free);
	marks_end(&repeat->mark_inputs);
}

/* ---- progress ---- */

static gint compare_times(gconstpointer a, gconstpointer b)
{
	guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;

	return (x > y) - (x < y);
}

/* Returns the wall times so far: "1.20s (1.18s…1.25s)", or "". */
static char *describe_times(const GPtrArray *runs)
{
	g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(guint64));
	char numbers[3][CTPROF_SHORT_ROOM];

	for (guint i = 0; i < runs->len; i++)
		g_array_append_val(times,
				   ((const SavedRun *)g_ptr_array_index(runs, i))->facts.wall_ns);
	if (times->len == 0)
		return g_strdup("");
	g_array_sort(times, compare_times);
	const guint places[] = {times->len / 2, 0, times->len - 1};
	for (guint i = 0; i < G_N_ELEMENTS(places); i++)
		ctprof_number_short(CTPROF_LADDER_NS,
				    (double)g_array_index(times, guint64, places[i]), numbers[i]);
	return g_strdup_printf(": %s (%s…%s)", numbers[0], numbers[1], numbers[2]);
}

static void show_progress(const Repeat *repeat, guint64 i)
{
	g_autofree char *a = describe_times(repeat->sides[0]);
	g_autofree char *b = describe_times(repeat->sides[1]);
	g_autofree char *text = g_strdup_printf(
		"run %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ", wall A%s%s%s", i + 1,
		repeat->n * n_sides(repeat), a, repeat->other ? ", B" : "", b);

	ui_progress(text);
}

/* ---- runs ---- */

/* Returns the side that is run at position i: by the parity of the bits of i, or at random. */
static guint side_at(const Repeat *repeat, guint64 i, guint *first)
{
	if (!repeat->other)
		return 0;
	if (i % 2 == 0)
		*first = repeat->rand ? (guint)g_rand_boolean(repeat->rand)
				      : (guint)__builtin_popcountll(i) % 2;
	return i % 2 == 0 ? *first : 1 - *first;
}

static char *name_file(const Repeat *repeat, guint side, const char *what, GError **error)
{
	g_autofree char *directory = directory_of(repeat, side);
	g_autofree char *name =
		g_strdup_printf("%04u-%s" CAPTURING_SUFFIX, repeat->sides[side]->len + 1, what);

	return directory ? g_build_filename(directory, name, NULL) : output_make_unnamed(error);
}

/* Removes the files of an incomplete run. */
static void drop(const Repeat *repeat, SavedRun *run)
{
	if (repeat->set) {
		g_unlink(run->before);
		g_unlink(run->after);
	}
	saved_run_free(run);
}

static char **command_of(const Repeat *repeat, guint side)
{
	return side == 0 ? repeat->command : repeat->other;
}

/* Runs the command of a side, with the side's scheduler if there is one. */
static int run_side(Repeat *repeat, guint side, RepeatOnce once, gpointer data, SavedRun *run)
{
	g_autoptr(GError) error = NULL, left = NULL;

	if (!repeat->scheduler)
		return once(data, command_of(repeat, side), run);
	int status = EXIT_FAILED;
	if (scheduler_enter(repeat->scheduler, side == 1, &error)) {
		gint32 keeper = scheduler_keeper(repeat->scheduler);

		status = once(data, command_of(repeat, side), run);
		if (run && run->own && keeper > 0)
			g_array_append_val(run->own, keeper);
		if (run && side == 1)
			run->facts.scheduler = g_strdup(repeat->under);
	} else if (!crash_interrupted()) {
		error_report(error);
	}
	if (scheduler_leave(repeat->scheduler, &left))
		return status;
	if (run)
		run->facts.wall_ns = 0;
	return error_report(left);
}

static int do_one(Repeat *repeat, guint side, RepeatOnce once, gpointer data)
{
	g_autoptr(GError) error = NULL;
	SavedRun *run = g_new0(SavedRun, 1);

	run->before = name_file(repeat, side, "before", &error);
	run->after = run->before ? name_file(repeat, side, "after", &error) : NULL;
	int status = run->after ? run_side(repeat, side, once, data, run) : error_report(error);
	if (crash_interrupted() || run->facts.wall_ns == 0)
		drop(repeat, run);
	else
		g_ptr_array_add(repeat->sides[side], run);
	return status;
}

int repeat_do(Repeat *repeat, RepeatOnce once, gpointer data)
{
	guint64 n_warm = repeat->warmup * n_sides(repeat), n = repeat->n * n_sides(repeat);
	guint first = 0;
	int status = EXIT_DONE;

	for (guint64 i = 0; i < n_warm && status == EXIT_DONE && !crash_interrupted(); i++)
		status = run_side(repeat, (guint)(i % n_sides(repeat)), once, data, NULL);
	for (guint64 i = 0;
	     i < n && !crash_interrupted() && (status == EXIT_DONE || status == EXIT_LOST); i++) {
		show_progress(repeat, i);
		status = do_one(repeat, side_at(repeat, i, &first), once, data);
	}
	ui_progress(NULL);
	return status;
}

gboolean repeat_keep(const Repeat *repeat, GError **error)
{
	for (guint side = 0; repeat->set && side < n_sides(repeat); side++) {
		g_autofree char *directory = directory_of(repeat, side);

		if (!run_set_write(repeat->sides[side], directory, error))
			return FALSE;
	}
	return TRUE;
}

char *repeat_label(const Repeat *repeat, guint side)
{
	char **command = command_of(repeat, side);

	g_autofree char *line = command ? g_strjoinv(" ", command) : NULL;

	return side == 1 && repeat->under ? g_strdup_printf("%s [%s]", line, repeat->under)
					  : g_steal_pointer(&line);
}

int repeat_status(const Repeat *repeat)
{
	int worst = EXIT_DONE;

	for (guint side = 0; side < n_sides(repeat); side++)
		for (guint i = 0; i < repeat->sides[side]->len; i++) {
			const SavedRun *run = g_ptr_array_index(repeat->sides[side], i);

			worst = MAX(worst, run_set_status(&run->facts));
		}
	return worst;
}
