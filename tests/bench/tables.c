/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compares the cost of writing a table of threads as Parquet with that of zstd alone on the same
 * values; usage: tables [ROWS].
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

#include "ctprof/sink.h"

#define BATCH 256
#define N_TEXTS 12
#define N_COLUMNS 25

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static uint64_t written;

static int count(const struct ctprof_host *host, const void *data, size_t size)
{
	(void)host;
	(void)data;
	written += size;
	return 0;
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns a name that many rows share, like a thread's, or few, like a host's. */
static uint64_t text_of(uint64_t row, unsigned int column)
{
	static struct {
		uint32_t length;
		char bytes[28];
	} texts[N_TEXTS][64];
	unsigned int which = (unsigned int)(row / (1 + column * 7) % 64);

	if (texts[column][which].length == 0)
		texts[column][which].length = (uint32_t)snprintf(texts[column][which].bytes, 28,
								 "name-%u-%u", column, which);
	return (uint64_t)(uintptr_t)&texts[column][which];
}

static void fill(uint64_t first, uint64_t *values, uint8_t *present)
{
	for (uint64_t i = 0; i < BATCH; i++)
		for (unsigned int c = 0; c < N_COLUMNS; c++) {
			uint64_t row = first + i, at = i * N_COLUMNS + c;

			present[at] = c < N_TEXTS || (row * 2654435761u >> 7) % 8 != c % 8;
			/* Counters with different numbers of bits. */
			values[at] = c < N_TEXTS ? text_of(row, c)
						 : (row * UINT64_C(0x9e3779b97f4a7c15) >> (c * 2));
		}
}

static void write_rows(const struct ctprof_sink_ops *ops, void *self, uint64_t rows,
		       double *ret_filling_s)
{
	static uint64_t values[BATCH * N_COLUMNS];
	static uint8_t present[BATCH * N_COLUMNS];
	const struct ctprof_records records = {
		.struct_size = sizeof records,
		.n = BATCH,
		.n_columns = N_COLUMNS,
		.values = values,
		.present = present,
	};

	for (uint64_t row = 0; row < rows; row += BATCH) {
		double before = cpu_s();

		fill(row, values, present);
		*ret_filling_s += cpu_s() - before;
		if (ops->records(self, &records) < 0)
			exit(1);
	}
}

/* Returns the CPU time for the file, excluding that for making up its rows. */
static double write_file(uint64_t rows)
{
	const struct ctprof_sink_ops *ops = ctprof_plugin_entry_v1()->ops;
	const struct ctprof_host host = {.struct_size = sizeof host, .write = count};
	struct ctprof_table_column columns[N_COLUMNS];
	char names[N_COLUMNS][8];
	double filling_s = 0, before = cpu_s();
	void *self;

	for (unsigned int c = 0; c < N_COLUMNS; c++) {
		snprintf(names[c], sizeof names[c], "c%u", c);
		columns[c] = (struct ctprof_table_column){
			.struct_size = sizeof *columns,
			.type = c < N_TEXTS ? CTPROF_TYPE_TEXT : CTPROF_TYPE_U64,
			.name = names[c],
			.unit = "none",
			.help = "",
		};
	}
	const struct ctprof_table table = {
		.struct_size = sizeof table,
		.name = "thread",
		.n_columns = N_COLUMNS,
		.columns = columns,
	};
	if (ops->open(&host, &self) < 0 || ops->table(self, &table) < 0)
		exit(1);
	write_rows(ops, self, rows, &filling_s);
	if (ops->finish(self) < 0)
		exit(1);
	ops->close(self);
	return cpu_s() - before - filling_s;
}

/* Compresses only the numbers, unchanged, which any writer has to do. */
static double compress(uint64_t rows)
{
	static uint64_t values[BATCH * 64];
	static char out[ZSTD_COMPRESSBOUND(sizeof values)];
	size_t n = sizeof values / sizeof *values;
	double total = 0;

	for (uint64_t at = 0; at < rows * (N_COLUMNS - N_TEXTS); at += n) {
		for (size_t i = 0; i < n; i++)
			values[i] = (at + i) * UINT64_C(0x9e3779b97f4a7c15) >> (24 + at % 24);
		double before = cpu_s();
		ZSTD_compress(out, sizeof out, values, sizeof values, 1);
		total += cpu_s() - before;
	}
	return total;
}

int main(int argc, char **argv)
{
	uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	double alone = compress(rows), file = write_file(rows);

	printf("%llu rows of %d columns: %.2f s of CPU, %.1f MB; zstd alone: %.2f s; ratio %.1f\n",
	       (unsigned long long)rows, N_COLUMNS, file, (double)written / 1e6, alone,
	       file / (alone > 0 ? alone : 1e-9));
	return written > 0 ? 0 : 1;
}
