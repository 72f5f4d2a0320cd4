/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "seek.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define KEY_BIT 0x80000000u
#define MS_BITS 0x7fffffffu
#define NS_PER_MS 1000000

static void put_number(uint8_t *at, size_t n, uint64_t value)
{
	value = htole64(value);
	memcpy(at, &value, n);
}

uint64_t seek_number(const uint8_t *at, size_t n)
{
	uint64_t value = 0;

	memcpy(&value, at, n);
	return le64toh(value);
}

void seek_table_clear(struct seek_table *table)
{
	free(table->frames);
	*table = (struct seek_table){0};
}

int seek_table_add(struct seek_table *table, const struct seek_frame *frame)
{
	struct seek_frame *frames = array_room(table->frames, table->n, sizeof *frames);

	if (!frames)
		return -ENOMEM;
	table->frames = frames;
	frames[table->n++] = *frame;
	return 0;
}

/* ---- writing ------------------------------------------------------------------- */

void seek_list_clear(struct seek_list *list)
{
	free(list->entries);
	*list = (struct seek_list){0};
}

int seek_list_add(struct seek_list *list, uint64_t size, uint64_t realtime_ns, bool is_key)
{
	uint8_t(*entries)[SEEK_ENTRY_BYTES] = array_room(list->entries, list->n, sizeof *entries);

	if (!entries)
		return -ENOMEM;
	if (list->n == 0)
		list->first_ns = realtime_ns;
	/* Counted from the first frame, so that rounding errors do not accumulate. */
	int64_t ms = (int64_t)(realtime_ns - list->first_ns) / NS_PER_MS;
	list->entries = entries;
	put_number(entries[list->n], 4, size);
	put_number(entries[list->n] + 4, 4,
		   ((uint32_t)(ms - list->last_ms) & MS_BITS) | (is_key ? KEY_BIT : 0));
	list->n++;
	list->last_ms = ms;
	return 0;
}

char *seek_list_make(const struct seek_list *list, size_t *ret_size)
{
	size_t body = list->n * SEEK_ENTRY_BYTES + SEEK_FOOTER_BYTES;
	uint8_t *bytes = malloc(SEEK_HEAD_BYTES + body), *at = bytes;

	if (!bytes)
		return NULL;
	put_number(at, 4, SEEK_FRAME_MAGIC);
	put_number(at + 4, 4, body);
	at += SEEK_HEAD_BYTES;
	if (list->n > 0)
		memcpy(at, list->entries, list->n * SEEK_ENTRY_BYTES);
	at += list->n * SEEK_ENTRY_BYTES;
	put_number(at, 8, list->first_ns);
	put_number(at + 8, 4, list->n);
	put_number(at + 12, 4, SEEK_MAGIC);
	*ret_size = SEEK_HEAD_BYTES + body;
	return (char *)bytes;
}

/* ---- reading ------------------------------------------------------------------- */

uint64_t seek_table_size(const uint8_t footer[SEEK_FOOTER_BYTES])
{
	if (seek_number(footer + 12, 4) != SEEK_MAGIC)
		return 0;
	return SEEK_HEAD_BYTES + seek_number(footer + 8, 4) * SEEK_ENTRY_BYTES + SEEK_FOOTER_BYTES;
}

int seek_table_parse(struct seek_table *table, const uint8_t *bytes, uint64_t n, uint64_t size,
		     uint64_t offset, uint64_t part)
{
	const uint8_t *footer = bytes + n - SEEK_FOOTER_BYTES, *at = bytes + SEEK_HEAD_BYTES;
	const size_t before = table->n;
	uint64_t first_ns = seek_number(footer, 8), end = 0;
	int64_t ms = 0;

	if (seek_number(bytes, 4) != SEEK_FRAME_MAGIC ||
	    seek_number(bytes + 4, 4) != n - SEEK_HEAD_BYTES)
		return -EBADMSG;
	for (; at < footer; at += SEEK_ENTRY_BYTES) {
		uint32_t word = (uint32_t)seek_number(at + 4, 4);

		/* Bit 30 is the sign. */
		ms += (int64_t)(word & (MS_BITS >> 1)) - (int64_t)(word & (MS_BITS ^ MS_BITS >> 1));
		const struct seek_frame frame = {
			.offset = offset + end,
			.size = seek_number(at, 4),
			.realtime_ns = first_ns + (uint64_t)ms * (uint64_t)NS_PER_MS,
			.is_key = word & KEY_BIT,
			.part = part,
		};
		int r = seek_table_add(table, &frame);
		if (r < 0)
			return r;
		end += frame.size;
	}
	return end == size - n && table->n > before && table->frames[before].is_key ? 0 : -EBADMSG;
}
