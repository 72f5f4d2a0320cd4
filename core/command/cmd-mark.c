/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "base/error.h"
#include "cmd.h"
#include "road/mark-socket.h"
#include "road/marks.h"

static char *file;

static const Option options[] = {
	OPTION(PATH, "file", 'f', &file, "FILE",
	       "The recording being written; required if there are several", .from = FROM_FILES),
	OPTION_END,
};

static int cmd_mark_run(Globals *globals, char **arguments, GError **error)
{
	const char *name = arguments[0];

	(void)globals;
	if (!name)
		return EXIT_OF(error_set_usage(error, "expected the NAME of a mark"));
	const char *why = mark_name_fault(name, strlen(name));
	if (why)
		return EXIT_OF(error_set_usage(error, "'%s' cannot be a mark: %s", name, why));
	g_autoptr(Root) root =
		cmd_no_arguments(arguments + 1, error) ? root_open(NULL, NULL, NULL, error) : NULL;
	return EXIT_OF(root && mark_socket_send(root, name, file, error));
}

const Command cmd_mark = {
	.name = "mark",
	.arguments = "NAME",
	.summary = "Give a name to this moment of a running recording",
	.help = "The mark is in the first sample after it. Commands that read the recording find "
		"it by\n"
		"--from @NAME, --to @NAME and --at @NAME. Without -f, there must be one recording "
		"by\n"
		"this user. Fails if no recorder takes the mark.\n"
		"\n"
		"Examples:\n"
		"  ctprof record -q -o m.ctprof -- sh -c 'ctprof mark -f m.ctprof on; sleep 1'\n"
		"  ctprof record -q -o n.ctprof -- ctprof mark -f n.ctprof 'scheduler attached'",
	.options = options,
	.run = cmd_mark_run,
};
