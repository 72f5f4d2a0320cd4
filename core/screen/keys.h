/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keys of the screen: one table, of which the help page, --help and the manual page are
 * made.
 */
#pragma once

#include <glib.h>

enum action {
	ACTION_NONE,
	ACTION_UP,
	ACTION_DOWN,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_HOME,
	ACTION_END,
	ACTION_OPEN,
	ACTION_BACK,
	ACTION_SEARCH,
	ACTION_SEARCH_ON,
	ACTION_FILTER,
	ACTION_SORT_LEFT,
	ACTION_SORT_RIGHT,
	ACTION_GROUP,
	ACTION_COLUMNS,
	ACTION_MEMORY,
	ACTION_MEASURE,
	ACTION_CHILDREN,
	ACTION_PAUSE,
	ACTION_SAVE,
	ACTION_NEXT,
	ACTION_PREVIOUS,
	ACTION_JUMP,
	ACTION_SHORTER,
	ACTION_LONGER,
	ACTION_REPAINT,
	ACTION_HELP,
	ACTION_QUIT,
};

/* Action; the keys as shown, padded to one width; what they do. */
#define KEYS_EVERYWHERE(KEY)                                                                       \
	KEY(UP, "Up k          ", "the line above")                                                \
	KEY(DOWN, "Down j        ", "the line below (j: not in a recording)")                      \
	KEY(PAGE_UP, "PgUp          ", "a page up")                                                \
	KEY(PAGE_DOWN, "PgDn          ", "a page down")                                            \
	KEY(HOME, "Home          ", "the first line")                                              \
	KEY(END, "End           ", "the last line")                                                \
	KEY(OPEN, "Enter Right l ", "open the line: a pool's threads, a process's mappings ...")   \
	KEY(BACK, "Esc Left h    ", "back")                                                        \
	KEY(SEARCH, "/             ", "search for a name; n: the next one")                        \
	KEY(FILTER, "\\             ", "show only names that match a regular expression")          \
	KEY(SORT_LEFT, "<             ", "sort by the column to the left")                         \
	KEY(SORT_RIGHT, "> F6          ", "sort by the column to the right")                       \
	KEY(GROUP, "g             ", "fold threads by another key")                                \
	KEY(COLUMNS, "c             ", "choose columns")                                           \
	KEY(MEMORY, "m             ", "memory: the tree of processes; back to the pools")          \
	KEY(MEASURE, "u             ", "memory: by another measure: PSS, USS, RSS, swap ...")      \
	KEY(CHILDREN, "e             ", "memory: with children, of each alone, as a flat list")    \
	KEY(PAUSE, "p Space       ", "pause; go on")                                               \
	KEY(SAVE, "s             ", "save the two samples to a file")                              \
	KEY(REPAINT, "Ctrl-L        ", "draw the screen anew")                                     \
	KEY(HELP, "? F1          ", "this list, and what the columns mean")                        \
	KEY(QUIT, "q F10         ", "quit")
#define KEYS_OF_REPLAY(KEY)                                                                        \
	KEY(NEXT, "t             ", "the next sample")                                             \
	KEY(PREVIOUS, "T             ", "the sample before")                                       \
	KEY(JUMP, "j             ", "jump to a time: 03:12, +90s, -5m")                            \
	KEY(SHORTER, "[             ", "a shorter window")                                         \
	KEY(LONGER, "]             ", "a longer window")

/* A line of the list. */
#define KEY_LINE(action, shown, help) "  " shown "  " help "\n"

/* What a key does, of a recording or of this host; ACTION_NONE: nothing. */
enum action keys_action(gunichar key, gboolean is_replay);
