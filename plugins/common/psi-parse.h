/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses pressure stall files: the host's pressure/RES and a cgroup's RES.pressure. */
#pragma once

#include "slots.h"

/* The values of a file in the order of its metrics (psi-metrics.h): avg10, avg60, avg300 and total
 * of "some", then of "full". */
#define PSI_VALUES 8

/* Causes and remedies, as shown to the user. */
#define PSI_OFF_REMEDY "boot with psi=1, or use a kernel (4.20 or later) built with CONFIG_PSI"
#define PSI_NO_CPU_FULL "psi.cpu.full is absent: the kernel measures it for memory and io only"
#define PSI_NO_CPU_FULL_REMEDY "use Linux 5.13 or later"

/* Parses a pressure file: averages in hundredths of a percent, totals in microseconds.
 * UNSUPPORTED: no such line or field in this file; a text with neither line is INVALID
 * throughout. */
void psi_parse_pressure(const char *text, size_t len, struct slots_value ret[PSI_VALUES]);
