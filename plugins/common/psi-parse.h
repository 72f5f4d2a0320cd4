/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pressure stall files: the host's pressure/RES and a cgroup's RES.pressure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A file's values in the order of its metrics (psi-metrics.h): "some" avg10,
 * avg60, avg300, total, then the same of "full". */
#define PSI_VALUES 8

struct psi_pressure {
	/* Averages in hundredths of a percent, totals in microseconds. */
	uint64_t value[PSI_VALUES];
	/* enum ctprof_absence.  UNSUPPORTED: no such line or field in this file. */
	uint32_t state[PSI_VALUES];
};

/* Reads a pressure file; a text with neither line is INVALID throughout. */
void psi_parse_pressure(const char *text, size_t len, struct psi_pressure *ret);
