/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether two captures may be compared: what each tells about its host. */
#pragma once

#include <glib.h>

#include "read.h"

typedef struct context Context;

Context *context_new(void);
void context_free(Context *context);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Context, context_free)

/* Keeps what it needs of host rows; rows of other scopes pass by. */
void context_note_rows(Context *context, const Registry *registry, const struct ctprof_rows *rows);
void context_note_facts(Context *context, const LoadFacts *facts);

/* Sentences (char *, owned) about what makes numbers incomparable. */
GPtrArray *context_compare(const Context *baseline, const Context *candidate);
typedef enum boot_relation { BOOT_UNKNOWN, BOOT_SAME, BOOT_OTHER } BootRelation;

/* Whether the captures are of one boot of one host. */
BootRelation context_relate_boots(const Context *baseline, const Context *candidate);
/* Seconds between captures: by CLOCK_BOOTTIME where they are known to be of one boot,
 * by CLOCK_REALTIME where that is not known.  An error says why there are none. */
gboolean context_elapsed(const Context *baseline, const Context *candidate, gdouble *ret_seconds,
			 GError **error);
