/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsers for the files of a cgroup directory.  Pure: nothing is opened here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"

/* More keys than memory.stat has (71 in Linux 7.2), or 300 disks in io.stat; a file with more is
 * rejected, not truncated. */
#define CGROUP_MAX_ENTRIES 2048u
#define CGROUP_MAX_KEY 255u

/* Entries read from a file.  Keys point into the text, or into keys. */
struct cgroup_map {
	size_t n;
	size_t used; /* bytes of keys */
	struct ctprof_map_entry entries[CGROUP_MAX_ENTRIES];
	char keys[65536];
};

struct cgroup_cpu_max {
	uint64_t quota;  /* microseconds; UINT64_MAX: no limit */
	uint64_t period; /* microseconds */
	/* enum ctprof_absence: PRESENT or INVALID */
	uint32_t quota_state;
	uint32_t period_state;
};

/* Parses "123\n". */
bool cgroup_parse_number(const char *text, size_t len, uint64_t *ret);
/* Parses a number, or "max", which becomes UINT64_MAX. */
bool cgroup_parse_limit(const char *text, size_t len, uint64_t *ret);
/* Parses a signed number. */
bool cgroup_parse_signed(const char *text, size_t len, int64_t *ret);
/* Parses "QUOTA PERIOD\n". */
void cgroup_parse_cpu_max(const char *text, size_t len, struct cgroup_cpu_max *ret);
/* Finds the value of one "key value" line: PRESENT, INVALID if it is not a number or the text has
 * no such lines at all, UNSUPPORTED if only that key is missing. */
uint32_t cgroup_parse_field(const char *text, size_t len, const char *key, uint64_t *ret);
/* Parses all "key value" lines except invalid ones; false if none is valid, or if there are too
 * many. */
bool cgroup_parse_flat(const char *text, size_t len, struct cgroup_map *ret);
/* Parses "8:0 rbytes=1 wbytes=2" lines, as "8:0 rbytes" and "8:0 wbytes".  Empty text is an empty
 * map: nothing was read or written.  Fails like cgroup_parse_flat(). */
bool cgroup_parse_io_stat(const char *text, size_t len, struct cgroup_map *ret);
