/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Group memory-ledger: reads the data of the ledger. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "nvidia.h"
#include "objects.h"
#include "tmpfs.h"

#define GROUP "memory-ledger"
/* The number of devices to try: zram numbers them in order of creation. */
#define ZRAM_MAX 64u

enum {
	LEDGER_BYTES,
	LEDGER_ESTIMATE,
};

static const struct ctprof_metric metrics[] = {
	[LEDGER_BYTES] =
		OBJECT_METRIC(GROUP, 0, LEVEL, BYTES, "ledger_bytes",
			      "amount of a row of the host's memory ledger",
			      "meminfo (meminfo_proc_show), statvfs, sysvipc/shm, zram mm_stat"),
	[LEDGER_ESTIMATE] = OBJECT_METRIC(GROUP, 0, LABEL, BOOL, "ledger_estimate",
					  "1: a remainder, or possibly incomplete", "ctprof"),
};

/* ---- shared memory ----------------------------------------------------- */

static struct amount sum_tmpfs(const struct objects *objects, bool *ret_partial)
{
	const struct mounts *mounts = &objects->mounts;
	struct amount sum = {
		.absent = objects->mounts_error < 0 ? file_absence(-objects->mounts_error) : 0};
	bool any = mounts->n_tmpfs == 0;

	for (size_t i = 0; i < mounts->n_tmpfs; i++) {
		struct tmpfs_usage usage;

		tmpfs_measure(mounts->tmpfs[i], objects->host->live(objects->host), &usage);
		if (usage.used.absent) {
			*ret_partial = true;
			sum.absent = any ? 0 : usage.used.absent;
			continue;
		}
		any = true;
		sum = (struct amount){.bytes = amount_sum(sum.bytes, usage.used.bytes)};
	}
	return sum;
}

static struct amount sum_sysv(struct objects *objects)
{
	int error = objects_read_sysv(objects);
	struct amount sum = {.absent = error < 0 ? file_absence(-error) : 0};

	for (size_t i = 0; i < objects->sysv.n && !sum.absent; i++) {
		struct amount rss = objects->sysv.segments[i].at[SYSV_RSS];

		sum = (struct amount){rss.absent, amount_sum(sum.bytes, rss.bytes)};
	}
	return sum;
}

static struct amount sum_held(struct objects *objects, enum object_kind kind)
{
	/* It is known only if all processes are read. */
	if (!objects->wanted[GROUP_SHARED])
		return (struct amount){.absent = CTPROF_ABSENT_SKIPPED};
	objects_settle(objects);
	return (struct amount){.bytes = holders_sum_pss(&objects->holders, kind)};
}

static void add_shmem(struct objects *objects, const struct meminfo *info)
{
	struct ledger_shmem shmem = {0};
	uint64_t swapped = 0;

	(void)ledger_swap_used(info, &swapped);
	shmem.tmpfs = sum_tmpfs(objects, &shmem.partial);
	shmem.partial = shmem.partial || swapped > 0;
	shmem.sysv = sum_sysv(objects);
	shmem.memfd = sum_held(objects, OBJECT_MEMFD);
	shmem.anonymous = sum_held(objects, OBJECT_SHMEM);
	ledger_add_shmem(objects->ledger, info, &shmem);
}

/* ---- swap -------------------------------------------------------------- */

static void add_zram(struct objects *objects)
{
	const struct ctprof_host *host = objects->host;
	char path[64], text[512];

	for (unsigned i = 0; i < ZRAM_MAX; i++) {
		(void)snprintf(path, sizeof path, "block/zram%u/mm_stat", i);
		ssize_t got = file_read_root(host, CTPROF_ROOT_SYS, path, text, sizeof text);

		if (got >= 0)
			ledger_add_zram(objects->ledger, i, text, (size_t)got);
	}
}

/* ---- rows -------------------------------------------------------------- */

static void fill_ledger(struct objects *objects, const struct meminfo *info)
{
	const struct ctprof_host *host = objects->host;
	struct amount pools;

	ledger_add_meminfo(objects->ledger, info);
	ledger_add_physical(objects->ledger, info);
	add_shmem(objects, info);
	ledger_add_swap(objects->ledger, info);
	add_zram(objects);
	if (nvidia_read_pools(host, &pools))
		ledger_add_nvidia(objects->ledger, pools);
	if (info->saturated)
		host->log(host, CTPROF_LOG_WARNING, "meminfo: an amount beyond 64 bits was cut");
}

static int make_ledger(struct objects *objects)
{
	const struct ctprof_host *host = objects->host;
	char text[MEMINFO_BYTES];
	struct meminfo info;

	objects->ledger = calloc(1, sizeof *objects->ledger);
	if (!objects->ledger) {
		host->error(host, "out of memory");
		return -ENOMEM;
	}
	ssize_t got = file_read_root(host, CTPROF_ROOT_PROC, "meminfo", text, sizeof text);
	if (got >= 0) {
		meminfo_parse(text, (size_t)got, &info);
		fill_ledger(objects, &info);
	} else if (got != -ENOENT || host->live(host)) { /* a recorded tree may lack it */
		host->log(host, CTPROF_LOG_WARNING, "meminfo cannot be read (%s): no ledger",
			  strerror((int)-got));
	}
	return 0;
}

static int emit_ledger(struct objects *objects, struct ctprof_batch *batch)
{
	int result = objects->ledger ? 0 : make_ledger(objects);

	while (result == 0 && objects->next < objects->ledger->n) {
		const struct ledger_row *ledger = &objects->ledger->rows[objects->next];
		struct text name = text_of(ledger->name);
		struct object_row row;

		result = object_row_add(objects, GROUP_LEDGER, batch, name, &row);
		if (result < 0)
			break;
		object_row_put_amount(&row, LEDGER_BYTES, ledger->amount);
		object_row_put(&row, LEDGER_ESTIMATE, ledger->estimate);
		objects->next++;
	}
	return result;
}

const struct object_group ledger_group = {
	.name = GROUP,
	OBJECT_GROUP_METRICS(metrics),
	.emit = emit_ledger,
};
