/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The actions of the keys on the screen. */
#include "guard/crash.h"
#include "inside.h"
#include "keys.h"

#define MOST_TYPED 200
/* A larger number of rows than any page has. */
#define FAR (G_MAXINT / 2)
#define CTRL(letter) ((letter) - 'a' + 1)

static const GroupBy groupings[] = {GROUP_BY_PCOMM,  GROUP_BY_COMM,    GROUP_BY_UNIT,
				    GROUP_BY_CGROUP, GROUP_BY_PROCESS, GROUP_BY_THREAD};

/* ---- a line that is typed ---------------------------------------------------------------- */

static void erase_last(GString *text)
{
	const char *last = g_utf8_find_prev_char(text->str, text->str + text->len);

	g_string_truncate(text, last ? (gsize)(last - text->str) : 0);
}

/* Asks the user for a line of text; NULL: the user cancelled. */
static char *ask(Screen *screen, const char *what, const char *given)
{
	g_autoptr(GString) text = g_string_new(given);

	while (!crash_interrupted()) {
		g_autofree char *line = g_strdup_printf(" %s: %s_", what, text->str);

		terminal_put(screen->terminal, screen_height(screen) - N_BELOW, line,
			     TERMINAL_BOLD);
		terminal_show(screen->terminal);
		gunichar key = terminal_read(screen->terminal, POLL_MS, -1);
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

/* If nothing is typed, searches for the same text again. */
static void search(Screen *screen, gint goes_on)
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

/* Tries another setting; if it is not possible, shows why and keeps the old one. */
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

static void filter(Screen *screen, G_GNUC_UNUSED gint by)
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

/* Whether the page is of the kind that the key needs, memory or pools; shows a message if not. */
static gboolean is_on(Screen *screen, gboolean memory)
{
	if (is_memory(screen) == memory)
		return TRUE;
	screen_say(screen, memory ? "only on the memory page (m)"
				  : "only on the pool page (m goes back to it)");
	return FALSE;
}

/* Goes through the columns from left to right; before the first is the order by cost. */
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

/* In another order, the first row is of interest, not the chosen one. */
static void sort(Screen *screen, gint by)
{
	Place *place = &screen_view(screen)->place;

	if (is_memory(screen))
		screen_cycle_measure(screen, by);
	else
		sort_pools(screen, by);
	g_clear_pointer(&place->name, g_free);
	place->row = place->top = 0;
}

static void turn_measure(Screen *screen, G_GNUC_UNUSED gint by)
{
	if (is_on(screen, TRUE))
		sort(screen, 1);
}

static void group(Screen *screen, G_GNUC_UNUSED gint by)
{
	g_autoptr(GError) error = NULL;
	GroupBy old = screen->group_by;
	guint at = 0;

	if (!is_on(screen, FALSE))
		return;
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

static void open_row(Screen *screen, G_GNUC_UNUSED gint by)
{
	View *view = screen_view(screen);
	const Page *page = screen->page;
	guint row = view->place.row;

	if (!page || row >= page->rows->len)
		return;
	const char *name = page_row(page, row)->name, *subject = page_row(page, row)->subject;
	if (name && view->kind->choose) {
		view->kind->choose(screen, name);
		screen_forget_page(screen);
	} else if (subject && view->kind->opens) {
		screen_open_view(screen, view->kind->opens, subject);
	} else if (name && is_memory(screen)) {
		screen_say(screen, "no object: it is this process's own memory");
	}
}

static void save(Screen *screen, G_GNUC_UNUSED gint by)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *where = NULL;

	screen_settle(screen);
	if (screen->feed->save(screen->feed, &where, &error))
		screen_say(screen, "saved: %s", where);
	else
		screen_say(screen, "%s", error->message);
}

/* ---- moving in time, in a recording ---- */

/* goes_on: the new window follows those in the history. */
static void after_move(Screen *screen, gboolean moved, gboolean goes_on, GError *const *error)
{
	if (moved && !goes_on)
		series_clear(screen->history);
	if (moved) {
		screen->is_new_window = TRUE;
		screen_forget_page(screen);
	} else if (*error) {
		screen_say(screen, "%s", (*error)->message);
	}
}

static void step(Screen *screen, gint by)
{
	g_autoptr(GError) error = NULL;

	screen_settle(screen);
	after_move(screen, screen->feed->move(screen->feed, by, &error), by > 0, &error);
}

static void resize(Screen *screen, gint by)
{
	g_autoptr(GError) error = NULL;

	screen_settle(screen);
	after_move(screen, screen->feed->resize(screen->feed, by, &error), FALSE, &error);
}

static void jump(Screen *screen, G_GNUC_UNUSED gint by)
{
	g_autoptr(GError) error = NULL;

	screen_settle(screen);
	g_autofree char *when = ask(screen, "jump to", "");
	if (when)
		after_move(screen, screen->feed->jump(screen->feed, when, &error), FALSE, &error);
}

/* ---- moving in the page, and to other pages ---- */

static void move_rows(Screen *screen, gint by)
{
	if (screen->page)
		page_move(screen->page, &screen_view(screen)->place, by);
}

static void move_pages(Screen *screen, gint by)
{
	guint height = screen_height(screen) - N_BELOW;

	if (screen->page)
		move_rows(screen, by * (gint)page_visible(screen->page, height));
}

static void toggle_view(Screen *screen, const ViewKind *kind)
{
	if (screen_view(screen)->kind == kind)
		screen_close_view(screen);
	else
		screen_open_view(screen, kind, NULL);
}

static void go_back(Screen *screen, G_GNUC_UNUSED gint by)
{
	screen_close_view(screen);
}

static void help(Screen *screen, G_GNUC_UNUSED gint by)
{
	toggle_view(screen, &kind_help);
}

static void findings(Screen *screen, G_GNUC_UNUSED gint by)
{
	if (screen_view(screen)->kind == &kind_findings)
		screen_close_view(screen);
	else
		screen_open_findings(screen);
}

static void choose_columns(Screen *screen, G_GNUC_UNUSED gint by)
{
	if (is_on(screen, FALSE))
		toggle_view(screen, &kind_columns);
}

/* Opens the memory page; on a page of memory, goes back to the page before it. */
static void toggle_memory(Screen *screen, G_GNUC_UNUSED gint by)
{
	guint n = 0;

	while (n < screen->views->len && !g_array_index(screen->views, View, n).kind->memory)
		n++;
	if (n < screen->views->len)
		screen_keep_views(screen, n);
	else
		screen_open_view(screen, &kind_memory, NULL);
}

static void turn_children(Screen *screen, G_GNUC_UNUSED gint by)
{
	if (!is_on(screen, TRUE))
		return;
	screen->memory_of = (screen->memory_of + 1) % N_MEMORY_OF;
	screen_forget_page(screen);
}

static void set_paused(Screen *screen, G_GNUC_UNUSED gint by)
{
	screen->paused = !screen->paused;
	screen->due_us = g_get_monotonic_time();
}

static void repaint(Screen *screen, G_GNUC_UNUSED gint by)
{
	terminal_repaint(screen->terminal);
}

static void quit(Screen *screen, G_GNUC_UNUSED gint by)
{
	screen->done = TRUE;
}

/* ---- which key does what ---- */

#define MOST_KEYS 4 /* for one thing */
#define KEY_ROW(shown, help, act, by, ...) {act, by, {__VA_ARGS__}},
#define PLUS_ONE(...) +1
#define N_OF_REPLAY (0 KEYS_OF_REPLAY(PLUS_ONE))

static const struct key_row {
	void (*act)(Screen *screen, gint by);
	gint by;
	gunichar keys[MOST_KEYS];
} rows[] = {KEYS_OF_REPLAY(KEY_ROW) KEYS_EVERYWHERE(KEY_ROW){search, TRUE, {'n'}}};

void screen_act(Screen *screen, gunichar key)
{
	for (guint i = screen->feed->is_replay ? 0 : N_OF_REPLAY; i < G_N_ELEMENTS(rows); i++)
		for (guint k = 0; k < MOST_KEYS && rows[i].keys[k]; k++)
			if (rows[i].keys[k] == key) {
				rows[i].act(screen, rows[i].by);
				return;
			}
}
