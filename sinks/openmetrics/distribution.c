/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "distribution.h"

#include <stdlib.h>
#include <string.h>

uint64_t *distribution_parse(const struct ctprof_text *text)
{
	uint64_t *counts = calloc(CTPROF_BUCKETS, sizeof *counts);
	char *at = strchr(text->bytes, '"');

	while (counts && at) {
		unsigned long bucket = strtoul(at + 1, &at, 10);

		if (strncmp(at, "\":", 2) != 0)
			break;
		uint64_t count = strtoull(at + 2, &at, 10);
		if (bucket < CTPROF_BUCKETS)
			counts[bucket] = count;
		at = strchr(at, '"');
	}
	return counts;
}
