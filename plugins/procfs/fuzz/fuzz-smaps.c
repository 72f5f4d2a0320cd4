/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums smaps read in two pieces, as the helper may do. */
#include "smaps-sums.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smaps_sums sums;
	const char *text = (const char *)data + 1;

	if (size == 0)
		return 0;
	smaps_sums_reset(&sums, data[0] & 1);
	size_t used = smaps_sums_add(&sums, text, (size - 1) / 2, false);
	(void)smaps_sums_add(&sums, text + used, size - 1 - used, true);
	if (sums.n > SMAPS_KEYS_MAX || used > (size - 1) / 2)
		__builtin_trap();
	for (uint32_t i = 0; i < sums.n; i++)
		if (sums.sums[i].key_len == 0 || sums.sums[i].key_len > SMAPS_KEY_LEN_MAX)
			__builtin_trap();
	return 0;
}
