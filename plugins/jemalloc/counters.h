/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the two counters of each thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "target.h"

/* A thread's result. */
struct reading {
	int32_t tid; /* ours */
	enum tag tag;
	uint32_t absence;
	uint64_t allocated;
	uint64_t deallocated;
};

void reading_fail(struct reading *reading, enum tag tag);

/* Reads the threads of an entered target (TAG_OK, db known) without stopping any of them.  The
 * caller sets each reading's tid; the other members are filled. */
void counters_read(struct target *target, struct reading *readings, size_t n);

/* Reads one stopped thread whose thread pointer is known. */
void counters_read_stopped(const struct target *target, uint64_t tp, struct reading *reading);
