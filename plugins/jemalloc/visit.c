/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "visit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "owner.h"
#include "ptrace.h"
#include "target.h"

/* CPU time for all processes of an owner, in excess of the ordinary cost. */
#define OWNER_NS UINT64_C(1000000000)

/* The state of a helper, reused for all its visits. */
struct visitor {
	struct objects *objects;
	struct target target;
	struct parser parser;
};

struct visit *visit_new(struct objects *objects, const struct ctprof_batch *batch, uint64_t first,
			size_t n, bool use_ptrace)
{
	struct visit *visit = calloc(1, sizeof *visit + n * sizeof visit->readings[0]);

	if (!visit)
		return NULL;
	*visit = (struct visit){
		.objects = objects_ref(objects),
		.row = *ctprof_batch_target(batch, first),
		.other = ctprof_batch_target(batch, first + n - 1)->tid,
		.use_ptrace = use_ptrace,
		.tag = TAG_JEMALLOC_NOT_FOUND,
		.n = n,
	};
	/* The batch closes its own descriptor, and its number may be reused. */
	if (visit->row.task_fd >= 0)
		visit->row.task_fd = fcntl(visit->row.task_fd, F_DUPFD_CLOEXEC, 0);
	for (size_t i = 0; i < n; i++) {
		const struct ctprof_target *row = ctprof_batch_target(batch, first + i);

		visit->readings[i] = (struct reading){
			.tid = row->tid,
			.tag = TAG_JEMALLOC_NOT_FOUND,
			.absence = CTPROF_ABSENT_SKIPPED,
		};
	}
	return visit;
}

void visit_free(void *data)
{
	struct visit *visit = data;

	if (visit->row.task_fd >= 0)
		(void)close(visit->row.task_fd);
	objects_unref(visit->objects);
	free(visit);
}

static void fail_all(struct visit *visit, enum tag tag)
{
	for (size_t i = 0; i < visit->n; i++)
		reading_fail(&visit->readings[i], tag);
}

static void read_target(struct target *target, struct visit *visit)
{
	if (target->tag != TAG_OK) {
		for (size_t i = 0; i < visit->n; i++) {
			visit->readings[i].tag = target->tag;
			visit->readings[i].absence = target->absence;
		}
		return;
	}
	if (visit->use_ptrace)
		ptrace_read(target, visit->readings, visit->n);
	else
		counters_read(target, visit->readings, visit->n);
	/* The PID may have been reused meanwhile. */
	if (process_check_alive(&target->process) < 0)
		fail_all(visit, TAG_THREAD_EXITED);
}

static void visitor_free(void *context)
{
	struct visitor *visitor = context;

	parser_stop(&visitor->parser);
	target_clear(&visitor->target);
	objects_unref(visitor->objects);
	free(visitor);
}

static struct visitor *visitor_new(struct objects *objects)
{
	struct visitor *visitor = calloc(1, sizeof *visitor);

	if (!visitor)
		return NULL;
	visitor->objects = objects_ref(objects);
	visitor->target = TARGET_INIT;
	objects_lend(objects, &visitor->parser);
	return visitor;
}

static int look(void *data, void **context)
{
	struct visit *visit = data;
	struct visitor *visitor = *context ? *context : visitor_new(visit->objects);

	*context = visitor;
	if (!visitor)
		return ENOMEM;
	if (owner_is_spent(visitor->parser.host->root(visitor->parser.host, CTPROF_ROOT_PROC),
			   visit->row.tgid, OWNER_NS)) {
		visit->tag = TAG_PROCESS_STUCK;
		fail_all(visit, visit->tag);
		return 0;
	}
	target_enter(&visitor->target, visit->objects, &visitor->parser, &visit->row, visit->other,
		     !visit->use_ptrace);
	visit->tag = visitor->target.tag;
	read_target(&visitor->target, visit);
	return 0;
}

const struct async_consumer visit_consumer = {
	.ask = look, .drop = visit_free, .leave = visitor_free};
