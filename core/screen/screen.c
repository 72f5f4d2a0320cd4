/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "base/error.h"
#include "guard/crash.h"
#include "inside.h"
#include "keys.h"
#include "messages.h"
#include "report/name/axis.h"
#include "report/section/alias.h"

/* Below the page: what is shown, and the keys. */
#define N_BELOW 2
/* A signal may come between any look and the wait. */
#define LOOK_MS 200
/* The second sample comes soon: the first screen needs both. */
#define FIRST_WAIT_US (G_USEC_PER_SEC / 2)
#define MOST_TYPED 200
#define NS_PER_US 1000

#define KEYS_LINE " ? help  Enter open  / search  \\ filter  < > sort  g group  c columns  p pause"
#define KEYS_LINE_REPLAY                                                                           \
	" ? help  t T sample  j jump  [ ] window  Enter open  / search  < > sort  g group"

static const GroupBy groupings[] = {GROUP_BY_PCOMM,  GROUP_BY_COMM,    GROUP_BY_UNIT,
				    GROUP_BY_CGROUP, GROUP_BY_PROCESS, GROUP_BY_THREAD};

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
		.width = screen->drawer.width,
		.rename_min_types = 10,
		.rename_min_jaccard = 0.90,
	};
}

const struct ctprof_report *screen_analyse(const Screen *screen, AnalysisOptions *options,
					   Analysis **ret_analysis, GError **error)
{
	g_autoptr(Analysis) analysis = analysis_new(options, error);
	const struct ctprof_report *report =
		analysis && screen->feed->load(screen->feed, analysis, options, error)
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

static View *view_now(const Screen *screen)
{
	return &g_array_index(screen->views, View, screen->views->len - 1);
}

static void forget_page(Screen *screen)
{
	g_clear_pointer(&screen->page, page_free);
}

/* Where threads wait is read while a pool is open. */
static void look_closer(Screen *screen)
{
	gboolean closer = FALSE;

	for (guint i = 0; i < screen->views->len; i++)
		closer |= g_array_index(screen->views, View, i).kind == &kind_pool;
	if (!screen->feed->look_closer || closer == screen->is_closer)
		return;
	screen->feed->look_closer(screen->feed, closer);
	screen->is_closer = closer;
	if (closer)
		screen->due_us = g_get_monotonic_time();
}

static void open_view(Screen *screen, const ViewKind *kind, const char *subject)
{
	View view = {.kind = kind, .subject = g_strdup(subject)};

	g_array_append_val(screen->views, view);
	look_closer(screen);
	forget_page(screen);
}

static void close_view(Screen *screen)
{
	if (screen->views->len == 1)
		return;
	g_array_set_size(screen->views, screen->views->len - 1);
	look_closer(screen);
	forget_page(screen);
}

static void say(Screen *screen, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void say(Screen *screen, const char *format, ...)
{
	va_list ap;

	g_free(screen->message);
	va_start(ap, format);
	screen->message = g_strdup_vprintf(format, ap);
	va_end(ap);
}

/* ---- drawing --------------------------------------------------------------------------- */

static Page *make_page(Screen *screen, GError **error)
{
	const View *view = view_now(screen);
	g_autoptr(Page) page = page_new();

	screen->drawer.width = terminal_width(screen->terminal);
	if (!screen->feed->is_ready(screen->feed)) {
		g_ptr_array_add(page->head, g_strdup(" one sample is taken; the next one follows"));
		return g_steal_pointer(&page);
	}
	return view->kind->make(screen, view->subject, page, error) ? g_steal_pointer(&page) : NULL;
}

static char *describe(const Screen *screen)
{
	GString *text = g_string_new(NULL);

	g_string_printf(text, " by %s", axis_of(screen->group_by)->word);
	g_string_append_printf(text, " · sort %s", screen->sort ? screen->sort : "cost");
	if (screen->filter)
		g_string_append_printf(text, " · filter %s", screen->filter);
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

	terminal_put(screen->terminal, height - 2, line ? line : state,
		     screen->message ? TERMINAL_ALARM : TERMINAL_PLAIN);
	terminal_put(screen->terminal, height - 1,
		     screen->feed->is_replay ? KEYS_LINE_REPLAY : KEYS_LINE, TERMINAL_HEADING);
}

/* A change that makes no page is undone by the caller; the page before stays. */
static gboolean draw(Screen *screen, GError **error)
{
	guint height = MAX(terminal_height(screen->terminal), N_BELOW + 1);

	if (!screen->page && !(screen->page = make_page(screen, error)))
		return FALSE;
	page_draw(screen->page, screen->terminal, height - N_BELOW, &view_now(screen)->place);
	draw_below(screen, height);
	terminal_show(screen->terminal);
	return TRUE;
}

/* ---- a line that is typed ---------------------------------------------------------------- */

static void erase_last(GString *text)
{
	const char *last = g_utf8_find_prev_char(text->str, text->str + text->len);

	g_string_truncate(text, last ? (gsize)(last - text->str) : 0);
}

/* NULL: the user thought better of it. */
static char *ask(Screen *screen, const char *what, const char *given)
{
	g_autoptr(GString) text = g_string_new(given);

	while (!crash_interrupted()) {
		guint height = MAX(terminal_height(screen->terminal), N_BELOW + 1);
		g_autofree char *line = g_strdup_printf(" %s: %s_", what, text->str);

		terminal_put(screen->terminal, height - 2, line, TERMINAL_BOLD);
		terminal_show(screen->terminal);
		gunichar key = terminal_read(screen->terminal, LOOK_MS);
		if (key == TERMINAL_ENTER)
			return g_string_free(g_steal_pointer(&text), FALSE);
		if (key == TERMINAL_ESCAPE)
			return NULL;
		if (key == TERMINAL_RESIZE) {
			forget_page(screen);
			draw(screen, NULL);
		} else if (key == TERMINAL_BACKSPACE) {
			erase_last(text);
		} else if (key < TERMINAL_NONE && g_unichar_isprint(key) &&
			   text->len < MOST_TYPED) {
			g_string_append_unichar(text, key);
		}
	}
	return NULL;
}

/* ---- what keys do -------------------------------------------------------------------------- */

static char *last_search; /* NULL: none */

static void search(Screen *screen, gboolean goes_on)
{
	View *view = view_now(screen);
	char *text = goes_on ? g_strdup(last_search) : ask(screen, "search", last_search);

	if (!text)
		return;
	g_free(last_search);
	last_search = text;
	gint found = screen->page ? page_search(screen->page, view->place.row, text) : -1;
	if (found < 0)
		say(screen, "not found: %s", text);
	else
		page_move(screen->page, &view->place, found - (gint)view->place.row);
}

/* Tries another setting; what is not possible is said, and the old one stays. */
static void try_setting(Screen *screen, char **setting, char *other)
{
	g_autoptr(GError) error = NULL;
	char *old = *setting;

	*setting = other;
	forget_page(screen);
	screen->page = make_page(screen, &error);
	if (screen->page) {
		g_free(old);
		return;
	}
	g_free(other);
	*setting = old;
	say(screen, "%s", error->message);
}

static void filter(Screen *screen)
{
	char *text = ask(screen, "filter", screen->filter);

	if (text && !text[0])
		g_clear_pointer(&text, g_free);
	else if (!text)
		return;
	try_setting(screen, &screen->filter, text);
}

/* Columns from left to right, and before them the order by cost. */
static void sort(Screen *screen, gint by)
{
	const GPtrArray *columns = screen->sortable;
	gint now = -1, n = (gint)columns->len + 1;

	for (guint i = 0; i < columns->len; i++)
		if (g_strcmp0(screen->sort, g_ptr_array_index(columns, i)) == 0)
			now = (gint)i;
	gint next = (now + 1 + by + n) % n;
	try_setting(screen, &screen->sort,
		    next == 0 ? NULL : g_strdup(g_ptr_array_index(columns, next - 1)));
}

static void group(Screen *screen)
{
	g_autoptr(GError) error = NULL;
	GroupBy old = screen->group_by;
	guint at = 0;

	while (at < G_N_ELEMENTS(groupings) && groupings[at] != old)
		at++;
	screen->group_by = groupings[(at + 1) % G_N_ELEMENTS(groupings)];
	g_array_set_size(screen->views, 1);
	look_closer(screen);
	history_clear(screen->history);
	forget_page(screen);
	screen->page = make_page(screen, &error);
	if (screen->page)
		return;
	screen->group_by = old;
	say(screen, "%s", error->message);
}

static void open_row(Screen *screen)
{
	View *view = view_now(screen);
	const GPtrArray *names = screen->page ? screen->page->names : NULL;
	const char *name = names && view->place.row < names->len
				   ? g_ptr_array_index(names, view->place.row)
				   : NULL;

	if (name && view->kind->choose) {
		view->kind->choose(screen, name);
		forget_page(screen);
	} else if (name && view->kind->opens) {
		open_view(screen, view->kind->opens, name);
	}
}

static void save(Screen *screen)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *where = NULL;

	if (screen->feed->save(screen->feed, &where, &error))
		say(screen, "saved: %s", where);
	else
		say(screen, "%s", error->message);
}

/* Of a recording. */
static void after_move(Screen *screen, gboolean moved, const GError *error)
{
	if (moved) {
		screen->is_new_window = TRUE;
		forget_page(screen);
	} else if (error) {
		say(screen, "%s", error->message);
	}
}

static void move_in_time(Screen *screen, enum action action)
{
	Feed *feed = screen->feed;
	g_autofree char *when = NULL;
	g_autoptr(GError) error = NULL;
	gboolean moved = FALSE;

	if (action == ACTION_NEXT || action == ACTION_PREVIOUS)
		moved = feed->move(feed, action == ACTION_NEXT ? 1 : -1, &error);
	else if (action == ACTION_JUMP && (when = ask(screen, "jump to", "")))
		moved = feed->jump(feed, when, &error);
	else if (action != ACTION_JUMP)
		moved = feed->stretch(feed, action == ACTION_LONGER ? 1 : -1, &error);
	/* What was is not what comes before the new window. */
	if (moved && action != ACTION_NEXT)
		history_clear(screen->history);
	after_move(screen, moved, error);
}

static void move_in_page(Screen *screen, enum action action)
{
	Place *place = &view_now(screen)->place;
	guint height = MAX(terminal_height(screen->terminal), N_BELOW + 1) - N_BELOW;
	gint visible = screen->page ? (gint)page_visible(screen->page, height) : 1;
	gint all = screen->page ? (gint)screen->page->rows->len : 1;
	const gint steps[] = {
		[ACTION_UP] = -1,
		[ACTION_DOWN] = 1,
		[ACTION_PAGE_UP] = -visible,
		[ACTION_PAGE_DOWN] = visible,
		[ACTION_HOME] = -all,
		[ACTION_END] = all,
	};

	if (screen->page)
		page_move(screen->page, place, steps[action]);
}

static void toggle_view(Screen *screen, const ViewKind *kind)
{
	if (view_now(screen)->kind == kind)
		close_view(screen);
	else
		open_view(screen, kind, NULL);
}

static void set_paused(Screen *screen)
{
	screen->paused = !screen->paused;
	screen->due_us = g_get_monotonic_time();
}

static void act(Screen *screen, enum action action)
{
	switch (action) {
	case ACTION_UP:
	case ACTION_DOWN:
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
	case ACTION_HOME:
	case ACTION_END:
		move_in_page(screen, action);
		break;
	case ACTION_OPEN:
		open_row(screen);
		break;
	case ACTION_BACK:
		close_view(screen);
		break;
	case ACTION_SEARCH:
	case ACTION_SEARCH_ON:
		search(screen, action == ACTION_SEARCH_ON);
		break;
	case ACTION_FILTER:
		filter(screen);
		break;
	case ACTION_SORT_LEFT:
	case ACTION_SORT_RIGHT:
		sort(screen, action == ACTION_SORT_RIGHT ? 1 : -1);
		break;
	case ACTION_GROUP:
		group(screen);
		break;
	case ACTION_COLUMNS:
		toggle_view(screen, &kind_columns);
		break;
	case ACTION_HELP:
		toggle_view(screen, &kind_help);
		break;
	case ACTION_PAUSE:
		set_paused(screen);
		break;
	case ACTION_SAVE:
		save(screen);
		break;
	case ACTION_REPAINT:
		terminal_repaint(screen->terminal);
		break;
	case ACTION_QUIT:
		screen->done = TRUE;
		break;
	case ACTION_NONE:
		break;
	default:
		move_in_time(screen, action);
	}
}

/* ---- the loop -------------------------------------------------------------------------------- */

static gboolean take_sample(Screen *screen, GError **error)
{
	gint64 now = g_get_monotonic_time();
	gint64 interval = (gint64)(screen->options->interval_ns / NS_PER_US);
	GError *why = NULL;

	if (screen->paused || now < screen->due_us)
		return TRUE;
	gboolean has_next = screen->feed->next(screen->feed, &why);
	if (why && !crash_interrupted()) {
		g_propagate_error(error, why);
		return FALSE;
	}
	g_clear_error(&why);
	if (!has_next) {
		screen->paused = TRUE;
		return TRUE;
	}
	/* What is late is not caught up with. */
	gint64 late = g_get_monotonic_time() - screen->due_us;
	screen->due_us += (MAX(late, 0) / interval + 1) * interval;
	if (!screen->feed->is_ready(screen->feed))
		screen->due_us = MIN(screen->due_us, now + FIRST_WAIT_US);
	screen->is_new_window = screen->feed->is_ready(screen->feed);
	forget_page(screen);
	return TRUE;
}

static guint time_left(const Screen *screen)
{
	gint64 left = (screen->due_us - g_get_monotonic_time()) / 1000 + 1;

	return screen->paused ? LOOK_MS : (guint)CLAMP(left, 1, LOOK_MS);
}

static void hear(Screen *screen)
{
	gunichar key = terminal_read(screen->terminal, time_left(screen));
	char *message = messages_take_last();

	if (key == TERMINAL_RESIZE)
		forget_page(screen);
	else if (key != TERMINAL_NONE) {
		g_clear_pointer(&screen->message, g_free);
		act(screen, keys_action(key, screen->feed->is_replay));
	}
	if (!message)
		return;
	g_free(screen->message);
	screen->message = message;
}

static gboolean run(Screen *screen, GError **error)
{
	screen->due_us = g_get_monotonic_time();
	while (!screen->done && !crash_interrupted()) {
		if (!draw(screen, error) || !take_sample(screen, error))
			return FALSE;
		if (!draw(screen, error))
			return FALSE;
		hear(screen);
	}
	return TRUE;
}

static void screen_clear(Screen *screen)
{
	g_clear_pointer(&screen->terminal, terminal_close);
	g_clear_pointer(&screen->page, page_free);
	g_clear_pointer(&screen->drawer.output, output_free);
	g_clear_pointer(&screen->history, history_free);
	g_clear_pointer(&screen->views, g_array_unref);
	g_clear_pointer(&screen->hidden, g_hash_table_unref);
	g_clear_pointer(&screen->sortable, g_ptr_array_unref);
	g_clear_pointer(&screen->choices, g_ptr_array_unref);
	g_clear_pointer(&screen->sort, g_free);
	g_clear_pointer(&screen->filter, g_free);
	g_clear_pointer(&screen->message, g_free);
	g_clear_pointer(&last_search, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Screen, screen_clear)

gboolean screen_run(Feed *feed, const ScreenOptions *options, GError **error)
{
	g_auto(Screen) screen = {
		.feed = feed,
		.options = options,
		.drawer = {.sink = feed->drawer},
		.group_by = options->group_by,
		.sort = g_strdup(options->sort),
		.filter = g_strdup(options->filter),
		.history = history_new(),
		.views = g_array_new(FALSE, FALSE, sizeof(View)),
		.hidden = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.sortable = g_ptr_array_new_with_free_func(g_free),
		.choices = g_ptr_array_new_with_free_func(g_free),
		/* A recording is looked at; it plays when it is asked to. */
		.paused = feed->is_replay,
		.is_new_window = feed->is_replay,
	};

	g_array_set_clear_func(screen.views, view_clear);
	open_view(&screen, &kind_pools, NULL);
	screen.drawer.output = output_open_memory(error);
	screen.terminal = screen.drawer.output ? terminal_open(error) : NULL;
	return screen.terminal && run(&screen, error);
}
