/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The owners of processes: each is a user in a top-level cgroup.  A process in a user namespace
 * belongs to the user who made the namespace, as a user can make any number of them.  All processes
 * of an owner together may exceed the ordinary cost by as much as a single one may.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ctprof/plugin.h"

bool owner_is_same(int proc, int32_t a, int32_t b);
/* Charges the owner of that process for a job that used this CPU time. */
void owner_charge(int proc, int32_t tgid, uint64_t cpu_ns);
/* Whether the owner of that process has used more than limit_ns (0: no limit). */
bool owner_is_spent(int proc, int32_t tgid, uint64_t limit_ns);
/* Notes that the processes of the process's owner are left out, because one of them does not
 * answer. */
void owner_leave_out(int proc, int32_t tgid);
bool owner_is_left_out(int proc, int32_t tgid);
/* Warns once about each owner that is left out, or for which owner_is_spent() was true. */
void owner_report(const struct ctprof_host *host);
/* Prepares for another capture: resets what the owners have used. */
void owner_again(void);
