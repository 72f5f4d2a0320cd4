/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/error.h"
#include "cmd.h"
#include "report-run.h"
#include "rewrite-run.h"
#include "snapshot/when.h"

static gboolean choose(Recording *recording, guint *ret_first, guint *ret_last, GError **error)
{
	return load_choose(recording, ret_first, ret_last, error) &&
	       (*ret_first <= *ret_last || error_set_usage(error, "--from is after --to"));
}

static char *cut(Recording *recording, Plugin *sink, Output *output, GError **error)
{
	guint first, last;

	(void)sink;
	if (!choose(recording, &first, &last, error) ||
	    !recording_cut(recording, first, last, output, error))
		return NULL;
	first = recording_find_key(recording, first);
	g_autofree char *from = when_name(recording, first);
	g_autofree char *to = when_name(recording, last);
	return g_strdup_printf("%u sample%s, from %s to %s", last - first + 1,
			       last > first ? "s" : "", from, to);
}

static int cmd_cut_run(Globals *globals, char **arguments, GError **error)
{
	static const RewriteRun cutting = {"recording", cut};

	return EXIT_OF(rewrite_run(&cutting, globals, arguments, error));
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
		"part.ctprof host.ctprof\n"
		"  ctprof record -q -n 3 -i 100ms -o host.ctprof; ctprof cut --from +100ms -o "
		"rest.ctprof host.ctprof",
	.options = rewriting_options,
	.shared = {window_options, reading_options},
	.arguments_from = FROM_SNAPSHOTS,
	.run = cmd_cut_run,
};
