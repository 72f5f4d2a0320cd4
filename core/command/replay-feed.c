/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of a recording. */
#include "base/error.h"
#include "cmd.h"
#include "guard/userfile.h"
#include "kept-feed.h"
#include "present.h"
#include "snapshot/moment.h"

#define OUTPUT_SUFFIX "-part.ctprof"

typedef struct replay {
	KeptFeed kept;
	Session *session;
	Recording *recording;
	guint to, length; /* the newer sample; how many before it the older one is */
	Output *save;     /* NULL: it was written, or cannot be */
	char *why_none;
} Replay;

static Sample *read_sample(Replay *self, guint at, guint n_exits, GError **error)
{
	g_autoptr(Sample) sample = sample_new();
	Loaded *loaded = recording_read(self->recording, at, n_exits, sample_take, sample, error);

	if (!loaded)
		return NULL;
	sample_adopt(sample, loaded);
	return g_steal_pointer(&sample);
}

/* The next window of one sample's length needs no more than its newer sample. */
static gboolean go_to(Replay *self, guint to, guint length, GError **error)
{
	gboolean is_next =
		self->kept.samples[1] && self->length == 1 && length == 1 && to == self->to + 1;
	g_autoptr(Sample) before = is_next ? NULL : read_sample(self, to - length, 1, error);

	if (!is_next && !before)
		return FALSE;
	g_autoptr(Sample) after = read_sample(self, to, length, error);
	if (!after)
		return FALSE;
	if (before)
		kept_feed_push(&self->kept, g_steal_pointer(&before));
	kept_feed_push(&self->kept, g_steal_pointer(&after));
	self->to = to;
	self->length = length;
	return TRUE;
}

/* TRUE: the window is another one. */
static gboolean try_to(Replay *self, gint64 to, gint64 length, GError **error)
{
	gint64 last = (gint64)recording_n_samples(self->recording) - 1;

	length = CLAMP(length, 1, last);
	to = CLAMP(to, length, last);
	if (to == self->to && length == self->length)
		return FALSE;
	return go_to(self, (guint)to, (guint)length, error);
}

static gboolean move(Feed *feed, gint by, GError **error)
{
	Replay *self = (Replay *)feed;

	return try_to(self, (gint64)self->to + by, self->length, error);
}

static gboolean next(Feed *feed, GError **error)
{
	return move(feed, 1, error);
}

static gboolean stretch(Feed *feed, gint by, GError **error)
{
	Replay *self = (Replay *)feed;

	return try_to(self, self->to, (gint64)self->length + by, error);
}

static gboolean jump(Feed *feed, const char *when, GError **error)
{
	Replay *self = (Replay *)feed;
	guint sample;

	return moment_find(self->recording, "time", when, &sample, error) &&
	       try_to(self, sample, self->length, error);
}

/* The part of the recording that the window is. */
static gboolean save(Feed *feed, char **ret_where, GError **error)
{
	Replay *self = (Replay *)feed;
	g_autoptr(Output) output = g_steal_pointer(&self->save);

	if (!output)
		return error_set_failed(error, "%s",
					self->why_none ? self->why_none
						       : "a part was saved already, and one is "
							 "all that a run can write");
	if (!recording_cut(self->recording, self->to - self->length, self->to, output, error) ||
	    !output_commit(output, error))
		return FALSE;
	*ret_where = g_strdup(output_label(output));
	return TRUE;
}

void replay_feed_free(Feed *feed)
{
	Replay *self = (Replay *)feed;

	kept_feed_clear(&self->kept);
	g_clear_pointer(&self->save, output_free);
	g_clear_pointer(&self->recording, recording_free);
	g_clear_pointer(&self->session, session_free);
	g_free(self->why_none);
	g_free((gpointer)(uintptr_t)self->kept.feed.remark);
	g_free(self);
}

static void open_save(Replay *self, const char *path)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *name = g_path_get_basename(path);
	char *suffix = g_strrstr(name, ".ctprof");

	if (suffix)
		*suffix = '\0';
	g_autofree char *part = g_strconcat(name, OUTPUT_SUFFIX, NULL);
	self->save = output_open(part, TRUE, &error);
	if (error)
		self->why_none = g_strdup(error->message);
}

static gboolean open_recording(Replay *self, const Globals *globals, const char *path,
			       GError **error)
{
	/* While the process still has the rights of the user. */
	if (!g_str_equal(path, "-"))
		userfile_keep(path, 0);
	open_save(self, path);
	self->session = presenting_open(globals, error);
	presenting_limit_memory();
	if (!self->session)
		return FALSE;
	self->recording = recording_open(presenting_reader(self->session), path, error);
	if (!self->recording)
		return FALSE;
	const char *damage = recording_damage(self->recording);
	if (recording_n_samples(self->recording) < 2)
		return error_set_failed(error,
					"%s: has one sample, and nothing to replay%s%s ('ctprof "
					"show %s' shows it)",
					path, damage ? ": " : "", damage ? damage : "", path);
	return go_to(self, 1, 1, error);
}

Feed *replay_feed_new(const Globals *globals, const char *path, GError **error)
{
	Replay *self = g_new0(Replay, 1);

	self->kept.feed = (Feed){
		.is_replay = TRUE,
		.next = next,
		.is_ready = kept_feed_is_ready,
		.load = kept_feed_load,
		.save = save,
		.move = move,
		.stretch = stretch,
		.jump = jump,
	};
	if (!open_recording(self, globals, path, error)) {
		replay_feed_free(&self->kept.feed);
		return NULL;
	}
	self->kept.feed.drawer =
		plugin_find(self->session->plugins, presenting_sink(), CTPROF_KIND_SINK);
	self->kept.feed.remark = g_strdup(recording_damage(self->recording));
	return &self->kept.feed;
}
