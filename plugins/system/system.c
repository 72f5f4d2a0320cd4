/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads activity of the whole host: CPU time, load, paging, disks, network devices. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/source.h"
#include "descriptor.h"
#include "file.h"
#include "instance.h"
#include "need.h"
#include "parse.h"
#include "slots.h"

/* Room for stat of 8192 CPUs; unused pages cost nothing. */
#define MAX_FILE (4u << 20)
#define GROUP(file) system_metrics[(file)->first].group

/* The files below the proc root. */
static const struct file {
	const char *path;
	size_t first, end; /* its metrics */
	system_take *take;
} files[] = {
	{"stat", SYSTEM_STAT, SYSTEM_LOAD, system_take_stat},
	{"loadavg", SYSTEM_LOAD, SYSTEM_VMSTAT, system_take_load},
	{"vmstat", SYSTEM_VMSTAT, SYSTEM_MEMORY, system_take_vmstat},
	{"meminfo", SYSTEM_MEMORY, SYSTEM_DISKS, system_take_memory},
	{"diskstats", SYSTEM_DISKS, SYSTEM_DISK, system_take_disks},
	{"diskstats", SYSTEM_DISK, SYSTEM_NET, system_take_disk},
	{"net/dev", SYSTEM_NET, SYSTEM_N_METRICS, system_take_net},
};

#define FILES_END (files + sizeof files / sizeof files[0])

struct system {
	const struct ctprof_host *host;
	uint32_t slots[SYSTEM_N_METRICS];
	/* State kept because a batch may be full before the file ends. */
	const struct file *file;
	char *text; /* its content, or NULL */
	struct system_rows rows;
};

static int system_open(const struct ctprof_host *host, void **ret_self)
{
	struct system *self = instance_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	self->host = host;
	self->file = files;
	return instance_give(
		self, slots_declare(host, system_metrics, SYSTEM_N_METRICS, self->slots), ret_self);
}

static void drop_text(struct system *self)
{
	free(self->text);
	self->text = NULL;
}

static void system_close(void *self)
{
	drop_text(self);
	instance_free(self);
}

static bool is_there(const struct system *self, const struct file *file)
{
	return file_check_root(self->host, CTPROF_ROOT_PROC, file->path) == 0;
}

/* Returns the state of a group when one of its files is missing. */
static uint32_t state_without(const struct system *self, const char *group)
{
	for (const struct file *file = files; file < FILES_END; file++)
		if (strcmp(GROUP(file), group) == 0 && is_there(self, file))
			return CTPROF_PARTLY;
	return CTPROF_FAILS;
}

/* Reads the file; 0 or -errno. */
static int load(struct system *self)
{
	ssize_t got = file_load_records(self->host, CTPROF_ROOT_PROC, self->file->path, MAX_FILE,
					&self->text);

	if (got < 0)
		return (int)got;
	self->rows = (struct system_rows){.rest = {self->text, (size_t)got}};
	/* A truncated number would be wrong. */
	return got > 0 && self->text[got - 1] != '\n' ? -EIO : 0;
}

/* Reports the values of the host in a file that this kernel does not count. */
static void judge_values(struct system *self)
{
	const struct file *file = self->file;
	struct slots_value values[SYSTEM_N_METRICS];
	const char *first = NULL;
	unsigned n = 0;
	char why[192];

	if (system_metrics[file->first].scope != CTPROF_SCOPE_HOST || load(self) < 0)
		return;
	if (!file->take(&self->rows, values))
		return;
	for (size_t i = file->first; i < file->end; i++)
		if (values[i - file->first].why == CTPROF_ABSENT_UNSUPPORTED && n++ == 0)
			first = system_metrics[i].name;
	if (n == 0)
		return;
	(void)snprintf(why, sizeof why,
		       n > 1 ? "%s and %u more are absent: the kernel does not count them"
			     : "%s is absent: the kernel does not count it",
		       first, n - 1);
	finding_put(self->host, GROUP(file), CTPROF_PARTLY, why,
		    "a newer kernel, or one with the options that `ctprof metric-list` shows");
}

static void judge_file(struct system *self)
{
	const struct file *file = self->file;
	char why[64];

	if (is_there(self, file)) {
		judge_values(self);
		drop_text(self);
		return;
	}
	(void)snprintf(why, sizeof why, "proc/%s cannot be opened", file->path);
	finding_put(self->host, GROUP(file), state_without(self, GROUP(file)), why,
		    FILE_PROC_WHOLE);
}

static int system_probe(void *data)
{
	struct system *self = data;

	for (self->file = files; self->file < FILES_END; self->file++)
		judge_file(self);
	self->file = files;
	return 0;
}

/* Reports why the file has no values. */
static void put_failure(const struct system *self, struct ctprof_batch *batch, int error)
{
	const struct ctprof_host *host = self->host;
	const struct file *file = self->file;

	if (batch->scope == CTPROF_SCOPE_HOST)
		slots_put_absent(host, batch, 0, &self->slots[file->first], file->end - file->first,
				 file_absence(-error));
	else if (error != -ENOENT || host->live(host)) /* this is normal for a recorded tree */
		host->log(host, CTPROF_LOG_WARNING, "%s cannot be read (%s): no rows of %s",
			  file->path, strerror(-error), GROUP(file));
}

/* Adds the remaining rows of the file; 0, or -ENOSPC if the batch is full. */
static int put_rows(struct system *self, struct ctprof_batch *batch)
{
	const struct ctprof_host *host = self->host;
	const struct file *file = self->file;
	struct slots_value values[SYSTEM_N_METRICS];
	struct system_rows next = self->rows;

	for (uint64_t row = 0; file->take(&next, values); self->rows = next) {
		if (batch->scope == CTPROF_SCOPE_OBJECT &&
		    host->object(batch, GROUP(file), next.name.p, next.name.len, &row) < 0)
			return -ENOSPC;
		slots_put_values(host, batch, row, &self->slots[file->first], values,
				 file->end - file->first);
	}
	return 0;
}

static int collect_file(struct system *self, struct ctprof_batch *batch)
{
	const struct file *file = self->file;
	int result = 0;

	if (system_metrics[file->first].scope != batch->scope ||
	    !slots_wanted(self->host, &self->slots[file->first], file->end - file->first))
		return 0;
	if (!self->text)
		result = load(self);
	if (result == 0)
		result = put_rows(self, batch);
	if (result == -ENOSPC)
		return result;
	if (result < 0)
		put_failure(self, batch, result);
	drop_text(self);
	return 0;
}

/* Called once for the values of the host, then for objects until there are no more. */
static int system_collect(void *data, void *context, struct ctprof_batch *batch)
{
	struct system *self = data;

	(void)context;
	while (self->file < FILES_END && collect_file(self, batch) == 0)
		self->file++;
	if (batch->scope == CTPROF_SCOPE_HOST)
		self->file = files;
	return 0;
}

static int system_again(void *data)
{
	struct system *self = data;

	drop_text(self);
	self->file = files;
	return 0;
}

static const struct ctprof_need needs[] = {
	NEED_PARTLY(FILE, "proc/stat", "system.cpu.*, system.ctxt and others"),
	NEED_PARTLY(FILE, "proc/loadavg", "system.load.*"),
	NEED_PARTLY(FILE, "proc/vmstat", "system.vmstat.*"),
	NEED_PARTLY(FILE, "proc/meminfo", "system.memory.*, system.swap.*"),
	NEED_PARTLY(FILE, "proc/diskstats", "system-disks, system.disk.*"),
	NEED_PARTLY(FILE, "proc/net/dev", "system-net"),
	NEED_PARTLY(KCONFIG, "CONFIG_VM_EVENT_COUNTERS", "system.vmstat.*"),
};

SOURCE_PLUGIN("system", SERIAL, CHEAP,
	      "CPU time, load, paging, disks and network devices of the host",
	      SOURCE_OPS(.open = system_open, .close = system_close, .probe = system_probe,
			 .collect = system_collect, .again = system_again))
