/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nvidia.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

#define POOL_PREFIX "nv-sysmem-alloc-node-"
#define ORDER_INFIX "-order-"
#define SHRINKERS "kernel/debug/shrinker"
#define NODES_MAX 4096u

/* ---- parsing ----------------------------------------------------------- */

bool nvidia_parse_params(const char *text, size_t len, uint64_t *ret_pools)
{
	struct text value;

	return text_find((struct text){text, len}, "EnableSystemMemoryPools", &value) &&
	       text_u64(value, ret_pools);
}

static bool take_word(struct text *rest, const char *word)
{
	size_t len = strlen(word);

	if (!text_starts(*rest, word))
		return false;
	*rest = (struct text){rest->p + len, rest->len - len};
	return true;
}

bool nvidia_parse_pool(struct text name, uint64_t *ret_node, uint64_t *ret_order)
{
	uint64_t node, order;

	if (!take_word(&name, POOL_PREFIX) || !text_take_u64(&name, &node) ||
	    !take_word(&name, ORDER_INFIX) || !text_take_u64(&name, &order) ||
	    (name.len > 0 && name.p[0] != '-'))
		return false;
	*ret_node = node;
	*ret_order = order;
	return true;
}

/* Parses a line: the memory cgroup's inode, then a number for each node. */
static bool parse_count_line(struct text line, uint64_t node, uint64_t *ret)
{
	struct text token = {NULL, 0};

	if (node > NODES_MAX)
		return false;
	for (uint64_t i = 0; i <= node + 1; i++)
		if (!text_take_token(&line, &token))
			return false;
	return text_u64(token, ret);
}

bool nvidia_parse_count(const char *text, size_t len, uint64_t node, uint64_t *ret_objects)
{
	struct text rest = {text, len};
	struct text line;
	uint64_t objects, sum = 0;

	while (text_take_line(&rest, &line)) {
		if (!parse_count_line(line, node, &objects) ||
		    __builtin_add_overflow(sum, objects, &sum))
			return false;
	}
	*ret_objects = sum;
	return true;
}

bool nvidia_pool_bytes(uint64_t objects, uint64_t order, uint64_t page_size, uint64_t *ret_bytes)
{
	uint64_t bytes;

	if (order > 32 || __builtin_mul_overflow(page_size, UINT64_C(1) << order, &bytes) ||
	    __builtin_mul_overflow(objects, bytes, &bytes))
		return false;
	*ret_bytes = bytes;
	return true;
}

/* ---- reading ----------------------------------------------------------- */

static struct amount read_pool(const struct ctprof_host *host, int shrinkers, const char *name,
			       uint64_t node, uint64_t order)
{
	char path[NAME_MAX + sizeof "/count"];
	char buf[64 * 1024];
	uint64_t objects;
	struct amount amount = {0};

	(void)snprintf(path, sizeof path, "%s/count", name);
	ssize_t got = file_read_records_at(host, shrinkers, path, buf, sizeof buf);
	if (got < 0)
		return amount_absent(file_absence((int)-got));
	if ((size_t)got == sizeof buf || !nvidia_parse_count(buf, (size_t)got, node, &objects) ||
	    !nvidia_pool_bytes(objects, order, (uint64_t)sysconf(_SC_PAGESIZE), &amount.bytes))
		return amount_absent(CTPROF_ABSENT_INVALID);
	return amount;
}

static struct amount sum_pools(const struct ctprof_host *host, DIR *dir)
{
	struct amount sum = {.absent = CTPROF_ABSENT_INVALID}; /* enabled, but no pool exists */
	struct dirent *entry;
	uint64_t node, order;

	while ((entry = readdir(dir))) {
		struct text name = text_of(entry->d_name);

		if (!nvidia_parse_pool(name, &node, &order))
			continue;
		struct amount pool = read_pool(host, dirfd(dir), entry->d_name, node, order);
		if (pool.absent)
			return pool;
		sum.absent = 0;
		sum.bytes = amount_sum(sum.bytes, pool.bytes);
	}
	return sum;
}

static struct amount read_shrinkers(const struct ctprof_host *host)
{
	__attribute__((cleanup(file_close_dir))) DIR *dir = NULL;
	int result = file_open_dir(host, host->root(host, CTPROF_ROOT_SYS), SHRINKERS, &dir);

	return result < 0 ? amount_absent(file_absence(-result)) : sum_pools(host, dir);
}

bool nvidia_read_pools(const struct ctprof_host *host, struct amount *ret)
{
	char buf[16 * 1024];
	ssize_t got = file_read_records_at(host, host->root(host, CTPROF_ROOT_PROC),
					   "driver/nvidia/params", buf, sizeof buf);
	uint64_t pools;

	if (got == -ENOENT)
		return false;
	if (got < 0)
		*ret = amount_absent(file_absence((int)-got));
	else if (!nvidia_parse_params(buf, (size_t)got, &pools))
		*ret = amount_absent(CTPROF_ABSENT_INVALID);
	else if (pools == 0)
		return false;
	else
		*ret = read_shrinkers(host);
	return true;
}
