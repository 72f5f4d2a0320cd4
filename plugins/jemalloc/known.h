/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Known places of the counters in builds of jemalloc without debug information. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets of the two counters. */
struct offsets {
	uint64_t allocated;
	uint64_t deallocated;
};

/* Finds offsets in the object's TLS block, by its build-id. */
bool known_by_build_id(uint16_t machine, const uint8_t *id, size_t len, struct offsets *ret);

/*
 * Finds offsets in struct tsd_s, by version ("5.3.0-0-g...") and size of the struct.  The size
 * depends on the configuration, and so do the offsets of 5.3.  any_size: also use rows that are
 * valid for every size.
 */
bool known_by_version(uint16_t machine, const char *version, uint64_t tsd_size, bool any_size,
		      struct offsets *ret);
