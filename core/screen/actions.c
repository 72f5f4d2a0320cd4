/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What keys do on the screen. */
#include "guard/crash.h"
#include "inside.h"

#define MOST_TYPED 200

static const GroupBy groupings[] = {GROUP_BY_PCOMM,  GROUP_BY_COMM,    GROUP_BY_UNIT,
				    GROUP_BY_CGROUP, GROUP_BY_PROCESS, GROUP_BY_THREAD};

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
		g_autofree char *line = g_strdup_printf(" %s: %s_", what, text->str);

		terminal_put(screen->terminal, screen_height(screen) - N_BELOW, line,
			     TERMINAL_BOLD);
		terminal_show(screen->terminal);
		gunichar key = terminal_read(screen->terminal, LOOK_MS, -1);
		if (key == TERMINAL_ENTER)
			return g_string_free(g_steal_pointer(&text), FALSE);
		if (key == TERMINAL_ESCAPE || key == TERMINAL_GONE)
			return NULL;
		if (key == TERMINAL_RESIZE) {
			screen_forget_page(screen);
			screen_draw(screen, NULL);
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

/* Nothing typed: the same again. */
static void search(Screen *screen, gboolean goes_on)
{
	View *view = screen_view(screen);
	g_autofree char *typed = goes_on ? g_strdup("") : ask(screen, "search", NULL);

	if (typed && typed[0]) {
		g_free(screen->search);
		screen->search = g_steal_pointer(&typed);
	} else if (!typed) {
		return;
	}
	const char *text = screen->search;
	if (!text)
		return;
	gint found = screen->page ? page_search(screen->page, view->place.row, text) : -1;
	if (found < 0)
		screen_say(screen, "not found: %s", text);
	else
		page_move(screen->page, &view->place, found - (gint)view->place.row);
}

/* Tries another setting; what is not possible is said, and the old one stays. */
static void try_setting(Screen *screen, char **setting, char *other)
{
	g_autoptr(GError) error = NULL;
	char *old = *setting;

	*setting = other;
	if (screen_make_page(screen, &error)) {
		g_free(old);
		return;
	}
	g_free(other);
	*setting = old;
	screen_say(screen, "%s", error->message);
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

static gboolean is_memory(const Screen *screen)
{
	return screen_view(screen)->kind->memory != NULL;
}

/* Columns from left to right, and before them the order by cost. */
static void sort_pools(Screen *screen, gint by)
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

/* In another order, what is first is of interest, not the row that was chosen. */
static void sort(Screen *screen, gint by)
{
	Place *place = &screen_view(screen)->place;

	if (is_memory(screen))
		screen_turn_measure(screen, by);
	else
		sort_pools(screen, by);
	g_clear_pointer(&place->name, g_free);
	place->row = place->top = 0;
}

static void group(Screen *screen)
{
	g_autoptr(GError) error = NULL;
	GroupBy old = screen->group_by;
	guint at = 0;

	while (at < G_N_ELEMENTS(groupings) && groupings[at] != old)
		at++;
	screen->group_by = groupings[(at + 1) % G_N_ELEMENTS(groupings)];
	screen_keep_views(screen, 1);
	series_clear(screen->history);
	if (screen_make_page(screen, &error))
		return;
	screen->group_by = old;
	screen_say(screen, "%s", error->message);
}

static void open_row(Screen *screen)
{
	View *view = screen_view(screen);
	const Page *page = screen->page;
	guint row = view->place.row;

	if (!page || row >= page->rows->len)
		return;
	const char *name = g_ptr_array_index(page->names, row);
	const char *subject = g_ptr_array_index(page->subjects, row);
	if (name && view->kind->choose) {
		view->kind->choose(screen, name);
		screen_forget_page(screen);
	} else if (subject && view->kind->opens) {
		screen_open_view(screen, view->kind->opens, subject);
	} else if (name && is_memory(screen)) {
		screen_say(screen, "no object: it is this process's own memory");
	}
}

static void save(Screen *screen)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *where = NULL;

	screen_settle(screen);
	if (screen->feed->save(screen->feed, &where, &error))
		screen_say(screen, "saved: %s", where);
	else
		screen_say(screen, "%s", error->message);
}

/* Of a recording. */
static void after_move(Screen *screen, gboolean moved, const GError *error)
{
	if (moved) {
		screen->is_new_window = TRUE;
		screen_forget_page(screen);
	} else if (error) {
		screen_say(screen, "%s", error->message);
	}
}

static void move_in_time(Screen *screen, enum action action)
{
	Feed *feed = screen->feed;
	g_autofree char *when = NULL;
	g_autoptr(GError) error = NULL;
	gboolean moved = FALSE;

	screen_settle(screen);
	if (action == ACTION_NEXT || action == ACTION_PREVIOUS)
		moved = feed->move(feed, action == ACTION_NEXT ? 1 : -1, &error);
	else if (action == ACTION_JUMP && (when = ask(screen, "jump to", "")))
		moved = feed->jump(feed, when, &error);
	else if (action != ACTION_JUMP)
		moved = feed->stretch(feed, action == ACTION_LONGER ? 1 : -1, &error);
	/* What was is not what comes before the new window. */
	if (moved && action != ACTION_NEXT)
		series_clear(screen->history);
	after_move(screen, moved, error);
}

static void move_in_page(Screen *screen, enum action action)
{
	Place *place = &screen_view(screen)->place;
	guint height = screen_height(screen) - N_BELOW;
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
	if (screen_view(screen)->kind == kind)
		screen_close_view(screen);
	else
		screen_open_view(screen, kind, NULL);
}

/* To the memory page, and from any page of memory back to what was before it. */
static void toggle_memory(Screen *screen)
{
	guint n = 0;

	while (n < screen->views->len && !g_array_index(screen->views, View, n).kind->memory)
		n++;
	if (n < screen->views->len)
		screen_keep_views(screen, n);
	else
		screen_open_view(screen, &kind_memory, NULL);
}

static void turn_children(Screen *screen)
{
	screen->memory_of = (screen->memory_of + 1) % N_MEMORY_OF;
	screen_forget_page(screen);
}

/* Whether the page is one of those that the key is for; says so otherwise. */
static gboolean is_for(Screen *screen, enum action action)
{
	gboolean needs_memory = action == ACTION_MEASURE || action == ACTION_CHILDREN;
	gboolean needs_pools = action == ACTION_GROUP || action == ACTION_COLUMNS;

	if (needs_memory && !is_memory(screen))
		screen_say(screen, "only on the memory page (m)");
	else if (needs_pools && is_memory(screen))
		screen_say(screen, "only on the page of pools (m goes back to it)");
	else
		return TRUE;
	return FALSE;
}

static void set_paused(Screen *screen)
{
	screen->paused = !screen->paused;
	screen->due_us = g_get_monotonic_time();
}

void screen_act(Screen *screen, enum action action)
{
	if (!is_for(screen, action))
		return;
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
		screen_close_view(screen);
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
	case ACTION_MEMORY:
		toggle_memory(screen);
		break;
	case ACTION_MEASURE:
		sort(screen, 1);
		break;
	case ACTION_CHILDREN:
		turn_children(screen);
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
