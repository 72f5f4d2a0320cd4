/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the rows of memory-shared and memory-mappings have in common. */
#pragma once

#include "objects.h"

/* A metric that is a sum over fields of smaps. */
struct backing_column {
	unsigned metric;
	uint32_t required; /* bits of enum vma_field; without them it is absent */
	uint32_t fields;   /* what is added up */
};

#define BACKING_FIELD(metric, field)                                                               \
	{                                                                                          \
		metric, 1u << (field), 1u << (field)                                               \
	}
#define BACKING_USS(metric)                                                                        \
	{                                                                                          \
		metric, 1u << VMA_PRIVATE_CLEAN | 1u << VMA_PRIVATE_DIRTY,                         \
			1u << VMA_PRIVATE_CLEAN | 1u << VMA_PRIVATE_DIRTY |                        \
				1u << VMA_PRIVATE_HUGETLB                                          \
	}

void backing_put_columns(const struct object_row *row, const struct backing *backing,
			 const struct backing_column *columns, size_t n);

/*
 * Names a row: prefix and label.  Where an earlier row of the group has that
 * name, " #MAJOR:MINOR:INODE" is appended.  The host's answer, or
 * -ENAMETOOLONG, -ENOMEM: there is no such row.
 */
int backing_row_add(struct objects *objects, enum object_group_id group, struct ctprof_batch *batch,
		    const char *prefix, const struct backing *backing, struct object_row *ret);
/* Takes a name that is no backing's. */
int backing_claim_name(struct objects *objects, struct text name);
