/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Group memory-sysv: the segments of this IPC namespace, mapped or not. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "objects.h"

#define GROUP "memory-sysv"
#define SYSV_METRIC(kind, unit, name, help, column)                                                \
	OBJECT_METRIC(GROUP, CTPROF_METRIC_ON_DEMAND, kind, unit, name, help,                      \
		      "sysvipc/shm " column " (sysvipc_shm_proc_show)")

enum {
	ROW_OWNER,
	ROW_ATTACHES,
	ROW_SIZE,
	ROW_RSS,
	ROW_SWAP,
	ROW_KEY,
};

static const struct ctprof_metric metrics[] = {
	[ROW_OWNER] = SYSV_METRIC(LABEL, NONE, "sysv_owner", "user id of its owner", "uid"),
	[ROW_ATTACHES] =
		SYSV_METRIC(LEVEL, NONE, "sysv_attaches", "times it is attached", "nattch"),
	[ROW_SIZE] = SYSV_METRIC(LEVEL, BYTES, "sysv_size_bytes", "length of the segment", "size"),
	[ROW_RSS] = SYSV_METRIC(LEVEL, BYTES, "sysv_rss_bytes", "in memory", "rss"),
	[ROW_SWAP] = SYSV_METRIC(LEVEL, BYTES, "sysv_swap_bytes", "swapped out", "swap"),
	[ROW_KEY] = SYSV_METRIC(LABEL, TEXT, "sysv_key", "key, as ipcs prints it", "key"),
};

/* Metrics that need no conversion. */
static const struct {
	unsigned metric;
	enum sysv_column column;
} cells[] = {
	{ROW_OWNER, SYSV_OWNER}, {ROW_ATTACHES, SYSV_ATTACHES}, {ROW_SIZE, SYSV_SIZE},
	{ROW_RSS, SYSV_RSS},     {ROW_SWAP, SYSV_SWAP},
};

static void put_segment(const struct object_row *row, const struct sysv_segment *segment)
{
	struct amount key = segment->at[SYSV_KEY];
	char word[16];

	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
		object_row_put_amount(row, cells[i].metric, segment->at[cells[i].column]);
	if (key.absent) {
		object_row_put_amount(row, ROW_KEY, key);
		return;
	}
	(void)snprintf(word, sizeof word, "0x%08" PRIx32, (uint32_t)key.bytes);
	object_row_put_word(row, ROW_KEY, word);
}

static int emit_sysv(struct objects *objects, struct ctprof_batch *batch)
{
	(void)objects_read_sysv(objects);
	for (; objects->next < objects->sysv.n; objects->next++) {
		const struct sysv_segment *segment = &objects->sysv.segments[objects->next];
		struct object_row row;
		char name[32];

		(void)snprintf(name, sizeof name, "sysv:%" PRIu64, segment->at[SYSV_ID].bytes);
		int result = object_row_add(objects, GROUP_SYSV, batch, text_of(name), &row);
		if (result < 0)
			return result;
		put_segment(&row, segment);
	}
	return 0;
}

const struct object_group sysv_group = {
	.name = GROUP,
	OBJECT_GROUP_METRICS(metrics),
	.emit = emit_sysv,
};
