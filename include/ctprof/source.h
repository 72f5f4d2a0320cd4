/* SPDX-License-Identifier: 0BSD */
/*
 * ctprof source plugins: they read the host.
 *
 * The host calls the ops of a source in this order, each at most once except
 * collect(); "?" marks optional ones:
 *
 *	open -> probe? -> close                         (ctprof plugins, doctor)
 *	open -> start? -> collect(HOST) -> list?
 *	     -> worker_open? (each worker) -> collect(THREAD)... -> worker_close?
 *	     -> collect(EXIT)... -> collect(CGROUP)... -> collect(OBJECT)...
 *	     -> collect(CAPTURE) -> close
 *
 * collect() gets batches of a scope only if a slot of that scope is wanted.  Exit
 * and object batches start empty and are not shared with other sources:
 * collect() adds rows with host->exited() or host->object() until it has no more
 * or gets -ENOSPC, and is called again until it adds none.
 *
 * Threads that end between two captures are recorded for the second capture.  Its
 * sources listen from before the first one on:
 *
 *	open -> start? -> listen -> drain... -> collect(HOST) -> ...
 *
 * drain() is called every 50 ms from a thread of its own, also during collect(), until
 * the first collect(EXIT).  A single capture calls none of listen(), drain() and
 * collect(EXIT).
 *
 * A recording consists of many captures by sources that stay open:
 *
 *	open -> start? -> listen?
 *	     -> [collect(HOST) -> list? -> collect(THREAD)... -> ...
 *	         -> collect(CAPTURE) -> again?]...
 *	     -> close
 *
 * Between two captures the host calls sample() at the times that the source asks for,
 * from a thread of its own, but never while another function of the source except
 * drain() runs.
 */
#ifndef CTPROF_SOURCE_H
#define CTPROF_SOURCE_H

#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the threads that list() reports; valid for that call.  Since 1.4. */
struct ctprof_listing {
	uint32_t struct_size;
	uint32_t reserved;
	void *handle; /* for the host only */
	/* Reports a thread.  is_same: 1: it has not run since the previous capture,
	 * and no value that this source ever put for it has changed; the host may then
	 * leave out its row, unless values of other sources are wanted that may differ
	 * (see CTPROF_METRIC_STILL).  0: anything may have changed. */
	void (*thread)(const struct ctprof_listing *listing, int32_t tgid, int32_t tid,
		       uint32_t is_same);
};

/* The functions of a source.  Those that return int return 0 or -errno, after
 * host->error(). */
struct ctprof_source_ops {
	uint32_t struct_size;
	uint32_t reserved;

	/* Required.  Declares every metric with host->metric(), creates the
	 * instance and sets *ret_self to it.  Reads nothing yet and needs no
	 * privileges.  host is valid until close() has returned.  After a negative
	 * return close() is not called. */
	int (*open)(const struct ctprof_host *host, void **ret_self);

	/* Required.  Frees the instance that open() created. */
	void (*close)(void *self);

	/* Optional.  Finds out, cheaply and without side effects, how each of the
	 * source's groups works on this host, and reports it with host->finding().
	 * Groups without a finding are assumed to work. */
	int (*probe)(void *self);

	/* Optional.  Opens what all workers share; from now on host->wanted() does
	 * not change.  -EOPNOTSUPP, -EACCES, -EPERM: the source cannot work here
	 * and is left out, its slots are absent (unsupported, denied) and the
	 * capture goes on.  After any other error it is left out with a warning. */
	int (*start)(void *self);

	/* Optional, both or neither.  Create and free the state of one worker
	 * (sockets, buffers); called on the worker's thread, which has a
	 * descriptor table of its own.  worker: its number, from 0. */
	int (*worker_open)(void *self, uint32_t worker, void **ret_context);
	void (*worker_close)(void *self, void *context);

	/* Required.  Fills the rows of the batch with the put functions of the
	 * host.  context: the worker's, for thread batches of a source with
	 * worker_open; otherwise NULL.  0: the values that could be read were put,
	 * the others are absent with a reason.  A negative errno: no value of this
	 * batch can be trusted; after eight such returns in a row the host leaves
	 * the source out.  Any other number counts as such a failure. */
	int (*collect)(void *self, void *context, struct ctprof_batch *batch);

	/* Optional, both or neither; since 1.3.  A source with metrics of scope
	 * EXIT has both.
	 *
	 * One source provides the rows of all threads that end: the first, in the
	 * host's order of preference, whose listen() succeeds.  Sources after it are
	 * not asked.
	 *
	 * listen() begins to record every thread of the host that ends, whatever
	 * the capture is limited to.  After a negative return, whose explanation the
	 * host shows in reports, the source goes on without exit rows.
	 *
	 * drain() stores what has arrived, so that no buffer of the kernel
	 * overflows; it must not block.  After a negative return it is not called
	 * again.  A metric of scope CAPTURE counts what was lost. */
	int (*listen)(void *self);
	int (*drain)(void *self);

	/* Optional; since 1.4.  Prepares for another capture: forgets what was read for the
	 * previous one and resets tallies to 0.  No other function of the source runs meanwhile.
	 * host->wanted() may change its answer for values not read in every capture.  After
	 * a negative return the source is left out from then on.  A source without this function is
	 * collected again as it is. */
	int (*again)(void *self);

	/* Optional; since 1.4.  Reports every thread that the proc root shows, in any
	 * order, with listing->thread(): the host calls it before it collects the
	 * threads, and then lists only those of processes that were not reported, except
	 * after a negative return. */
	int (*list)(void *self, const struct ctprof_listing *listing);

	/* Optional; since 1.6.  Samples the host between captures, for quantities that the kernel
	 * does not sum up: what threads wait for, how long a queue is. The host calls it if a value
	 * of scope HOST of the source is wanted, from the first of two or more captures on.  The
	 * source sets *ret_next_ns to the time from its return to the next call, in ns; less than a
	 * millisecond counts as one.  It thus chooses the rate, and the moment within each period.
	 * collect() then puts what was seen, as values that only grow, and the number of samples,
	 * as a value of scope HOST.  After a negative return sample() is not called again. */
	int (*sample)(void *self, uint64_t *ret_next_ns);
};

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_SOURCE_H */
