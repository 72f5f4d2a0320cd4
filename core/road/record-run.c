/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record-run.h"

#include <poll.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/option.h"
#include "base/ui.h"
#include "guard/crash.h"
#include "load.h"
#include "plugin/plugin.h"

#define NS_PER_MS G_GINT64_CONSTANT(1000000)
#define NS_PER_S (1000 * NS_PER_MS)
/* A clock may be off by this much without a note: it is steered, and reading takes time. */
#define SLACK_NS (NS_PER_S / 2)
/* Maximum length of a wait, as a signal may come between a check and the wait. */
#define POLL_MS 200

typedef struct clocks {
	gint64 monotonic_ns;
	RootTime time;
} Clocks;

typedef struct recorder {
	const RecordPlan *plan;
	Capturing *capturing;
	Output *output;
	guint64 number;     /* number of the sample in this file, from 1 */
	gint64 tick_ns;     /* when the sample is due */
	Clocks before, now; /* when the last written sample began, and this one */
	/* Events since the last sample that was written. */
	guint64 skipped;   /* because they were late */
	guint64 unwritten; /* could not be written */
	char *why_unwritten;
	gboolean was_full; /* the user has been warned */
	gboolean has_read; /* the sources have read a sample, and must forget it before the next */
	gboolean hung_up;  /* this sample is the last one, after SIGHUP */
} Recorder;

static void recorder_clear(Recorder *self)
{
	g_clear_pointer(&self->capturing, capturing_end);
	g_clear_pointer(&self->why_unwritten, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Recorder, recorder_clear)

/* ---- groups with an interval of their own ------------------------------------- */

static gboolean parse_slow(const char *given, RecordSlow *ret_slow, GError **error)
{
	static const struct ctprof_option time = {.struct_size = sizeof time,
						  .type = CTPROF_OPTION_TIME,
						  .name = "every",
						  .least = 1};
	const char *equals = strchr(given, '=');

	if (!equals || equals == given)
		return error_set_usage(error, "--every '%s': expected GROUP=TIME", given);
	g_autofree char *ns = option_normalise(&time, "--every", equals + 1, error);
	if (!ns)
		return FALSE;
	*ret_slow = (RecordSlow){.group = g_strndup(given, (gsize)(equals - given)),
				 .every_ns = g_ascii_strtoull(ns, NULL, 10)};
	return TRUE;
}

gboolean record_parse_every(RecordPlan *plan, GError **error)
{
	plan->slow = g_array_new(FALSE, FALSE, sizeof(RecordSlow));
	for (char **each = plan->every; each && *each; each++) {
		RecordSlow slow;

		if (!parse_slow(*each, &slow, error))
			return FALSE;
		g_array_append_val(plan->slow, slow);
	}
	return TRUE;
}

static gboolean check_slow(const Recorder *self, GError **error)
{
	const GArray *slow = self->plan->slow;

	for (guint i = 0; i < slow->len; i++) {
		const char *group = g_array_index(slow, RecordSlow, i).group;

		if (registry_skip_group(capturing_session(self->capturing)->registry, group,
					FALSE) == 0)
			return error_set_usage(error, "--every: nothing of the group '%s' is read",
					       group);
	}
	return TRUE;
}

/* Chooses the groups to read in the sample that is due at now_ns. */
static void settle_slow(const Recorder *self, gint64 now_ns)
{
	const GArray *all = self->plan->slow;

	for (guint i = 0; i < all->len; i++) {
		RecordSlow *slow = &g_array_index(all, RecordSlow, i);
		gboolean is_due = (guint64)now_ns >= slow->due_ns;

		registry_skip_group(capturing_session(self->capturing)->registry, slow->group,
				    !is_due);
		if (is_due)
			slow->due_ns = (guint64)now_ns + slow->every_ns;
	}
}

/* ---- time ------------------------------------------------------------------------ */

static gint64 read_clock(void)
{
	return (gint64)clock_ns(CLOCK_MONOTONIC);
}

/* Returns how long the host has been suspended until now. */
static gint64 asleep_ns(const Clocks *clocks)
{
	return (gint64)clocks->time.boottime_ns - clocks->monotonic_ns;
}

/* Returns the time of the boot by the clock's current setting, as far as it can be known. */
static gint64 epoch_ns(const Clocks *clocks)
{
	return (gint64)(clocks->time.realtime_ns - clocks->time.boottime_ns);
}

static G_GNUC_PRINTF(2, 3) void add_note(GString *notes, const char *format, ...)
{
	va_list ap;

	if (notes->len > 0)
		g_string_append(notes, "; ");
	va_start(ap, format);
	g_string_append_vprintf(notes, format, ap);
	va_end(ap);
}

/* Makes a note of events since the last sample that the next one, which begins at time, cannot
 * show; NULL: there were none. */
static char *take_notes(gpointer data, const RootTime *time)
{
	Recorder *self = data;
	const Marks *marks = &self->plan->state->marks;
	g_autoptr(GString) notes = g_string_new(NULL);

	self->now = (Clocks){read_clock(), *time};
	gint64 asleep = asleep_ns(&self->now) - asleep_ns(&self->before);
	gint64 jump = epoch_ns(&self->now) - epoch_ns(&self->before);
	gboolean is_first = self->before.time.boottime_ns == 0;

	if (!is_first && asleep > SLACK_NS)
		add_note(notes, "the host was suspended for %.1f s", (gdouble)asleep / NS_PER_S);
	if (!is_first && ABS(jump) > SLACK_NS)
		add_note(notes, "the clock was set %s by %.1f s", jump > 0 ? "forward" : "back",
			 (gdouble)ABS(jump) / NS_PER_S);
	if (self->skipped > 0)
		add_note(notes, "samples skipped, being late: %" G_GUINT64_FORMAT, self->skipped);
	if (self->unwritten > 0)
		add_note(notes, "samples that could not be written: %" G_GUINT64_FORMAT " (%s)",
			 self->unwritten, self->why_unwritten);
	if (marks->n_left_out > 0)
		add_note(notes, "marks left out: %" G_GUINT64_FORMAT, marks->n_left_out);
	if (self->hung_up)
		add_note(notes, "ended by SIGHUP, as when a terminal is closed");
	return notes->len > 0 ? g_string_free(g_steal_pointer(&notes), FALSE) : NULL;
}

/* Waits for the next sample; FALSE: no more are wanted.  The last sample of a command is taken when
 * the command ends. */
static gboolean wait_for_tick(Recorder *self, gboolean *ret_is_last)
{
	Workload *workload = self->plan->workload;

	while (!crash_interrupted()) {
		marks_take(&self->plan->mark_inputs, &self->plan->state->marks);
		gint64 left_ms = (self->tick_ns - read_clock()) / NS_PER_MS + 1;

		if (self->tick_ns <= read_clock())
			return TRUE;
		int wait_ms = (int)MIN(left_ms, POLL_MS);
		*ret_is_last = workload && workload_has_ended(workload, wait_ms);
		if (*ret_is_last)
			return TRUE;
		if (!workload)
			(void)poll(NULL, 0, wait_ms);
	}
	return FALSE;
}

/* Sets the next multiple of the interval that is still to come, and counts those that were
 * missed. */
static void set_tick(Recorder *self)
{
	gint64 interval = (gint64)self->plan->interval_ns;
	gint64 late = read_clock() - self->tick_ns;
	gint64 steps = MAX(late, 0) / interval;

	self->skipped += (guint64)steps;
	self->plan->state->late += (guint64)steps;
	self->tick_ns += (steps + 1) * interval;
	self->plan->state->tick_ns = self->tick_ns;
}

/* ---- files -------------------------------------------------------------------------- */

static gboolean rotates(const RecordPlan *plan)
{
	return plan->max_size > 0 || plan->max_age_ns > 0;
}

gboolean record_open(RecordPlan *plan, GError **error)
{
	RecordState *state = plan->state;
	const Globals *globals = plan->globals;

	g_clear_pointer(&plan->output, output_free);
	if (!plan->path) {
		g_autoptr(Root) root =
			root_open(globals->proc, globals->sys, globals->cgroup, error);

		if (!root)
			return FALSE;
		plan->path = capturing_name_output(root, RECORD_SUFFIX);
	}
	const OutputLimits limits = {plan->keep, plan->max_size, plan->max_age_ns};
	if (rotates(plan) && !output_rotate(plan->path, &limits, error))
		return FALSE;
	state->wants_another = FALSE;
	state->bytes = 0;
	state->file_ns = read_clock();
	plan->output = output_open_growing(plan->path, error);
	if (!plan->output)
		return FALSE;
	marks_listen(&plan->mark_inputs, &state->marks, plan->path);
	return TRUE;
}

/* Finishes the file, so that its samples are found through its table. */
static gboolean close_file(Recorder *self, GError **error)
{
	RecordState *state = self->plan->state;
	g_autoptr(GError) local = NULL;

	if (!plugin_finish(capturing_sink(self->capturing), &local)) {
		/* The file can be read without the table. */
		if (!output_failed(self->output, NULL) ||
		    !output_cut(self->output, state->bytes, error))
			return FALSE;
		ui_warning("%s", local->message);
	}
	return output_commit(self->output, error);
}

static gboolean is_full(const Recorder *self)
{
	const RecordPlan *plan = self->plan;
	gint64 age = read_clock() - plan->state->file_ns;

	return (plan->max_size > 0 && plan->state->bytes >= plan->max_size) ||
	       (plan->max_age_ns > 0 && (guint64)age >= plan->max_age_ns);
}

/* ---- samples --------------------------------------------------------------------------- */

/* Handles a sample that could not be written: restores the file to its state before the sample. */
static gboolean drop_sample(Recorder *self, GError **error)
{
	g_autoptr(GError) why = g_steal_pointer(error);

	if (!output_failed(self->output, NULL)) {
		g_propagate_error(error, g_steal_pointer(&why));
		return FALSE;
	}
	if (!output_cut(self->output, self->plan->state->bytes, error))
		return FALSE;
	if (!self->was_full)
		ui_warning("%s; recording goes on, without the samples that do not fit",
			   why->message);
	self->was_full = TRUE;
	g_free(self->why_unwritten);
	self->why_unwritten = g_strdup(why->message);
	self->unwritten++;
	self->plan->state->lost++;
	return TRUE;
}

static gboolean take_sample(Recorder *self, GError **error)
{
	RecordState *state = self->plan->state;
	g_auto(CaptureResult) result = {0};
	struct ctprof_fact marks[MARKS_MOST];
	CaptureSample sample = {self->number, take_notes, self, .marks = marks};

	/* All of these marks were set before this sample begins, and are in no earlier one. */
	marks_take(&self->plan->mark_inputs, &state->marks);
	sample.n_marks = marks_list(&state->marks, marks);
	self->has_read = TRUE;
	gboolean ok = capturing_sample(self->capturing, self->output, &sample, &result, error);

	if (!ok)
		return !crash_interrupted() && drop_sample(self, error);
	state->bytes = output_bytes(self->output);
	state->samples++;
	self->number++;
	self->before = self->now;
	self->skipped = self->unwritten = 0;
	self->was_full = FALSE;
	marks_forget(&state->marks);
	return TRUE;
}

/* Chooses the slow groups of the next sample, and makes the sources forget the last sample. */
static void prepare_next_sample(Recorder *self, gint64 tick_ns)
{
	settle_slow(self, tick_ns);
	if (self->has_read)
		capturing_again(self->capturing);
	self->has_read = FALSE;
}

/* Ends the recording after a signal. A sample that was being written is dropped. If the terminal is
 * gone, one more sample shows readers of the file why it ends; marks that are in no sample yet also
 * get one more. */
static gboolean end_interrupted(Recorder *self, GError **error)
{
	int number = crash_take_signal();
	Marks *marks = &self->plan->state->marks;

	if (!output_cut(self->output, self->plan->state->bytes, error))
		return FALSE;
	marks_take(&self->plan->mark_inputs, marks);
	self->hung_up = number == SIGHUP;
	gboolean ok = TRUE;
	if (self->hung_up || marks->n > 0) {
		prepare_next_sample(self, 0);
		ok = take_sample(self, error);
	}
	if (!self->hung_up)
		crash_note_signal(number);
	return ok;
}

static gboolean is_enough(const Recorder *self)
{
	const RecordPlan *plan = self->plan;
	const RecordState *state = plan->state;

	return (plan->count > 0 && state->samples + state->lost >= plan->count) ||
	       (state->end_ns > 0 && self->tick_ns > state->end_ns);
}

/* Continues with the times of the previous process, if there was one. */
static void set_times(Recorder *self)
{
	const RecordPlan *plan = self->plan;
	RecordState *state = plan->state;

	self->tick_ns = state->tick_ns ? state->tick_ns : read_clock();
	if (plan->duration_ns > 0 && state->end_ns == 0)
		state->end_ns = self->tick_ns + (gint64)plan->duration_ns;
	self->number = 1;
	settle_slow(self, self->tick_ns);
}

static gboolean record(Recorder *self, GError **error)
{
	const RecordPlan *plan = self->plan;
	gboolean is_last = FALSE;

	set_times(self);
	while (wait_for_tick(self, &is_last)) {
		if (!take_sample(self, error))
			return FALSE;
		if (plan->workload && plan->state->samples == 1)
			workload_begin(plan->workload);
		set_tick(self);
		if (is_last || is_enough(self))
			return TRUE;
		plan->state->wants_another = rotates(plan) && is_full(self);
		if (plan->state->wants_another)
			return TRUE;
		prepare_next_sample(self, self->tick_ns);
	}
	return !crash_fail_interrupted(error);
}

/* Prints a line such as "600 samples, 3 not written; FILE: SIZE". */
static void summarise(const Recorder *self)
{
	const RecordState *state = self->plan->state;
	const char *why = capturing_exits_failure(self->capturing);
	g_autofree char *size = ui_format_size(output_bytes(self->output));
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "%" G_GUINT64_FORMAT " sample%s", state->samples,
			state->samples == 1 ? "" : "s");
	if (state->late > 0)
		g_string_append_printf(text, ", %" G_GUINT64_FORMAT " skipped, being late",
				       state->late);
	if (state->lost > 0)
		g_string_append_printf(text, ", %" G_GUINT64_FORMAT " not written", state->lost);
	if (why)
		g_string_append_printf(text, ", without records of threads that ended (%s)", why);
	ui_note("%s; %s: %s", text->str, output_label(self->output), size);
}

static gboolean record_samples(Recorder *self, GError **error)
{
	const RecordPlan *plan = self->plan;

	self->output = plan->output;
	if (!output_cut(self->output, plan->state->bytes, error))
		return FALSE;
	self->capturing = capturing_begin(plan->globals, plan->request, NULL, error);
	if (!self->capturing)
		return FALSE;
	if (!plugin_can_record(capturing_sink(self->capturing)))
		return error_set_usage(error, "plugin %s: cannot write a recording",
				       plugin_name(capturing_sink(self->capturing)));
	if (!check_slow(self, error))
		return FALSE;
	g_autoptr(GError) why = NULL;
	gboolean ok = record(self, &why);
	if (!ok && crash_interrupted() && plan->state->samples > 0)
		ok = end_interrupted(self, error);
	else if (!ok)
		g_propagate_error(error, g_steal_pointer(&why));
	if (ok && plan->state->samples == 0 && self->why_unwritten)
		return error_set_failed(error, "%s", self->why_unwritten);
	if (!ok || !close_file(self, error))
		return FALSE;
	if (!plan->state->wants_another)
		summarise(self);
	return TRUE;
}

int record_step(gpointer data, GError **error)
{
	g_auto(Recorder) self = {.plan = data};

	return EXIT_OF(record_samples(&self, error));
}
