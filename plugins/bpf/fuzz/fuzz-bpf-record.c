/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes any bytes as a record: the state letter must be one of the kernel's, and each reason one
 * of the interface's. */
#include <stdlib.h>
#include <string.h>

#include "../decode.h"
#include "ctprof/plugin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct decode_rules rules = {.tick_ns = 10000000, .page_bytes = 4096};
	struct record record = {0};
	struct decoded decoded;

	memcpy(&record, data, size < sizeof record ? size : sizeof record);
	rules.statistics = record.flags & 1;
	rules.delays = record.flags & 2;
	decode_record(&rules, &record, &decoded);
	if (!strchr("RSDTtXZPI", (char)decoded.value[VALUE_state]))
		abort();
	for (size_t i = 0; i < N_RECORD_VALUES; i++)
		if (decoded.why[i] != DECODE_LEFT &&
		    (decoded.why[i] > CTPROF_ABSENT_INAPPLICABLE || decoded.why[i] % 10 != 0))
			abort();
	return 0;
}
