/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instants to sample at: one in each slot of time, anywhere in it.  A fixed rate beside a
 * thread of the same period sees one moment of it again and again.  Pure. */
#pragma once

#include <stdint.h>

struct jitter {
	uint64_t random; /* not 0 */
	uint64_t end_ns; /* of the slot that the next instant is in; 0: none yet */
};

/* How long after now_ns the next instant is, in slots of slot_ns, which may change. */
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
