/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keys of the screen: one table, from which the actions, the help page, --help and the manual
 * page are made.  A row: the keys as shown, padded to one width; what they do; the function of
 * actions.c that does it, and its argument; the keys.
 */
#pragma once

#define KEYS_EVERYWHERE(KEY)                                                                       \
	KEY("Up k          ", "the line above", move_rows, -1, TERMINAL_UP, 'k')                   \
	KEY("Down j        ", "the line below (j: not in a recording)", move_rows, 1,              \
	    TERMINAL_DOWN, 'j')                                                                    \
	KEY("PgUp          ", "a page up", move_pages, -1, TERMINAL_PAGE_UP)                       \
	KEY("PgDn          ", "a page down", move_pages, 1, TERMINAL_PAGE_DOWN)                    \
	KEY("Home          ", "the first line", move_rows, -FAR, TERMINAL_HOME)                    \
	KEY("End           ", "the last line", move_rows, FAR, TERMINAL_END)                       \
	KEY("Enter Right l ", "open the line: a pool's threads, a process's mappings ...",         \
	    open_row, 0, TERMINAL_ENTER, TERMINAL_RIGHT, 'l')                                      \
	KEY("Esc Left h    ", "back", go_back, 0, TERMINAL_ESCAPE, TERMINAL_LEFT, 'h',             \
	    TERMINAL_BACKSPACE)                                                                    \
	KEY("/             ", "search for a name; n: the next one", search, FALSE, '/')            \
	KEY("\\             ", "show only names that match a regular expression", filter, 0, '\\') \
	KEY("<             ", "sort by the column to the left", sort, -1, '<')                     \
	KEY("> F6          ", "sort by the column to the right", sort, 1, '>', TERMINAL_F6)        \
	KEY("g             ", "fold threads by another key", group, 0, 'g')                        \
	KEY("c             ", "choose columns", choose_columns, 0, 'c')                            \
	KEY("m             ", "memory: the tree of processes; back to the pools", toggle_memory,   \
	    0, 'm')                                                                                \
	KEY("u             ", "memory: by another measure: PSS, USS, RSS, swap ...", turn_measure, \
	    0, 'u')                                                                                \
	KEY("e             ", "memory: with children, each one alone, as a flat list",             \
	    turn_children, 0, 'e')                                                                 \
	KEY("p Space       ", "pause; go on", set_paused, 0, 'p', ' ')                             \
	KEY("s             ", "save the two samples to a file", save, 0, 's')                      \
	KEY("Ctrl-L        ", "draw the screen anew", repaint, 0, CTRL('l'))                       \
	KEY("? F1          ", "this list, and what the columns mean", help, 0, '?', TERMINAL_F1)   \
	KEY("q F10         ", "quit", quit, 0, 'q', TERMINAL_F10)
/* The rows that come before the others. */
#define KEYS_OF_REPLAY(KEY)                                                                        \
	KEY("t             ", "the next sample", step, 1, 't')                                     \
	KEY("T             ", "the sample before", step, -1, 'T')                                  \
	KEY("j             ", "jump to a time: 03:12, +90s, -5m", jump, 0, 'j')                    \
	KEY("f             ", "findings of the whole recording, and when", findings, 0, 'f')       \
	KEY("[             ", "a shorter window", resize, -1, '[')                                 \
	KEY("]             ", "a longer window", resize, 1, ']')

/* A line of the list. */
#define KEY_LINE(shown, help, ...) "  " shown "  " help "\n"
