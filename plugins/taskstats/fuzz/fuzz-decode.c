/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A struct taskstats of any version and length. */
#include <assert.h>

#include "../decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct taskstats_values values;

	if (taskstats_decode(data, size, &values) == 0)
		assert(values.version >= 8 && values.present >> TASKSTATS_N_FIELDS == 0);
	return 0;
}
