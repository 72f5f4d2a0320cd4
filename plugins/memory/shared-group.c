/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups memory-shared, the objects that processes map, and memory-swap, the
 * processes' shares of swapped-out shared memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backing-row.h"
#include "cleanup.h"

/* ---- objects ----------------------------------------------------------- */

#define SHARED "memory-shared"
#define SHARED_METRIC(kind, unit, name, help, origin)                                              \
	OBJECT_METRIC(SHARED, CTPROF_METRIC_ON_DEMAND, kind, unit, name, help, origin)

enum {
	SHARED_KIND,
	SHARED_DEVICE,
	SHARED_INODE,
	SHARED_PSS,
	SHARED_RSS,
	SHARED_USS,
	SHARED_SWAP,
	SHARED_SIZE,
	SHARED_VMAS,
	SHARED_PROCESSES,
	SHARED_CONSUMERS,
	SHARED_SHMID,
	SHARED_ATTACHES,
};

static const struct ctprof_metric shared_metrics[] = {
	[SHARED_KIND] = SHARED_METRIC(CATEGORY, TEXT, "object_kind",
				      "file, tmpfs, shmem, memfd, sysv or hugetlb",
				      "smaps device and path"),
	[SHARED_DEVICE] = SHARED_METRIC(LABEL, TEXT, "object_device", "device, major:minor",
					"smaps (show_map_vma)"),
	[SHARED_INODE] = SHARED_METRIC(LABEL, NONE, "object_inode", "inode of that device",
				       "smaps (show_map_vma)"),
	[SHARED_PSS] = SHARED_METRIC(LEVEL, BYTES, "object_pss_bytes",
				     "mapped pages, each counted once if all its users were read",
				     "smaps Pss (smaps_account), all processes"),
	[SHARED_RSS] = SHARED_METRIC(LEVEL, BYTES, "object_rss_bytes",
				     "mapped pages, counted once per mapping",
				     "smaps Rss (smaps_account), all processes"),
	[SHARED_USS] =
		SHARED_METRIC(LEVEL, BYTES, "object_uss_bytes", "mapped pages of one process only",
			      "smaps Private_Clean + Private_Dirty + Private_Hugetlb"),
	[SHARED_SWAP] = SHARED_METRIC(LEVEL, BYTES, "object_swap_bytes",
				      "swapped-out pages, counted once per mapping",
				      "smaps Swap (smap_gather_stats)"),
	[SHARED_SIZE] = SHARED_METRIC(LEVEL, BYTES, "object_size_bytes",
				      "address space of all its mappings", "smaps Size"),
	[SHARED_VMAS] = SHARED_METRIC(LEVEL, NONE, "object_vmas", "mappings", "smaps"),
	[SHARED_PROCESSES] =
		SHARED_METRIC(LEVEL, NONE, "object_processes", "processes that map it", "smaps"),
	[SHARED_CONSUMERS] = SHARED_METRIC(MAP, BYTES, "object_consumers",
					   "its PSS by pid and name", "smaps Pss (smaps_account)"),
	[SHARED_SHMID] = SHARED_METRIC(LABEL, NONE, "object_shmid",
				       "id of a System V segment: its inode", "smaps"),
	[SHARED_ATTACHES] = SHARED_METRIC(LEVEL, NONE, "object_attaches",
					  "times a System V segment is attached",
					  "sysvipc/shm nattch (sysvipc_shm_proc_show)"),
};

static const struct backing_column shared_columns[] = {
	BACKING_FIELD(SHARED_PSS, VMA_PSS),
	BACKING_FIELD(SHARED_RSS, VMA_RSS),
	BACKING_FIELD(SHARED_SWAP, VMA_SWAP),
	BACKING_FIELD(SHARED_SIZE, VMA_SIZE),
	BACKING_USS(SHARED_USS),
};

/* The key "PID NAME". */
struct key {
	char text[HOLDERS_PCOMM_MAX + 16];
};

static void put_consumers(const struct object_row *row, const struct holders_object *object)
{
	AUTO_FREE struct ctprof_map_entry *entries = calloc(object->n_consumers, sizeof *entries);
	AUTO_FREE struct key *keys = calloc(object->n_consumers, sizeof *keys);

	if (!(object->backing.present & 1u << VMA_PSS) || !entries || !keys)
		return;
	for (uint32_t i = 0; i < object->n_consumers; i++) {
		const struct holders_process *process = object->consumers[i].process;
		char *key = keys[i].text;
		int digits = snprintf(key, sizeof keys[i].text, "%" PRId32 " ", process->pid);

		memcpy(key + digits, process->pcomm, process->pcomm_len);
		entries[i] = (struct ctprof_map_entry){
			.key = key,
			.key_len = (uint32_t)digits + process->pcomm_len,
			.number = object->consumers[i].pss,
		};
	}
	row->host->put_map(row->batch, row->row, row->slots[SHARED_CONSUMERS], entries,
			   object->n_consumers);
}

/* Puts the values of a segment, whose ID is the inode of its file (newseg()). */
static void put_segment(struct objects *objects, const struct object_row *row,
			const struct backing *backing)
{
	if (backing->kind != OBJECT_SYSV)
		return;
	object_row_put(row, SHARED_SHMID, backing->identity.inode);
	(void)objects_read_sysv(objects);
	const struct sysv_segment *segment = sysv_find(&objects->sysv, backing->identity.inode);
	if (segment)
		object_row_put_amount(row, SHARED_ATTACHES, segment->at[SYSV_ATTACHES]);
}

static void put_object(struct objects *objects, const struct object_row *row,
		       const struct holders_object *object)
{
	const struct backing *backing = &object->backing;

	object_row_put_word(row, SHARED_KIND, classify_kind_name(backing->kind));
	object_row_put_device(row, SHARED_DEVICE, backing->identity.major, backing->identity.minor);
	object_row_put(row, SHARED_INODE, backing->identity.inode);
	backing_put_columns(row, backing, shared_columns,
			    sizeof shared_columns / sizeof shared_columns[0]);
	object_row_put(row, SHARED_VMAS, backing->vmas);
	object_row_put(row, SHARED_PROCESSES, object->processes);
	put_consumers(row, object);
	put_segment(objects, row, backing);
}

static int emit_shared(struct objects *objects, struct ctprof_batch *batch)
{
	struct holders *holders = &objects->holders;
	struct object_row row;

	objects_settle(objects);
	for (; objects->next < holders->objects.n; objects->next++) {
		const struct holders_object *object = holders->objects.items[objects->next];
		int result =
			backing_row_add(objects, GROUP_SHARED, batch, "", &object->backing, &row);

		if (result == -ENAMETOOLONG)
			holders->dropped++;
		else if (result < 0)
			return result;
		else
			put_object(objects, &row, object);
	}
	return 0;
}

static void end_shared(struct objects *objects)
{
	const struct ctprof_host *host = objects->host;
	const struct holders *holders = &objects->holders;

	if (holders->unreadable > 0)
		host->log(
			host, CTPROF_LOG_WARNING,
			"processes whose smaps could not be read: %" PRIu64
			"; shared objects lack their "
			"mappings (needs CAP_SYS_PTRACE or, since Linux 6.15, CAP_PERFMON; or more time, "
			"see --smaps-budget)",
			holders->unreadable);
	backing_report_dropped(objects);
}

const struct object_group shared_group = {
	.name = SHARED,
	OBJECT_GROUP_METRICS(shared_metrics),
	.emit = emit_shared,
	.end = end_shared,
};

/* ---- swap -------------------------------------------------------------- */

#define SWAP "memory-swap"
#define SWAP_METRIC(unit, name, help, origin)                                                      \
	OBJECT_METRIC(SWAP, CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET, LEVEL, unit, name,      \
		      help, origin)

enum {
	SWAP_BY_OBJECT,
	SWAP_BY_NAME,
	SWAP_UNREADABLE,
	SWAP_READABLE,
};

static const struct ctprof_metric swap_metrics[] = {
	[SWAP_BY_OBJECT] = SWAP_METRIC(BYTES, "swap_shared_bytes",
				       "a process's share of swapped-out shared memory",
				       "smaps Swap of shared mappings, by device and inode"),
	[SWAP_BY_NAME] =
		SWAP_METRIC(BYTES, "swap_shared_by_name_bytes",
			    "its share if divided by the mappings of one name, as in ChromeOS",
			    "smaps Swap of shared mappings, by path"),
	[SWAP_UNREADABLE] =
		SWAP_METRIC(NONE, "swap_unreadable",
			    "processes without a share, whose smaps could not be read", "ctprof"),
	[SWAP_READABLE] =
		SWAP_METRIC(NONE, "swap_readable", "processes whose smaps was read", "ctprof"),
};

static void put_swap(const struct objects *objects, const struct object_row *row, size_t i)
{
	const struct pool *processes = &objects->holders.processes;

	if (i == processes->n) {
		object_row_put(row, SWAP_UNREADABLE, objects->holders.unreadable);
		object_row_put(row, SWAP_READABLE, processes->n);
		return;
	}
	const struct holders_process *process = processes->items[i];
	object_row_put(row, SWAP_BY_OBJECT, process->swap_by_object);
	object_row_put(row, SWAP_BY_NAME, process->swap_by_name);
}

/* Adds a row for each process if anything is swapped out, and in any case a last one. */
static int emit_swap(struct objects *objects, struct ctprof_batch *batch)
{
	const struct pool *processes = &objects->holders.processes;

	if (!objects->holding)
		return 0;
	objects_settle(objects);
	if (!(objects->holders.wanted & FOLD_BY_NAME) && objects->next < processes->n)
		objects->next = processes->n;
	for (; objects->next <= processes->n; objects->next++) {
		char name[16] = "*";
		struct object_row row;

		if (objects->next < processes->n) {
			const struct holders_process *process = processes->items[objects->next];

			(void)snprintf(name, sizeof name, "%" PRId32, process->pid);
		}
		int result = object_row_add(objects, GROUP_SWAP, batch, text_of(name), &row);
		if (result < 0)
			return result;
		put_swap(objects, &row, objects->next);
	}
	return 0;
}

const struct object_group swap_group = {
	.name = SWAP,
	OBJECT_GROUP_METRICS(swap_metrics),
	.emit = emit_swap,
};
