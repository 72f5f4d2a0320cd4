/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The input is a list of texts, each ended by a NUL, that represent a recording's frames; after an
 * empty one, another part begins; a text after a byte 0xfe is the second
 * frame of a snapshot; after a byte 0xff, it is the whole file instead.  Every sample
 * found is read, from the first to the last and back, and the reader must keep the rules of the
 * border.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../replay.h"
#include "../seek.h"
#include "checking.h"

#define FRAME_MAX (100u * 1024)
#define MAX_SAMPLES 6
#define MAX_PARTS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	uint8_t *bytes;
	size_t size, at;
	uint32_t n_samples;
	uint64_t ends[MAX_PARTS], n_parts;
} file;

/* ---- a file of frames, each one block as it is (RFC 8878, 3.1.1) ------------- */

static void add_bytes(const void *bytes, size_t n)
{
	memcpy(file.bytes + file.size, bytes, n);
	file.size += n;
}

static void add_frame(const uint8_t *text, size_t n)
{
	/* One segment, its size in four bytes, no checksum; the block is the last. */
	uint8_t head[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0};
	uint32_t block = (uint32_t)n << 3 | 1;

	for (size_t i = 0; i < 4; i++)
		head[5 + i] = (uint8_t)(n >> 8 * i);
	for (size_t i = 0; i < 3; i++)
		head[9 + i] = (uint8_t)(block >> 8 * i);
	add_bytes(head, sizeof head);
	add_bytes(text, n);
}

static void make_file(const uint8_t *data, size_t size)
{
	if (size > 0 && data[0] == 0xff) {
		add_bytes(data + 1, size - 1);
		return;
	}
	while (size > 0) {
		const uint8_t *end = memchr(data, '\0', size);
		size_t n = end ? (size_t)(end - data) : size;

		if (data[0] == 0xfe)
			add_bytes(SPLIT_MARK, SPLIT_MARK_BYTES);
		size_t first = data[0] == 0xfe;
		add_frame(data + first, (n < FRAME_MAX ? n : FRAME_MAX) - first);
		if (n == 0 && file.n_parts + 1 < MAX_PARTS)
			file.ends[file.n_parts++] = file.size;
		data += n + (end != NULL);
		size -= n + (end != NULL);
	}
}

/* ---- its input ------------------------------------------------------------------ */

static int64_t read_file(const struct ctprof_input *input, void *data, uint64_t size)
{
	size_t left = file.size - file.at, piece = 1 + (file.at * 7 + file.size) % 61;
	size_t n = left < piece ? left : piece;

	(void)input;
	n = n < size ? n : (size_t)size;
	if (n > 0)
		memcpy(data, file.bytes + file.at, n);
	file.at += n;
	return (int64_t)n;
}

static int seek_file(const struct ctprof_input *input, uint64_t offset)
{
	(void)input;
	check(offset <= file.size);
	file.at = (size_t)offset;
	return 0;
}

static int rewind_file(const struct ctprof_input *input)
{
	return seek_file(input, 0);
}

static int take_found(const struct ctprof_input *input, const struct ctprof_recorded *sample)
{
	(void)input;
	check(sample->is_key || file.n_samples > 0);
	check(sample->part < file.n_parts);
	file.n_samples++;
	return 0;
}

static void take_damaged(const struct ctprof_input *input, const char *sentence)
{
	(void)input;
	check(strlen(sentence) > 10);
}

/* ---- all samples ------------------------------------------------------------------- */

static void read_sample(struct replay *replay, struct ctprof_input *input, uint64_t sample,
			uint64_t n_exits)
{
	/* Offsets refer to the text of a frame, whose size is unknown here. */
	checking_begin(UINT64_MAX);
	input->sample = sample;
	input->n_exits = n_exits;
	int r = replay_read(replay, input);
	check(r == 0 || r == -EBADMSG || r == -ENOMEM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctprof_input input = checking_input();

	input.max_string = 4096;
	input.max_bytes = 1u << 20;
	input.max_threads = 1000;
	input.read = read_file;
	input.rewind = rewind_file;
	input.file = 1;
	input.seek = seek_file;
	input.found = take_found;
	input.damaged = take_damaged;
	/* Each byte can make at most one frame. */
	file.bytes = malloc(size * 13 + 1);
	file.size = file.at = file.n_samples = 0;
	file.n_parts = 0;
	struct replay *replay = replay_new(&checking_host);
	check(file.bytes && replay);
	make_file(data, size);
	input.size = file.size;
	file.ends[file.n_parts++] = file.size;
	input.n_parts = file.n_parts;
	input.part_ends = file.ends;
	read_sample(replay, &input, CTPROF_SAMPLE_NONE, 0);
	uint64_t n = file.n_samples < MAX_SAMPLES ? file.n_samples : MAX_SAMPLES;
	for (uint64_t i = 0; i < n; i++)
		read_sample(replay, &input, i, 1);
	for (uint64_t i = n; i > 0; i--)
		read_sample(replay, &input, i - 1, i % 4);
	if (n == 0)
		read_sample(replay, &input, 0, 1);
	replay_free(replay);
	free(file.bytes); /* lint: allow bare-free: of one input */
	return 0;
}
