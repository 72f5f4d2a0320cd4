/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table that ends a recording: a skippable zstd frame (RFC 8878, 3.1.2) with eight
 * bytes for each frame, and a footer; all numbers are little-endian.
 *
 *	entry:  u32 bytes of the frame
 *	        u32 bit 31: it is a key frame; bits 0-30: milliseconds since the frame
 *	            before, in two's complement
 *	footer: u64 captured_at_unix_ns of the first frame, u32 number of entries,
 *	        u32 SEEK_MAGIC
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEK_FRAME_MAGIC 0x184d2a5cu
#define SEEK_MAGIC 0x53505443u /* "CTPS" */
#define SEEK_HEAD_BYTES 8u
#define SEEK_ENTRY_BYTES 8u
#define SEEK_FOOTER_BYTES 16u

/* Between the two frames of a snapshot: an empty skippable frame. */
#define SPLIT_MARK "\x5d\x2a\x4d\x18\0\0\0"
#define SPLIT_MARK_BYTES (sizeof SPLIT_MARK)

/* The data kept of a file while it is written; compact, as a recording may take days. */
struct seek_list {
	uint8_t (*entries)[SEEK_ENTRY_BYTES];
	size_t n;
	uint64_t first_ns; /* of the first frame */
	int64_t last_ms;   /* time of the last frame, in ms after first_ns */
};

void seek_list_clear(struct seek_list *list);
/* Appends a frame.  0 or -ENOMEM. */
int seek_list_add(struct seek_list *list, uint64_t size, uint64_t realtime_ns, bool is_key);
/* Returns the table to be written at the end of the file, which the caller frees; NULL: out of
 * memory. */
char *seek_list_make(const struct seek_list *list, size_t *ret_size);

/* A frame of a recording. */
struct seek_frame {
	uint64_t offset, size;
	uint64_t realtime_ns;
	bool is_key;
	uint64_t part; /* as in struct ctprof_recorded */
};

struct seek_table {
	struct seek_frame *frames;
	size_t n;
	uint64_t tail; /* of a snapshot: where its second frame begins; 0: there is only one */
};

void seek_table_clear(struct seek_table *table);
/* Appends a frame.  0 or -ENOMEM. */
int seek_table_add(struct seek_table *table, const struct seek_frame *frame);
/* Returns the little-endian number in n bytes, at most 8. */
uint64_t seek_number(const uint8_t *at, size_t n);
/* Returns the size of the table with that footer; 0 if it is not the footer of a table. */
uint64_t seek_table_size(const uint8_t footer[SEEK_FOOTER_BYTES]);
/* Parses the table at the end of a part of size bytes, and appends its frames; the first is at
 * offset.  0, -EBADMSG: invalid; or -ENOMEM. */
int seek_table_parse(struct seek_table *table, const uint8_t *bytes, uint64_t n, uint64_t size,
		     uint64_t offset, uint64_t part);
