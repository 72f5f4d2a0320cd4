/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "base/error.h"
#include "base/ui.h"
#include "guard/crash.h"
#include "inside.h"
#include "messages.h"
#include "report/name/axis.h"

/* The second sample comes soon: the first screen needs both. */
#define FIRST_WAIT_US (G_USEC_PER_SEC / 2)
#define NS_PER_US 1000
/* A message must not hide the line of keys for ever. */
#define MESSAGE_US (5 * G_USEC_PER_SEC)

#define KEYS_LINE " ? help  q quit  Enter open  m memory  / search  \\ filter  < > sort  g group"
#define KEYS_LINE_REPLAY                                                                           \
	" ? help  q quit  f findings  t T sample  j jump  [ ] window  p play  Enter open"
#define KEYS_LINE_MEMORY                                                                           \
	" ? help  q quit  Enter open  Esc back  m pools  u measure  e children  / search"

/* ---- the analysis of the window ------------------------------------------------------ */

AnalysisOptions screen_options(const Screen *screen)
{
	return (AnalysisOptions){
		.compare = TRUE,
		.may_be_window = TRUE,
		.digest = TRUE,
		.group_by = screen->group_by,
		.sort_by = screen->sort,
		.filter = screen->filter,
		.explain = screen->options->explain,
		.pids = screen->options->pids,
		.rename_min_types = 10,
		.rename_min_jaccard = 0.90,
	};
}

const struct ctprof_report *screen_analyse(const Screen *screen, AnalysisOptions *options,
					   Analysis **ret_analysis, GError **error)
{
	g_autoptr(Analysis) analysis = analysis_new(options, error);
	const struct ctprof_report *report =
		analysis && feed_load(screen->feed, analysis, options, error)
			? analysis_finish(analysis, error)
			: NULL;

	*ret_analysis = report ? g_steal_pointer(&analysis) : NULL;
	return report;
}

/* ---- views --------------------------------------------------------------------------- */

static void view_clear(gpointer data)
{
	View *view = data;

	g_free(view->subject);
	g_free(view->place.name);
}

View *screen_view(const Screen *screen)
{
	return &g_array_index(screen->views, View, screen->views->len - 1);
}

void screen_forget_page(Screen *screen)
{
	g_clear_pointer(&screen->page, page_free);
}

/* The places where threads wait are read while a pool is open, and memory while its page is
 * shown. */
Demand screen_demand(const Screen *screen)
{
	const View *now = screen_view(screen);
	Demand demand = {.shows_waits = FALSE};

	for (guint i = 0; i < screen->views->len; i++)
		demand.shows_waits |= g_array_index(screen->views, View, i).kind == &kind_pool;
	if (now->kind->memory)
		demand.memory = section_find(now->kind->memory, TRUE);
	if (demand.memory && demand.memory->flags & SECTION_TAKES_PID)
		demand.pid = (gint32)g_ascii_strtoll(now->subject, NULL, 10);
	return demand;
}

void screen_open_view(Screen *screen, const ViewKind *kind, const char *subject)
{
	View view = {.kind = kind, .subject = g_strdup(subject)};

	g_array_append_val(screen->views, view);
	if (kind == &kind_pool)
		screen->due_us = MIN(screen->due_us, g_get_monotonic_time());
	screen_forget_page(screen);
}

void screen_keep_views(Screen *screen, guint n)
{
	g_array_set_size(screen->views, MIN(n, screen->views->len));
	screen_forget_page(screen);
}

void screen_close_view(Screen *screen)
{
	if (screen->views->len > 1)
		screen_keep_views(screen, screen->views->len - 1);
}

static void show_message(Screen *screen, char *message)
{
	g_free(screen->message);
	screen->message = message;
	screen->message_us = g_get_monotonic_time() + MESSAGE_US;
}

void screen_say(Screen *screen, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	g_autofree char *raw = g_strdup_vprintf(format, ap);
	va_end(ap);
	show_message(screen, ui_escape(raw, -1));
}

/* ---- drawing --------------------------------------------------------------------------- */

guint screen_height(const Screen *screen)
{
	return MAX(terminal_height(screen->terminal), N_BELOW + 1);
}

static Page *make_page(Screen *screen, GError **error)
{
	const View *view = screen_view(screen);
	g_autoptr(Page) page = page_new();

	screen->renderer.width = terminal_width(screen->terminal);
	if (!view->kind->is_still && !feed_is_ready(screen->feed)) {
		g_ptr_array_add(page->head,
				g_strdup(" the first sample is taken; another one follows"));
		return g_steal_pointer(&page);
	}
	if (!view->kind->make(screen, view->subject, page, error))
		return NULL;
	if (!screen->renderer.error)
		return g_steal_pointer(&page);
	g_propagate_error(error, g_steal_pointer(&screen->renderer.error));
	return NULL;
}

gboolean screen_make_page(Screen *screen, GError **error)
{
	screen_forget_page(screen);
	screen->page = make_page(screen, error);
	return screen->page != NULL;
}

/* Whether the filter leaves no row of the visible table. */
static gboolean matches_nothing(const Screen *screen)
{
	const Page *page = screen->page;

	return page && page->heading->len > 0 && page->rows->len == 0;
}

static char *describe(const Screen *screen)
{
	GString *text = g_string_new(NULL);

	if (screen_view(screen)->kind->memory) {
		g_autofree char *memory = screen_describe_memory(screen);

		g_string_append(text, memory);
	} else {
		g_string_printf(text, " by %s", axis_of(screen->group_by)->word);
		g_string_append_printf(text, " · sort %s", screen->sort ? screen->sort : "cost");
	}
	if (screen->filter)
		g_string_append_printf(text, " · filter %s%s", screen->filter,
				       matches_nothing(screen) ? ": no name matches" : "");
	if (screen->paused)
		g_string_append(text, " · paused");
	return g_string_free(text, FALSE);
}

static void draw_below(const Screen *screen, guint height)
{
	g_autofree char *state = describe(screen);
	const char *remark = screen->feed->remark;
	g_autofree char *line = screen->message ? g_strdup_printf(" %s", screen->message)
				: remark        ? g_strdup_printf("%s · %s", state, remark)
						: NULL;
	const char *keys = screen_view(screen)->kind->memory ? KEYS_LINE_MEMORY
			   : screen->feed->is_replay         ? KEYS_LINE_REPLAY
							     : KEYS_LINE;

	terminal_put(screen->terminal, height - 2, line ? line : state,
		     screen->message ? TERMINAL_ALARM : TERMINAL_PLAIN);
	terminal_put(screen->terminal, height - 1, keys, TERMINAL_HEADING);
}

/* Fails if no page can be made; actions undo a setting with which none can be made. */
gboolean screen_draw(Screen *screen, GError **error)
{
	guint height = screen_height(screen);

	if (!screen->page && !screen_make_page(screen, error))
		return FALSE;
	page_draw(screen->page, screen->terminal, height - N_BELOW, &screen_view(screen)->place);
	draw_below(screen, height);
	terminal_show(screen->terminal);
	return TRUE;
}

/* ---- samples ------------------------------------------------------------------------- */

/* Skips samples that are late instead of catching up. */
static void set_due(Screen *screen)
{
	gint64 interval = (gint64)(screen->options->interval_ns / NS_PER_US);
	gint64 late = g_get_monotonic_time() - screen->due_us;

	screen->due_us += (MAX(late, 0) / interval + 1) * interval;
	if (!feed_is_ready(screen->feed))
		screen->due_us = MIN(screen->due_us, screen->taken_us + FIRST_WAIT_US);
}

static gboolean take_over(Screen *screen, gboolean wait, GError **error)
{
	SamplerEnd end;

	if (!sampler_take_end(screen->sampler, wait, &end))
		return TRUE;
	if (end.error && !crash_interrupted() && end.job == SAMPLER_SAMPLE) {
		g_propagate_error(error, end.error);
		return FALSE;
	}
	/* If memory cannot be read, its page shows the reason. */
	g_clear_error(&end.error);
	screen->feed->keep(screen->feed);
	screen_forget_page(screen);
	if (end.job == SAMPLER_MEMORY)
		return TRUE;
	screen->paused |= !end.found;
	screen->is_new_window = end.found && feed_is_ready(screen->feed);
	set_due(screen);
	return TRUE;
}

void screen_settle(Screen *screen)
{
	g_autoptr(GError) error = NULL;

	if (!take_over(screen, TRUE, &error))
		screen_say(screen, "%s", error->message);
}

/* Memory that has not been read yet is read even while paused: the user just asked for it. */
static gboolean needs_memory(const Screen *screen, const Demand *demand, gint64 now)
{
	const Feed *feed = screen->feed;
	gint64 due = demand->memory ? feed->memory_due(feed, demand) : G_MAXINT64;

	return due <= (screen->paused ? 0 : now);
}

static void read_on(Screen *screen)
{
	gint64 now = g_get_monotonic_time();
	const Demand demand = screen_demand(screen);

	if (sampler_is_busy(screen->sampler))
		return;
	if (!screen->paused && now >= screen->due_us) {
		screen->taken_us = now;
		sampler_start(screen->sampler, SAMPLER_SAMPLE, &demand);
	} else if (feed_is_ready(screen->feed) && needs_memory(screen, &demand, now)) {
		sampler_start(screen->sampler, SAMPLER_MEMORY, &demand);
	}
}

/* ---- the loop ------------------------------------------------------------------------ */

static guint time_left(const Screen *screen)
{
	gint64 left = (screen->due_us - g_get_monotonic_time()) / 1000 + 1;
	gboolean rests = screen->paused || sampler_is_busy(screen->sampler);

	return rests ? POLL_MS : (guint)CLAMP(left, 1, POLL_MS);
}

static void read_key(Screen *screen)
{
	gunichar key =
		terminal_read(screen->terminal, time_left(screen), sampler_fd(screen->sampler));
	char *message = messages_take_last();

	screen->done |= key == TERMINAL_GONE;
	if (key == TERMINAL_RESIZE) {
		screen_forget_page(screen);
	} else if (key != TERMINAL_NONE) {
		g_clear_pointer(&screen->message, g_free);
		screen_act(screen, key);
	}
	if (message)
		show_message(screen, message);
	else if (g_get_monotonic_time() > screen->message_us)
		g_clear_pointer(&screen->message, g_free);
}

static gboolean screen_loop(Screen *screen, GError **error)
{
	screen->due_us = g_get_monotonic_time();
	while (!screen->done && !crash_interrupted()) {
		if (!take_over(screen, FALSE, error))
			return FALSE;
		read_on(screen);
		if (!screen_draw(screen, error))
			return FALSE;
		read_key(screen);
	}
	return TRUE;
}

static void screen_clear(Screen *screen)
{
	/* First close the screen, which the user sees. */
	g_clear_pointer(&screen->terminal, terminal_close);
	g_clear_pointer(&screen->sampler, sampler_free);
	g_clear_pointer(&screen->page, page_free);
	g_clear_pointer(&screen->renderer.output, output_free);
	g_clear_error(&screen->renderer.error);
	g_clear_pointer(&screen->history, series_free);
	g_clear_pointer(&screen->past, series_free);
	g_clear_pointer(&screen->views, g_array_unref);
	g_clear_pointer(&screen->hidden, g_hash_table_unref);
	g_clear_pointer(&screen->sortable, g_ptr_array_unref);
	g_clear_pointer(&screen->choices, g_ptr_array_unref);
	g_clear_pointer(&screen->places, g_ptr_array_unref);
	g_clear_pointer(&screen->places_of, g_free);
	g_clear_pointer(&screen->sort, g_free);
	g_clear_pointer(&screen->filter, g_free);
	g_clear_pointer(&screen->message, g_free);
	g_clear_pointer(&screen->search, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Screen, screen_clear)

gboolean screen_run(Feed *feed, const ScreenOptions *options, GError **error)
{
	g_auto(Screen) screen = {
		.feed = feed,
		.options = options,
		.renderer = {.sink = feed->renderer},
		.group_by = options->group_by,
		.sort = g_strdup(options->sort),
		.filter = g_strdup(options->filter),
		.history = series_new(HISTORY_WINDOWS, HISTORY_OF_POOLS),
		.views = g_array_new(FALSE, FALSE, sizeof(View)),
		.hidden = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.sortable = g_ptr_array_new_with_free_func(g_free),
		.choices = g_ptr_array_new_with_free_func(g_free),
		/* A recording is shown paused, and plays on request. */
		.paused = feed->is_replay,
		.is_new_window = feed->is_replay,
	};

	g_array_set_clear_func(screen.views, view_clear);
	screen_open_view(&screen, &kind_pools, NULL);
	screen.renderer.output = output_open_memory(error);
	screen.terminal = screen.renderer.output ? terminal_open(error) : NULL;
	/* Start the sampler after the terminal, whose signals its thread must not get. */
	screen.sampler = screen.terminal ? sampler_new(feed, error) : NULL;
	return screen.sampler && screen_loop(&screen, error);
}
