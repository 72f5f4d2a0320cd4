/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layers-file.h"

#include "base/error.h"
#include "base/fd.h"
#include "base/ui.h"
#include "guard/userfile.h"

Layers *layers_load(const char *name, GError **error)
{
	AUTO_FD file = userfile_open(name, 0);
	/* One byte more than allowed, to detect a longer file. */
	g_autofree char *text = g_malloc(LAYERS_MAX_BYTES + 1);
	gssize length = file < 0 ? file : userfile_read(file, text, LAYERS_MAX_BYTES + 1);

	if (length < 0) {
		error_set_errno(error, (int)-length, "--layers '%s'", name);
		return NULL;
	}
	Layers *layers = layers_parse(text, (gsize)length, error);
	if (!layers) {
		g_prefix_error(error, "--layers '%s': ", name);
		return NULL;
	}
	g_autofree char *complaint = layers_complaint(layers);
	if (complaint)
		ui_warning("%s", complaint);
	return layers;
}
