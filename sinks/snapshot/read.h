/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a snapshot file back; see docs/file-format.md. */
#pragma once

#include "ctprof/sink.h"

/* Reads our files, or the reference's.  0 or -errno, which input->fault() has explained, except for
 * -ENOMEM. */
int read_snapshot(const struct ctprof_host *host, const struct ctprof_input *input);
