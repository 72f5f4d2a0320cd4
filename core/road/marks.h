/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Marks: names that the user gives to moments while a recording is written.  Marks come as lines
 * from a descriptor (--mark-fd) and from 'ctprof mark', and are kept until a sample includes them.
 */
#pragma once

#include <glib.h>

#include "ctprof/sink.h"

/* Maximum bytes of a name. */
#define MARK_MOST_BYTES 200
/* Maximum marks between two samples; more are left out, and counted. */
#define MARKS_MOST 64

typedef struct mark {
	char moment[24]; /* CLOCK_REALTIME in ns, decimal: increases within a sample */
	char name[MARK_MOST_BYTES + 1];
} Mark;

/* The marks that are in no sample yet, in shared memory: they outlive a process that a plugin
 * brings down.  Initially all zero. */
typedef struct marks {
	guint n;
	guint64 n_left_out;  /* invalid names, or too many marks */
	gboolean has_warned; /* about those, once */
	guint64 last_ns;
	gsize used; /* bytes of an unfinished line; more than MARK_MOST_BYTES: it is too long */
	char line[MARK_MOST_BYTES + 1];
	Mark of[MARKS_MOST];
} Marks;

/* The descriptors from which marks are read; -1: none. */
typedef struct mark_inputs {
	int lines, socket;
} MarkInputs;

/* Returns why the bytes cannot be the name of a mark, one clause; NULL: they can. */
const char *mark_name_fault(const char *name, gsize length);

/* Reads lines from a copy of the descriptor that never blocks and shares no flags with it. */
gboolean marks_open_lines(MarkInputs *inputs, int fd, GError **error);
/* Listens for 'ctprof mark', as the recorder of that file ("-": standard output).  Takes the marks
 * that were sent for the previous file.  A failure is only a warning. */
void marks_listen(MarkInputs *inputs, Marks *marks, const char *path);
/* Refuses marks that came after the last sample. */
void marks_end(MarkInputs *inputs);
/* Takes the marks that have arrived; never waits. */
void marks_take(const MarkInputs *inputs, Marks *marks);
/* Lists the marks as facts of a sample; returns their number. */
guint marks_list(const Marks *marks, struct ctprof_fact ret[MARKS_MOST]);
/* Call after a sample with the marks was written. */
void marks_forget(Marks *marks);
