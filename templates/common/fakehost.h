/* SPDX-License-Identifier: 0BSD */
/*
 * A fake host for a plugin under test, in one header: it registers metrics,
 * keeps the values put into a batch and the output written, and aborts when the
 * plugin breaks a rule of the interface.  C99 and POSIX.
 *
 *	struct fake_host fake;
 *	fake_begin(&fake, "tree", sizeof fake.table);
 *	... ops->open(&fake.table, &self) ...
 *	fake_end(&fake);
 *
 * The directory "tree" is the proc root.  A smaller table is that of an older
 * host: fake_begin(&fake, "tree", offsetof(struct ctprof_host, filled)) has none
 * of the functions added in ABI 1.1.
 */
#ifndef FAKEHOST_H
#define FAKEHOST_H

#include <ctprof/histogram.h>
#include <ctprof/plugin.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAKE_METRICS 32
#define FAKE_ROWS 8
#define FAKE_TEXT 65536

/* Unlike assert(), not disabled by NDEBUG. */
#define FAKE_CHECK(condition) ((condition) ? (void)0 : fake_fail(__FILE__, __LINE__, #condition))

static inline void fake_fail(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
	abort();
}

/* One value of the batch. */
struct fake_cell {
	uint32_t state; /* enum ctprof_absence */
	uint64_t number;
	char text[256]; /* cut to fit */
};

struct fake_host {
	struct ctprof_host table;
	int root;
	char error[1024];        /* the last error of the plugin */
	char log[FAKE_TEXT];     /* its messages, one per line */
	char written[FAKE_TEXT]; /* output of a sink, NUL-terminated */
	size_t n_written;
	uint32_t n_metrics;
	struct ctprof_metric metrics[FAKE_METRICS]; /* a metric's slot is its index + 1 */
	struct ctprof_batch batch;
	struct ctprof_target targets[FAKE_ROWS];
	struct fake_cell cells[FAKE_ROWS][FAKE_METRICS];
};

static inline struct fake_host *fake_of(const struct ctprof_host *host)
{
	return (struct fake_host *)host->handle;
}

/* ---- the functions of the table ---- */

static inline CTPROF_PRINTF(3, 4) void fake_log(const struct ctprof_host *host, uint32_t level,
						const char *format, ...)
{
	char *log = fake_of(host)->log;
	size_t used = strlen(log);
	va_list ap;

	FAKE_CHECK(level == CTPROF_LOG_WARNING || level == CTPROF_LOG_INFO ||
		   level == CTPROF_LOG_DEBUG);
	va_start(ap, format);
	vsnprintf(log + used, FAKE_TEXT - used, format, ap);
	va_end(ap);
	used = strlen(log);
	snprintf(log + used, FAKE_TEXT - used, "\n");
}

static inline CTPROF_PRINTF(2, 3) void fake_error(const struct ctprof_host *host,
						  const char *format, ...)
{
	struct fake_host *fake = fake_of(host);
	va_list ap;

	va_start(ap, format);
	vsnprintf(fake->error, sizeof fake->error, format, ap);
	va_end(ap);
}

static inline int fake_root(const struct ctprof_host *host, uint32_t which)
{
	return which == CTPROF_ROOT_PROC ? fake_of(host)->root : -ENOENT;
}

static inline int fake_live(const struct ctprof_host *host)
{
	(void)host;
	return 0;
}

static inline int fake_open_file(const struct ctprof_host *host, int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	(void)host;
	return fd >= 0 ? fd : -errno;
}

static inline const char *fake_option(const struct ctprof_host *host, const char *key)
{
	(void)host;
	(void)key;
	return NULL;
}

static inline int fake_metric(const struct ctprof_host *host, const struct ctprof_metric *metric,
			      uint32_t *ret_slot)
{
	struct fake_host *fake = fake_of(host);

	FAKE_CHECK(metric->struct_size >= sizeof *metric);
	FAKE_CHECK(metric->name && metric->group && metric->help && metric->origin);
	for (uint32_t i = 0; i < fake->n_metrics; i++)
		FAKE_CHECK((fake->metrics[i].scope == CTPROF_SCOPE_EXIT) !=
				   (metric->scope == CTPROF_SCOPE_EXIT) ||
			   strcmp(fake->metrics[i].name, metric->name) != 0);
	FAKE_CHECK(fake->n_metrics < FAKE_METRICS);
	fake->metrics[fake->n_metrics++] = *metric;
	*ret_slot = fake->n_metrics;
	return 0;
}

static inline int fake_wanted(const struct ctprof_host *host, uint32_t slot)
{
	FAKE_CHECK(slot >= 1 && slot <= fake_of(host)->n_metrics);
	return 1;
}

static inline void fake_finding(const struct ctprof_host *host,
				const struct ctprof_finding *finding)
{
	(void)host;
	FAKE_CHECK(finding->group);
	FAKE_CHECK(finding->state == CTPROF_WORKS || finding->why);
}

static inline struct fake_cell *fake_cell(const struct ctprof_batch *batch, uint64_t row,
					  uint32_t slot)
{
	struct fake_host *fake = (struct fake_host *)batch->handle;

	FAKE_CHECK(row < batch->n);
	FAKE_CHECK(slot >= 1 && slot <= fake->n_metrics);
	return &fake->cells[row][slot - 1];
}

static inline const struct ctprof_metric *fake_metric_of(const struct ctprof_batch *batch,
							 uint32_t slot)
{
	return &((struct fake_host *)batch->handle)->metrics[slot - 1];
}

static inline void fake_put_u64(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
				uint64_t value)
{
	struct fake_cell *cell = fake_cell(batch, row, slot);
	const struct ctprof_metric *metric = fake_metric_of(batch, slot);

	FAKE_CHECK(metric->kind != CTPROF_ORDINAL && metric->kind != CTPROF_MAP &&
		   metric->kind != CTPROF_CPUSET && metric->unit != CTPROF_UNIT_TEXT);
	cell->state = CTPROF_PRESENT;
	cell->number = value;
}

static inline void fake_put_i64(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
				int64_t value)
{
	struct fake_cell *cell = fake_cell(batch, row, slot);

	FAKE_CHECK(fake_metric_of(batch, slot)->kind == CTPROF_ORDINAL);
	cell->state = CTPROF_PRESENT;
	cell->number = (uint64_t)value;
}

static inline void fake_put_text(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
				 const char *text, size_t length)
{
	struct fake_cell *cell = fake_cell(batch, row, slot);
	const struct ctprof_metric *metric = fake_metric_of(batch, slot);

	FAKE_CHECK(metric->kind != CTPROF_MAP && metric->unit == CTPROF_UNIT_TEXT);
	cell->state = CTPROF_PRESENT;
	snprintf(cell->text, sizeof cell->text, "%.*s", (int)length, text);
}

static inline void fake_put_cpuset(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
				   const uint32_t *cpus, size_t n)
{
	struct fake_cell *cell = fake_cell(batch, row, slot);

	FAKE_CHECK(fake_metric_of(batch, slot)->kind == CTPROF_CPUSET);
	FAKE_CHECK(n >= 1);
	for (size_t i = 1; i < n; i++)
		FAKE_CHECK(cpus[i - 1] < cpus[i]);
	cell->state = CTPROF_PRESENT;
	cell->number = n;
}

static inline void fake_put_map(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
				const struct ctprof_map_entry *entries, size_t n)
{
	struct fake_cell *cell = fake_cell(batch, row, slot);
	const struct ctprof_metric *metric = fake_metric_of(batch, slot);

	FAKE_CHECK(metric->kind == CTPROF_MAP);
	for (size_t i = 0; i < n; i++) {
		FAKE_CHECK(entries[i].key && entries[i].key_len >= 1 && entries[i].key_len <= 255);
		FAKE_CHECK((entries[i].text != NULL) == (metric->unit == CTPROF_UNIT_TEXT));
	}
	cell->state = CTPROF_PRESENT;
	cell->number = n;
}

static inline void fake_put_histogram(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
				      const uint64_t *counts, size_t n)
{
	struct fake_cell *cell = fake_cell(batch, row, slot);

	FAKE_CHECK(fake_metric_of(batch, slot)->kind == CTPROF_HISTOGRAM);
	FAKE_CHECK(n <= CTPROF_BUCKETS);
	cell->state = CTPROF_PRESENT;
	cell->number = 0;
	for (size_t i = 0; i < n; i++)
		cell->number += counts[i];
}

static inline void fake_put_absent(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
				   uint32_t why)
{
	FAKE_CHECK(why != CTPROF_PRESENT && why % 10 == 0 && why <= CTPROF_ABSENT_INAPPLICABLE);
	fake_cell(batch, row, slot)->state = why;
}

static inline void fake_vanished(struct ctprof_batch *batch, uint64_t row)
{
	FAKE_CHECK(row < batch->n);
	for (uint32_t i = 0; i < FAKE_METRICS; i++)
		((struct fake_host *)batch->handle)->cells[row][i].state = CTPROF_ABSENT_VANISHED;
}

static inline int fake_write(const struct ctprof_host *host, const void *data, size_t size)
{
	struct fake_host *fake = fake_of(host);

	if (size >= FAKE_TEXT - fake->n_written)
		return -ENOSPC;
	memcpy(fake->written + fake->n_written, data, size);
	fake->n_written += size;
	fake->written[fake->n_written] = '\0';
	return 0;
}

static inline int fake_filled(const struct ctprof_batch *batch, uint64_t row, uint32_t slot)
{
	return fake_cell(batch, row, slot)->state == CTPROF_PRESENT;
}

static inline int fake_exited(struct ctprof_batch *batch, int32_t tgid, int32_t tid,
			      uint64_t *ret_row)
{
	struct fake_host *fake = (struct fake_host *)batch->handle;

	FAKE_CHECK(batch->scope == CTPROF_SCOPE_EXIT);
	FAKE_CHECK(tgid >= 0 && tid >= 1);
	if (batch->n == FAKE_ROWS)
		return -ENOSPC;
	fake->targets[batch->n] = (struct ctprof_target){
		.struct_size = sizeof fake->targets[0],
		.flags = tgid == tid ? CTPROF_TARGET_LEADER : 0,
		.tgid = tgid,
		.tid = tid,
		.task_fd = -1,
	};
	*ret_row = batch->n++;
	return 0;
}

/* ---- for the test ---- */

/* Initializes a host whose table has table_size bytes and whose proc root is the
 * directory proc (NULL: none, for sinks). */
static inline void fake_begin(struct fake_host *fake, const char *proc, size_t table_size)
{
	struct ctprof_host table = {
		.handle = fake,
		.log = fake_log,
		.error = fake_error,
		.root = fake_root,
		.live = fake_live,
		.open_file = fake_open_file,
		.option = fake_option,
		.metric = fake_metric,
		.wanted = fake_wanted,
		.finding = fake_finding,
		.put_u64 = fake_put_u64,
		.put_i64 = fake_put_i64,
		.put_text = fake_put_text,
		.put_cpuset = fake_put_cpuset,
		.put_map = fake_put_map,
		.put_histogram = fake_put_histogram,
		.put_absent = fake_put_absent,
		.vanished = fake_vanished,
		.write = fake_write,
		.filled = fake_filled,
		.exited = fake_exited,
	};

	memset(fake, 0, sizeof *fake);
	FAKE_CHECK(table_size <= sizeof table);
	memcpy(&fake->table, &table, table_size);
	fake->table.struct_size = (uint32_t)table_size;
	fake->table.abi_minor = table_size < sizeof table ? 0 : CTPROF_ABI_MINOR;
	fake->root = proc ? open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -ENOENT;
	FAKE_CHECK(!proc || fake->root >= 0);
	fake->batch = (struct ctprof_batch){
		.struct_size = sizeof fake->batch,
		.scope = CTPROF_SCOPE_THREAD,
		.targets = fake->targets,
		.handle = fake,
	};
	for (uint32_t row = 0; row < FAKE_ROWS; row++)
		for (uint32_t i = 0; i < FAKE_METRICS; i++)
			fake->cells[row][i].state = CTPROF_ABSENT_UNSUPPORTED;
}

static inline void fake_end(struct fake_host *fake)
{
	for (uint64_t row = 0; row < fake->batch.n; row++)
		if (fake->targets[row].task_fd >= 0)
			close(fake->targets[row].task_fd);
	if (fake->root >= 0)
		close(fake->root);
}

/* Adds a row of thread scope to fake->batch.  Its task_fd is the directory
 * <tgid>/task below the root, or -1 if that does not exist. */
static inline void fake_add_thread(struct fake_host *fake, int32_t tgid, int32_t tid)
{
	char path[32];

	FAKE_CHECK(fake->batch.n < FAKE_ROWS);
	snprintf(path, sizeof path, "%d/task", (int)tgid);
	fake->targets[fake->batch.n++] = (struct ctprof_target){
		.struct_size = sizeof fake->targets[0],
		.flags = tgid == tid ? CTPROF_TARGET_LEADER : 0,
		.tgid = tgid,
		.tid = tid,
		.task_fd = openat(fake->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	};
}

/* Returns the value of a metric in a row of the batch. */
static inline const struct fake_cell *fake_value(struct fake_host *fake, uint64_t row,
						 const char *metric)
{
	uint32_t slot = 1;

	while (slot <= fake->n_metrics && strcmp(fake->metrics[slot - 1].name, metric) != 0)
		slot++;
	return fake_cell(&fake->batch, row, slot);
}

#endif /* FAKEHOST_H */
