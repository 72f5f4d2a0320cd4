/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Common code for the rows of memory-shared and memory-mappings. */
#pragma once

#include "objects.h"

/* A metric that is a sum over fields of smaps. */
struct backing_column {
	unsigned metric;
	uint32_t required; /* bits of enum vma_field; without these fields it is absent */
	uint32_t fields;   /* fields to add up */
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
 * Names a row: prefix and label.  If an earlier row of the group has that name,
 * " #MAJOR:MINOR:INODE" is appended.  Returns the host's result, or
 * -ENAMETOOLONG, -ENOMEM: no row was added.
 */
int backing_row_add(struct objects *objects, enum object_group_id group, struct ctprof_batch *batch,
		    const char *prefix, const struct backing *backing, struct object_row *ret);
/* Warns about objects and mappings beyond the limits. */
void backing_report_dropped(const struct objects *objects);
/* Claims a name that does not belong to a backing. */
int backing_claim_name(struct objects *objects, struct text name);
