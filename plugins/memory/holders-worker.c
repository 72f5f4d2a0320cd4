/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holders-worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

struct holders_worker {
	struct objects *objects;
	struct smaps_ladder ladder;
	struct holders_process *processes; /* by row, of the batch */
	uint64_t room;
};

/* ---- what is wanted ---------------------------------------------------- */

/* Whether anything is swapped out, or may be. */
static bool is_swap_used(const struct ctprof_host *host)
{
	char text[MEMINFO_BYTES];
	struct meminfo info;
	uint64_t used;
	int proc = host->root(host, CTPROF_ROOT_PROC);
	ssize_t got = proc < 0 ? proc : file_read_at(host, proc, "meminfo", text, sizeof text);

	if (got < 0)
		return true;
	meminfo_parse(text, (size_t)got, &info);
	return !ledger_swap_used(&info, &used) || used > 0;
}

static bool is_all_wanted(const struct objects *objects)
{
	return objects->wanted[GROUP_SHARED] || objects->wanted[GROUP_SWAP];
}

static bool is_chosen(const struct objects *objects, int32_t pid)
{
	for (size_t i = 0; i < objects->n_pids; i++)
		if (objects->pids[i] == pid)
			return objects->wanted[GROUP_MAPPINGS];
	return false;
}

void holders_start(struct objects *objects)
{
	bool mappings = objects->wanted[GROUP_MAPPINGS] && objects->n_pids > 0;
	unsigned wanted = mappings ? FOLD_PRIVATE : 0;

	if (objects->wanted[GROUP_SWAP] && is_swap_used(objects->host))
		wanted |= FOLD_BY_NAME;
	else if (!objects->wanted[GROUP_SHARED])
		objects->wanted[GROUP_SWAP] = false; /* and no process is read for it */
	if (!is_all_wanted(objects) && !mappings)
		return;
	holders_init(&objects->holders, &objects->mounts, wanted);
	objects->holding = true;
}

/* ---- the ladder's questions -------------------------------------------- */

static size_t take_text(void *data, const char *text, size_t len, bool last)
{
	return fold_take(data, text, len, last);
}

static void drop_fold(void *data)
{
	fold_clear(data);
	free(data);
}

static void *make_fold(void *self)
{
	const struct holders_worker *worker = self;
	struct fold *fold = calloc(1, sizeof *fold);

	if (fold)
		fold_begin(fold, worker->objects->holders.wanted);
	return fold;
}

static void reset_fold(void *data, bool per_mapping)
{
	struct fold *fold = data;

	(void)per_mapping;
	fold_begin(fold, fold->wanted);
}

static void take_answer(void *self, struct ctprof_batch *batch, const struct smaps_answer *answer)
{
	struct holders_worker *worker = self;
	struct holders *holders = &worker->objects->holders;
	struct holders_process *process = &worker->processes[answer->row];

	(void)batch;
	if (answer->end == SMAPS_NOT_APPLICABLE || answer->end == SMAPS_VANISHED)
		return;
	if (answer->end != SMAPS_READ || fold_finish(answer->data) < 0) {
		holders_miss(holders);
		return;
	}
	process->read_ns = answer->ns;
	holders_add(holders, process, answer->data, is_chosen(worker->objects, process->pid));
}

static const struct smaps_use holders_use = {
	.consumer = {.take = take_text, .drop = drop_fold},
	.make = make_fold,
	.reset = reset_fold,
	.answer = take_answer,
};

/* ---- a worker ---------------------------------------------------------- */

struct holders_worker *holders_worker_open(struct objects *objects)
{
	struct holders_worker *worker = calloc(1, sizeof *worker);

	if (!worker)
		return NULL;
	worker->objects = objects;
	smaps_ladder_init(&worker->ladder, objects->host, objects->limits, SMAPS_FULL, &holders_use,
			  worker);
	return worker;
}

void holders_worker_close(struct holders_worker *worker)
{
	smaps_ladder_clear(&worker->ladder);
	free(worker->processes);
	free(worker);
}

int holders_worker_begin(struct holders_worker *worker, uint64_t rows)
{
	if (rows > worker->room) {
		void *bigger =
			reallocarray(worker->processes, (size_t)rows, sizeof *worker->processes);

		if (!bigger)
			return -ENOMEM;
		worker->processes = bigger;
		worker->room = rows;
	}
	return smaps_ladder_begin(&worker->ladder, rows);
}

void holders_worker_add(struct holders_worker *worker, const struct memory_process *process)
{
	struct holders_process *copy = &worker->processes[process->row];

	if (!is_all_wanted(worker->objects) && !is_chosen(worker->objects, process->target->tgid))
		return;
	*copy = (struct holders_process){.pid = process->target->tgid};
	size_t room =
		process->pcomm_len < sizeof copy->pcomm ? process->pcomm_len : sizeof copy->pcomm;
	copy->pcomm_len = (uint32_t)strnlen(process->pcomm, room);
	memcpy(copy->pcomm, process->pcomm, copy->pcomm_len);
	smaps_ladder_add(&worker->ladder, (struct smaps_want){.row = process->row,
							      .exited = process->exited,
							      .left_out = process->left_out});
}

void holders_worker_finish(struct holders_worker *worker, struct ctprof_batch *batch)
{
	smaps_ladder_finish(&worker->ladder, batch);
}
