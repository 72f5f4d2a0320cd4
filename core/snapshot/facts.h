/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The facts of a file about the capture itself, besides rows. */
#pragma once

#include <glib.h>

typedef struct load_facts {
	guint64 realtime_ns; /* captured_at_unix_ns */
	guint64 boottime_ns; /* when it began; 0: unknown */
	guint64 skew_ns;     /* how long it took; 0: unknown */
	guint64 unseen;      /* processes; G_MAXUINT64: unknown */
	GHashTable *capture; /* key -> value, all of the file's "capture" object */
	GHashTable *options; /* key -> value, as given to capture */
	GPtrArray *plugins;  /* "NAME STATE" */
	GPtrArray *reports;  /* "NAME KIND BATCHES FAILURES CPU_NS VERSION" */
	char *redaction;     /* names are pseudonyms: by which key; NULL: they are names */
	/* struct ctprof_fact, its texts owned: what the user marked since the sample before, the
	 * moment in ns and the name. */
	GArray *marks;
	char *note; /* what happened since the sample before; NULL: nothing */
} LoadFacts;

void facts_init(LoadFacts *facts);
void facts_clear(LoadFacts *facts);
/* A fact as a sink reports it (enum ctprof_fact_kind); of too many the rest is left out. */
void facts_take(LoadFacts *facts, guint32 kind, const char *key, const char *value);
