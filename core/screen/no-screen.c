/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The screen of a build without ncurses: an error. */
#include "base/error.h"
#include "screen.h"
#include "terminal.h"

gboolean terminal_check(GError **error)
{
	return error_set_failed(error,
				"this ctprof was built without ncurses (" TERMINAL_INSTEAD ")");
}

void terminal_remember(void)
{
}

void terminal_restore(void)
{
}

gboolean screen_run(Feed *feed, const ScreenOptions *options, GError **error)
{
	(void)feed;
	(void)options;
	return terminal_check(error);
}
