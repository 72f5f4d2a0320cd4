/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The metrics of files that come without definitions: those of the reference. */
#pragma once

#include <stddef.h>

#include "ctprof/plugin.h"

/* help and origin are "" in most; a test compares the rest with the plugins. */
extern const struct ctprof_metric known_metrics[];
extern const size_t known_n_metrics;
