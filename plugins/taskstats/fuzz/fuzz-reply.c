/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses a datagram as received: whatever it contains, the decoded struct must be inside it. */
#include <assert.h>

#include "../wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct taskstats_reply reply;

	/* The family in the seeds. */
	if (!taskstats_parse_reply(data, size, 0x17,
				   size % 2 ? TASKSTATS_OF_PROCESS : TASKSTATS_OF_THREAD, &reply) ||
	    reply.error)
		return 0;
	assert(reply.stats >= data && reply.stats_len <= size &&
	       (size_t)(reply.stats - data) <= size - reply.stats_len);
	return 0;
}
