/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys under which rows are folded, joined and sorted. */
#pragma once

#include <glib.h>

#define KEY_NAMES 3

/* The names that the rows of a record share, in the store: their addresses distinguish them. */
typedef struct record_key {
	const char *names[KEY_NAMES]; /* unused ones NULL */
	guint64 start;                /* if grouped by thread, the start tick; else 0 */
	gint32 tid;                   /* by thread; else 0 */
	gint32 of_command;            /* 1: the command of a run or its descendant; else 0 */
} RecordKey;

guint record_key_hash(gconstpointer key);
gboolean record_key_equal(gconstpointer a, gconstpointer b);
/* Bytewise, name by name. */
gint record_key_compare(const RecordKey *a, const RecordKey *b);
/* A GCompareFunc for arrays of pointers to structures that begin with a key. */
gint record_key_compare_owners(gconstpointer a, gconstpointer b);
