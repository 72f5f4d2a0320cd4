/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "present.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd.h"
#include "guard/limits.h"
#include "guard/supervise.h"
#include "pager.h"

#define DEFAULT_FORMAT "table"
#define MAX_MEMORY (G_GUINT64_CONSTANT(4) << 30)

static char *format, *output_path;
static guint64 max_memory = G_MAXUINT64; /* not given */
static gboolean no_color, no_header, no_pager;

const Option presenting_options[] = {
	OPTION(TEXT, "format", 'f', &format, "FORMAT",
	       "Draw with this sink: table, json, csv or another (see 'ctprof plugins')",
	       .from = FROM_DRAWERS, .row.default_value = DEFAULT_FORMAT),
	OPTION(PATH, "output", 'o', &output_path, "FILE", "Write FILE instead of standard output",
	       .from = FROM_FILES),
	OPTION(BOOL, "no-header", 0, &no_header, NULL, "Omit headings"),
	OPTION(BOOL, "no-color", 0, &no_color, NULL,
	       "Do not use colours (also: NO_COLOR in the environment)"),
	OPTION(BOOL, "no-pager", 0, &no_pager, NULL,
	       "Do not page on a terminal (CTPROF_PAGER, PAGER, else less)"),
	OPTION(SIZE, "max-memory", 0, &max_memory, "SIZE",
	       "Memory that reading and grouping may take (default: 4GiB, at most half of the "
	       "RAM; 0: no limit)"),
	OPTION_END,
};

static const char *sink_name(void)
{
	return format ? format : DEFAULT_FORMAT;
}

Session *presenting_open(const Globals *globals, GError **error)
{
	const char *sink = sink_name();
	const char *const needed[] = {SNAPSHOT_SINK, sink, NULL};
	g_autofree char *plugins = g_strjoin(",", SNAPSHOT_SINK, sink, NULL);
	Globals own = *globals;

	/* Of the plugins only these are of use: no source is opened to read a file. */
	own.plugins = plugins;
	g_autoptr(Session) session = session_new(&own, needed, error);
	if (!session) {
		if (format)
			g_prefix_error(error, "--format '%s': ", sink);
		return NULL;
	}
	const Plugin *plugin = plugin_find(session->plugins, sink, CTPROF_KIND_SINK);
	if (!plugin || !plugin->sink.report) {
		error_set_usage(
			error,
			"--format '%s': expected table, json, csv or another sink that draws "
			"reports (see 'ctprof plugins')",
			sink);
		return NULL;
	}
	return g_steal_pointer(&session);
}

static int step_check(gpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Session) session = presenting_open(data, &error);

	return session ? EXIT_DONE : cmd_fail(error);
}

int presenting_check(const Globals *globals)
{
	/* The default cannot be misspelt. */
	return format ? supervise_run(step_check, (gpointer)(uintptr_t)globals, NULL) : EXIT_DONE;
}

void presenting_limit_memory(void)
{
	guint64 ram = (guint64)sysconf(_SC_PHYS_PAGES) * (guint64)sysconf(_SC_PAGESIZE);

	limits_set_memory(max_memory == G_MAXUINT64 ? MIN(MAX_MEMORY, ram / 2) : max_memory);
}

Plugin *presenting_reader(const Session *session)
{
	return plugin_find(session->plugins, SNAPSHOT_SINK, CTPROF_KIND_SINK);
}

static gboolean may_colour(void)
{
	const char *refused = g_getenv("NO_COLOR");

	return !no_color && !output_path && isatty(STDOUT_FILENO) && !(refused && refused[0]) &&
	       g_strcmp0(g_getenv("TERM"), "dumb") != 0;
}

static guint64 terminal_width(void)
{
	struct winsize size;

	if (output_path || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

/* What the engine cannot know: where the report goes. */
static struct ctprof_report dress(const struct ctprof_report *report, const Presentation *how)
{
	struct ctprof_report dressed = *report;

	for (guint side = 0; how->files && side < G_N_ELEMENTS(dressed.files); side++)
		dressed.files[side] = how->files[side];

	dressed.flags &= ~(CTPROF_REPORT_COLOUR | CTPROF_REPORT_HEADER | CTPROF_REPORT_ORPHANS);
	if (may_colour())
		dressed.flags |= CTPROF_REPORT_COLOUR;
	if (!no_header)
		dressed.flags |= CTPROF_REPORT_HEADER;
	if (!how->no_orphans)
		dressed.flags |= CTPROF_REPORT_ORPHANS;
	dressed.width = how->fit ? terminal_width() : 0;
	return dressed;
}

gboolean presenting_draw(const Session *session, const struct ctprof_report *report,
			 const Presentation *how, GError **error)
{
	Plugin *sink = plugin_find(session->plugins, sink_name(), CTPROF_KIND_SINK);
	/* Asked before a pager stands between us and the terminal. */
	struct ctprof_report dressed = dress(report, how);
	g_autoptr(GError) local = NULL;
	g_autoptr(Output) output = output_open(output_path ? output_path : "-", FALSE, error);
	if (!output)
		return FALSE;
	g_autoptr(Pager) pager = no_pager || output_path ? NULL : pager_start();
	gboolean ok = plugin_draw(sink, output, &dressed, &local) && output_commit(output, &local);

	/* Whoever quits the pager has seen enough. */
	if (ok || (pager && g_error_matches(local, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE)))
		return TRUE;
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
}
