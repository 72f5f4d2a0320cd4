/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ui.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lock.h"
#include "texts.h"

static int verbosity;
static gboolean progress_shown;
static GMutex lock;

void ui_set_verbosity(int level)
{
	verbosity = level;
}

int ui_verbosity(void)
{
	return verbosity;
}

char *ui_escape(const char *bytes, gssize length)
{
	const char *p = bytes;
	const char *end = bytes + (length < 0 ? (gssize)strlen(bytes) : length);
	GString *out = g_string_sized_new((gsize)(end - p) + 8);

	while (p < end) {
		gunichar c = g_utf8_get_char_validated(p, end - p);

		if (c == '\n') {
			g_string_append(out, "\\n");
			p++;
		} else if (c == (gunichar)-1 || c == (gunichar)-2 || texts_is_unseen(c) ||
			   (end - p > 2 && memcmp(p, "##[", 3) == 0)) {
			g_string_append_printf(out, "\\x%02x", (guchar)*p);
			p++;
		} else {
			g_string_append_unichar(out, c);
			p += g_utf8_skip[*(const guchar *)p];
		}
	}
	return g_string_free(out, FALSE);
}

char *ui_format_size(guint64 bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	gdouble value = (gdouble)bytes / 1024;
	guint unit = 0;

	if (bytes < 1024)
		return g_strdup_printf("%" G_GUINT64_FORMAT " B", bytes);
	for (; value >= 1024 && unit + 1 < G_N_ELEMENTS(units); unit++)
		value /= 1024;
	return g_strdup_printf("%.1f %s", value, units[unit]);
}

static void clear_progress(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = FALSE;
}

void ui_say(int level, const char *prefix, const char *format, ...)
{
	va_list ap;

	if (verbosity < level)
		return;
	va_start(ap, format);
	g_autofree char *raw = g_strdup_vprintf(format, ap);
	va_end(ap);
	g_autofree char *text = ui_escape(raw, -1);
	HOLD(&lock);
	clear_progress();
	fprintf(stderr, "ctprof: %s%s\n", prefix, text);
}

void ui_progress(const char *text)
{
	if (verbosity < 0 || !isatty(STDERR_FILENO))
		return;
	HOLD(&lock);
	clear_progress();
	if (text) {
		fprintf(stderr, "\rctprof: %s", text);
		progress_shown = TRUE;
	}
	fflush(stderr);
}

void ui_clear_line(void)
{
	progress_shown = isatty(STDERR_FILENO) == 1;
	clear_progress();
}

gboolean ui_flush(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return TRUE;
	ui_error("cannot write to standard output: %s", g_strerror(errno));
	return FALSE;
}

void ui_add_cells(GPtrArray *cells, const char *cell, ...)
{
	va_list ap;

	va_start(ap, cell);
	for (; cell; cell = va_arg(ap, const char *))
		g_ptr_array_add(cells, g_strdup(cell));
	va_end(ap);
}

void ui_print_cells(const GPtrArray *cells, guint n_columns)
{
	g_autofree glong *widths = g_new0(glong, n_columns);

	for (guint i = 0; i < cells->len; i++)
		widths[i % n_columns] =
			MAX(widths[i % n_columns], g_utf8_strlen(cells->pdata[i], -1));
	for (guint i = 0; i < cells->len; i++) {
		guint column = i % n_columns;
		glong pad = widths[column] - g_utf8_strlen(cells->pdata[i], -1);

		fputs(cells->pdata[i], stdout);
		if (column + 1 == n_columns)
			putchar('\n');
		else
			printf("%*s", (int)pad + 2, "");
	}
}
