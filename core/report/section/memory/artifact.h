/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes and their rollups in the format of ChromeOS's tests:
 * smaps_rollup.json, [{"Command", "Pid", "SharedSwapPss", "Rollup": {name:
 * bytes, by name}}, ...] indented by two blanks per level; "null" without
 * processes.
 */
#pragma once

#include <glib.h>

/* Adds a process to the text, which begins empty.  command: bytes; invalid
 * UTF-8 becomes U+FFFD.  rollup: MapItem, in KiB and ordered by key. */
void artifact_add(GString *text, const char *command, gint32 pid, guint64 shared_swap_pss,
		  const GArray *rollup);
/* Call after the last process. */
void artifact_end(GString *text);
