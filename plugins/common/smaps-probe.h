/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Examines whether the memory of processes can be read, by trying one of them. */
#pragma once

#include "ctprof/plugin.h"

/* Refusals that no other privilege would fix. */
#define SMAPS_PROBE_REFUSED                                                                        \
	"some processes refuse even CAP_SYS_PTRACE: another user namespace, or a security module"
#define SMAPS_PROBE_NO_PROCESS "the proc root shows no process"

/* Returns 1, or another PID if process 1 is hidden; 0 if there is none. */
int smaps_probe_pid(const struct ctprof_host *host);

/* Reports how well a slot group works that is filled through the smaps ladder. */
void smaps_probe(const struct ctprof_host *host, const char *group);
