/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "unzstd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "seek.h"

#define IN_SIZE (128 * 1024)
#define SCRAP_SIZE (16 * 1024)
/* Reading on for more errors would take too long. */
#define DRAIN_MAX (256u << 20)
#define MAGIC "\x28\xb5\x2f\xfd"
#define MAGIC_SIZE 4

struct unzstd {
	const struct ctprof_input *input;
	ZSTD_DCtx *zstd;
	uint64_t taken; /* number of bytes of the file before in */
	uint64_t made;  /* bytes of text */
	bool ended;     /* the frame is whole */
	bool is_last;   /* no other may follow it */
	size_t used, filled;
	char in[IN_SIZE];
};

struct unzstd *unzstd_new(const struct ctprof_input *input)
{
	struct unzstd *unzstd = calloc(1, sizeof *unzstd);

	if (!unzstd)
		return NULL;
	unzstd->input = input;
	unzstd->zstd = ZSTD_createDCtx();
	if (!unzstd->zstd) {
		unzstd_free(unzstd);
		return NULL;
	}
	/* If the limit exceeds the library's own, the library reports an error for each frame. */
	(void)ZSTD_DCtx_setParameter(unzstd->zstd, ZSTD_d_windowLogMax,
				     (int)(input->max_window_log & 0xff));
	return unzstd;
}

void unzstd_free(struct unzstd *unzstd)
{
	if (!unzstd)
		return;
	ZSTD_freeDCtx(unzstd->zstd);
	free(unzstd);
}

int unzstd_rewind(struct unzstd *unzstd, uint64_t offset)
{
	(void)ZSTD_DCtx_reset(unzstd->zstd, ZSTD_reset_session_only);
	unzstd->taken = offset;
	unzstd->made = 0;
	unzstd->used = 0;
	unzstd->filled = 0;
	unzstd->ended = false;
	unzstd->is_last = offset > 0;
	return offset > 0 ? unzstd->input->seek(unzstd->input, offset)
			  : unzstd->input->rewind(unzstd->input);
}

/* The offset is in the compressed file, so it is part of the message. */
static int unzstd_fail(const struct unzstd *unzstd, const char *expected, const char *found)
{
	const struct ctprof_input *input = unzstd->input;

	input->fault(input, UINT64_MAX, "compressed byte %" PRIu64 ": expected %s, found %s",
		     unzstd->taken + unzstd->used, expected, found);
	return -EBADMSG;
}

/* Reads more of the file, and appends it to the unused bytes; 0 at the end. */
static int64_t unzstd_take(struct unzstd *unzstd)
{
	size_t kept = unzstd->filled - unzstd->used;

	memmove(unzstd->in, unzstd->in + unzstd->used, kept);
	unzstd->taken += unzstd->used;
	unzstd->used = 0;
	unzstd->filled = kept;
	int64_t n = unzstd->input->read(unzstd->input, unzstd->in + kept, sizeof unzstd->in - kept);
	if (n > 0)
		unzstd->filled += (size_t)n;
	return n;
}

static const char *unzstd_describe(const struct unzstd *unzstd)
{
	if (unzstd->filled == 0)
		return "the file is empty";
	if (unzstd->in[0] == '{')
		return "it is JSON that is not compressed: run zstd on it";
	return unzstd->filled > 1 && memcmp(unzstd->in, "\x1f\x8b", 2) == 0
		       ? "it is compressed by gzip: run gunzip on it"
		       : "it is another kind of file";
}

/* Checks the beginning of the file: the library also accepts other frames. */
static int unzstd_check_magic(struct unzstd *unzstd)
{
	int64_t n = 1;

	while (unzstd->filled < MAGIC_SIZE && n > 0)
		n = unzstd_take(unzstd);
	if (n < 0)
		return (int)n;
	if (unzstd->filled >= MAGIC_SIZE && memcmp(unzstd->in, MAGIC, MAGIC_SIZE) == 0)
		return 0;
	unzstd->input->fault(unzstd->input, UINT64_MAX, NO_SNAPSHOT "%s", unzstd_describe(unzstd));
	return -EBADMSG;
}

/* Goes on to the second frame, or checks that there is none. */
static int unzstd_end_frame(struct unzstd *unzstd)
{
	int64_t n = 1;

	while (unzstd->filled - unzstd->used < SPLIT_MARK_BYTES && n > 0)
		n = unzstd_take(unzstd);
	size_t left = unzstd->filled - unzstd->used;
	if (n < 0 || left == 0)
		return (int)n;
	/* A file may be cut off within the mark. */
	left = left < SPLIT_MARK_BYTES ? left : SPLIT_MARK_BYTES;
	if (unzstd->is_last || memcmp(unzstd->in + unzstd->used, SPLIT_MARK, left) != 0)
		return unzstd_fail(unzstd, "the end of the file", "data after the zstd frame");
	unzstd->used += left;
	unzstd->ended = false;
	unzstd->is_last = true;
	return 0;
}

static int unzstd_fail_damaged(const struct unzstd *unzstd, size_t error)
{
	char text[128];

	if (ZSTD_getErrorCode(error) == ZSTD_error_frameParameter_windowTooLarge) {
		(void)snprintf(text, sizeof text, "a zstd frame that looks back at most 2^%u bytes",
			       unzstd->input->max_window_log);
		return unzstd_fail(unzstd, text, "one that needs more");
	}
	(void)snprintf(text, sizeof text, "damage (%s)", ZSTD_getErrorName(error));
	return unzstd_fail(unzstd, "a valid zstd frame", text);
}

/* One step of the decompressor; *ret_n is the size of its output. */
static int unzstd_step(struct unzstd *unzstd, char *into, size_t size, size_t *ret_n)
{
	ZSTD_inBuffer in = {unzstd->in, unzstd->filled, unzstd->used};
	ZSTD_outBuffer out = {into, size, 0};
	size_t left = ZSTD_decompressStream(unzstd->zstd, &out, &in);

	unzstd->used = in.pos;
	if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
		return -ENOMEM;
	if (ZSTD_isError(left))
		return unzstd_fail_damaged(unzstd, left);
	unzstd->ended = left == 0;
	*ret_n = out.pos;
	return 0;
}

static int64_t unzstd_count(struct unzstd *unzstd, size_t n)
{
	const struct ctprof_input *input = unzstd->input;

	unzstd->made += n;
	if (unzstd->made <= input->max_bytes)
		return (int64_t)n;
	input->fault(input, input->max_bytes, "expected at most %" PRIu64 " bytes, found more",
		     input->max_bytes);
	return -EBADMSG;
}

/* Decompresses until there is text, or the frame ends. */
static int unzstd_fill_from_frame(struct unzstd *unzstd, char *into, size_t size, size_t *ret_n)
{
	int r = 0;

	while (r == 0 && *ret_n == 0 && !unzstd->ended) {
		/* There may be more output even if all input has been consumed. */
		r = unzstd_step(unzstd, into, size, ret_n);
		if (r < 0 || *ret_n > 0 || unzstd->ended || unzstd->used < unzstd->filled)
			continue;
		int64_t taken = unzstd_take(unzstd);
		if (taken < 0)
			r = (int)taken;
		else if (taken == 0)
			r = unzstd_fail(unzstd, "the rest of a zstd frame",
					"the end of the file (was it cut off?)");
	}
	return r;
}

int64_t unzstd_fill(struct unzstd *unzstd, char *into, size_t size)
{
	size_t n = 0;
	bool begins = unzstd->filled + unzstd->made == 0 && !unzstd->ended;
	int r = begins ? unzstd_check_magic(unzstd) : 0;

	do {
		r = r < 0 ? r : unzstd_fill_from_frame(unzstd, into, size, &n);
		r = r < 0 || n > 0 ? r : unzstd_end_frame(unzstd);
	} while (r == 0 && n == 0 && !unzstd->ended);
	return r < 0 ? r : unzstd_count(unzstd, n);
}

int unzstd_drain(struct unzstd *unzstd)
{
	char scrap[SCRAP_SIZE];
	uint64_t end = unzstd->made + DRAIN_MAX;
	int64_t n;

	do
		n = unzstd_fill(unzstd, scrap, sizeof scrap);
	while (n > 0 && unzstd->made < end);
	return n < 0 ? (int)n : 0;
}
