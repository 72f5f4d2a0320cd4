/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of a recording. */
#include "base/error.h"
#include "feed.h"
#include "load.h"
#include "past.h"
#include "snapshot/rotated.h"
#include "snapshot/when.h"

#define TABLE_SINK "table"
#define OUTPUT_SUFFIX "-part.ctprof"

/* Memory may have an interval of its own: the number of earlier samples that are searched for
 * it. */
#define MEMORY_BACK 300

/* The newest sample with memory, if the newer one of the window has none. */
typedef struct memory {
	Sample *sample;      /* NULL: no sample has any */
	const Section *view; /* the view that needs it; NULL: not searched for */
	guint to;            /* the sample up to which it is the newest one */
} Memory;

typedef struct replay {
	Feed feed;
	Session *session;
	Recording *recording;
	guint to, length; /* the newer sample; the older one is length samples before */
	const char *path;
	char *name;           /* the last component of path */
	Memory memory, found; /* found: not shown yet */
	Sample *older;        /* the older sample of the next window; NULL: samples[1] */
	guint next_to, next_length;
	Output *save; /* NULL: the file was written, or cannot be */
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

/* Frees the samples that keep() would make the window. */
static void drop_taken(Replay *self)
{
	g_clear_pointer(&self->older, sample_free);
	g_clear_pointer(&self->feed.taken, sample_free);
}

/* Reads a window.  If it is the next window and one sample long, only its newer sample is read. */
static gboolean fetch(Replay *self, guint to, guint length, GError **error)
{
	gboolean is_next =
		self->feed.samples[1] && self->length == 1 && length == 1 && to == self->to + 1;

	drop_taken(self);
	if (!is_next && !(self->older = read_sample(self, to - length, 1, error)))
		return FALSE;
	self->feed.taken = read_sample(self, to, length, error);
	self->next_to = to;
	self->next_length = length;
	return self->feed.taken != NULL;
}

static void keep_memory(Replay *self)
{
	Memory found = self->found;

	self->found = (Memory){0};
	if (!found.view)
		return;
	/* Both pointers may be to the same sample. */
	if (found.sample != self->memory.sample)
		g_clear_pointer(&self->memory.sample, sample_free);
	self->memory = found;
}

static void keep(Feed *feed)
{
	Replay *self = (Replay *)feed;

	keep_memory(self);
	if (!self->feed.taken) {
		drop_taken(self);
		return;
	}
	if (self->older)
		feed_push(feed, g_steal_pointer(&self->older));
	feed_push(feed, g_steal_pointer(&self->feed.taken));
	self->to = self->next_to;
	self->length = self->next_length;
}

static gboolean go_to(Replay *self, guint to, guint length, GError **error)
{
	gboolean ok = fetch(self, to, length, error);

	keep(&self->feed);
	return ok;
}

/* Returns TRUE if the window is another one. */
static gboolean try_window(Replay *self, gint64 to, gint64 length, GError **error)
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

	return try_window(self, (gint64)self->to + by, self->length, error);
}

static gboolean take(Feed *feed, const Demand *demand, GError **error)
{
	Replay *self = (Replay *)feed;

	(void)demand;
	return self->to + 1 < recording_n_samples(self->recording) &&
	       fetch(self, self->to + 1, self->length, error);
}

/* ---- memory ------------------------------------------------------------------------ */

static gboolean is_newest_with(const Replay *self, const Demand *demand)
{
	return sample_has(self->feed.samples[1], demand->memory->needs);
}

static gint64 memory_due(const Feed *feed, const Demand *demand)
{
	const Replay *self = (const Replay *)feed;
	gboolean is_known = self->memory.view == demand->memory && self->memory.to == self->to;

	return is_known || is_newest_with(self, demand) ? G_MAXINT64 : 0;
}

static gboolean take_memory(Feed *feed, const Demand *demand, GError **error)
{
	Replay *self = (Replay *)feed;
	guint least = self->to - MIN(self->to, MEMORY_BACK);

	self->found = (Memory){.view = demand->memory, .to = self->to};
	for (guint at = self->to; at-- > least;) {
		if (self->memory.view == demand->memory && self->memory.to == at) {
			self->found.sample = self->memory.sample;
			return TRUE;
		}
		g_autoptr(Sample) sample = read_sample(self, at, 1, error);
		if (!sample)
			return FALSE;
		if (!sample_has(sample, demand->memory->needs))
			continue;
		self->found.sample = g_steal_pointer(&sample);
		return TRUE;
	}
	return TRUE;
}

static const Sample *find_memory(const Feed *feed, const Demand *demand, GError **error)
{
	const Replay *self = (const Replay *)feed;

	(void)error;
	if (is_newest_with(self, demand))
		return feed->samples[1];
	return self->memory.view == demand->memory && self->memory.to == self->to
		       ? self->memory.sample
		       : NULL;
}

static gboolean resize(Feed *feed, gint by, GError **error)
{
	Replay *self = (Replay *)feed;

	return try_window(self, self->to, (gint64)self->length + by, error);
}

static gboolean jump(Feed *feed, const char *when, GError **error)
{
	Replay *self = (Replay *)feed;
	guint sample;

	return when_find(self->recording, "time", when, NULL, &sample, error) &&
	       try_window(self, sample, self->length, error);
}

static Series *read_past(Feed *feed, const AnalysisOptions *options, GError **error)
{
	const Replay *self = (const Replay *)feed;
	g_autoptr(Filling) filling = filling_new(options, error);

	if (!filling || !past_read(self->recording, 0, recording_n_samples(self->recording) - 1,
				   filling, error))
		return NULL;
	return g_steal_pointer(&filling->options.past);
}

static gboolean show(Feed *feed, guint window, guint n_windows, GError **error)
{
	Replay *self = (Replay *)feed;
	guint last = recording_n_samples(self->recording) - 1;
	gint64 from = past_boundary(last, window, n_windows);
	gint64 to = past_boundary(last, window + 1, n_windows);

	return try_window(self, to, to - from, error);
}

/* Saves the part of the recording that the window covers. */
static gboolean save(Feed *feed, char **ret_where, GError **error)
{
	Replay *self = (Replay *)feed;
	g_autoptr(Output) output = g_steal_pointer(&self->save);

	if (!output)
		return error_set_failed(error, "%s",
					self->why_none ? self->why_none
						       : "a part was already saved, and one is "
							 "all that a run can write");
	if (!recording_cut(self->recording, self->to - self->length, self->to, output, error) ||
	    !output_commit(output, error))
		return FALSE;
	*ret_where = g_strdup(output_label(output));
	return TRUE;
}

static void replay_feed_free(Feed *feed)
{
	Replay *self = (Replay *)feed;

	feed_clear(feed);
	drop_taken(self);
	keep_memory(self);
	g_clear_pointer(&self->memory.sample, sample_free);
	g_clear_pointer(&self->save, output_free);
	g_clear_pointer(&self->recording, recording_free);
	g_clear_pointer(&self->session, session_free);
	g_free(self->why_none);
	g_free(self->name);
	g_free((gpointer)(uintptr_t)self->feed.remark);
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

/* Refuses a file with fewer than two samples, which may not be a recording at all. */
static gboolean refuse(Replay *self, GError **error)
{
	const char *damage = recording_damage(self->recording);
	g_autoptr(Sample) only = read_sample(self, 0, 1, error);

	return only &&
	       error_set_failed(error,
				"%s: has only one sample, and nothing to replay%s%s ('ctprof "
				"show %s' shows it)",
				self->path, damage ? ": " : "", damage ? damage : "", self->path);
}

static gboolean open_recording(Replay *self, const Globals *globals, const char *path,
			       GError **error)
{
	load_keep(path);
	open_save(self, path);
	self->session =
		session_check(globals, error) ? load_session(globals, TABLE_SINK, error) : NULL;
	if (!self->session || !load_begin(self->session, TABLE_SINK, error))
		return FALSE;
	self->recording = recording_open(load_reader(self->session), path, error);
	if (!self->recording || !rotated_take(self->recording, path, error))
		return FALSE;
	return recording_n_samples(self->recording) < 2 ? refuse(self, error)
							: go_to(self, 1, 1, error);
}

Feed *replay_feed_new(const Globals *globals, const char *path, GError **error)
{
	Replay *self = g_new0(Replay, 1);

	self->path = path;
	self->name = g_path_get_basename(path);
	self->feed = (Feed){
		.is_replay = TRUE,
		.memory_of = self->name,
		.take = take,
		.take_memory = take_memory,
		.keep = keep,
		.memory_due = memory_due,
		.memory = find_memory,
		.save = save,
		.free = replay_feed_free,
		.move = move,
		.resize = resize,
		.jump = jump,
		.past = read_past,
		.show = show,
	};
	if (!open_recording(self, globals, path, error)) {
		replay_feed_free(&self->feed);
		return NULL;
	}
	self->feed.renderer = plugin_find(self->session->plugins, TABLE_SINK, CTPROF_KIND_SINK);
	self->feed.remark = g_strdup(recording_damage(self->recording));
	return &self->feed;
}
