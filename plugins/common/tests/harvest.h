/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a whole source over small trees, for tests: temporary copies of recorded files.  Everything
 * that one batch put can be compared as text.
 */
#pragma once

#include <glib.h>

#include "fakehost.h"

/* A temporary directory; tree_free() removes it with its contents. */
typedef char Tree;
Tree *tree_new(void);
void tree_free(Tree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Tree, tree_free)

/* Writes a file, creating its directories; text NULL: removes it. */
void tree_write(const Tree *tree, const char *path, const char *text);
/* Copies every regular file below a directory. */
void tree_copy(const Tree *tree, const char *path, const char *from);

/* Returns the recorded trees of a kernel, or NULL after g_test_skip(). */
char *fixture_path(const char *kernel);

/* The input and result of a run of a source; NULL roots are missing. */
struct field_trip {
	const char *proc, *sys, *cgroup;
	gboolean live;
	guint32 scope;
	const char *path; /* of the cgroup, in that scope */
	const char *want; /* blank separated metric names; NULL: all */
};

struct harvest {
	int started;        /* the result of start() */
	char *error;        /* the last one reported */
	GHashTable *values; /* metric name -> value as text, or "!REASON" when absent */
	FakeHost *fake;     /* for fake_host_opens() */
};
typedef struct harvest Harvest;

/* Calls open, start, one collect, and close. */
Harvest *harvest_new(const struct field_trip *trip);
void harvest_free(Harvest *harvest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Harvest, harvest_free)

/* Returns "18", "enabled", "a=1 b=2", "!10"; fails the test if the name is unknown. */
const char *harvest_value(const Harvest *harvest, const char *name);
/* Returns the findings of probe() on the same roots; the caller frees them. */
char *harvest_findings(const struct field_trip *trip);

/* A file, and the metrics (globs, blank separated) that must become unsupported if it is
 * missing. */
struct dependence {
	const char *file;
	const char *metrics;
};

/*
 * Removes each file of tree in turn: its metrics may change, but no other value.  Every metric that
 * has a value must depend on one of the files, except those that match the globs in standing.
 */
void check_dependences(const Tree *tree, const struct field_trip *trip,
		       const struct dependence *table, gsize n, const char *standing);
/* Checks that the plugin's README.md names every registered metric in backquotes. */
void check_readme(void);
