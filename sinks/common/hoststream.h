/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stdio stream into the output a host lends to its sinks. */
#pragma once

#include <stdio.h>

#include "ctprof/plugin.h"

/* NULL with errno.  Not to be closed by fclose(). */
FILE *hoststream_open(const struct ctprof_host *host);
/* Writes out what is buffered and ends the stream; 0, or -errno of whatever
 * could not be written since it was opened. */
int hoststream_close(FILE *stream);
