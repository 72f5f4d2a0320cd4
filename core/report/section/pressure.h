/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pressure stall information, of the host and of cgroups: metrics named
 * psi.RESOURCE.some|full.WHAT. */
#pragma once

#include "report/fold/intake.h"
#include "report/table.h"
#include "sections.h"

enum { PRESSURE_RESOURCES = 4 };

gboolean pressure_is_metric(const Metric *metric);

/* A table of one resource's pressure. */
Table *pressure_begin(const Draft *draft, const Section *section, enum intake_table from,
		      guint resource, const char *names_header);
/* Adds the lines "some" and "full", after the cgroup's name unless that is NULL. */
void pressure_add(const Draft *draft, Table *table, enum intake_table from, guint resource,
		  const char *cgroup, Record *const sides[SIDES]);
/* Drops the table when no pressure was measured. */
void pressure_end(const Draft *draft, Table *table);
