/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input is a description and an answer, with a NUL between them. */
#include <stdlib.h>
#include <string.h>

#include "../stats.h"
#include "cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct stats_entries *entries)
{
	for (unsigned kind = 0; kind < N_STATS_KINDS; kind++)
		for (size_t i = 0; i < entries->n[kind]; i++) {
			const struct ctprof_map_entry *entry = &entries->entries[kind][i];

			if (entry->key_len == 0 || entry->key_len > 255 ||
			    memchr(entry->key, '\0', entry->key_len))
				abort();
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stats_entries entries;
	const char *text = (const char *)data;
	const char *end = size ? memchr(text, '\0', size) : NULL;
	struct stats stats = {.n = 0};

	if (!end)
		return 0;
	size_t length = size - (size_t)(end + 1 - text);
	AUTO_FREE char *answer = malloc(length + 1);
	if (answer && !stats_take_meta(&stats, text, (size_t)(end - text))) {
		memcpy(answer, end + 1, length);
		stats_explain(&stats, &entries);
		check(&entries);
		if (!stats_take_answer(&stats, answer, length))
			for (uint32_t i = 0; i < stats.n; i++) {
				stats_read(&stats, &stats.objects[i], &entries);
				check(&entries);
			}
	}
	stats_clear(&stats);
	return 0;
}
