/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instance of the plugin; only memory.c and the tests look inside. */
#pragma once

#include "process.h"

struct memory {
	const struct ctprof_host *host;
	struct smaps_limits limits;
	struct process_plan plan;
	unsigned n_parts; /* opened */
	void *parts[MEMORY_PARTS_MAX];
	unsigned emitting; /* the part whose rows are being collected */
};
