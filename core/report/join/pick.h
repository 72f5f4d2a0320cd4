/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first rows of a section, out of many: only those are kept. */
#pragma once

#include <glib.h>

#include "change.h"
#include "report/fold/figure.h"

/* A row to be. */
typedef struct line {
	const Group *group;
	Standing at;
} Line;

typedef struct picker {
	GArray *lines; /* Line */
	guint limit;
	guint64 offered;
} Picker;

/* limit 0: all lines are kept. */
void picker_init(Picker *picker, guint limit);
void picker_clear(Picker *picker);
void picker_offer(Picker *picker, const Line *line);
/* Sorts what is kept; returns how many lines are not. */
guint64 picker_finish(Picker *picker);
/* Brings lines of one cgroup, and in it of one pcomm, together, each where its
 * first line stands. */
void picker_make_tree(Picker *picker);
