/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Feeds any text to the reader in place of a snapshot's, in pieces of all sizes.  The reader must
 * keep the rules of the border, and report a reason when it fails.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../read.h"
#include "../unzstd.h"
#include "checking.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	const uint8_t *data;
	size_t size, at;
} file;

/* ---- in place of unzstd.c --------------------------------------------- */

struct unzstd {
	const struct ctprof_input *input;
};

struct unzstd *unzstd_new(const struct ctprof_input *input)
{
	struct unzstd *unzstd = calloc(1, sizeof *unzstd);

	if (unzstd)
		unzstd->input = input;
	return unzstd;
}

void unzstd_free(struct unzstd *unzstd)
{
	free(unzstd);
}

int64_t unzstd_fill(struct unzstd *unzstd, char *into, size_t size)
{
	size_t piece = 1 + (file.at * 7 + file.size) % 61;
	size_t left = file.size - file.at;
	size_t n = left < piece ? left : piece;

	(void)unzstd;
	check(size > 0);
	n = n < size ? n : size;
	if (n > 0)
		memcpy(into, file.data + file.at, n);
	file.at += n;
	return (int64_t)n;
}

int unzstd_rewind(struct unzstd *unzstd, uint64_t offset)
{
	(void)unzstd;
	(void)offset;
	file.at = 0;
	return 0;
}

int unzstd_drain(struct unzstd *unzstd)
{
	(void)unzstd;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctprof_input input = checking_input();

	input.max_string = 512;
	input.max_bytes = UINT64_MAX;
	input.max_threads = 100;
	file.data = data;
	file.size = size;
	file.at = 0;
	checking_begin(size);
	int r = read_snapshot(&checking_host, &input, 0);
	check(r == 0 ? !checking.reported : r == -ENOMEM || checking.reported);
	return 0;
}
