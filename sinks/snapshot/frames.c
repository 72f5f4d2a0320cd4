/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frames.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "array.h"
#include "border.h"

#define MAGIC 0xfd2fb528u
#define MAGIC_BYTES 4u
#define BLOCK_HEAD_BYTES 3u
#define CHECKSUM_BYTES 4u
/* The size of the beginning of our frames: the format and the time. */
#define HEAD_TEXT_BYTES 160
/* The number of compressed bytes that usually contain that beginning. */
#define HEAD_BYTES 4096
#define COPY_BYTES (256u * 1024)
/* A larger table is not plausible: this is a sample per second for four years. */
#define MAX_TABLE_BYTES (UINT64_C(1) << 30)

/* Reads bytes of the file at offset; returns their number, fewer than size at its
 * end, or -errno. */
static int64_t read_at(const struct ctprof_input *input, uint64_t offset, void *into, size_t size)
{
	char *at = into;
	size_t got = 0;
	int r = offset <= input->size ? input->seek(input, offset) : 0;

	if (r < 0 || offset > input->size)
		return r;
	while (got < size) {
		int64_t n = input->read(input, at + got, size - got);

		if (n < 0)
			return n;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (int64_t)got;
}

/* One of the recordings of which the file consists. */
struct part {
	uint64_t begin, end, number;
};

/* ---- the table ------------------------------------------------------------------ */

/* Looks for a table that matches the part: 1 or 0, or -errno. */
static int find_table(const struct ctprof_input *input, const struct part *part,
		      struct seek_table *table)
{
	const uint64_t size = part->end - part->begin;
	const size_t before = table->n;
	uint8_t footer[SEEK_FOOTER_BYTES];

	if (size < sizeof footer)
		return 0;
	int64_t got = read_at(input, part->end - sizeof footer, footer, sizeof footer);
	if (got < (int64_t)sizeof footer)
		return got < 0 ? (int)got : 0;
	uint64_t bytes = seek_table_size(footer);
	if (bytes == 0 || bytes > size || bytes > MAX_TABLE_BYTES)
		return 0;
	FREED uint8_t *data = malloc(bytes);
	got = data ? read_at(input, part->end - bytes, data, bytes) : -ENOMEM;
	if (got < (int64_t)bytes)
		return got < 0 ? (int)got : 0;
	int r = seek_table_parse(table, data, bytes, size, part->begin, part->number);
	if (r < 0)
		table->n = before;
	return r == -EBADMSG ? 0 : r < 0 ? r : 1;
}

/* ---- parts without a table -------------------------------------------------------- */

/* Returns the size of a frame's header (RFC 8878, 3.1.1.1) after its magic number. */
static uint32_t header_bytes(uint8_t descriptor)
{
	static const uint8_t of_dictionary[] = {0, 1, 2, 4}, of_size[] = {0, 2, 4, 8};
	bool is_single = descriptor >> 5 & 1;
	uint32_t bytes =
		(is_single ? 1u : 2u) + of_dictionary[descriptor & 3] + of_size[descriptor >> 6];

	return bytes + (is_single && descriptor >> 6 == 0);
}

/* Returns the size of the frame at offset; 0 if it is not a frame, or not all of it is before the
 * end; or -errno. */
static int64_t measure_frame(const struct ctprof_input *input, uint64_t offset, uint64_t end)
{
	uint8_t head[MAGIC_BYTES + 1], block[BLOCK_HEAD_BYTES];
	int64_t got = read_at(input, offset, head, sizeof head);

	if (got < (int64_t)sizeof head || seek_number(head, MAGIC_BYTES) != MAGIC)
		return got < 0 ? got : 0;
	uint64_t at = offset + MAGIC_BYTES + header_bytes(head[MAGIC_BYTES]);
	for (uint64_t word = 0; !(word & 1);) {
		got = at < end ? read_at(input, at, block, sizeof block) : 0;
		if (got < (int64_t)sizeof block)
			return got < 0 ? got : 0;
		word = seek_number(block, sizeof block);
		if ((word >> 1 & 3) == 3)
			return 0;
		/* Type 1 is a repeated byte. */
		at += BLOCK_HEAD_BYTES + ((word >> 1 & 3) == 1 ? 1 : word >> 3);
	}
	at += head[MAGIC_BYTES] >> 2 & 1 ? CHECKSUM_BYTES : 0;
	return at <= end ? (int64_t)(at - offset) : 0;
}

/* Reads the beginning of the frame's text; "" if it is not a frame. */
static int read_head(const struct ctprof_input *input, const struct seek_frame *frame,
		     ZSTD_DCtx *zstd, char text[HEAD_TEXT_BYTES + 1])
{
	char bytes[HEAD_BYTES];
	ZSTD_outBuffer out = {text, HEAD_TEXT_BYTES, 0};
	uint64_t left = frame->size;
	int64_t got = input->seek(input, frame->offset);
	size_t r = 1;

	(void)ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
	while (got >= 0 && left > 0 && r > 0 && !ZSTD_isError(r) && out.pos < out.size) {
		got = input->read(input, bytes, left < sizeof bytes ? left : sizeof bytes);
		if (got <= 0)
			break;
		left -= (uint64_t)got;
		ZSTD_inBuffer in = {bytes, (size_t)got, 0};
		while (in.pos < in.size && r > 0 && !ZSTD_isError(r) && out.pos < out.size)
			r = ZSTD_decompressStream(zstd, &out, &in);
	}
	text[ZSTD_isError(r) ? 0 : out.pos] = '\0';
	return got < 0 ? (int)got : 0;
}

/* Skips the word if the text begins with it. */
static bool skip(const char **text, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*text, word, len) != 0)
		return false;
	*text += len;
	return true;
}

/* Returns false if the frame is not one of a recording. */
static bool parse_head(const char *text, struct seek_frame *frame)
{
	if (!skip(&text, "{\"format\":{\"name\":\"ctprof\",\"version\":1"))
		return false;
	frame->is_key = !skip(&text, ",\"frame\":\"delta\"");
	return skip(&text, "},\"captured_at_unix_ns\":") &&
	       sscanf(text, "%" SCNu64, &frame->realtime_ns) == 1;
}

/* Finds the frame of the part at offset: 1, or 0 if there is none, or -errno. */
static int find_frame(const struct ctprof_input *input, const struct part *part, uint64_t offset,
		      ZSTD_DCtx *zstd, struct seek_frame *ret_frame)
{
	char text[HEAD_TEXT_BYTES + 1];
	struct seek_frame frame = {.offset = offset, .part = part->number};
	int64_t size = measure_frame(input, offset, part->end);

	if (size <= 0)
		return (int)size;
	frame.size = (uint64_t)size;
	int r = read_head(input, &frame, zstd, text);
	if (r < 0 || !parse_head(text, &frame))
		return r;
	*ret_frame = frame;
	return 1;
}

static int scan(const struct ctprof_input *input, const struct part *part, ZSTD_DCtx *zstd,
		struct seek_table *table, uint64_t *ret_end)
{
	const size_t before = table->n;
	struct seek_frame frame = {0};
	int r = 1;

	*ret_end = part->begin;
	while (r > 0) {
		r = find_frame(input, part, *ret_end, zstd, &frame);
		if (r > 0 && table->n == before && !frame.is_key)
			r = 0;
		if (r <= 0)
			break;
		*ret_end += frame.size;
		int added = seek_table_add(table, &frame);
		if (added < 0)
			return added;
	}
	return r;
}

/* Reports what follows the last whole frame of a part: a table that does not match, or part of a
 * frame. */
static void report_damage(const struct ctprof_input *input, const struct part *part, uint64_t end)
{
	bool is_last = part->end == input->size;
	uint64_t left = part->end - end;
	char sentence[160];

	if (left > 0)
		(void)snprintf(sentence, sizeof sentence,
			       "the last %" PRIu64 " bytes%s are not a whole sample", left,
			       is_last ? "" : " of a file before it");
	else if (is_last)
		(void)snprintf(sentence, sizeof sentence,
			       "it was not finished: the table of its samples is missing");
	if (left > 0 || is_last)
		input->damaged(input, sentence);
}

/* Returns where the second frame of a snapshot begins, whose first ends at end; 0 if it has no such
 * frame that is whole and the last. */
static int64_t find_tail(const struct ctprof_input *input, uint64_t end)
{
	char mark[SPLIT_MARK_BYTES];
	int64_t got = read_at(input, end, mark, sizeof mark);

	if (got < (int64_t)sizeof mark || memcmp(mark, SPLIT_MARK, sizeof mark) != 0)
		return got < 0 ? got : 0;
	end += sizeof mark;
	got = measure_frame(input, end, input->size);
	if (got > 0)
		got = end + (uint64_t)got == input->size ? (int64_t)end : 0;
	return got;
}

/* Whether the bytes after a document show that it is the first sample of a recording. */
static bool starts_recording(const struct ctprof_input *input, uint64_t end)
{
	uint8_t head[MAGIC_BYTES];

	return end < input->size && read_at(input, end, head, sizeof head) > 0 &&
	       (head[0] == (MAGIC & 0xff) || head[0] == (SEEK_FRAME_MAGIC & 0xff));
}

static int find_part(const struct ctprof_input *input, const struct part *part,
		     struct seek_table *table)
{
	const size_t before = table->n;
	uint64_t end = 0;
	int r = find_table(input, part, table);

	if (r != 0)
		return r < 0 ? r : 0;
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	r = zstd ? scan(input, part, zstd, table, &end) : -ENOMEM;
	(void)ZSTD_freeDCtx(zstd);
	if (r < 0 || table->n == before)
		return r;
	/* A single document may be a snapshot, unless there are other parts. */
	if (table->n == 1 && part->end - part->begin == input->size &&
	    !starts_recording(input, end)) {
		int64_t tail = find_tail(input, end);

		table->n = 0;
		table->tail = tail > 0 ? (uint64_t)tail : 0;
		return tail < 0 ? (int)tail : 0;
	}
	report_damage(input, part, end);
	return 0;
}

int frames_find(const struct ctprof_input *input, struct seek_table *ret_table)
{
	const uint64_t n = BORDER_MEMBER(input, n_parts, 0);
	const uint64_t *ends = n > 0 ? input->part_ends : &input->size;
	struct seek_table table = {0};
	struct part part = {0};
	int r = 0;

	for (; r == 0 && part.number < (n > 0 ? n : 1); part.number++) {
		part.end = ends[part.number];
		r = find_part(input, &part, &table);
		part.begin = part.end;
	}
	if (r < 0)
		seek_table_clear(&table);
	*ret_table = table;
	return r;
}

/* ---- a part of the file ----------------------------------------------------------- */

static int copy(const struct ctprof_input *input, const struct ctprof_host *host, uint64_t offset,
		uint64_t size)
{
	FREED char *piece = malloc(COPY_BYTES);
	int r = piece ? input->seek(input, offset) : -ENOMEM;

	while (r == 0 && size > 0) {
		int64_t n = input->read(input, piece, size < COPY_BYTES ? size : COPY_BYTES);

		if (n == 0)
			input->fault(input, UINT64_MAX,
				     "expected the rest of a sample, found the "
				     "end of the file");
		if (n <= 0)
			return n < 0 ? (int)n : -EBADMSG;
		size -= (uint64_t)n;
		r = host->write(host, piece, (size_t)n);
	}
	return r;
}

int frames_cut(const struct ctprof_input *input, const struct ctprof_host *host,
	       const struct seek_table *table, size_t first, size_t last)
{
	__attribute__((cleanup(seek_list_clear))) struct seek_list part = {0};
	size_t size;
	int r = 0;

	while (!table->frames[first].is_key)
		first--;
	for (size_t i = first; r == 0 && i <= last; i++)
		r = seek_list_add(&part, table->frames[i].size, table->frames[i].realtime_ns,
				  table->frames[i].is_key);
	/* The frames of a part follow each other. */
	for (size_t i = first, end; r == 0 && i <= last; i = end) {
		const struct seek_frame *from = &table->frames[i];

		for (end = i + 1; end <= last && table->frames[end].part == from->part;)
			end++;
		r = copy(input, host, from->offset,
			 from[end - i - 1].offset + from[end - i - 1].size - from->offset);
	}
	FREED char *bytes = r == 0 ? seek_list_make(&part, &size) : NULL;
	if (r == 0)
		r = bytes ? host->write(host, bytes, size) : -ENOMEM;
	return r;
}
