/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "policy.h"

#include <stdio.h>

struct text policy_name(int32_t policy, char store[POLICY_NAME_BYTES])
{
	static const char *const names[] = {
		[0] = "SCHED_OTHER", [1] = "SCHED_FIFO",     [2] = "SCHED_RR",  [3] = "SCHED_BATCH",
		[5] = "SCHED_IDLE",  [6] = "SCHED_DEADLINE", [7] = "SCHED_EXT",
	};

	if (policy >= 0 && policy < (int32_t)(sizeof names / sizeof names[0]) && names[policy])
		return text_of(names[policy]);
	int len = snprintf(store, POLICY_NAME_BYTES, "SCHED_UNKNOWN(%d)", policy);
	return (struct text){store, (size_t)len};
}
