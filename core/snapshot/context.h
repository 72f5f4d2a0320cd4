/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decides from the facts about the host in each file whether two captures are comparable. */
#pragma once

#include <glib.h>

#include "read.h"
#include "row/capture-facts.h"

typedef struct context Context;

Context *context_new(void);
void context_free(Context *context);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Context, context_free)

/* Keeps the relevant values of host rows; ignores rows of other scopes. */
void context_note_rows(Context *context, const Registry *registry, const struct ctprof_rows *rows);
void context_note_facts(Context *context, const LoadFacts *facts);

/* Returns sentences (char *, owned) about differences that make numbers incomparable. */
GPtrArray *context_compare(const Context *baseline, const Context *candidate);

CaptureFacts context_capture(const Context *context);
/* Whether the capture covers all processes, rather than some that were named. */
gboolean context_is_whole(const Context *context);
/* Whether names are pseudonyms. */
gboolean context_is_redacted(const Context *context);

/* The time between two captures. */
typedef struct context_span {
	gboolean of_one_boot;
	gdouble seconds; /* by CLOCK_BOOTTIME of one boot, else by CLOCK_REALTIME */
	guint64 began;   /* same boot: the start tick of a thread that begins with the span */
} ContextSpan;

/* Computes the span; returns NULL, or why there is no span. */
const char *context_span(const Context *baseline, const Context *candidate, ContextSpan *ret_span);
