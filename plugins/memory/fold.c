/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fold.h"

#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "list.h"

/* ---- orders ------------------------------------------------------------ */

int identity_order(const struct identity *a, const struct identity *b)
{
	int order = order_u64(a->major, b->major);

	if (order == 0)
		order = order_u64(a->minor, b->minor);
	if (order == 0)
		order = order_u64(a->segment, b->segment);
	return order ? order : order_u64(a->inode, b->inode);
}

bool identity_is_object(const struct identity *identity)
{
	return identity->major != 0 || identity->minor != 0 || identity->inode != 0;
}

/* Recognises the path that the kernel gives a segment's file (newseg()). */
static struct identity identity_of(const struct vma_header *header)
{
	static const char segment[] = "/SYSV";
	size_t len = sizeof segment - 1;

	return (struct identity){
		.major = header->major,
		.minor = header->minor,
		.inode = header->inode,
		.segment = header->path.len > len && memcmp(header->path.p, segment, len) == 0,
	};
}

struct text fold_label(const struct fold *fold, const struct holding *holding)
{
	return (struct text){holding->label_len > 0 ? fold->labels + holding->label : "",
			     holding->label_len};
}

/* Whether two holdings are the same: objects by identity, other memory by label. */
static bool is_same(const struct fold *fold, const struct holding *a, const struct holding *b)
{
	return identity_order(&a->identity, &b->identity) == 0 &&
	       (identity_is_object(&a->identity) ||
		text_order(fold_label(fold, a), fold_label(fold, b)) == 0);
}

static int order_holdings(const void *a, const void *b, void *fold)
{
	const struct holding *x = a, *y = b;
	int order = identity_order(&x->identity, &y->identity);

	return order ? order : text_order(fold_label(fold, x), fold_label(fold, y));
}

/* ---- growing ----------------------------------------------------------- */

static int add_label(struct fold *fold, struct text path, uint32_t *ret_label)
{
	int result = list_reserve(&fold->labels, &fold->room_labels, fold->used_labels + path.len,
				  FOLD_LABEL_BYTES_MAX, 1);

	if (result < 0)
		return result;
	if (path.len > 0)
		memcpy(fold->labels + fold->used_labels, path.p, path.len);
	*ret_label = fold->used_labels;
	fold->used_labels += (uint32_t)path.len;
	return 0;
}

/* ---- a mapping --------------------------------------------------------- */

static void add_sums(struct holding *to, const struct holding *from)
{
	to->present |= from->present;
	to->vmas = amount_sum(to->vmas, from->vmas);
	to->shared_swap = amount_sum(to->shared_swap, from->shared_swap);
	for (size_t i = 0; i < VMA_N_FIELDS; i++)
		to->bytes[i] = amount_sum(to->bytes[i], from->bytes[i]);
}

/* Whether the previous holding has the same name, as mappings of a file are adjacent. */
static bool continues(const struct fold *fold, const struct identity *identity, struct text path)
{
	const struct holding *last = fold->n > 0 ? &fold->holdings[fold->n - 1] : NULL;

	return last && identity_order(&last->identity, identity) == 0 &&
	       text_order(fold_label(fold, last), path) == 0;
}

static struct holding *next_holding(struct fold *fold, struct text path)
{
	uint32_t label = 0;

	fold->error = list_reserve(&fold->holdings, &fold->room, fold->n + 1, FOLD_HOLDINGS_MAX,
				   sizeof *fold->holdings);
	if (fold->error == 0)
		fold->error = add_label(fold, path, &label);
	if (fold->error < 0)
		return NULL;
	struct holding *holding = &fold->holdings[fold->n++];
	*holding = (struct holding){.label = label, .label_len = (uint32_t)path.len};
	return holding;
}

static void add_named(struct fold *fold, const struct holding *holding, uint64_t swap)
{
	fold->error = list_reserve(&fold->named, &fold->room_named, fold->n_named + 1,
				   FOLD_HOLDINGS_MAX, sizeof *fold->named);
	if (fold->error == 0)
		fold->named[fold->n_named++] =
			(struct named_swap){holding->label, holding->label_len, swap};
}

static void add_vma(void *data, const struct vma *vma)
{
	struct fold *fold = data;
	const struct vma_header *header = &vma->header;
	bool is_shared = header->permissions[3] == 's';
	bool has_swap = vma->present & 1u << VMA_SWAP;
	const struct identity identity = identity_of(header);

	if (fold->error || (!identity_is_object(&identity) && !(fold->wanted & FOLD_PRIVATE) &&
			    !(is_shared && header->path.len > 0)))
		return;
	bool goes_on = continues(fold, &identity, header->path);
	struct holding *holding =
		goes_on ? &fold->holdings[fold->n - 1] : next_holding(fold, header->path);
	if (!holding)
		return;
	struct holding more = {.present = vma->present, .vmas = 1};
	memcpy(more.bytes, vma->bytes, sizeof more.bytes);
	more.shared_swap = is_shared ? vma->bytes[VMA_SWAP] : 0;
	holding->identity = identity;
	add_sums(holding, &more);
	if (fold->wanted & FOLD_BY_NAME && is_shared && has_swap && header->path.len > 0)
		add_named(fold, holding, vma->bytes[VMA_SWAP]);
}

/* ---- a process --------------------------------------------------------- */

void fold_begin(struct fold *fold, unsigned wanted)
{
	fold->wanted = wanted;
	fold->error = 0;
	fold->n = 0;
	fold->n_named = 0;
	fold->used_labels = 0;
	vma_reader_init(&fold->reader, add_vma, fold);
}

size_t fold_take(void *data, const char *text, size_t len, bool last)
{
	struct fold *fold = data;

	return vma_reader_take(&fold->reader, text, len, last);
}

int fold_finish(struct fold *fold)
{
	uint32_t kept = 0;

	if (fold->error)
		return fold->error;
	if (fold->n > 0)
		qsort_r(fold->holdings, fold->n, sizeof *fold->holdings, order_holdings, fold);
	for (uint32_t i = 0; i < fold->n; i++) {
		if (kept > 0 && is_same(fold, &fold->holdings[kept - 1], &fold->holdings[i]))
			add_sums(&fold->holdings[kept - 1], &fold->holdings[i]);
		else
			fold->holdings[kept++] = fold->holdings[i];
	}
	fold->n = kept;
	return 0;
}

void fold_clear(struct fold *fold)
{
	free(fold->holdings);
	free(fold->named);
	free(fold->labels);
	*fold = (struct fold){0};
}
