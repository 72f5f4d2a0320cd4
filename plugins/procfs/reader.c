/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup-lines.h"
#include "file.h"
#include "slots.h"

#define BUFFER_FIRST (16u * 1024)
/* status lists up to 65536 groups of up to ten digits; no other file is long. */
#define BUFFER_MAX (256u * 1024)

/* The row being filled. */
struct cell {
	struct reader *reader;
	struct ctprof_batch *batch;
	uint64_t row;
	const struct ctprof_target *target;
};

int plan_register(struct plan *plan, const struct ctprof_host *host)
{
	plan->host = host;
	files_index_build(&plan->index);
	return slots_declare_rows(host, procfs_metrics, sizeof *procfs_metrics, N_METRICS,
				  plan->slots);
}

static uint32_t v1_slot(const struct plan *plan)
{
	return plan->slots[plan->index.first[FILE_CGROUP] + 1];
}

/* The cgroup file of ctprof itself shows this. */
static bool lacks_v1(const struct ctprof_host *host)
{
	char text[CGROUP_LINES_BYTES];
	ssize_t got = file_read_root(host, CTPROF_ROOT_PROC, "self/cgroup", text, sizeof text);

	return got > 0 && !cgroup_lines_have_v1((struct text){text, (size_t)got});
}

void plan_settle(struct plan *plan)
{
	const struct ctprof_host *host = plan->host;

	plan->no_v1 = host->wanted(host, v1_slot(plan)) && lacks_v1(host);
	plan->asks = file_shows_own_pids(host);
	memset(plan->n_wanted, 0, sizeof plan->n_wanted);
	memset(plan->of_threads, 0, sizeof plan->of_threads);
	for (uint8_t row = 0; row < N_METRICS; row++) {
		uint8_t file = procfs_metrics[row].file;

		if (!host->wanted(host, plan->slots[row]))
			continue;
		plan->wanted_slots[file][plan->n_wanted[file]] = plan->slots[row];
		plan->wanted[file][plan->n_wanted[file]++] = row;
		plan->of_threads[file] |= procfs_metrics[row].def.scope == CTPROF_SCOPE_THREAD;
	}
	if (plan->n_wanted[FILE_PASSWD] > 0 && !plan->passwd.is_read)
		passwd_read(host, &plan->passwd);
}

void plan_clear(struct plan *plan)
{
	passwd_clear(&plan->passwd);
}

int reader_init(struct reader *ret, const struct plan *plan, struct still *still)
{
	ret->plan = plan;
	ret->still = still;
	ret->size = BUFFER_FIRST;
	ret->buf = malloc(ret->size);
	return ret->buf ? 0 : -ENOMEM;
}

void reader_clear(struct reader *reader)
{
	free(reader->buf);
	reader->buf = NULL;
}

void reader_begin(struct reader *reader)
{
	reader->process = 0;
}

/* ---- putting ---------------------------------------------------------- */

/* The system call is tried first, as it needs neither a file nor a list. */
static void put_cpus(const struct cell *cell, uint32_t slot, const struct value *value)
{
	const struct plan *plan = cell->reader->plan;
	struct affinity *affinity = &cell->reader->affinity;

	if ((plan->asks && affinity_ask(affinity, cell->target->tid)) ||
	    (value->why == CTPROF_PRESENT && affinity_read(affinity, value->text)))
		plan->host->put_cpuset(cell->batch, cell->row, slot, affinity->cpus, affinity->n);
	else if (value->why != CTPROF_ABSENT_UNSUPPORTED)
		plan->host->put_absent(cell->batch, cell->row, slot,
				       value->why == CTPROF_PRESENT ? CTPROF_ABSENT_INVALID
								    : value->why);
}

static void put_cgroups(const struct cell *cell, uint32_t slot, struct text text)
{
	struct ctprof_map_entry entries[CGROUP_CONTROLLERS];
	size_t n = cgroup_lines_v1(text, entries);

	cell->reader->plan->host->put_map(cell->batch, cell->row, slot, entries, n);
}

static void put_value(const struct cell *cell, unsigned row, const struct value *value)
{
	const struct ctprof_host *host = cell->reader->plan->host;
	const struct ctprof_metric *def = &procfs_metrics[row].def;
	uint32_t slot = cell->reader->plan->slots[row];

	if (def->scope == CTPROF_SCOPE_PROCESS && !(cell->target->flags & CTPROF_TARGET_LEADER))
		return;
	if (def->kind == CTPROF_CPUSET) {
		put_cpus(cell, slot, value);
	} else if (value->why != CTPROF_PRESENT) {
		/* Values that no file contains are left to another source. */
		if (value->why != CTPROF_ABSENT_UNSUPPORTED)
			host->put_absent(cell->batch, cell->row, slot, value->why);
	} else if (def->kind == CTPROF_MAP) {
		put_cgroups(cell, slot, value->text);
	} else if (def->kind == CTPROF_ORDINAL) {
		host->put_i64(cell->batch, cell->row, slot, (int64_t)value->bits);
	} else if (def->unit == CTPROF_UNIT_TEXT) {
		host->put_text(cell->batch, cell->row, slot, value->text.p, value->text.len);
	} else {
		host->put_u64(cell->batch, cell->row, slot, value->bits);
	}
}

static void put_user(const struct cell *cell)
{
	const struct plan *plan = cell->reader->plan;
	const struct value *uid = &cell->reader->values[plan->index.uid - 1];

	if (uid->why == CTPROF_PRESENT && cell->target->flags & CTPROF_TARGET_LEADER)
		passwd_put(&plan->passwd, plan->host, cell->batch, cell->row,
			   plan->slots[METRIC_USER], uid->bits);
}

static void put_file(const struct cell *cell, enum file_id file)
{
	const struct plan *plan = cell->reader->plan;

	for (unsigned i = 0; i < plan->n_wanted[file]; i++) {
		unsigned row = plan->wanted[file][i];

		put_value(cell, row, &cell->reader->values[row]);
	}
	if (file == FILE_STATUS && plan->n_wanted[FILE_PASSWD] > 0)
		put_user(cell);
}

/* ---- reading ---------------------------------------------------------- */

static bool grow(struct reader *reader)
{
	if (reader->size >= BUFFER_MAX)
		return false;
	char *bigger = realloc(reader->buf, BUFFER_MAX);
	if (!bigger)
		return false;
	reader->buf = bigger;
	reader->size = BUFFER_MAX;
	return true;
}

static ssize_t read_file(struct reader *reader, int dirfd, const char *path)
{
	const struct ctprof_host *host = reader->plan->host;
	ssize_t got = file_read_at(host, dirfd, path, reader->buf, reader->size);

	if (got == -EFBIG && grow(reader))
		got = file_read_at(host, dirfd, path, reader->buf, reader->size);
	return got;
}

static void count_negative(struct reader *reader, enum file_id file)
{
	unsigned first = reader->plan->index.first[file];

	for (unsigned row = first; row < first + reader->plan->index.count[file]; row++)
		reader->tally.negative += reader->values[row].negative ? 1 : 0;
}

static void file_done(const struct cell *cell, enum file_id file, size_t len)
{
	struct reader *reader = cell->reader;

	procfs_files[file].parse(&reader->plan->index, file, (struct text){reader->buf, len},
				 reader->values);
	count_negative(reader, file);
	put_file(cell, file);
}

/* Handles a failed file of a thread whose stat could be read. */
static void file_failed(const struct cell *cell, enum file_id file, int err)
{
	struct reader *reader = cell->reader;
	const struct plan *plan = reader->plan;
	bool no_entry = err == ENOENT || err == ESRCH;
	bool gone =
		no_entry && thread_file_gone(plan->host, cell->target->task_fd, cell->target->tid);
	uint32_t why = gone       ? (uint32_t)CTPROF_ABSENT_VANISHED
		       : no_entry ? (uint32_t)CTPROF_ABSENT_UNSUPPORTED
				  : file_absence(err);

	tally_failure(&reader->tally, file, gone ? ESRCH : err);
	reader->failed = true;
	for (unsigned i = 0; i < plan->n_wanted[file]; i++) {
		struct value *value = &reader->values[plan->wanted[file][i]];

		value->why = why;
		value->negative = false;
	}
	put_file(cell, file);
}

/* ---- the name of the process ------------------------------------------ */

static void keep_process_name(const struct cell *cell, unsigned row)
{
	struct reader *reader = cell->reader;
	const struct value *name = &reader->values[row];

	if (name->why != CTPROF_PRESENT || name->text.len > sizeof reader->process_name)
		return;
	memcpy(reader->process_name, name->text.p, name->text.len);
	reader->process_len = name->text.len;
	reader->process = cell->target->tgid;
}

/* True if the previous row was of the same process and had the name. */
static bool put_process_name(const struct cell *cell)
{
	struct reader *reader = cell->reader;
	struct value *value = &reader->values[reader->plan->index.first[FILE_PCOMM]];

	if (reader->process != cell->target->tgid)
		return false;
	value_parse_verbatim((struct text){reader->process_name, reader->process_len}, value);
	put_file(cell, FILE_PCOMM);
	return true;
}

/* ---- values of the last sample ---------------------------------------- */

/* Whether the thread has not run since the values kept of it were read. */
static bool is_still(const struct reader *reader)
{
	return reader->known && reader->mark != 0 && reader->known->mark == reader->mark;
}

static bool is_kept(const struct reader *reader, enum file_id file)
{
	/* Some values also change while a thread does not run: see sched_changes(). */
	return file == FILE_COMM || (file >= STILL_FIRST_FILE && file <= STILL_LAST_FILE &&
				     (file != FILE_SCHED || !reader->still->sched_changes));
}

static void put_kept(const struct cell *cell, enum file_id file)
{
	struct reader *reader = cell->reader;
	const struct files_index *index = &reader->plan->index;
	const struct still_thread *known = reader->known;

	if (file == FILE_COMM)
		value_parse_verbatim((struct text){known->name, known->name_len},
				     &reader->values[index->first[FILE_COMM]]);
	else
		still_restore(known, index, file, reader->values);
	put_file(cell, file);
	if (file == FILE_COMM && cell->target->flags & CTPROF_TARGET_LEADER)
		keep_process_name(cell, index->first[FILE_COMM]);
}

static void keep_name(struct reader *reader)
{
	const struct value *name = &reader->values[reader->plan->index.first[FILE_COMM]];
	struct still_thread *known = reader->known;

	if (!known)
		return;
	known->mark = 0;
	if (name->why != CTPROF_PRESENT || name->text.len > sizeof known->name) {
		reader->failed = true;
		return;
	}
	memcpy(known->name, name->text.p, name->text.len);
	known->name_len = (uint8_t)name->text.len;
}

/* ---- one thread ------------------------------------------------------- */

static void read_one(const struct cell *cell, enum file_id id)
{
	struct reader *reader = cell->reader;
	const struct ctprof_target *target = cell->target;
	const struct procfs_file *file = &procfs_files[id];
	bool is_leader = target->flags & CTPROF_TARGET_LEADER;
	char path[THREAD_FILE_PATH_MAX];

	if (((file->leader || !reader->plan->of_threads[id]) && !is_leader) ||
	    (id == FILE_PCOMM && put_process_name(cell)))
		return;
	if (is_kept(reader, id) && is_still(reader)) {
		put_kept(cell, id);
		return;
	}
	if (!file->path)
		thread_file_path(path, target->tid, file->name);
	ssize_t got = read_file(reader, target->task_fd, file->path ? file->path : path);
	if (got < 0) {
		file_failed(cell, id, (int)-got);
		return;
	}
	file_done(cell, id, (size_t)got);
	if (id == FILE_SCHEDSTAT && reader->stat_mark)
		reader->mark = still_mark_schedstat(
			reader->stat_mark, (struct text){reader->buf, (size_t)got}, target->tid);
	if (id == FILE_COMM)
		keep_name(reader);
	if (id == FILE_PCOMM || (id == FILE_COMM && is_leader))
		keep_process_name(cell, reader->plan->index.first[id]);
}

/* Whether an earlier source has filled everything that the file provides for this
 * row. */
static bool is_filled(const struct cell *cell, enum file_id file)
{
	const struct plan *plan = cell->reader->plan;

	return slots_filled(plan->host, cell->batch, cell->row, plan->wanted_slots[file],
			    plan->n_wanted[file]);
}

/* Reads schedstat first: it shows whether the thread has run, and must be read before any value
 * that may be kept. */
static void begin_still(const struct cell *cell, struct text stat)
{
	struct reader *reader = cell->reader;

	if (reader->plan->n_wanted[FILE_SCHEDSTAT] == 0 || is_filled(cell, FILE_SCHEDSTAT))
		return;
	reader->known = still_find(reader->still, cell->target->tid);
	reader->stat_mark = reader->known ? still_mark_stat(stat) : 0;
	read_one(cell, FILE_SCHEDSTAT);
	reader->stat_mark = 0;
}

/* stat is read first and decides: without it, the thread has ended. */
static bool read_stat(const struct cell *cell, struct stat_line *ret_line)
{
	struct reader *reader = cell->reader;
	char path[THREAD_FILE_PATH_MAX];

	thread_file_path(path, cell->target->tid, procfs_files[FILE_STAT].name);
	ssize_t got = read_file(reader, cell->target->task_fd, path);
	if (got == -ENOENT || got == -ESRCH)
		return false;
	if (got < 0) {
		file_failed(cell, FILE_STAT, (int)-got);
		return true;
	}
	if (cell->target->flags & CTPROF_TARGET_LEADER)
		(void)stat_line_parse((struct text){reader->buf, (size_t)got}, ret_line);
	file_done(cell, FILE_STAT, (size_t)got);
	if (reader->still->is_on && reader->plan->asks)
		begin_still(cell, (struct text){reader->buf, (size_t)got});
	return true;
}

bool reader_read_thread(struct reader *reader, struct ctprof_batch *batch, uint64_t row,
			struct stat_line *ret_line)
{
	const struct plan *plan = reader->plan;
	const struct cell cell = {reader, batch, row, ctprof_batch_target(batch, row)};
	bool ladder = plan->n_wanted[FILE_SMAPS] > 0 && (cell.target->flags & CTPROF_TARGET_LEADER);
	/* A source that filled these values has seen the thread, so stat need not be read. */
	bool stat = plan->n_wanted[FILE_STAT] > 0 ? !is_filled(&cell, FILE_STAT) : ladder;

	*ret_line = (struct stat_line){0};
	reader->tally.threads++;
	reader->known = NULL;
	reader->stat_mark = reader->mark = 0;
	reader->failed = false;
	if (cell.target->task_fd < 0)
		return false;
	/* Do this in any case, as the file may have nothing else to provide. */
	if (plan->no_v1)
		plan->host->put_absent(batch, row, v1_slot(plan), CTPROF_ABSENT_INAPPLICABLE);
	if (stat && !read_stat(&cell, ret_line))
		return false;
	for (unsigned file = FILE_STAT + 1; file < N_READ_FILES; file++)
		if (plan->n_wanted[file] > 0 && !is_filled(&cell, file))
			read_one(&cell, file);
	if (reader->known && !is_still(reader))
		still_keep(reader->known, reader->failed ? 0 : reader->mark, &plan->index,
			   reader->values);
	return true;
}
