/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads statistics of the scheduler for each CPU and scheduling domain. */
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

#define PATH "schedstat"
#define SWITCH "sys/kernel/sched_schedstats"
/* Room for 8192 CPUs with 6 domains each; unused pages cost nothing. */
#define MAX_FILE (16u << 20)
#define MAX_CPUS 8192u
#define MAX_LEVELS 16u

#define GROUP "schedstat"
#define GROUP_CPUS "schedstat-cpus"
#define GROUP_DOMAINS "schedstat-domains"

#define MISSING "proc/schedstat does not exist: CONFIG_SCHEDSTATS is not set"
#define MALFORMED "proc/schedstat does not begin with its version"
#define OFF "kernel.sched_schedstats is 0"
#define REMEDY_OFF "sysctl kernel.sched_schedstats=1"

struct schedstat {
	const struct ctprof_host *host;
	uint32_t slots[SCHEDSTAT_N_METRICS];
	bool is_off; /* the kernel counts nothing that can be switched off */
	/* State that is kept because a batch may be full before the file ends. */
	char *text; /* content of the file, or NULL */
	struct schedstat_rows rows;
	bool is_done;
	uint32_t cpus[MAX_CPUS];
};

/* Sums of the domains of a level. */
struct level {
	struct text name;
	struct slots_value sums[N_LEVEL_VALUES];
};

struct sums {
	struct slots_value cpus[N_CPU_VALUES];
	struct level levels[MAX_LEVELS];
	size_t n_levels;
	bool is_overfull; /* there are more levels */
};

static int schedstat_open(const struct ctprof_host *host, void **ret_self)
{
	struct schedstat *self = instance_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	self->host = host;
	return instance_give(
		self, slots_declare(host, schedstat_metrics, SCHEDSTAT_N_METRICS, self->slots),
		ret_self);
}

static void drop_text(struct schedstat *self)
{
	free(self->text);
	self->text = NULL;
}

static void schedstat_close(void *self)
{
	drop_text(self);
	instance_free(self);
}

/* ---- what works ---------------------------------------------------------- */

/* Whether statistics are switched off.  Kernels before 4.6 have no switch and always count. */
static bool is_off(const struct ctprof_host *host)
{
	return !file_is_on(host, SWITCH, true);
}

/* Whether the file can be used: returns 0, or -errno with the reason in why. */
static int judge(const struct ctprof_host *host, char why[128])
{
	struct schedstat_rows rows;
	char text[32];
	ssize_t got = file_read_records_at(host, host->root(host, CTPROF_ROOT_PROC), PATH, text,
					   sizeof text);
	int error = -EOPNOTSUPP;

	if (got == -EACCES || got == -EPERM) {
		error = (int)got;
		(void)snprintf(why, 128, "proc/schedstat cannot be read: %s", strerror(-error));
	} else if (got < 0) {
		(void)snprintf(why, 128, "%s",
			       file_proc_is_partial(host) ? FILE_PROC_PARTIAL : MISSING);
	} else if (!schedstat_begin((struct text){text, (size_t)got}, &rows)) {
		(void)snprintf(why, 128, "%s", MALFORMED);
	} else if (rows.version < SCHEDSTAT_VERSION_MIN || rows.version > SCHEDSTAT_VERSION_MAX) {
		(void)snprintf(why, 128, "proc/schedstat has version %u (known are %u to %u)",
			       rows.version, SCHEDSTAT_VERSION_MIN, SCHEDSTAT_VERSION_MAX);
	} else {
		return 0;
	}
	return error;
}

static int schedstat_probe(void *data)
{
	static const char *const groups[] = {GROUP, GROUP_CPUS, GROUP_DOMAINS};
	const struct schedstat *self = data;
	const struct ctprof_host *host = self->host;
	char why[128];
	int result = judge(host, why);
	const char *remedy = strcmp(why, FILE_PROC_PARTIAL) == 0 ? FILE_PROC_WHOLE
			     : strcmp(why, MISSING) == 0         ? "CONFIG_SCHEDSTATS=y"
								 : NULL;
	bool off = result == 0 && is_off(host);

	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
		if (result < 0)
			finding_put(host, groups[i], CTPROF_FAILS, why, remedy);
		else if (!off)
			finding_put(host, groups[i], CTPROF_WORKS, NULL, NULL);
		else if (i < 2)
			finding_put(host, groups[i], CTPROF_PARTLY,
				    "only run time, delay and timeslices: " OFF, REMEDY_OFF);
		else
			finding_put(host, groups[i], CTPROF_FAILS, OFF, REMEDY_OFF);
	return 0;
}

static int schedstat_start(void *data)
{
	const struct schedstat *self = data;
	char why[128];
	int result = judge(self->host, why);

	if (result < 0)
		self->host->error(self->host, "%s", why);
	return result;
}

/* ---- reading --------------------------------------------------------------- */

/* Reads the file; 0 or -errno. */
static int load(struct schedstat *self)
{
	ssize_t got = file_load_records(self->host, CTPROF_ROOT_PROC, PATH, MAX_FILE, &self->text);

	if (got < 0)
		return (int)got;
	self->is_off = is_off(self->host);
	/* A truncated number would be wrong. */
	return schedstat_begin((struct text){self->text, (size_t)got}, &self->rows) &&
			       self->text[got - 1] == '\n'
		       ? 0
		       : -EIO;
}

/* Takes the next row; marks values that the kernel does not count at present as absent. */
static bool take(const struct schedstat *self, struct schedstat_rows *rows,
		 struct schedstat_row *ret)
{
	if (!schedstat_take(rows, ret))
		return false;
	if (self->is_off)
		for (uint32_t i = 0; i < ret->n; i++)
			if (ret->domain.len > 0 || i < CPU_COUNTED_ALWAYS)
				ret->values[i].why = CTPROF_ABSENT_UNSUPPORTED;
	return true;
}

/* ---- the host --------------------------------------------------------------- */

static void add_domain(struct sums *sums, const struct schedstat_row *row)
{
	size_t i = 0;

	while (i < sums->n_levels && text_order(sums->levels[i].name, row->level) != 0)
		i++;
	if (i == MAX_LEVELS) {
		sums->is_overfull = true;
		return;
	}
	if (i == sums->n_levels)
		sums->levels[sums->n_levels++].name = row->level;
	for (size_t v = 0; v < N_LEVEL_VALUES; v++)
		schedstat_add(&sums->levels[i].sums[v], &row->values[schedstat_level_values[v]]);
}

static void put_levels(const struct schedstat *self, struct ctprof_batch *batch,
		       const struct sums *sums, size_t value)
{
	uint32_t slot = self->slots[SCHEDSTAT_LEVEL + value];
	struct ctprof_map_entry entries[MAX_LEVELS];
	uint32_t why = sums->is_overfull ? CTPROF_ABSENT_INVALID : CTPROF_PRESENT;

	for (size_t i = 0; i < sums->n_levels; i++) {
		const struct level *level = &sums->levels[i];

		if (why == CTPROF_PRESENT)
			why = level->sums[value].why;
		entries[i] = (struct ctprof_map_entry){.key = level->name.p,
						       .key_len = (uint32_t)level->name.len,
						       .number = level->sums[value].number};
	}
	if (why == CTPROF_PRESENT)
		self->host->put_map(batch, 0, slot, entries, sums->n_levels);
	else
		self->host->put_absent(batch, 0, slot, why);
}

static void collect_host(struct schedstat *self, struct ctprof_batch *batch)
{
	struct sums sums = {0};
	struct schedstat_row row;

	while (take(self, &self->rows, &row))
		if (row.domain.len > 0)
			add_domain(&sums, &row);
		else
			for (size_t i = 0; i < N_CPU_VALUES; i++)
				schedstat_add(&sums.cpus[i], &row.values[i]);
	slots_put_values(self->host, batch, 0, &self->slots[SCHEDSTAT_HOST], sums.cpus,
			 N_CPU_VALUES);
	for (size_t i = 0; i < N_LEVEL_VALUES; i++)
		put_levels(self, batch, &sums, i);
}

/* ---- CPUs and domains --------------------------------------------------------- */

static void put_domain(struct schedstat *self, struct ctprof_batch *batch, uint64_t at,
		       const struct schedstat_row *row)
{
	const struct ctprof_host *host = self->host;
	size_t n = schedstat_mask(row->mask, self->cpus, MAX_CPUS);

	host->put_text(batch, at, self->slots[SCHEDSTAT_DOMAIN_LEVEL], row->level.p,
		       row->level.len);
	if (n > 0)
		host->put_cpuset(batch, at, self->slots[SCHEDSTAT_DOMAIN_CPUS], self->cpus, n);
	else
		host->put_absent(batch, at, self->slots[SCHEDSTAT_DOMAIN_CPUS],
				 CTPROF_ABSENT_INVALID);
}

/* Puts an object; 0, or -ENOSPC if the batch is full. */
static int put_object(struct schedstat *self, struct ctprof_batch *batch,
		      const struct schedstat_row *row)
{
	bool is_domain = row->domain.len > 0;
	size_t first = is_domain ? SCHEDSTAT_DOMAIN : SCHEDSTAT_CPU;
	size_t n = is_domain ? SCHEDSTAT_N_METRICS - SCHEDSTAT_DOMAIN : N_CPU_VALUES;
	uint64_t at;
	char name[160];

	if (!slots_wanted(self->host, &self->slots[first], n))
		return 0;
	int len = snprintf(name, sizeof name, "%.*s%s%.*s", (int)row->cpu.len, row->cpu.p,
			   is_domain ? " " : "", (int)row->domain.len, row->domain.p);
	if (self->host->object(batch, is_domain ? GROUP_DOMAINS : GROUP_CPUS, name, (size_t)len,
			       &at) < 0)
		return -ENOSPC;
	slots_put_values(self->host, batch, at, &self->slots[first], row->values, row->n);
	if (is_domain)
		put_domain(self, batch, at, row);
	return 0;
}

/* Adds the remaining objects; 0, or -ENOSPC if the batch is full. */
static int collect_objects(struct schedstat *self, struct ctprof_batch *batch)
{
	struct schedstat_rows next = self->rows;
	struct schedstat_row row;

	for (; take(self, &next, &row); self->rows = next)
		if (put_object(self, batch, &row) < 0)
			return -ENOSPC;
	return 0;
}

/* ---- the plugin ---------------------------------------------------------------- */

static void put_failure(const struct schedstat *self, struct ctprof_batch *batch, int error)
{
	const struct ctprof_host *host = self->host;

	if (batch->scope == CTPROF_SCOPE_HOST)
		slots_put_absent(host, batch, 0, self->slots, SCHEDSTAT_CPU, file_absence(-error));
	else
		host->log(host, CTPROF_LOG_WARNING, "proc/schedstat cannot be read (%s): no rows",
			  strerror(-error));
}

/* Whether any value of that kind of batch is wanted. */
static bool is_wanted(const struct schedstat *self, uint32_t scope)
{
	return scope == CTPROF_SCOPE_HOST ? slots_wanted(self->host, self->slots, SCHEDSTAT_CPU)
					  : slots_wanted(self->host, &self->slots[SCHEDSTAT_CPU],
							 SCHEDSTAT_N_METRICS - SCHEDSTAT_CPU);
}

/* Called once for the values of the host, then for objects until there are no more. */
static int schedstat_collect(void *data, void *context, struct ctprof_batch *batch)
{
	struct schedstat *self = data;
	bool is_host = batch->scope == CTPROF_SCOPE_HOST;

	(void)context;
	if ((!is_host && self->is_done) || !is_wanted(self, batch->scope))
		return 0;
	int result = self->text ? 0 : load(self);
	if (result < 0)
		put_failure(self, batch, result);
	else if (is_host)
		collect_host(self, batch);
	else
		result = collect_objects(self, batch);
	if (result == -ENOSPC)
		return 0;
	drop_text(self);
	self->is_done = !is_host;
	return 0;
}

static int schedstat_again(void *data)
{
	struct schedstat *self = data;

	drop_text(self);
	self->is_done = false;
	return 0;
}

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(KCONFIG, "CONFIG_SCHEDSTATS", "proc/schedstat"),
	NEED_ALWAYS(FILE, "proc/schedstat", "all values"),
	NEED_PARTLY(SYSCTL, "kernel.sched_schedstats",
		    "1: all values except run time, delay and timeslices"),
	NEED_PARTLY(FILE, "proc/uptime", "for doctor: whether proc shows more than processes"),
	NEED_PARTLY(FILE, "proc/sys/kernel/sched_schedstats", "whether the kernel counts"),
};

SOURCE_PLUGIN("schedstat", SERIAL, CHEAP,
	      "statistics of the scheduler for each CPU and scheduling domain",
	      SOURCE_OPS(.open = schedstat_open, .close = schedstat_close, .probe = schedstat_probe,
			 .start = schedstat_start, .collect = schedstat_collect,
			 .again = schedstat_again))
