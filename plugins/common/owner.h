/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Owners of processes: a user in a cgroup of the top level.  A process in a user namespace
 * is its maker's, who can have any number of them.  Beyond what a process ordinarily costs,
 * all processes of an owner together may cost as much as one may.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ctprof/plugin.h"

bool owner_is_same(int proc, int32_t a, int32_t b);
/* A job on that process took so much CPU time. */
void owner_charge(int proc, int32_t tgid, uint64_t cpu_ns);
/* Whether the owner of that process has used more than limit_ns (0: no limit). */
bool owner_is_spent(int proc, int32_t tgid, uint64_t limit_ns);
/* Names the owners of which that was so, each once. */
void owner_report(const struct ctprof_host *host);
/* For another capture. */
void owner_again(void);
