/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts and sets of CPUs, each stored once, so that equal ones have the same address. */
#pragma once

#include <glib.h>

#include "ctprof/sink.h"

typedef struct store Store;

typedef struct cpu_list {
	guint32 n;
	guint32 *cpus; /* n of them, ascending */
	char *text;    /* "0-3,8" */
} CpuList;

Store *store_new(void);
void store_free(Store *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Store, store_free)

const char *store_text(Store *store, const char *text);
/* Takes ownership of the text. */
const char *store_take(Store *store, char *text);
gboolean cpu_list_is(const CpuList *list, const struct ctprof_cpus *cpus);
const CpuList *store_cpus(Store *store, const struct ctprof_cpus *cpus);
