/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "../holders.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct mounts no_mounts;
static struct fold whole, pieces;

/* Passes the text in pieces, as a helper does: unused bytes are passed again. */
static void take_pieces(const char *text, size_t size, size_t piece)
{
	size_t done = 0, have = 0;

	do {
		have = have + piece < size - done ? have + piece : size - done;
		size_t used = fold_take(&pieces, text + done, have, done + have == size);
		if (used > have)
			abort();
		done += used;
		have -= used;
	} while (done < size);
}

static void check_same(void)
{
	if (whole.n != pieces.n || whole.n_named != pieces.n_named)
		abort();
	for (uint32_t i = 0; i < whole.n; i++) {
		const struct holding *a = &whole.holdings[i], *b = &pieces.holdings[i];

		if (identity_order(&a->identity, &b->identity) != 0 || a->vmas != b->vmas ||
		    text_order(fold_label(&whole, a), fold_label(&pieces, b)) != 0 ||
		    memcmp(a->bytes, b->bytes, sizeof a->bytes) != 0)
			abort();
	}
}

/* No share exceeds the object's total, and no label contains a NUL. */
static void check_holders(void)
{
	const struct holders_process one = {.pid = 1}, other = {.pid = 2};
	struct holders holders;

	holders_init(&holders, NULL, &no_mounts, whole.wanted);
	holders_add(&holders, &one, &whole, HOLDERS_MAPPINGS);
	holders_add(&holders, &other, &pieces, HOLDERS_OBJECTS);
	holders_settle(&holders);
	for (size_t i = 0; i < holders.objects.n; i++) {
		const struct holders_object *object = holders.objects.items[i];

		if (strlen(object->backing.label) != object->backing.label_len ||
		    object->swap_max > object->swap_sum || object->processes != 2 ||
		    object->n_consumers != 2)
			abort();
	}
	holders_clear(&holders);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	fold_begin(&whole, FOLD_PRIVATE | FOLD_BY_NAME);
	fold_begin(&pieces, FOLD_PRIVATE | FOLD_BY_NAME);
	(void)fold_take(&whole, text, size, true);
	take_pieces(text, size, 1 + size % 61);
	if (fold_finish(&whole) < 0 || fold_finish(&pieces) < 0)
		return 0;
	check_same();
	check_holders();
	return 0;
}
