/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of tables: those that identify the row, then one per metric. */
#pragma once

#include <glib.h>

#include "report/name/axis.h"
#include "row/registry.h"
#include "writer.h"

/* The first columns of every table. */
enum common_column { COMMON_HOST, COMMON_BOOT, COMMON_KERNEL, COMMON_TIME };

/* Adds the columns before the metrics; axis: that of groups and windows. */
void schema_begin(Writer *writer, const Axis *axis);
/* Adds the metrics of a capture; leaves out those that another capture defines differently. */
void schema_learn(Writer *writer, const Registry *registry);

/* Returns the row class of which each row becomes a record of the table; N_ROW_CLASSES: the table
 * is of groups. */
enum row_class schema_source(guint32 rows);
/* Returns the metric's column, or G_MAXUINT if it has none. */
guint schema_find(const Writer *writer, const Metric *metric);
/* Returns the name of the column of groups for a label of an axis. */
const char *schema_label(enum label label);
