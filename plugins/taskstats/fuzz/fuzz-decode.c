/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A struct taskstats of any version and length, of a thread that lives or ended. */
#include <assert.h>
#include <string.h>

#include "../decode.h"
#include "../exit-store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is kept of a record is all of it. */
static void keep(const struct taskstats_exit *record)
{
	struct exit_store store = {0};
	struct exit_cursor cursor = {0};
	struct taskstats_exit kept;

	assert(exit_store_add(&store, record));
	assert(exit_store_next(&store, &cursor, &kept));
	assert(kept.tid == record->tid && kept.tgid == record->tgid &&
	       kept.values.present == record->values.present);
	assert(strncmp(kept.comm, record->comm, sizeof kept.comm) == 0);
	for (size_t i = 0; i < EXIT_N_FIELDS; i++)
		assert(!(kept.values.present >> i & 1) ||
		       kept.values.value[i] == record->values.value[i]);
	assert(!exit_store_next(&store, &cursor, &kept));
	exit_store_clear(&store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct taskstats_values values;
	struct taskstats_exit record;

	if (taskstats_decode(data, size, &values) == 0)
		assert(values.version >= 8 && values.present >> TASKSTATS_N_FIELDS == 0);
	if (taskstats_decode_exit(data, size, &record) == 0) {
		assert(record.tid > 0 && record.tgid >= 0);
		assert(record.values.present >> EXIT_N_FIELDS == 0);
		keep(&record);
	}
	return 0;
}
