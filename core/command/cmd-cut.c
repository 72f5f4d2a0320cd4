/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/error.h"
#include "base/ui.h"
#include "cmd.h"
#include "guard/output.h"
#include "guard/userfile.h"
#include "present.h"
#include "report-run.h"
#include "snapshot/moment.h"

static char *path;

static const Option options[] = {
	OPTION(PATH, "output", 'o', &path, "FILE", "Write FILE, '-' for standard output",
	       .from = FROM_FILES),
	OPTION_END,
};

static gboolean choose(const Recording *recording, guint *ret_first, guint *ret_last,
		       GError **error)
{
	const SampleChoice *choice = &sample_choice;

	*ret_first = 0;
	*ret_last = recording_n_samples(recording) - 1;
	if (choice->from && !moment_find(recording, "--from", choice->from, ret_first, error))
		return FALSE;
	if (choice->to && !moment_find(recording, "--to", choice->to, ret_last, error))
		return FALSE;
	return *ret_first <= *ret_last || error_set_usage(error, "--from is after --to");
}

static gboolean cut(const Globals *globals, const char *file, GError **error)
{
	guint first, last;
	/* While the process still has the rights of the user. */
	userfile_keep(file, 0);
	g_autoptr(Output) output = output_open(path, TRUE, error);
	g_autoptr(Session) session = output ? presenting_open(globals, error) : NULL;
	g_autoptr(Recording) recording =
		session ? recording_open(presenting_reader(session), file, error) : NULL;

	if (!recording || !choose(recording, &first, &last, error))
		return FALSE;
	if (recording_damage(recording))
		ui_warning("%s: %s", file, recording_damage(recording));
	if (!recording_cut(recording, first, last, output, error) || !output_commit(output, error))
		return FALSE;
	first = recording_find_key(recording, first);
	g_autofree char *from = moment_name(recording, first);
	g_autofree char *to = moment_name(recording, last);
	g_autofree char *size = ui_format_size(output_bytes(output));
	ui_note("%u sample%s, from %s to %s; %s: %s", last - first + 1, last > first ? "s" : "",
		from, to, output_label(output), size);
	return TRUE;
}

static int run(Globals *globals, char **arguments)
{
	g_autoptr(GError) error = NULL;

	if (!arguments[0])
		error_set_usage(&error, "expected a recording: FILE");
	else if (!path)
		error_set_usage(&error, "expected -o FILE to write");
	else if (cmd_no_arguments(arguments + 1, &error) && cut(globals, arguments[0], &error))
		return EXIT_DONE;
	return cmd_fail(error);
}

const Command cmd_cut = {
	.name = "cut",
	.arguments = "FILE",
	.summary = "Keep a part of a recording",
	.help = "Copies the samples of FILE (from 'ctprof record') between --from and --to, "
		"unchanged.\n"
		"The copy begins with the last whole sample at or before --from; there is one at "
		"least\n"
		"every 64 samples.\n"
		"\n"
		"Examples:\n"
		"  ctprof record -q -n 3 -i 100ms -o host.ctprof; ctprof cut --to +1s -o "
		"part.ctprof host.ctprof",
	.options = options,
	.shared = {window_options},
	.arguments_from = FROM_SNAPSHOTS,
	.run = run,
};
