/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The terminal: lines of text on it, and keys from it.  Nothing else knows of ncurses.  One
 * process draws; the one that waits for it gives the terminal back, however that ends.  If
 * that one is killed, the one that draws ends, and gives it back.
 */
#pragma once

#include <glib.h>

/* Keys that are no character, and what ncurses calls them. */
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
	TERMINAL_NONE = 0x110000, /* none came in time */
	TERMINAL_GONE,            /* it has hung up */
	TERMINAL_ESCAPE,
	TERMINAL_KEYS(TERMINAL_KEY)
};

enum terminal_style {
	TERMINAL_PLAIN,
	TERMINAL_BOLD,
	TERMINAL_HEADING, /* of a table */
	TERMINAL_CHOSEN,  /* the line of the cursor */
	TERMINAL_ALARM,   /* what stands out */
	TERMINAL_DIM,
	TERMINAL_N_STYLES
};

/* Whether there is one that can be drawn on; the error says why not. */
gboolean terminal_check(GError **error);
/* Remembers its state, for the process that draws and the one that waits. */
void terminal_remember(void);
/* Gives it back as it was remembered, if the process that drew has not. */
void terminal_restore(void);

typedef struct terminal Terminal;

/* One at a time. */
Terminal *terminal_open(GError **error);
void terminal_close(Terminal *terminal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Terminal, terminal_close)

guint terminal_width(const Terminal *terminal);
guint terminal_height(const Terminal *terminal);
/* Replaces a row by text (UTF-8, without control characters), cut to fit. */
void terminal_put(Terminal *terminal, guint row, const char *text, enum terminal_style style);
/* Shows all that was put since the last call. */
void terminal_show(Terminal *terminal);
/* Draws all of it anew. */
void terminal_repaint(Terminal *terminal);
/* The next key within so many ms, or until there is something to read from the descriptor
 * other (-1: none): a character, or an enum terminal_key. */
gunichar terminal_read(Terminal *terminal, guint wait_ms, int other);
