/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the address of the sched_ext class: the kernel is asked once for each class. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "text.h"

/* Stop, deadline, real-time, fair, ext and idle, with room for two more. */
#define CLASSES_MAX 8u

struct classes {
	bool off; /* no scheduler is loaded: no thread is under one */
	unsigned n;
	struct {
		uint64_t address;
		bool ext;
	} known[CLASSES_MAX];
};

/* Asks whether a scheduler is loaded. */
void classes_init(struct classes *ret, const struct ctprof_host *host);
/* Whether threads of a class run under sched_ext; for a class not yet known, the target's
 * proc/<pid>/sched is read.  False if that does not show it. */
bool classes_ask(struct classes *classes, const struct ctprof_host *host,
		 const struct ctprof_target *target, uint64_t address, bool *ret_ext);

/* Finds ext.enabled in a proc/<pid>/sched; false if there is none. */
bool classes_parse(struct text sched, bool *ret_ext);
