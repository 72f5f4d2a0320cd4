/* SPDX-License-Identifier: 0BSD */
/*
 * ctprof source plugins: what reads the host.
 *
 * Life of a source, in this order, each op at most once except collect():
 *
 *	open -> probe?                                  (ctprof plugins, doctor)
 *	open -> start? -> collect(HOST)
 *	     -> worker_open? (each worker) -> collect(THREAD)... -> worker_close?
 *	     -> collect(CGROUP)... -> collect(OBJECT)... -> collect(CAPTURE) -> close
 *
 * Batches of a scope arrive only when a slot of that scope is wanted.  An
 * object batch arrives empty and is the source's alone: collect() adds rows with
 * host->object() until it has no more or gets -ENOSPC, and is called again and
 * again until it has added none.
 */
#ifndef CTPROF_SOURCE_H
#define CTPROF_SOURCE_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ctprof_source_ops {
	uint32_t struct_size;
	uint32_t reserved;

	/* Required.  Declares every metric with host->metric() and makes the
	 * instance.  Reads nothing yet and needs no privilege.  On a negative
	 * return close() is not called. */
	int (*open)(const struct ctprof_host *host, void **ret_self);

	/* Required.  Ends the instance; self is what open() gave. */
	void (*close)(void *self);

	/* Optional.  Finds out, cheaply and without side effects, how each of the
	 * source's groups works on this host, and tells with host->finding().
	 * Absent or silent: taken to work. */
	int (*probe)(void *self);

	/* Optional.  The wanted slots are settled now; opens what all workers
	 * share.  -EOPNOTSUPP, -EACCES, -EPERM: the source cannot work here and
	 * is left out, its slots absent (unsupported, denied); the capture goes
	 * on.  Any other error likewise, said as a warning. */
	int (*start)(void *self);

	/* Optional pair.  A worker's own state (sockets, buffers); called on the
	 * worker's thread, whose descriptor table is its own. */
	int (*worker_open)(void *self, uint32_t worker, void **ret_context);
	void (*worker_close)(void *self, void *context);

	/* Required.  Fills the batch's rows through host->put_*().  context is
	 * the worker's (thread batches of a source with worker_open), else NULL.
	 * 0: what could be read was put; single values that could not are absent,
	 * with a reason, and no error.  A negative errno: nothing of this
	 * batch can be trusted; after eight in a row the host leaves the source out.
	 * Any other number counts as such a failure. */
	int (*collect)(void *self, void *context, struct ctprof_batch *batch);
};

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_SOURCE_H */
