/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instants to sample at: one in each slot of time, at a random point in it.  A fixed rate would see
 * a thread of the same period at the same point again and again.  Pure. */
#pragma once

#include <stdint.h>

struct jitter {
	uint64_t random; /* not 0 */
	uint64_t end_ns; /* end of the next instant's slot; 0: none yet */
};

/* The time from now_ns to the next instant, for slots of slot_ns, which may change between
 * calls. */
static inline uint64_t jitter_next(struct jitter *jitter, uint64_t now_ns, uint64_t slot_ns)
{
	uint64_t begin = jitter->end_ns > now_ns ? jitter->end_ns : now_ns;

	/* xorshift64 */
	jitter->random ^= jitter->random << 13;
	jitter->random ^= jitter->random >> 7;
	jitter->random ^= jitter->random << 17;
	jitter->end_ns = begin + slot_ns;
	return begin - now_ns + (jitter->random >> 11) % slot_ns;
}
