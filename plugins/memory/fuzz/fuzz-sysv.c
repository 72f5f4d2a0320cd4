/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "../sysv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sysv sysv;

	if (sysv_parse((const char *)data, size, &sysv) < 0)
		return 0;
	for (size_t i = 0; i < sysv.n; i++) {
		struct amount id = sysv.segments[i].at[SYSV_ID];

		if (id.absent || sysv_find(&sysv, id.bytes) != &sysv.segments[i])
			abort();
	}
	sysv_clear(&sysv);
	return 0;
}
