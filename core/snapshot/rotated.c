/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rotated.h"

#include <errno.h>
#include <fcntl.h>

#include "base/error.h"
#include "context.h"
#include "guard/output.h"
#include "guard/userfile.h"
#include "when.h"

/* Maximum files before the newest one: each is held open. */
#define MOST_FILES 255
/* A sample may be late, and a recorder takes a moment to start. */
#define SLACK_NS G_GINT64_CONSTANT(1000000000)

void rotated_keep(const char *path)
{
	gboolean is_there = TRUE;

	for (guint i = 1; is_there && i <= MOST_FILES; i++) {
		g_autofree char *name = output_name_rotated(path, i);

		is_there = userfile_keep(name, O_NOFOLLOW);
	}
}

/* Adds the files before path.  Returns their number. */
static guint add_files(Recording *recording, const char *path)
{
	for (guint n = 0; n < MOST_FILES; n++) {
		g_autofree char *name = output_name_rotated(path, n + 1);
		int r = bytes_prepend(recording_bytes(recording), name);

		if (r < 0 && r != -ENOENT)
			recording_add_damage(recording,
					     "%s is left out with all older files: it is "
					     "not a regular file of the same owner",
					     name);
		if (r < 0)
			return n;
	}
	recording_add_damage(recording, "files older than %s.%u are left out", path, MOST_FILES);
	return MOST_FILES;
}

static gboolean note_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	(void)error;
	context_note_rows(data, registry, rows);
	return TRUE;
}

/* Returns the context of a sample; NULL: it cannot be read. */
static Context *look_at(Recording *recording, guint sample)
{
	g_autoptr(Context) context = context_new();
	g_autoptr(Loaded) loaded =
		recording_read_host(recording, sample, 1, note_rows, context, NULL);

	if (!loaded)
		return NULL;
	context_note_facts(context, &loaded->facts);
	return g_steal_pointer(&context);
}

/* Returns the first sample of a part; if the part has none, that of the next one. */
static guint first_of(const Recording *recording, guint part)
{
	guint sample = 0;

	while (sample < recording_n_samples(recording) && recording_part(recording, sample) < part)
		sample++;
	return sample;
}

static gint64 step_to(const Recording *recording, guint sample)
{
	return (gint64)(recording_time(recording, sample) - recording_time(recording, sample - 1));
}

/* Notes a gap before the file that begins with the sample, if it is longer than the time between
 * samples. */
static void note_gap(Recording *recording, guint sample)
{
	if (sample < 2 ||
	    step_to(recording, sample) <= 2 * step_to(recording, sample - 1) + SLACK_NS)
		return;
	g_autofree char *from = when_name(recording, sample - 1),
			*to = when_name(recording, sample);
	recording_add_damage(recording, "nothing was recorded from %s to %s", from, to);
}

/* Returns how many of the oldest parts do not belong to the recording: up to the newest one that is
 * not of the same boot, or that does not end before the next part begins.  n: the number of the
 * newest part. */
static guint count_unrelated(Recording *recording, guint n)
{
	/* A file that has just begun may have no sample yet. */
	guint part = recording_part(recording, recording_n_samples(recording) - 1);
	guint next = first_of(recording, part);
	g_autoptr(Context) newest = part <= n ? look_at(recording, next) : NULL;

	for (part = MIN(part, n); part-- > 0;) {
		guint first = first_of(recording, part);
		gboolean is_before = newest && first < next && step_to(recording, next) >= 0;
		g_autoptr(Context) context = is_before ? look_at(recording, first) : NULL;
		ContextSpan span;

		if (!context || context_span(context, newest, &span) || !span.of_one_boot)
			return part + 1;
		note_gap(recording, next);
		next = first;
	}
	return 0;
}

gboolean rotated_take(Recording *recording, const char *path, GError **error)
{
	guint n = g_str_equal(path, "-") ? 0 : add_files(recording, path);

	if (n == 0)
		return TRUE;
	if (!recording_list(recording, error))
		return FALSE;
	guint strangers = count_unrelated(recording, n);
	if (strangers > 0) {
		g_autofree char *name = output_name_rotated(path, n - strangers + 1);

		bytes_drop(recording_bytes(recording), strangers);
		recording_add_damage(recording,
				     "%s is left out with all older files: it is not an "
				     "earlier recording of the same boot",
				     name);
		if (!recording_list(recording, error))
			return FALSE;
	}
	return TRUE;
}
