/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the files of the proc root; pure: accepts any bytes. */
#pragma once

#include "ctprof/plugin.h"
#include "slots.h"
#include "text.h"

/* The start of each file's metrics in system_metrics. */
enum {
	SYSTEM_STAT,
	SYSTEM_LOAD = SYSTEM_STAT + 18,
	SYSTEM_VMSTAT = SYSTEM_LOAD + 5,
	SYSTEM_MEMORY = SYSTEM_VMSTAT + 29,
	SYSTEM_DISKS = SYSTEM_MEMORY + 5,
	SYSTEM_DISK = SYSTEM_DISKS + 2,
	SYSTEM_NET = SYSTEM_DISK + 8,
	SYSTEM_N_METRICS = SYSTEM_NET + 8,
};

extern const struct ctprof_metric system_metrics[SYSTEM_N_METRICS];

struct system_rows {
	struct text rest; /* of the file */
	struct text name; /* name of the last device taken or left out */
	struct text disk; /* the last whole disk */
};

/* Takes the next row and its values, in the order of the metrics: one row for the host, or one for
 * each device.  UNSUPPORTED: not in the text; INVALID: not a number.  False if there are no
 * more. */
typedef bool system_take(struct system_rows *rows, struct slots_value *ret);
system_take system_take_stat, system_take_load, system_take_vmstat, system_take_memory,
	system_take_disks, system_take_disk, system_take_net;
