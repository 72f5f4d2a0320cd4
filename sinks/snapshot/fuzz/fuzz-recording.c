/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any texts in place of a recording's frames, each ended by a NUL, or after a byte 0xff any
 * bytes in place of the file: every sample found is read, from the first to the last and
 * back, and the reader keeps the rules of the border.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../replay.h"

#define MAX_SLOTS 256
#define FRAME_MAX (100u * 1024)
#define MAX_SAMPLES 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	uint8_t *bytes;
	size_t size, at;
	uint32_t n_slots, n_samples;
	bool sealed;
} file;

static void check(bool holds)
{
	if (!holds)
		abort();
}

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

		add_frame(data, n < FRAME_MAX ? n : FRAME_MAX);
		data += n + (end != NULL);
		size -= n + (end != NULL);
	}
}

/* ---- the host ------------------------------------------------------------------ */

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
	file.n_samples++;
	return 0;
}

static void take_damaged(const struct ctprof_input *input, const char *sentence)
{
	(void)input;
	check(strlen(sentence) > 10);
}

static int take_metric(const struct ctprof_input *input, const char *plugin,
		       const struct ctprof_metric *metric, uint32_t *ret_slot)
{
	(void)input;
	check(!file.sealed && plugin && metric->name && metric->group);
	if (file.n_slots == MAX_SLOTS)
		return -EINVAL;
	*ret_slot = file.n_slots++;
	return 0;
}

static int take_seal(const struct ctprof_input *input)
{
	(void)input;
	file.sealed = true;
	return 0;
}

static int take_row(const struct ctprof_input *input, uint32_t scope,
		    const struct ctprof_target *target, struct ctprof_batch **ret_batch,
		    uint64_t *ret_row)
{
	static struct ctprof_batch batch;

	(void)input;
	check(file.sealed && target->tid >= 0 && (scope != CTPROF_SCOPE_OBJECT || target->group));
	check(target->path_len == 0 || !memchr(target->path, 0, target->path_len));
	*ret_batch = &batch;
	*ret_row = 0;
	return 0;
}

static void take_fact(const struct ctprof_input *input, uint32_t kind, const char *key,
		      const char *value)
{
	(void)input;
	check(kind % 10 == 0 && key && value);
}

static CTPROF_PRINTF(3, 4) void take_fault(const struct ctprof_input *input, uint64_t offset,
					   const char *format, ...)
{
	(void)input;
	(void)offset;
	check(strlen(format) > 0);
}

static void put_number(struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint64_t value)
{
	(void)row;
	(void)value;
	check(batch && slot < file.n_slots);
}

static void put_signed(struct ctprof_batch *batch, uint64_t row, uint32_t slot, int64_t value)
{
	put_number(batch, row, slot, (uint64_t)value);
}

static void put_text(struct ctprof_batch *batch, uint64_t row, uint32_t slot, const char *text,
		     size_t length)
{
	put_number(batch, row, slot, 0);
	check(strlen(text) == length && length <= 65535);
}

static void put_cpuset(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
		       const uint32_t *cpus, size_t n)
{
	put_number(batch, row, slot, 0);
	check(n >= 1 && cpus[n - 1] >= cpus[0]);
}

static void put_map(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
		    const struct ctprof_map_entry *entries, size_t n)
{
	put_number(batch, row, slot, 0);
	for (size_t i = 0; i < n; i++)
		check(entries[i].key_len >= 1 && strlen(entries[i].key) == entries[i].key_len);
}

static void put_absent(struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint32_t why)
{
	put_number(batch, row, slot, 0);
	check(why != CTPROF_PRESENT);
}

static CTPROF_PRINTF(3, 4) void take_log(const struct ctprof_host *host, uint32_t level,
					 const char *format, ...)
{
	(void)host;
	(void)level;
	(void)format;
}

static const struct ctprof_host host = {
	.struct_size = sizeof host,
	.log = take_log,
	.put_u64 = put_number,
	.put_i64 = put_signed,
	.put_text = put_text,
	.put_cpuset = put_cpuset,
	.put_map = put_map,
	.put_absent = put_absent,
};

/* ---- all samples ------------------------------------------------------------------- */

static void read_sample(struct replay *replay, struct ctprof_input *input, uint64_t sample,
			uint64_t n_exits)
{
	file.n_slots = 0;
	file.sealed = false;
	input->sample = sample;
	input->n_exits = n_exits;
	int r = replay_read(replay, input);
	check(r == 0 || r == -EBADMSG || r == -ENOMEM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctprof_input input = {
		.struct_size = sizeof input,
		.max_depth = 16,
		.max_string = 4096,
		.max_window_log = 20,
		.max_bytes = 1u << 20,
		.max_threads = 1000,
		.read = read_file,
		.rewind = rewind_file,
		.metric = take_metric,
		.seal = take_seal,
		.row = take_row,
		.fact = take_fact,
		.fault = take_fault,
		.file = 1,
		.seek = seek_file,
		.found = take_found,
		.damaged = take_damaged,
	};

	/* A frame for each byte, at most. */
	file.bytes = malloc(size * 13 + 1);
	file.size = file.at = file.n_samples = 0;
	struct replay *replay = replay_new(&host);
	check(file.bytes && replay);
	make_file(data, size);
	input.size = file.size;
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
