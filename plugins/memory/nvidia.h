/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System memory that NVIDIA's driver keeps in pools of free pages.  Nothing of
 * meminfo counts it; it shows as shrinkers of the debug file system.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amount.h"
#include "text.h"

/* The driver's parameter that switches the pools on; false: there is none. */
bool nvidia_parse_params(const char *text, size_t len, uint64_t *ret_pools);
/* NUMA node and order of pages of a pool, by the name of its shrinker. */
bool nvidia_parse_pool(struct text name, uint64_t *ret_node, uint64_t *ret_order);
/* Objects of a node in a shrinker's count file; false: it has no such column. */
bool nvidia_parse_count(const char *text, size_t len, uint64_t node, uint64_t *ret_objects);
/* False: more than 64 bits hold, which no pool has. */
bool nvidia_pool_bytes(uint64_t objects, uint64_t order, uint64_t page_size, uint64_t *ret_bytes);

/* What the pools hold; false: no such driver, or its pools are off. */
bool nvidia_read_pools(const struct ctprof_host *host, struct amount *ret);
