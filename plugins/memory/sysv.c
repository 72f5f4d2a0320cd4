/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sysv.h"

#include <errno.h>

#include "cleanup.h"
#include "file.h"
#include "list.h"

/* SHMMNI allows 4096 segments by default, of about 200 bytes each; it can be raised. */
#define SYSV_BYTES (8u << 20)
#define MAX_TOKENS 64

/* The names that sysvipc_shm_proc_show() prints. */
static const char *const column_names[SYSV_N_COLUMNS] = {
	[SYSV_ID] = "shmid",  [SYSV_KEY] = "key", [SYSV_ATTACHES] = "nattch", [SYSV_OWNER] = "uid",
	[SYSV_SIZE] = "size", [SYSV_RSS] = "rss", [SYSV_SWAP] = "swap",
};

/* The position of each column among the tokens of a line; -1: not printed. */
struct header {
	int place[SYSV_N_COLUMNS];
};

/* Returns false if the line is not a header of this file. */
static bool parse_header(struct text line, struct header *ret)
{
	struct header header;
	struct text token;

	for (size_t i = 0; i < SYSV_N_COLUMNS; i++)
		header.place[i] = -1;
	for (int place = 0; place < MAX_TOKENS && text_take_token(&line, &token); place++)
		for (size_t i = 0; i < SYSV_N_COLUMNS; i++)
			if (header.place[i] < 0 && text_equal(token, column_names[i]))
				header.place[i] = place;
	if (header.place[SYSV_ID] < 0)
		return false;
	*ret = header;
	return true;
}

/* Parses a cell.  The key is printed as a signed number, but users know it as 32 bits in hex. */
static struct amount parse_cell(enum sysv_column column, struct text token)
{
	struct amount amount = {.absent = CTPROF_ABSENT_INVALID};
	int64_t value;

	if (column == SYSV_KEY && text_i64(token, &value) && value >= INT32_MIN &&
	    value <= UINT32_MAX)
		amount = (struct amount){.bytes = (uint32_t)value};
	else if (column != SYSV_KEY && text_u64(token, &amount.bytes))
		amount.absent = 0;
	return amount;
}

/* Returns false if the row lacks a segment ID. */
static bool parse_row(const struct header *header, struct text line, struct sysv_segment *ret)
{
	struct sysv_segment segment;
	struct text token;

	for (size_t i = 0; i < SYSV_N_COLUMNS; i++)
		segment.at[i].absent =
			header->place[i] < 0 ? CTPROF_ABSENT_UNSUPPORTED : CTPROF_ABSENT_INVALID;
	for (int place = 0; place < MAX_TOKENS && text_take_token(&line, &token); place++)
		for (enum sysv_column i = 0; i < SYSV_N_COLUMNS; i++)
			if (header->place[i] == place)
				segment.at[i] = parse_cell(i, token);
	if (segment.at[SYSV_ID].absent || segment.at[SYSV_ID].bytes > INT32_MAX)
		return false;
	*ret = segment;
	return true;
}

/* ---- all segments ------------------------------------------------------ */

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct sysv_segment *)a)->at[SYSV_ID].bytes;
	uint64_t y = ((const struct sysv_segment *)b)->at[SYSV_ID].bytes;

	return order_u64(x, y);
}

int sysv_parse(const char *text, size_t len, struct sysv *ret)
{
	struct text rest = {text, len};
	struct header header;
	struct sysv sysv = {0};
	struct text line;

	if (!text_take_line(&rest, &line) || !parse_header(line, &header))
		return -EINVAL;
	sysv.segments = calloc(text_count_lines(rest) + 1, sizeof *sysv.segments);
	if (!sysv.segments)
		return -ENOMEM;
	while (text_take_line(&rest, &line)) {
		if (parse_row(&header, line, &sysv.segments[sysv.n]))
			sysv.n++;
		else
			sysv.n_malformed++;
	}
	sysv.n = list_sort_unique(sysv.segments, sysv.n, sizeof *sysv.segments, by_id, by_id);
	*ret = sysv;
	return 0;
}

int sysv_read(const struct ctprof_host *host, struct sysv *ret)
{
	AUTO_FREE char *text = NULL;
	ssize_t got = file_load_records(host, CTPROF_ROOT_PROC, "sysvipc/shm", SYSV_BYTES, &text);

	return got < 0 ? (int)got : sysv_parse(text, (size_t)got, ret);
}

void sysv_clear(struct sysv *sysv)
{
	free(sysv->segments);
	*sysv = (struct sysv){0};
}

const struct sysv_segment *sysv_find(const struct sysv *sysv, uint64_t id)
{
	const struct sysv_segment key = {.at = {[SYSV_ID] = {.bytes = id}}};

	return sysv->n > 0 ? bsearch(&key, sysv->segments, sysv->n, sizeof key, by_id) : NULL;
}
