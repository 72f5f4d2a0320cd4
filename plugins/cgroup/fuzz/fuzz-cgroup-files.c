/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "../parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cgroup_map map;

/* The host's rules for a map: bounded, unique keys without NUL. */
static void check_map(void)
{
	if (map.n > CGROUP_MAX_ENTRIES)
		abort();
	for (size_t i = 0; i < map.n; i++) {
		const struct ctprof_map_entry *e = &map.entries[i];

		if (e->key_len < 1 || e->key_len > CGROUP_MAX_KEY ||
		    memchr(e->key, '\0', e->key_len))
			abort();
		if (i > 0 && e->key_len == e[-1].key_len &&
		    memcmp(e->key, e[-1].key, e->key_len) == 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct cgroup_cpu_max max;
	uint64_t number;
	int64_t integer;

	(void)cgroup_parse_number(text, size, &number);
	(void)cgroup_parse_limit(text, size, &number);
	(void)cgroup_parse_signed(text, size, &integer);
	(void)cgroup_parse_field(text, size, "usage_usec", &number);
	cgroup_parse_cpu_max(text, size, &max);
	if (cgroup_parse_flat(text, size, &map))
		check_map();
	if (cgroup_parse_io_stat(text, size, &map))
		check_map();
	return 0;
}
