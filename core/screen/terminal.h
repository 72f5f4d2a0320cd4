/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The terminal: shows lines of text and reads keys.  No other file uses ncurses.  One process
 * draws; the process that waits for it restores the terminal, however the drawing process ends.  If
 * the waiting process is killed, the drawing process ends and restores the terminal.
 */
#pragma once

#include <glib.h>

/* Keys that are not characters, and their names in ncurses. */
#define TERMINAL_KEYS(KEY)                                                                         \
	KEY(RESIZE, KEY_RESIZE)                                                                    \
	KEY(UP, KEY_UP)                                                                            \
	KEY(DOWN, KEY_DOWN)                                                                        \
	KEY(LEFT, KEY_LEFT)                                                                        \
	KEY(RIGHT, KEY_RIGHT)                                                                      \
	KEY(PAGE_UP, KEY_PPAGE)                                                                    \
	KEY(PAGE_DOWN, KEY_NPAGE)                                                                  \
	KEY(HOME, KEY_HOME)                                                                        \
	KEY(END, KEY_END)                                                                          \
	KEY(ENTER, KEY_ENTER)                                                                      \
	KEY(BACKSPACE, KEY_BACKSPACE)                                                              \
	KEY(F1, KEY_F(1))                                                                          \
	KEY(F6, KEY_F(6))                                                                          \
	KEY(F10, KEY_F(10))
#define TERMINAL_KEY(name, code) TERMINAL_##name,

enum terminal_key {
	TERMINAL_NONE = 0x110000, /* no key came in time */
	TERMINAL_GONE,            /* the terminal has hung up */
	TERMINAL_ESCAPE,
	TERMINAL_KEYS(TERMINAL_KEY)
};

enum terminal_style {
	TERMINAL_PLAIN,
	TERMINAL_BOLD,
	TERMINAL_HEADING, /* of a table */
	TERMINAL_CHOSEN,  /* the line of the cursor */
	TERMINAL_ALARM,   /* a line that stands out */
	TERMINAL_DIM,
	TERMINAL_N_STYLES
};

/* Whether there is a terminal that can be drawn on; the error says why not. */
gboolean terminal_check(GError **error);
#define TERMINAL_INSTEAD "'ctprof stat --every 2s' and 'ctprof compare RECORDING' print instead"
/* Stores the terminal's state, for the process that draws and for the one that waits. */
void terminal_remember(void);
/* Restores the stored state, if the process that drew has not done so. */
void terminal_restore(void);

typedef struct terminal Terminal;

/* Only one terminal can be open at a time. */
Terminal *terminal_open(GError **error);
void terminal_close(Terminal *terminal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Terminal, terminal_close)

guint terminal_width(const Terminal *terminal);
guint terminal_height(const Terminal *terminal);
/* Replaces a row by text (UTF-8, without control characters), cut to fit. */
void terminal_put(Terminal *terminal, guint row, const char *text, enum terminal_style style);
/* Shows everything that was put since the last call. */
void terminal_show(Terminal *terminal);
/* Redraws the whole screen. */
void terminal_repaint(Terminal *terminal);
/* Returns the next key within wait_ms, or until there is something to read from the descriptor
 * other (-1: none): a character, or an enum terminal_key. */
gunichar terminal_read(Terminal *terminal, guint wait_ms, int other);
