/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "error.h"

#include <gio/gio.h>

GQuark error_usage_quark(void)
{
	return g_quark_from_static_string("ctprof-usage-error");
}

gboolean error_set_errno(GError **error, int err, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list ap;

	va_start(ap, format);
	text = g_strdup_vprintf(format, ap);
	va_end(ap);
	g_set_error(error, G_IO_ERROR, (gint)g_io_error_from_errno(err), "%s: %s", text,
		    g_strerror(err));
	return FALSE;
}
