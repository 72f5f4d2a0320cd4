/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the sample of a recording that the user specifies. */
#pragma once

#include <glib.h>

#include "read.h"

/*
 * "@NAME": by a mark.  after NULL: the first sample at or after the first mark of that name.  after
 * is a sample: the last sample before the first such mark that follows it, so that everything
 * between the two belongs to one phase.
 *
 * Otherwise the last sample at or before a time: "2026-11-22T03:12:00Z" (without the Z: local
 * time), "03:12" and "03:12:05" (local, on the first day on which the recording has it), "+90s"
 * from its start, "-5m" from its end.  shown: the option, for the error.
 */
gboolean when_find(Recording *recording, const char *shown, const char *text, const guint *after,
		   guint *ret_sample, GError **error);
/* Finds the sample of that number, from 0; negative: from the end. */
gboolean when_find_number(const Recording *recording, const char *shown, const char *text,
			  guint *ret_sample, GError **error);
/* Returns "2026-11-22T03:12:05Z", or the number of the sample if its time is not known. */
char *when_name(const Recording *recording, guint sample);
