/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a host's memory went, from the rows of a snapshot to a report of
 * tables.  Pure: no I/O, no plugin.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "ctprof/sink.h"
#include "report/name/categories.h"
#include "row/registry.h"

/* The source that fills what the views need, and groups for what they may add. */
#define MEMORY_SOURCE "memory"
#define MEMORY_FILES_GROUP "memory-files"
#define MEMORY_SWAP_GROUP "memory-swap"
#define MEMORY_LEDGER_GROUP "memory-ledger"

/* One way to look at it. */
typedef struct memory_view MemoryView;

/* View i in the order of lists, NULL behind the last. */
const MemoryView *memory_view_at(guint i);
/* The view of that name; NULL: there is none. */
const MemoryView *memory_view_find(const char *name);
const char *memory_view_name(const MemoryView *view);
const char *memory_view_summary(const MemoryView *view); /* one clause */
/* Slot groups it needs, and those it also uses, as --groups takes them. */
const char *memory_view_groups(const MemoryView *view);
/* Order i of its lines, by name, the default first; NULL behind the last. */
const char *memory_view_sort(const MemoryView *view, guint i);
/* Whether it is about one process. */
gboolean memory_view_takes_pid(const MemoryView *view);

typedef struct memory_options {
	const MemoryView *view;
	gint32 pid;            /* of a view that takes one */
	gboolean flat;         /* processes one below the other, no tree */
	gboolean fold;         /* away what does not matter in trees */
	gboolean all;          /* also processes without memory: kernel threads */
	gboolean wide;         /* every field */
	gboolean is_told;      /* whoever captured has been told what could not be read, and why */
	gboolean swap_by_name; /* shares of swap counted by the names of objects */
	const char *sort;      /* NULL: the view's default */
	const char *filter;    /* regex; NULL: none */
	guint limit;           /* lines of a table; 0: all */
	/* Of the view categories; NULL: everything is in "other". */
	Categories *categories;
	const char *file; /* for the report, and messages */
} MemoryOptions;

typedef struct memory Memory;

/* Checks the options: a bad one is a USAGE_ERROR before any file is opened.
 * options stay valid and unchanged as long as it lives. */
Memory *memory_new(const MemoryOptions *options, GError **error);
void memory_free(Memory *memory);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Memory, memory_free)

/* Takes rows of any scope; all of them come with one registry, which may go
 * when all came. */
void memory_add(Memory *memory, const Registry *registry, const struct ctprof_rows *rows);
/* The report; lives as long as memory.  Called once.  registry as above: a
 * snapshot may have no rows.  Fails when the snapshot was made without what the
 * view needs. */
const struct ctprof_report *memory_finish(Memory *memory, const Registry *registry, GError **error);
/* The processes as ChromeOS's tests keep them (artifact.h), after
 * memory_finish(); the caller frees it. */
char *memory_artifact(const Memory *memory);
