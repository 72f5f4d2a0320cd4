/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holders-worker.h"

#include <stdlib.h>
#include <string.h>

/* ---- wanted mappings --------------------------------------------------- */

static bool is_all_wanted(const struct objects *objects)
{
	return objects->wanted[GROUP_SHARED] || objects->wanted[GROUP_SWAP];
}

/* Chooses the mappings to keep.  If processes were selected, these are all mappings of each of
 * them; otherwise those of every process that belong to no object. */
static enum holders_choice choose(const struct objects *objects, int32_t pid)
{
	if (!objects->wanted[GROUP_MAPPINGS])
		return HOLDERS_OBJECTS;
	if (objects->n_pids == 0)
		return HOLDERS_AREAS;
	for (size_t i = 0; i < objects->n_pids; i++)
		if (objects->pids[i] == pid || objects->pids[i] == EVERY_PROCESS)
			return HOLDERS_MAPPINGS;
	return HOLDERS_OBJECTS;
}

/* ---- callbacks of the ladder ------------------------------------------ */

static void drop_fold(void *data)
{
	fold_clear(data);
	free(data);
}

static void reset_fold(void *self, void *data, bool per_mapping)
{
	const struct holders_worker *worker = self;

	(void)per_mapping;
	fold_begin(data, worker->objects->holders.wanted);
}

static void take_answer(void *self, struct ctprof_batch *batch, const struct smaps_answer *answer)
{
	const struct holders_worker *worker = self;
	const struct process *process = &worker->processes->processes[answer->row];
	struct holders *holders = &worker->objects->holders;
	struct holders_process holder = {.pid = process->target->tgid, .read_ns = answer->ns};
	size_t room = sizeof holder.pcomm;

	(void)batch;
	if (answer->end == SMAPS_NOT_APPLICABLE || answer->end == SMAPS_VANISHED)
		return;
	if (answer->end != SMAPS_READ || fold_finish(answer->data) < 0) {
		holders_miss(holders);
		return;
	}
	if (room > process->stat.name_len)
		room = process->stat.name_len;
	holder.pcomm_len = (uint32_t)strnlen(process->stat.name, room);
	memcpy(holder.pcomm, process->stat.name, holder.pcomm_len);
	holders_add(holders, &holder, answer->data, choose(worker->objects, holder.pid));
}

static const struct smaps_use holders_use = {
	.consumer = {.take = fold_take, .drop = drop_fold},
	.data_size = sizeof(struct fold),
	.reset = reset_fold,
	.answer = take_answer,
};

/* ---- a worker ---------------------------------------------------------- */

void holders_worker_open(struct holders_worker *ret, struct objects *objects,
			 const struct process_worker *processes)
{
	*ret = (struct holders_worker){.objects = objects, .processes = processes};
	smaps_ladder_init(&ret->ladder, objects->host, objects->limits, SMAPS_FULL, &holders_use,
			  ret);
}

void holders_worker_close(struct holders_worker *worker)
{
	smaps_ladder_clear(&worker->ladder);
}

int holders_worker_collect(struct holders_worker *worker, struct ctprof_batch *batch)
{
	const struct objects *objects = worker->objects;
	int result = smaps_ladder_begin(&worker->ladder, batch->n);
	struct smaps_want want;

	if (result < 0)
		return result;
	for (uint64_t row = 0; row < batch->n; row++)
		if (process_want_mappings(worker->processes, row, &want) &&
		    (is_all_wanted(objects) ||
		     choose(objects, ctprof_batch_target(batch, row)->tgid) != HOLDERS_OBJECTS))
			smaps_ladder_add(&worker->ladder, want);
	smaps_ladder_finish(&worker->ladder, batch);
	return 0;
}
