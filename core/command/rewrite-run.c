/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite-run.h"

#include "base/error.h"
#include "base/ui.h"
#include "cmd.h"
#include "guard/output.h"
#include "present.h"
#include "road/load.h"

static char *path;

const Option rewriting_options[] = {
	OPTION(PATH, "output", 'o', &path, "FILE", "Write FILE, '-' for standard output",
	       .from = FROM_FILES),
	OPTION_END,
};

static gboolean write_file(const RewriteRun *run, const Globals *globals, const char *file,
			   GError **error)
{
	load_keep(file);
	g_autoptr(Output) output = output_open(path, TRUE, error);
	g_autoptr(Session) session = output ? presenting_open(globals, error) : NULL;
	g_autoptr(Recording) recording = session ? load_open(session, file, error) : NULL;
	g_autofree char *done =
		recording ? run->write(recording, load_reader(session), output, error) : NULL;

	if (!done || !output_commit(output, error))
		return FALSE;
	g_autofree char *size = ui_format_size(output_bytes(output));
	ui_note("%s; %s: %s", done, output_label(output), size);
	return TRUE;
}

gboolean rewrite_run(const RewriteRun *run, const Globals *globals, char **arguments,
		     GError **error)
{
	if (!arguments[0])
		return error_set_usage(error, "expected a %s: FILE", run->expected);
	if (!path)
		return error_set_usage(error, "expected -o FILE to write");
	return cmd_no_arguments(arguments + 1, error) && load_find(&arguments[0], error) &&
	       write_file(run, globals, arguments[0], error);
}
