/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the memory of this host next to the samples of a live feed, for a limited share of the
 * time. */
#pragma once

#include "capturing.h"
#include "feed.h"
#include "report/section/memory/rows.h"

typedef struct memory_reader MemoryReader;

/* The groups that it reads, for a request; and whether it also reads that metric of another
 * group. */
#define MEMORY_READER_GROUPS                                                                       \
	MEMORY_GROUP, MEMORY_LEDGER_GROUP, MEMORY_MAPPINGS_GROUP, MEMORY_SHARED_GROUP,             \
		MEMORY_SWAP_GROUP, MEMORY_SYSV_GROUP
gboolean memory_reader_needs(const Metric *metric);
/* The setting that the plugin needs: the process that will be opened is not known yet. */
#define MEMORY_READER_SETTING MEMORY_SOURCE ".pid=0"

/* From then on, the capture's samples read none of these groups and metrics. */
MemoryReader *memory_reader_new(Capturing *capturing, char **pids);
void memory_reader_free(MemoryReader *reader);

/* The functions of struct feed; call them only after the sources have started. */
gint64 memory_reader_due(const Feed *feed, const Demand *demand);
gboolean memory_reader_take(Feed *feed, const Demand *demand, GError **error);
const Sample *memory_reader_find(const Feed *feed, const Demand *demand, GError **error);
void memory_reader_keep(MemoryReader *reader);

/* Returns the CPU time of the process without its main thread, which draws. */
gint64 memory_reader_cpu_us(const MemoryReader *reader);
