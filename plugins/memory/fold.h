/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Folds the smaps of one process by object: a file (or segment, or memfd) is one object, however
 * often it is mapped.
 */
#pragma once

#include "vma.h"

/* A process may have 65530 mappings unless vm.max_map_count is raised. */
#define FOLD_HOLDINGS_MAX (1u << 20)
#define FOLD_LABEL_BYTES_MAX (64u << 20)

/*
 * The device and inode of an object; all 0: not an object, but private memory of the process.
 * System V segments use their IDs, from 0 on, as inodes of the same device as memfds, so the
 * identity also tells the two apart.
 */
struct identity {
	uint32_t major, minor;
	uint64_t inode;
	bool segment;
};

/* An object may have several names; the first in byte order is kept. */
struct holding {
	struct identity identity;
	uint32_t label, label_len; /* the path, in fold.labels */
	uint32_t kind;             /* for the user of the fold */
	uint32_t present;          /* bit 1 << enum vma_field: some mapping has it */
	uint64_t vmas;
	uint64_t shared_swap; /* Swap of the mappings that are shared */
	uint64_t bytes[VMA_N_FIELDS];
};

/* One shared mapping with a name. */
struct named_swap {
	uint32_t label, label_len;
	uint64_t bytes;
};

/* The data to keep in addition to the objects. */
#define FOLD_PRIVATE 1u /* mappings that belong to no object, by label */
#define FOLD_BY_NAME 2u /* the swap of each shared mapping */

struct fold {
	unsigned wanted;          /* FOLD_* */
	int error;                /* -ENOMEM, or -ENOSPC: the contents are invalid */
	struct holding *holdings; /* after fold_finish(): by identity, then label, each once */
	struct named_swap *named;
	char *labels;
	uint32_t n, n_named;
	uint32_t used_labels; /* bytes */
	size_t room, room_named, room_labels;
	struct vma_reader reader;
};

/* Empties the fold, for another process. */
void fold_begin(struct fold *fold, unsigned wanted);
/* take() of an async_consumer: adds a piece of smaps to a struct fold. */
size_t fold_take(void *data, const char *text, size_t len, bool last);
/* Call after the last piece: returns 0, or the error. */
int fold_finish(struct fold *fold);
void fold_clear(struct fold *fold);

struct text fold_label(const struct fold *fold, const struct holding *holding);

/* Whether it identifies an object. */
bool identity_is_object(const struct identity *identity);
int identity_order(const struct identity *a, const struct identity *b);
