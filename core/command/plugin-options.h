/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of plugins that are also long options of the commands that capture. */
#pragma once

#include "command-line.h"
#include "plugin/session.h"

/* Loads the plugins without opening them, and returns their options up to OPTION_END.  Call this in
 * a process that may be lost. */
gboolean plugin_options_load(const Globals *globals, enum plugin_options which,
			     const Option **ret_options, GError **error);

/* Fetches the options in a process of its own, which returns only data.  supervised FALSE: in this
 * process.  Reports an error; returns the exit status. */
int plugin_options_fetch(const Globals *globals, enum plugin_options which, gboolean supervised,
			 const Option **ret_options);
