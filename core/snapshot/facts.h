/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The facts about the capture itself, which a file contains besides the rows. */
#pragma once

#include <glib.h>

/* Maximum facts of a kind; a crafted file, or a window with many marks, may have more. */
#define FACTS_MOST 4096

typedef struct load_facts {
	guint64 realtime_ns; /* captured_at_unix_ns */
	guint64 boottime_ns; /* when the capture began; 0: unknown */
	guint64 skew_ns;     /* how long the capture took; 0: unknown */
	guint64 unseen;      /* processes that could not be listed; G_MAXUINT64: unknown */
	GHashTable *capture; /* key -> value, all of the file's "capture" object */
	GHashTable *options; /* key -> value, as given to capture */
	GPtrArray *plugins;  /* "NAME STATE" */
	GPtrArray *reports;  /* "NAME KIND BATCHES FAILURES CPU_NS VERSION" */
	char *redaction;     /* the key of the pseudonyms; NULL: names are real */
	/* struct ctprof_fact, with owned texts: the user's marks of the samples that were read,
	 * each as its moment in ns and its name. */
	GArray *marks;
	char *note; /* events since the previous sample; NULL: none */
} LoadFacts;

void facts_init(LoadFacts *facts);
void facts_clear(LoadFacts *facts);
/* Takes a fact as a sink reports it (enum ctprof_fact_kind); ignores facts beyond a limit. */
void facts_take(LoadFacts *facts, guint32 kind, const char *key, const char *value);
