/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instance of the plugin; only memory.c and the tests look inside. */
#pragma once

#include "objects.h"
#include "process.h"

struct memory {
	const struct ctprof_host *host;
	struct smaps_limits limits;
	struct process_plan plan;
	struct objects objects;
};
