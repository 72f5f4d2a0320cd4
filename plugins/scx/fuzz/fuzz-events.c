/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "../schedulers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text rest = {(const char *)data, size}, name, version;
	uint64_t number;
	bool valid;

	while (events_take(&rest, &name, &number, &valid)) {
		if (name.len == 0 || (valid && (name.len > 255 || memchr(name.p, '\0', name.len))))
			abort();
		(void)events_is_duration(name);
		if (scheduler_version(name, &version) && version.len >= name.len)
			abort();
	}
	return 0;
}
