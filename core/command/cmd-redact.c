/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capture-options.h"
#include "cmd.h"
#include "present.h"
#include "rewrite-run.h"
#include "road/redacting.h"
#include "road/rewrite.h"

static char *redact(Recording *recording, Plugin *sink, Output *output, GError **error)
{
	g_autoptr(Redactor) redactor = redacting_new();

	return rewrite_recording(recording, sink, redactor, output, error) ? g_strdup("redacted")
									   : NULL;
}

static int cmd_redact_run(Globals *globals, char **arguments, GError **error)
{
	static const RewriteRun redacting = {"snapshot or recording", redact};

	/* Do this while the process still has the rights of the user. */
	return EXIT_OF(redacting_prepare(TRUE, error) &&
		       rewrite_run(&redacting, globals, arguments, error));
}

const Command cmd_redact = {
	.name = "redact",
	.arguments = "FILE",
	.summary = "Replace names with pseudonyms, so that a file can be shared",
	.help = "Writes a copy of FILE, a snapshot or recording ('-': standard input). Pseudonyms\n"
		"replace the words in names of processes and threads, users, cgroups, units, paths\n"
		"and command lines; the same word always gets the same pseudonym, so groups stay\n"
		"groups. Numbers are kept, also in names; kernel threads keep their names; of a\n"
		"command line only the program is kept. The copy lists how many values of each\n"
		"field were replaced.\n\n"
		"Files redacted with the same --key-file can be compared. Without it the key is\n"
		"random and not kept: no one can recover the names.\n\n"
		"Examples:\n"
		"  ctprof redact before.ctprof.zst -o safe.ctprof.zst\n"
		"  umask 77; head -c 32 /dev/urandom >key; ctprof redact --key-file key before.ctprof.zst -o safe.zst\n"
		"  ctprof redact before.ctprof.zst -o - | zstdcat | jq .capture.redacted",
	.options = rewriting_options,
	.shared = {redacting_key_options, reading_options},
	.arguments_from = FROM_SNAPSHOTS,
	.run = cmd_redact_run,
};
