/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "terminal.h"

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/error.h"

#define ESCAPE_KEY 27
#define DELETE_KEY 127
/* The bytes of a key that sends several arrive together, within this time. */
#define ESCAPE_DELAY_MS 25

struct terminal {
	SCREEN *screen;
	gboolean is_utf8;
};

/* The terminal's settings before anything was drawn. */
static struct termios before;
static gboolean is_remembered;
/* Whether the terminal is being drawn on; shared by both processes. */
static gboolean *is_taken;

/* The terminal's type, for the process that restores it. */
static TERMINAL *description;

/* ---- before and after -------------------------------------------------------------- */

static void forget_description(void)
{
	if (description)
		del_curterm(description);
	description = NULL;
}

gboolean terminal_check(GError **error)
{
	int found = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_set_usage(error, "standard input and output must be a terminal "
					      "(" TERMINAL_INSTEAD ")");
	gboolean is_known = setupterm(NULL, STDOUT_FILENO, &found) == OK;
	description = is_known ? cur_term : NULL;
	if (is_known && cursor_address && clear_screen)
		return TRUE;
	forget_description();
	const char *term = g_getenv("TERM");
	return error_set_usage(error, "TERM=%s: %s (" TERMINAL_INSTEAD ")", term ? term : "",
			       found == 1 ? "this terminal cannot move its cursor"
					  : "terminfo has no description of this terminal");
}

void terminal_remember(void)
{
	is_remembered = tcgetattr(STDIN_FILENO, &before) == 0;
	is_taken = mmap(NULL, sizeof *is_taken, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (is_taken == MAP_FAILED)
		is_taken = NULL;
}

static void take(gboolean taken)
{
	if (is_taken)
		*is_taken = taken;
}

static int put_byte(int byte)
{
	char c = (char)byte;

	return write(STDOUT_FILENO, &c, 1) == 1 ? byte : EOF;
}

static void put_code(const char *code)
{
	if (code && code != (const char *)-1)
		tputs(code, 1, put_byte);
}

static void give_back(void)
{
	take(FALSE);
	set_curterm(description);
	put_code(exit_attribute_mode);
	put_code(orig_pair);
	put_code(cursor_normal);
	put_code(keypad_local);
	put_code(exit_ca_mode);
	if (is_remembered)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

void terminal_restore(void)
{
	if (is_taken && *is_taken && description)
		give_back();
	forget_description();
}

/* ---- drawing ----------------------------------------------------------------------- */

static const struct style {
	attr_t attributes;
	short colour; /* -1: none */
} styles[TERMINAL_N_STYLES] = {
	[TERMINAL_PLAIN] = {A_NORMAL, -1},
	[TERMINAL_BOLD] = {A_BOLD, -1},
	[TERMINAL_HEADING] = {A_REVERSE, COLOR_GREEN},
	[TERMINAL_CHOSEN] = {A_REVERSE, COLOR_CYAN},
	[TERMINAL_ALARM] = {A_BOLD, COLOR_YELLOW},
	[TERMINAL_DIM] = {A_DIM, -1},
};

/* Signals that ncurses handles are delivered only while waiting for keys: not in the middle of a
 * sample, nor in a thread that reads one. */
static void hold_signals(gboolean held)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGWINCH);
	pthread_sigmask(held ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static void set_colours(void)
{
	const char *refused = g_getenv("NO_COLOR");

	if ((refused && refused[0]) || !has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	for (short i = 0; i < TERMINAL_N_STYLES; i++)
		if (styles[i].colour >= 0)
			init_pair((short)(i + 1), styles[i].colour, -1);
}

Terminal *terminal_open(GError **error)
{
	g_autofree Terminal *terminal = g_new0(Terminal, 1);

	/* A process that died may have left the terminal in another state. */
	if (is_remembered)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	hold_signals(TRUE);
	terminal->is_utf8 = g_get_charset(NULL);
	terminal->screen = newterm(NULL, stdout, stdin);
	if (!terminal->screen) {
		error_set_failed(error, "cannot draw on this terminal");
		return NULL;
	}
	take(TRUE);
	set_escdelay(ESCAPE_DELAY_MS);
	set_colours();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	(void)curs_set(0);
	return g_steal_pointer(&terminal);
}

/* Once the supervisor has been killed, the terminal is the shell's: changes would raise SIGTTOU. */
static void block_sigttou(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void terminal_close(Terminal *terminal)
{
	block_sigttou();
	endwin();
	delscreen(terminal->screen);
	take(FALSE);
	/* This process no longer needs the state. */
	forget_description();
	hold_signals(FALSE);
	g_free(terminal);
}

guint terminal_width(const Terminal *terminal)
{
	(void)terminal;
	return (guint)MAX(getmaxx(stdscr), 1);
}

guint terminal_height(const Terminal *terminal)
{
	(void)terminal;
	return (guint)MAX(getmaxy(stdscr), 1);
}

/* Returns the replacement of a character on a terminal that is not UTF-8. */
static gunichar plain_of(gunichar c)
{
	static const struct {
		gunichar from, to;
	} plain[] = {{0x2026, '~'}, {0x2192, '>'}, {0xb7, '-'}, {0xb5, 'u'}, {0x394, 'd'}};
	static const char bars[] = "_.-:=+*#";

	if (c < 0x80)
		return c;
	for (guint i = 0; i < G_N_ELEMENTS(plain); i++)
		if (plain[i].from == c)
			return plain[i].to;
	return c >= 0x2581 && c <= 0x2588 ? (gunichar)bars[c - 0x2581] : '?';
}

static guint columns_of(gunichar c)
{
	int width = wcwidth((wchar_t)c);

	return width < 0 ? 1 : (guint)width;
}

/* Writes the part of text that fits; ret_used: its columns. */
static void put_text(const Terminal *terminal, const char *text, guint *ret_used)
{
	guint width = terminal_width(terminal);

	*ret_used = 0;
	for (const char *p = text; *p; p += g_utf8_skip[*(const guchar *)p]) {
		gunichar c = g_utf8_get_char(p);

		c = terminal->is_utf8 ? c : plain_of(c);
		if (*ret_used + columns_of(c) > width)
			return;
		wchar_t shown[] = {(wchar_t)c, 0};
		addwstr(shown);
		*ret_used += columns_of(c);
	}
}

void terminal_put(Terminal *terminal, guint row, const char *text, enum terminal_style style)
{
	gboolean is_bar = style == TERMINAL_HEADING || style == TERMINAL_CHOSEN;
	guint used;

	if (row >= terminal_height(terminal))
		return;
	move((int)row, 0);
	clrtoeol();
	attr_set(styles[style].attributes, styles[style].colour >= 0 ? (short)(style + 1) : 0,
		 NULL);
	put_text(terminal, text, &used);
	for (; is_bar && used < terminal_width(terminal); used++)
		addwstr(L" ");
	attr_set(A_NORMAL, 0, NULL);
}

void terminal_show(Terminal *terminal)
{
	(void)terminal;
	refresh();
}

void terminal_repaint(Terminal *terminal)
{
	(void)terminal;
	clearok(stdscr, TRUE);
}

/* ---- keys -------------------------------------------------------------------------- */

#define KEY_CASE(name, code)                                                                       \
	case code:                                                                                 \
		return TERMINAL_##name;

static gunichar key_of(wint_t code)
{
	switch (code) {
		TERMINAL_KEYS(KEY_CASE)
	default:
		return TERMINAL_NONE;
	}
}

/* Waits, with those signals unblocked.  FALSE: there will be no more input. */
static gboolean wait_for_input(guint wait_ms, int other)
{
	struct pollfd ready[] = {{STDIN_FILENO, POLLIN, 0}, {other, POLLIN, 0}};
	const struct timespec time = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	sigdelset(&set, SIGTSTP);
	sigdelset(&set, SIGWINCH);
	int n = ppoll(ready, G_N_ELEMENTS(ready), &time, &set);
	return n <= 0 || !(ready[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

static int take_key(wint_t *ret_code)
{
	*ret_code = 0;
	return get_wch(ret_code);
}

gunichar terminal_read(Terminal *terminal, guint wait_ms, int other)
{
	wint_t code;

	(void)terminal;
	/* A key that arrived with others may be in a buffer of ncurses. */
	int kind = take_key(&code);
	if (kind == ERR) {
		if (!wait_for_input(wait_ms, other))
			return TERMINAL_GONE;
		kind = take_key(&code);
	}
	if (kind == ERR)
		return TERMINAL_NONE;
	if (kind == KEY_CODE_YES)
		return key_of(code);
	if (code == '\r' || code == '\n')
		return TERMINAL_ENTER;
	if (code == ESCAPE_KEY)
		return TERMINAL_ESCAPE;
	return code == DELETE_KEY || code == '\b' ? (gunichar)TERMINAL_BACKSPACE : (gunichar)code;
}
