/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reading of one process by a helper (async.h), since the process may block it forever. */
#pragma once

#include "ctprof/source.h"

#include "async.h"
#include "counters.h"
#include "objects.h"

struct visit {
	struct objects *objects;  /* a reference of its own */
	struct ctprof_target row; /* task_fd is its own, too */
	int32_t other;            /* another thread */
	bool use_ptrace;
	/* The results for the process, and for each row. */
	enum tag tag;
	size_t n;
	struct reading readings[];
};

/* Makes a visit for n rows of one process, from first on; NULL: out of memory. */
struct visit *visit_new(struct objects *objects, const struct ctprof_batch *batch, uint64_t first,
			size_t n, bool use_ptrace);
void visit_free(void *visit);

/* The consumer for jobs whose data is a visit. */
extern const struct async_consumer visit_consumer;
