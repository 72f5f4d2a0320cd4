/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/error.h"
#include "base/ui.h"
#include "cmd.h"
#include "guard/output.h"
#include "guard/userfile.h"
#include "present.h"
#include "redact-options.h"
#include "rewrite.h"

static char *path;

static const Option options[] = {
	OPTION(PATH, "output", 'o', &path, "FILE", "Write FILE, '-' for standard output",
	       .from = FROM_FILES),
	OPTION_END,
};

static gboolean redact(const Globals *globals, const char *file, GError **error)
{
	/* While the process still has the rights of the user. */
	if (!redacting_prepare(TRUE, error))
		return FALSE;
	userfile_keep(file, 0);
	g_autoptr(Output) output = output_open(path, TRUE, error);
	g_autoptr(Session) session = output ? presenting_open(globals, error) : NULL;
	g_autoptr(Recording) recording =
		session ? recording_open(presenting_reader(session), file, error) : NULL;
	g_autoptr(Redactor) redactor = redacting_new();

	if (!recording)
		return FALSE;
	if (!recording_can_seek(recording))
		return error_set_failed(error, "%s: read more than once: give the file itself",
					file);
	if (recording_damage(recording))
		ui_warning("%s: %s", file, recording_damage(recording));
	if (!rewrite_recording(recording, presenting_reader(session), redactor, output, error)) {
		g_prefix_error(error, "%s: ", file);
		return FALSE;
	}
	if (!output_commit(output, error))
		return FALSE;
	g_autofree char *size = ui_format_size(output_bytes(output));
	ui_note("redacted; %s: %s", output_label(output), size);
	return TRUE;
}

static int run(Globals *globals, char **arguments)
{
	g_autoptr(GError) error = NULL;

	if (!arguments[0])
		error_set_usage(&error, "expected a snapshot or recording: FILE");
	else if (!path)
		error_set_usage(&error, "expected -o FILE, to be written");
	else if (cmd_no_arguments(arguments + 1, &error) && redact(globals, arguments[0], &error))
		return EXIT_DONE;
	return cmd_fail(error);
}

const Command cmd_redact = {
	.name = "redact",
	.arguments = "FILE",
	.summary = "Put pseudonyms in place of names, to hand a file on",
	.help = "Writes the snapshot or recording FILE again. The words in names of processes and\n"
		"threads, users, cgroups, units, paths and command lines become pseudonyms, the same\n"
		"word the same one everywhere, so that groups stay groups. Numbers stay, also those\n"
		"in names; kernel threads keep theirs; of a command line only the program is left.\n"
		"The file lists how many values of each field were replaced.\n\n"
		"With --key-file, files that are redacted by the same key can be compared. Without,\n"
		"the key is lost: no one finds the name that a pseudonym stands for.\n\n"
		"Examples:\n"
		"  ctprof redact before.ctprof.zst -o safe.ctprof.zst\n"
		"  umask 77; head -c 32 /dev/urandom >key; ctprof redact --key-file key before.ctprof.zst -o safe.ctprof.zst\n"
		"  ctprof redact before.ctprof.zst -o - | zstdcat | jq .capture.redacted",
	.options = options,
	.shared = {redacting_key_options},
	.arguments_from = FROM_SNAPSHOTS,
	.run = run,
};
