/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports how well each slot group works on this host. */
#pragma once

#include "ctprof/source.h"

void probe_groups(const struct ctprof_host *host);
