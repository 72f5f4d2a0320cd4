/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parse.h"

#include <string.h>

#include "list.h"
#include "text.h"

static bool parse_limit(struct text value, uint64_t *ret)
{
	if (!text_equal(value, "max"))
		return text_u64(value, ret);
	*ret = UINT64_MAX;
	return true;
}

bool cgroup_parse_number(const char *text, size_t len, uint64_t *ret)
{
	return text_u64(text_trim((struct text){text, len}), ret);
}

bool cgroup_parse_limit(const char *text, size_t len, uint64_t *ret)
{
	return parse_limit(text_trim((struct text){text, len}), ret);
}

bool cgroup_parse_signed(const char *text, size_t len, int64_t *ret)
{
	return text_i64(text_trim((struct text){text, len}), ret);
}

void cgroup_parse_cpu_max(const char *text, size_t len, struct cgroup_cpu_max *ret)
{
	struct text rest = {text, len};
	struct text token;
	bool quota = text_take_token(&rest, &token) && parse_limit(token, &ret->quota);
	bool period = text_take_token(&rest, &token) && text_u64(token, &ret->period);

	ret->quota_state = quota ? CTPROF_PRESENT : CTPROF_ABSENT_INVALID;
	ret->period_state = period ? CTPROF_PRESENT : CTPROF_ABSENT_INVALID;
}

/* Splits a line that consists of exactly two tokens. */
static bool split_pair(struct text line, struct text *ret_key, struct text *ret_value)
{
	struct text more;

	return text_take_token(&line, ret_key) && text_take_token(&line, ret_value) &&
	       !text_take_token(&line, &more);
}

uint32_t cgroup_parse_field(const char *text, size_t len, const char *key, uint64_t *ret)
{
	struct text rest = {text, len};
	uint32_t missing = CTPROF_ABSENT_INVALID;
	struct text line, name, value;

	while (text_take_line(&rest, &line)) {
		if (!split_pair(line, &name, &value))
			continue;
		missing = CTPROF_ABSENT_UNSUPPORTED;
		if (text_equal(name, key))
			return text_u64(value, ret) ? CTPROF_PRESENT : CTPROF_ABSENT_INVALID;
	}
	return missing;
}

/* Adds an entry; false if the map is full. */
static bool add_entry(struct cgroup_map *map, struct text key, uint64_t number)
{
	if (map->n == CGROUP_MAX_ENTRIES)
		return false;
	map->entries[map->n++] = (struct ctprof_map_entry){
		.key = key.p,
		.key_len = (uint32_t)key.len,
		.number = number,
	};
	return true;
}

static bool is_key(struct text key)
{
	return key.len >= 1 && key.len <= CGROUP_MAX_KEY && !memchr(key.p, '\0', key.len);
}

static int compare_keys(const void *a, const void *b)
{
	const struct ctprof_map_entry *x = a, *y = b;

	return text_order((struct text){x->key, x->key_len}, (struct text){y->key, y->key_len});
}

/* Orders by key; among equal keys, the later one in the text comes first. */
static int compare_entries(const void *a, const void *b)
{
	const struct ctprof_map_entry *x = a, *y = b;
	int order = compare_keys(x, y);

	return order ? order : (x->key < y->key) - (x->key > y->key);
}

/* Keeps the last of equal keys.  No kernel writes a key twice, but the host rejects duplicates. */
static void keep_unique(struct cgroup_map *map)
{
	map->n = list_sort_unique(map->entries, map->n, sizeof map->entries[0], compare_entries,
				  compare_keys);
}

bool cgroup_parse_flat(const char *text, size_t len, struct cgroup_map *ret)
{
	struct text rest = {text, len};
	struct text line, key, value;
	uint64_t number;

	ret->n = 0;
	while (text_take_line(&rest, &line)) {
		if (!split_pair(line, &key, &value) || !is_key(key) || !text_u64(value, &number))
			continue;
		if (!add_entry(ret, key, number))
			return false;
	}
	keep_unique(ret);
	return ret->n > 0;
}

/* Writes "DEVICE KEY" to the map's own bytes; false if there is no room. */
static bool join_key(struct cgroup_map *map, struct text device, struct text key,
		     struct text *ret_joined)
{
	size_t len = device.len + 1 + key.len;
	char *joined = map->keys + map->used;

	if (len > sizeof map->keys - map->used)
		return false;
	memcpy(joined, device.p, device.len);
	joined[device.len] = ' ';
	memcpy(joined + device.len + 1, key.p, key.len);
	map->used += len;
	*ret_joined = (struct text){joined, len};
	return true;
}

/* Adds a figure such as "rbytes=1" of a device.  Values that are not whole numbers (cost.vrate of
 * iocost, depth of iolatency) are left out; false only if the map is full. */
static bool add_figure(struct cgroup_map *map, struct text device, struct text token)
{
	struct text key, value, joined;
	uint64_t number;

	if (!text_split(token, '=', &key, &value) || !is_key(key) || !is_key(device) ||
	    device.len + 1 + key.len > CGROUP_MAX_KEY || !text_u64(value, &number))
		return true;
	return join_key(map, device, key, &joined) && add_entry(map, joined, number);
}

bool cgroup_parse_io_stat(const char *text, size_t len, struct cgroup_map *ret)
{
	struct text rest = {text, len};
	struct text line, token;

	ret->n = 0;
	ret->used = 0;
	while (text_take_line(&rest, &line)) {
		struct text device = {line.p, 0};

		while (text_take_token(&line, &token)) {
			/* Some kernels write the names of idle disks on the same line, before the
			 * name of another disk. */
			if (!memchr(token.p, '=', token.len))
				device = token;
			else if (!add_figure(ret, device, token))
				return false;
		}
	}
	keep_unique(ret);
	return ret->n > 0 || text_trim((struct text){text, len}).len == 0;
}
