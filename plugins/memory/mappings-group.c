/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Group memory-mappings: all mappings of selected processes, or the private areas of all
 * processes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backing-row.h"

#define GROUP "memory-mappings"
#define MAPPING_METRIC(kind, unit, name, help, origin)                                             \
	OBJECT_METRIC(GROUP, CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET, kind, unit, name,      \
		      help, origin)

enum {
	MAPPING_PID,
	MAPPING_KIND,
	MAPPING_LABEL,
	MAPPING_DEVICE,
	MAPPING_INODE,
	MAPPING_VMAS,
	MAPPING_SIZE,
	MAPPING_RSS,
	MAPPING_PSS,
	MAPPING_USS,
	MAPPING_SWAP,
	MAPPING_ANONYMOUS,
	MAPPING_READ_NS,
};

static const struct ctprof_metric metrics[] = {
	[MAPPING_PID] = MAPPING_METRIC(LABEL, NONE, "mapping_pid", "the process", "smaps"),
	[MAPPING_KIND] = MAPPING_METRIC(CATEGORY, TEXT, "mapping_kind",
					"anon, shmem, heap, stack, file, tmpfs, memfd, sysv, "
					"hugetlb, vdso, vvar, vsyscall or pseudo",
					"smaps device and path"),
	[MAPPING_LABEL] =
		MAPPING_METRIC(LABEL, TEXT, "mapping_label", "path, or the name used in its place",
			       "smaps (show_map_vma)"),
	[MAPPING_DEVICE] = MAPPING_METRIC(LABEL, TEXT, "mapping_device", "device, major:minor",
					  "smaps (show_map_vma)"),
	[MAPPING_INODE] = MAPPING_METRIC(LABEL, NONE, "mapping_inode", "inode of that device",
					 "smaps (show_map_vma)"),
	[MAPPING_VMAS] =
		MAPPING_METRIC(LEVEL, NONE, "mapping_vmas", "mappings in this row", "smaps"),
	[MAPPING_SIZE] =
		MAPPING_METRIC(LEVEL, BYTES, "mapping_size_bytes", "address space", "smaps Size"),
	[MAPPING_RSS] = MAPPING_METRIC(LEVEL, BYTES, "mapping_rss_bytes", "in memory",
				       "smaps Rss (smaps_account)"),
	[MAPPING_PSS] = MAPPING_METRIC(LEVEL, BYTES, "mapping_pss_bytes",
				       "in memory, each page divided by its users",
				       "smaps Pss (smaps_account)"),
	[MAPPING_USS] =
		MAPPING_METRIC(LEVEL, BYTES, "mapping_uss_bytes", "in memory, of this process only",
			       "smaps Private_Clean + Private_Dirty + Private_Hugetlb"),
	[MAPPING_SWAP] = MAPPING_METRIC(LEVEL, BYTES, "mapping_swap_bytes", "swapped out",
					"smaps Swap (smap_gather_stats)"),
	[MAPPING_ANONYMOUS] = MAPPING_METRIC(LEVEL, BYTES, "mapping_anonymous_bytes",
					     "in memory, not backed by a file",
					     "smaps Anonymous (smaps_account)"),
	[MAPPING_READ_NS] =
		MAPPING_METRIC(LEVEL, NS, "mapping_read_ns",
			       "time to read smaps, in the row of the process", "ctprof"),
};

static const struct backing_column columns[] = {
	BACKING_FIELD(MAPPING_SIZE, VMA_SIZE),
	BACKING_FIELD(MAPPING_RSS, VMA_RSS),
	BACKING_FIELD(MAPPING_PSS, VMA_PSS),
	BACKING_FIELD(MAPPING_SWAP, VMA_SWAP),
	BACKING_USS(MAPPING_USS),
	BACKING_FIELD(MAPPING_ANONYMOUS, VMA_ANONYMOUS),
};

static void put_mapping(const struct object_row *row, const struct holders_mapping *mapping)
{
	const struct backing *backing = &mapping->backing;
	const struct text label = {backing->label, backing->label_len};

	object_row_put(row, MAPPING_PID, (uint64_t)mapping->process->pid);
	object_row_put_word(row, MAPPING_KIND, classify_kind_name(backing->kind));
	object_row_put_text(row, MAPPING_LABEL, classify_label(label));
	if (identity_is_object(&backing->identity)) {
		object_row_put_device(row, MAPPING_DEVICE, backing->identity.major,
				      backing->identity.minor);
		object_row_put(row, MAPPING_INODE, backing->identity.inode);
	}
	object_row_put(row, MAPPING_VMAS, backing->vmas);
	backing_put_columns(row, backing, columns, sizeof columns / sizeof columns[0]);
}

static int add_mapping(struct objects *objects, struct ctprof_batch *batch,
		       const struct holders_mapping *mapping)
{
	struct object_row row;
	char prefix[16];

	(void)snprintf(prefix, sizeof prefix, "%" PRId32 " ", mapping->process->pid);
	int result =
		backing_row_add(objects, GROUP_MAPPINGS, batch, prefix, &mapping->backing, &row);
	if (result == -ENAMETOOLONG)
		objects->holders.dropped++;
	else if (result == 0)
		put_mapping(&row, mapping);
	return result == -ENAMETOOLONG ? 0 : result;
}

/* Adds the row of a selected process, with the cost of reading it. */
static int add_cost(struct objects *objects, struct ctprof_batch *batch, int32_t pid)
{
	const struct pool *processes = &objects->holders.processes;
	struct object_row row;
	char name[24];

	(void)snprintf(name, sizeof name, "%" PRId32 " *", pid);
	for (size_t i = 0; i < processes->n; i++) {
		const struct holders_process *process = processes->items[i];

		if (process->pid != pid)
			continue;
		const struct text text = text_of(name);
		int result = object_row_add(objects, GROUP_MAPPINGS, batch, text, &row);
		if (result < 0)
			return result;
		object_row_put(&row, MAPPING_PID, (uint64_t)pid);
		object_row_put(&row, MAPPING_READ_NS, process->read_ns);
		return backing_claim_name(objects, text);
	}
	return 0;
}

/* The rows of processes come first, so that no label can take their names. */
static int emit_mappings(struct objects *objects, struct ctprof_batch *batch)
{
	const struct pool *mappings = &objects->holders.mappings;
	int result = 0;

	if (!(objects->holders.wanted & FOLD_PRIVATE))
		return 0;
	objects_settle(objects);
	for (; objects->next < objects->n_pids + mappings->n; objects->next++) {
		size_t i = objects->next;

		result = i < objects->n_pids ? add_cost(objects, batch, objects->pids[i])
					     : add_mapping(objects, batch,
							   mappings->items[i - objects->n_pids]);
		if (result < 0)
			return result;
	}
	return 0;
}

static void end_mappings(struct objects *objects)
{
	if (!objects->wanted[GROUP_SHARED])
		backing_report_dropped(objects);
}

const struct object_group mappings_group = {
	.name = GROUP,
	OBJECT_GROUP_METRICS(metrics),
	.emit = emit_mappings,
	.end = end_mappings,
};
