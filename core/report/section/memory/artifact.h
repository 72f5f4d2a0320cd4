/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes and their rollups, as ChromeOS's tests keep them: smaps_rollup.json. */
#pragma once

#include <glib.h>

typedef struct artifact_field {
	const char *name;
	guint64 bytes;
} ArtifactField;

/* A process that has a rollup. */
typedef struct artifact_record {
	const char *command; /* bytes; what is no UTF-8 becomes U+FFFD */
	gint32 pid;
	guint64 shared_swap_pss;
	const GArray *rollup; /* ArtifactField, in any order */
} ArtifactRecord;

/* [{"Command", "Pid", "SharedSwapPss", "Rollup": {name: bytes, by name}}, ...]
 * with two blanks a level; "null" without a record. */
char *artifact_format(const ArtifactRecord *records, guint n);
