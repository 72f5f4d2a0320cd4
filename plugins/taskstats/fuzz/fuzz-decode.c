/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes a struct taskstats of any version and length, of a live or ended thread. */
#include <assert.h>
#include <string.h>

#include "../decode.h"
#include "exit-store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The store must return a record unchanged. */
static void keep(const union taskstats_exit_words *record)
{
	struct exit_store store = {.n_words = TASKSTATS_EXIT_WORDS};
	struct exit_cursor cursor = {0};
	union taskstats_exit_words kept;

	assert(exit_store_add(&store, record->words));
	assert(exit_store_next(&store, &cursor, kept.words));
	assert(memcmp(&kept, record, sizeof kept) == 0);
	assert(!exit_store_next(&store, &cursor, kept.words));
	exit_store_clear(&store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct taskstats_values values;
	union taskstats_exit_words kept = {.words = {0}};
	const struct taskstats_exit *record = &kept.record;

	if (taskstats_decode(data, size, &values) == 0)
		assert(values.version >= 8 && values.present >> TASKSTATS_N_FIELDS == 0);
	if (taskstats_decode_exit(data, size, &kept.record) == 0) {
		assert(record->tid > 0 && record->tgid >= 0);
		assert(record->values.present >> EXIT_N_FIELDS == 0);
		keep(&kept);
	}
	return 0;
}
