/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/error.h"
#include "cmd.h"
#include "present.h"
#include "road/feed.h"
#include "road/load.h"
#include "screen-run.h"
#include "screen/keys.h"

static Feed *open_feed(Globals *globals, gpointer data, GError **error)
{
	return replay_feed_new(globals, data, error);
}

static int cmd_replay_run(Globals *globals, char **arguments, GError **error)
{
	if (!arguments[0])
		return error_set_usage(error,
				       "expected a recording: FILE ('ctprof record' writes one)");
	if (g_str_equal(arguments[0], "-"))
		return error_set_usage(error, "expected a file: standard input is for keys");
	if (!cmd_no_arguments(arguments + 1, error) || !load_find(&arguments[0], error))
		return EXIT_FAILED;
	const ScreenRequest screen = {
		.globals = globals,
		.data = arguments[0],
		.open = open_feed,
	};

	return screen_run_supervised(&screen, error);
}

const Command cmd_replay = {
	.name = "replay",
	.arguments = "FILE",
	.summary = "Show a recording sample by sample, as top shows this host",
	.help = "FILE is written by 'ctprof record', and may have been rotated: FILE.1, FILE.2 and so\n"
		"on are the earlier part of the recording. DIR means the only recording in it.\n"
		"The first window is between the first two samples; p plays the recording. A file that\n"
		"is cut off is shown up to its last whole sample.\n\n"
		"Keys:\n" KEYS_EVERYWHERE(KEY_LINE)
			KEYS_OF_REPLAY(KEY_LINE) "\n"
						 "Examples:\n"
						 "  ctprof replay host.ctprof\n"
						 "  ctprof replay --group-by unit host.ctprof\n"
						 "  ctprof replay --filter '^worker' host.ctprof",
	.shared = {screen_options_shown, reading_options},
	.arguments_from = FROM_SNAPSHOTS,
	.supervises = TRUE,
	.run = cmd_replay_run,
};
