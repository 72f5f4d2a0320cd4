/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "objects.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "slots.h"

static const struct object_group *const groups[N_OBJECT_GROUPS] = {
	[GROUP_LEDGER] = &ledger_group,     [GROUP_TMPFS] = &tmpfs_group,
	[GROUP_FILES] = &files_group,       [GROUP_SYSV] = &sysv_group,
	[GROUP_SHARED] = &shared_group,     [GROUP_SWAP] = &swap_group,
	[GROUP_MAPPINGS] = &mappings_group,
};

/* ---- putting ----------------------------------------------------------- */

int object_row_add(struct objects *objects, enum object_group_id group, struct ctprof_batch *batch,
		   struct text name, struct object_row *ret)
{
	const struct ctprof_host *host = objects->host;
	uint64_t row;
	int result = host->object(batch, groups[group]->name, name.p, name.len, &row);

	if (result == 0)
		*ret = (struct object_row){host, batch, row, objects->slots[group]};
	return result;
}

void object_row_put(const struct object_row *row, unsigned metric, uint64_t value)
{
	row->host->put_u64(row->batch, row->row, row->slots[metric], value);
}

void object_row_put_text(const struct object_row *row, unsigned metric, struct text text)
{
	row->host->put_text(row->batch, row->row, row->slots[metric], text.p, text.len);
}

void object_row_put_word(const struct object_row *row, unsigned metric, const char *word)
{
	object_row_put_text(row, metric, text_of(word));
}

void object_row_put_amount(const struct object_row *row, unsigned metric, struct amount amount)
{
	slots_put_u64(row->host, row->batch, row->row, row->slots[metric], amount.absent,
		      amount.bytes);
}

void object_row_put_device(const struct object_row *row, unsigned metric, uint32_t major,
			   uint32_t minor)
{
	char device[24];

	(void)snprintf(device, sizeof device, "%" PRIu32 ":%" PRIu32, major, minor);
	object_row_put_word(row, metric, device);
}

/* ---- opening ----------------------------------------------------------- */

static int order_pids(const void *a, const void *b)
{
	return order_u64((uint64_t) * (const int32_t *)a, (uint64_t) * (const int32_t *)b);
}

static int parse_pids(struct objects *objects, const char *given)
{
	char *rest = (char *)(uintptr_t)given;

	objects->pids = calloc(strlen(given) + 1, sizeof *objects->pids);
	if (!objects->pids)
		return -ENOMEM;
	do
		objects->pids[objects->n_pids++] = (int32_t)strtol(rest, &rest, 10);
	while (*rest++ == ',');
	objects->n_pids = list_sort_unique(objects->pids, objects->n_pids, sizeof *objects->pids,
					   order_pids, order_pids);
	return 0;
}

void objects_close(struct objects *objects)
{
	if (objects->holding)
		holders_clear(&objects->holders);
	if (objects->walk)
		walk_clear(objects->walk);
	pool_clear(&objects->names, free);
	mounts_clear(&objects->mounts);
	sysv_clear(&objects->sysv);
	free(objects->walk);
	free(objects->ledger);
	free(objects->pids);
}

int objects_open(struct objects *ret, const struct ctprof_host *host, struct smaps_limits *limits)
{
	const char *pids = host->option(host, "pid");

	*ret = (struct objects){
		.host = host, .limits = limits, .names.max = SIZE_MAX, .sysv_error = 1};
	int result = pids ? parse_pids(ret, pids) : 0;
	for (size_t i = 0; result == 0 && i < N_OBJECT_GROUPS; i++)
		result = slots_declare(host, groups[i]->metrics, groups[i]->n_metrics,
				       ret->slots[i]);
	if (result < 0)
		objects_close(ret);
	return result;
}

/* ---- starting ---------------------------------------------------------- */

static void read_mounts(struct objects *objects)
{
	const struct ctprof_host *host = objects->host;

	objects->mounts_error = mounts_read(host, "self/mountinfo", &objects->mounts);
	/* A recorded tree may lack mountinfo. */
	if (objects->mounts_error < 0 && (objects->mounts_error != -ENOENT || host->live(host)))
		host->log(host, CTPROF_LOG_WARNING,
			  "mountinfo cannot be read (%s): tmpfs mounts will be missing",
			  strerror(-objects->mounts_error));
}

/* Whether anything is swapped out, or may be because meminfo cannot be read. */
static bool is_swap_used(const struct ctprof_host *host)
{
	char text[MEMINFO_BYTES];
	struct meminfo info;
	uint64_t used;
	ssize_t got = file_read_root(host, CTPROF_ROOT_PROC, "meminfo", text, sizeof text);

	if (got < 0)
		return true;
	meminfo_parse(text, (size_t)got, &info);
	return !ledger_swap_used(&info, &used) || used > 0;
}

/* Determines which values of processes are wanted, if any. */
static void start_holders(struct objects *objects)
{
	bool mappings = objects->wanted[GROUP_MAPPINGS];
	unsigned wanted = mappings ? FOLD_PRIVATE : 0;

	if (objects->wanted[GROUP_SWAP] && is_swap_used(objects->host))
		wanted |= FOLD_BY_NAME;
	else if (!objects->wanted[GROUP_SHARED])
		objects->wanted[GROUP_SWAP] = false; /* so that no process is read for it */
	if (!objects->wanted[GROUP_SHARED] && !objects->wanted[GROUP_SWAP] && !mappings)
		return;
	holders_init(&objects->holders, objects->host, &objects->mounts, wanted);
	objects->holding = true;
}

void objects_start(struct objects *objects)
{
	bool any = false;

	for (size_t i = 0; i < N_OBJECT_GROUPS; i++) {
		objects->wanted[i] =
			slots_wanted(objects->host, objects->slots[i], groups[i]->n_metrics);
		any = any || (objects->wanted[i] && i != GROUP_SYSV);
	}
	if (any)
		read_mounts(objects);
	start_holders(objects);
}

void objects_again(struct objects *objects)
{
	struct objects fresh = {.host = objects->host,
				.limits = objects->limits,
				.pids = objects->pids,
				.n_pids = objects->n_pids,
				.names.max = SIZE_MAX,
				.sysv_error = 1};

	memcpy(fresh.slots, objects->slots, sizeof fresh.slots);
	objects->pids = NULL;
	objects_close(objects);
	*objects = fresh;
	objects_start(objects);
}

/* ---- rows -------------------------------------------------------------- */

int objects_read_sysv(struct objects *objects)
{
	const struct ctprof_host *host = objects->host;

	if (objects->sysv_error <= 0)
		return objects->sysv_error;
	objects->sysv_error = sysv_read(host, &objects->sysv);
	if (objects->sysv_error < 0 && objects->sysv_error != -ENOENT)
		host->log(host, CTPROF_LOG_WARNING, "sysvipc/shm cannot be read: %s",
			  strerror(-objects->sysv_error));
	if (objects->sysv.n_malformed > 0)
		host->log(host, CTPROF_LOG_WARNING, "sysvipc/shm: %zu malformed rows left out",
			  objects->sysv.n_malformed);
	return objects->sysv_error;
}

void objects_settle(struct objects *objects)
{
	if (!objects->settled && objects->holding)
		holders_settle(&objects->holders);
	objects->settled = true;
}

static void end_group(struct objects *objects)
{
	const struct object_group *group = groups[objects->group];

	if (objects->wanted[objects->group] && group->end)
		group->end(objects);
	pool_clear(&objects->names, free);
	objects->next = 0;
	objects->group++;
}

int objects_emit(struct objects *objects, struct ctprof_batch *batch)
{
	int result = 0;

	while (result == 0 && objects->group < N_OBJECT_GROUPS) {
		if (objects->wanted[objects->group])
			result = groups[objects->group]->emit(objects, batch);
		if (result == 0)
			end_group(objects);
	}
	return result == -ENOSPC ? 0 : result;
}
