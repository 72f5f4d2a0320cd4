/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a file and writes it again: passes its captures to a sink. */
#pragma once

#include <glib.h>

#include "redact/redactor.h"
#include "snapshot/read.h"

/* Writes all samples of the recording, or the only one of a snapshot, into output with the sink
 * that reads them. */
gboolean rewrite_recording(Recording *recording, Plugin *sink, Redactor *redactor, Output *output,
			   GError **error);
