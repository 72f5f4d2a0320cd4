/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "ctprof/plugin.h"
#include "psi-parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slots_value values[PSI_VALUES];

	psi_parse_pressure((const char *)data, size, values);
	for (size_t i = 0; i < PSI_VALUES; i++)
		if (values[i].why == CTPROF_PRESENT && i % 4 != 3 && values[i].number > 65535)
			abort();
	return 0;
}
