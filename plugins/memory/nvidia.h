/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System memory that NVIDIA's driver keeps in pools of free pages. meminfo does
 * not count it; debugfs shows it as shrinkers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amount.h"
#include "text.h"

/* Parses the driver's parameter that enables the pools; false if it has no such parameter. */
bool nvidia_parse_params(const char *text, size_t len, uint64_t *ret_pools);
/* Parses the NUMA node and the page order of a pool from the name of its shrinker. */
bool nvidia_parse_pool(struct text name, uint64_t *ret_node, uint64_t *ret_order);
/* Sums the objects of a node in a shrinker's count file; false: it has no such column. */
bool nvidia_parse_count(const char *text, size_t len, uint64_t node, uint64_t *ret_objects);
/* Returns false if the sum overflows 64 bits, which no real pool reaches. */
bool nvidia_pool_bytes(uint64_t objects, uint64_t order, uint64_t page_size, uint64_t *ret_bytes);

/* Reads the size of the pools; false if there is no such driver, or its pools are off. */
bool nvidia_read_pools(const struct ctprof_host *host, struct amount *ret);
