/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "present.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd.h"
#include "guard/limits.h"
#include "guard/supervise.h"
#include "pager.h"
#include "road/load.h"

#define DEFAULT_FORMAT "table"
#define SMALL_WIDTH 80
#define SMALL_HEIGHT 24

static char *format, *output_path;
static gboolean no_color, no_header, no_pager;

const Option presenting_options[] = {
	OPTION(TEXT, "format", 'f', &format, "FORMAT",
	       "Draw with this sink: table, json, csv, html or another (see 'ctprof plugins')",
	       .from = FROM_REPORT_SINKS, .row.default_value = DEFAULT_FORMAT),
	OPTION(PATH, "output", 'o', &output_path, "FILE", "Write FILE instead of standard output",
	       .from = FROM_FILES),
	OPTION(BOOL, "no-header", 0, &no_header, NULL, "Omit headings"),
	OPTION(BOOL, "no-color", 0, &no_color, NULL,
	       "Do not use colours (also: NO_COLOR in the environment)"),
	OPTION(BOOL, "no-pager", 0, &no_pager, NULL,
	       "Do not page on a terminal (CTPROF_PAGER, PAGER, else less)"),
	OPTION_END,
};

const Option reading_options[] = {
	OPTION(SIZE, "max-memory", 0, &limits_memory, "SIZE",
	       "Memory that reading and grouping may take (default: 1GiB, at most half of the "
	       "RAM; 0: no limit)"),
	OPTION_END,
};

const char *presenting_sink(void)
{
	return format ? format : DEFAULT_FORMAT;
}

Output *presenting_open_output(GError **error)
{
	return output_open(output_path ? output_path : "-", FALSE, error);
}

Session *presenting_open(const Globals *globals, GError **error)
{
	const char *sink = presenting_sink();

	if (!session_check(globals, error))
		return NULL;
	g_autoptr(Session) session = load_session(globals, sink, error);
	if (!session || !load_begin(session, sink, error)) {
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

static int step_check(gpointer data, GError **error)
{
	g_autoptr(Session) session = presenting_open(data, error);

	return EXIT_OF(session);
}

int presenting_check(const Globals *globals)
{
	/* The default is not misspelt. */
	return format ? supervise_run(step_check, globals, NULL) : EXIT_DONE;
}

static gboolean may_colour(void)
{
	const char *refused = g_getenv("NO_COLOR");

	return !no_color && !output_path && isatty(STDOUT_FILENO) && !(refused && refused[0]) &&
	       g_strcmp0(g_getenv("TERM"), "dumb") != 0;
}

gboolean presenting_is_default(void)
{
	return strcmp(presenting_sink(), DEFAULT_FORMAT) == 0;
}

void presenting_measure(guint *ret_width, guint *ret_height)
{
	struct winsize size;

	*ret_width = 0;
	*ret_height = SMALL_HEIGHT;
	if (output_path || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return;
	/* A serial line has no known size. */
	*ret_width = size.ws_col > 0 ? size.ws_col : SMALL_WIDTH;
	*ret_height = size.ws_row > 0 ? size.ws_row : SMALL_HEIGHT;
}

/* Adds the properties of the report's destination, which its engine cannot know. */
static struct ctprof_report add_output_properties(const struct ctprof_report *report,
						  const Presentation *how)
{
	struct ctprof_report dressed = *report;
	guint width, height;

	dressed.flags &= ~(CTPROF_REPORT_COLOUR | CTPROF_REPORT_HEADER | CTPROF_REPORT_ORPHANS);
	if (may_colour())
		dressed.flags |= CTPROF_REPORT_COLOUR;
	if (!no_header)
		dressed.flags |= CTPROF_REPORT_HEADER;
	if (!how->no_orphans)
		dressed.flags |= CTPROF_REPORT_ORPHANS;
	presenting_measure(&width, &height);
	dressed.width = how->fit ? width : 0;
	dressed.height = how->is_screen ? height : 0;
	return dressed;
}

/* Whether the terminal has room for the text, and the prompt after it. */
static gboolean fits(const char *text)
{
	guint width, height, lines = 0, column = 0;
	gboolean is_code = FALSE;

	presenting_measure(&width, &height);
	for (const char *p = text; *p && lines < height; p++) {
		gboolean begins = (*p & 0xc0) != 0x80; /* a character of UTF-8 */
		gboolean is_shown = begins && !is_code && *p != '\033' && *p != '\n';

		is_code = *p == '\033' || (is_code && *p != 'm');
		column = *p == '\n' ? 0 : column + (is_shown ? 1 : 0);
		lines += *p == '\n' || column > width;
		column = column > width ? 1 : column;
	}
	return lines < height;
}

/* Draws into memory first: only a report that does not fit the terminal needs a pager. */
static gboolean draw_paged(Plugin *sink, const struct ctprof_report *report, Output *output,
			   GError **error)
{
	g_autoptr(Output) drawn = output_open_memory(error);

	if (!drawn || !plugin_draw(sink, drawn, report, error))
		return FALSE;
	guint64 size = output_bytes(drawn);
	g_autofree char *text = output_take_text(drawn, error);
	if (!text)
		return FALSE;
	g_autoptr(GError) local = NULL;
	g_autoptr(Pager) pager = fits(text) ? NULL : pager_start();

	(void)output_write(output, text, size);
	/* Quitting the pager is not an error. */
	if (output_commit(output, &local) ||
	    (pager && g_error_matches(local, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE)))
		return TRUE;
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
}

gboolean presenting_draw(const Session *session, const struct ctprof_report *report,
			 const Presentation *how, Output *output, GError **error)
{
	Plugin *sink = plugin_find(session->plugins, presenting_sink(), CTPROF_KIND_SINK);
	/* Do this before a pager comes between us and the terminal. */
	struct ctprof_report dressed = add_output_properties(report, how);

	if (!no_pager && !output_path && isatty(STDOUT_FILENO))
		return draw_paged(sink, &dressed, output, error);
	return plugin_draw(sink, output, &dressed, error) && output_commit(output, error);
}
