/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "ctprof/plugin.h"
#include "psi-parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct psi_pressure pressure;

	psi_parse_pressure((const char *)data, size, &pressure);
	for (size_t i = 0; i < PSI_VALUES; i++)
		if (pressure.state[i] == CTPROF_PRESENT && i % 4 != 3 && pressure.value[i] > 65535)
			abort();
	return 0;
}
