/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the lists below the tables of compare: renamed cgroups, groups of one side. */
#pragma once

#include <stdio.h>

#include "ctprof/report.h"

void lists_draw(FILE *stream, const struct ctprof_report *report);
