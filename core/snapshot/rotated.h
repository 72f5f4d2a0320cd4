/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording that was rotated: FILE, and before it FILE.1, FILE.2 and so on, is one recording. */
#pragma once

#include "read.h"

/* Opens the files before path for rotated_take(), while the process has the rights of the user. */
void rotated_keep(const char *path);
/* Adds the samples of the files before path, which belong to the recording ("-": none). A file that
 * is not of this recording is left out, with those before it; recording_damage() reports that, and
 * gaps between two files. */
gboolean rotated_take(Recording *recording, const char *path, GError **error);
