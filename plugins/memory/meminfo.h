/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/meminfo, written by the kernel's meminfo_proc_show(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* Kernels print about sixty keys. */
#define MEMINFO_MAX 256u
#define MEMINFO_KEY_MAX 64u
#define MEMINFO_BYTES (32u * 1024)

struct meminfo_entry {
	struct text key; /* 1..MEMINFO_KEY_MAX bytes, none of them NUL; unique */
	uint64_t bytes;
};

struct meminfo {
	uint32_t n;
	bool saturated; /* an amount beyond 64 bits was cut to UINT64_MAX */
	struct meminfo_entry entries[MEMINFO_MAX]; /* as in the file */
};

/* Parses amounts, including those in huge pages, into bytes; leaves out lines without a number and
 * repeated keys.  Borrows the text. */
void meminfo_parse(const char *text, size_t len, struct meminfo *ret);

/* Returns false if the kernel prints no such key. */
bool meminfo_find(const struct meminfo *info, const char *key, uint64_t *ret_bytes);
