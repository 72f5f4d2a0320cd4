/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "error.h"

#include "ui.h"

GQuark error_usage_quark(void)
{
	return g_quark_from_static_string("ctprof-usage-error");
}

gboolean error_set_text(GError **error, GQuark domain, gint code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	g_autoptr(GError) fresh = g_error_new_valist(domain, code, format, ap);
	va_end(ap);
	g_propagate_error(error, g_steal_pointer(&fresh));
	return FALSE;
}

gboolean error_set_errno(GError **error, int err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	g_autofree char *text = g_strdup_vprintf(format, ap);
	va_end(ap);
	return error_set_text(error, G_IO_ERROR, (gint)g_io_error_from_errno(err), "%s: %s", text,
			      g_strerror(err));
}

int error_report(const GError *error)
{
	ui_error("%s", error->message);
	return error->domain == USAGE_ERROR ? EXIT_USAGE : EXIT_FAILED;
}
