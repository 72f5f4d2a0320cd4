/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "files.h"

#include <string.h>

#include "cgroup-lines.h"

/* Longer than any comm, so that no comm can pass for the ruler in sched. */
#define RULER_MIN 32u
/* The ruler is within this many lines; the worst case is a comm of 15
 * newlines. */
#define RULER_LINES 20u

/* Comms have at most 15 bytes, but work queues show up to 63. */
#define COMM_MAX 255u

/* ---- the index -------------------------------------------------------- */

/* Returns the part of a key after the last dot. */
static struct text last_segment(struct text key)
{
	const char *dot = key.len > 0 ? memrchr(key.p, '.', key.len) : NULL;

	if (!dot)
		return key;
	return (struct text){dot + 1, key.len - (size_t)(dot + 1 - key.p)};
}

/* Returns the hash of a key.  This spreads the kernel's keys well enough: many share prefixes, but
 * few both length and end. */
static unsigned bucket_of(struct text key)
{
	if (key.len == 0)
		return 0;
	unsigned first = (unsigned char)key.p[0];
	unsigned last = (unsigned char)key.p[key.len - 1];
	unsigned middle = (unsigned char)key.p[key.len / 2];

	return (first + 3 * last + 5 * middle + 7 * (unsigned)key.len) % INDEX_BUCKETS;
}

static uint8_t row_of(const char *name)
{
	for (uint8_t row = 0; row < N_METRICS; row++)
		if (strcmp(procfs_metrics[row].def.name, name) == 0)
			return (uint8_t)(row + 1);
	return 0;
}

void files_index_build(struct files_index *ret)
{
	*ret = (struct files_index){0};
	for (uint8_t row = 0; row < N_METRICS; row++) {
		const struct procfs_metric *metric = &procfs_metrics[row];
		uint8_t file = metric->file;

		if (ret->count[file]++ == 0)
			ret->first[file] = row;
		if (metric->key) {
			struct text last = last_segment(text_of(metric->key));
			uint8_t *head = &ret->head[file][bucket_of(last)];

			ret->next[row] = *head;
			*head = (uint8_t)(row + 1);
		}
		if (metric->minus)
			ret->minus[row] = row_of(metric->minus);
	}
	ret->slice = row_of("fair_slice_ns");
	ret->util_est = row_of("util_est");
	ret->dl_runtime = row_of("dl_runtime_ns");
	ret->uid = row_of("uid");
}

static void all_missing(const struct files_index *index, enum file_id file, struct value *values)
{
	for (unsigned i = 0; i < index->count[file]; i++)
		value_set_missing(&values[index->first[file] + i]);
}

/* ---- files of columns ------------------------------------------------- */

static void columns_parse(const struct files_index *index, enum file_id file, struct text line,
			  struct value *values)
{
	unsigned row = index->first[file];
	unsigned end = row + index->count[file];
	struct text token;

	all_missing(index, file, values);
	for (unsigned column = 0; row < end && text_take_token(&line, &token); column++)
		if (procfs_metrics[row].column == column) {
			procfs_metrics[row].parse(token, &values[row]);
			row++;
		}
}

/* Returns the text after the comm.  A comm may contain ')', blanks and newlines: only the last ')'
 * of the whole text is the kernel's own. */
static struct text stat_tail(struct text text)
{
	const char *end = text.len > 0 ? memrchr(text.p, ')', text.len) : NULL;

	if (!end)
		return (struct text){"", 0};
	return (struct text){end + 1, text.len - (size_t)(end + 1 - text.p)};
}

static void stat_parse(const struct files_index *index, enum file_id file, struct text text,
		       struct value *values)
{
	columns_parse(index, file, stat_tail(text), values);
}

static void schedstat_parse(const struct files_index *index, enum file_id file, struct text text,
			    struct value *values)
{
	struct text line = {"", 0};

	(void)text_take_line(&text, &line);
	columns_parse(index, file, line, values);
}

/* ---- files of "key: value" lines -------------------------------------- */

/* Whether a key is that of a metric.  A key with a dot in the table only matches a whole key, as
 * last has no dot. */
static bool key_matches(const struct procfs_metric *metric, struct text whole, struct text last)
{
	return text_equal(last, metric->key) || text_equal(whole, metric->key);
}

/* Returns the text before the colon, up to the first blank.  No key in the table contains a blank,
 * and sched pads its keys with dozens, too many to trim from the end. */
static struct text key_before(const char *start, const char *colon)
{
	size_t len = (size_t)(colon - start);
	const char *blank = len > 0 ? memchr(start, ' ', len) : NULL;

	return text_trim((struct text){start, blank > start ? (size_t)(blank - start) : len});
}

/* Whether only blanks are between a key and its colon, so that it is complete. */
static bool is_whole(struct text key, const char *colon)
{
	const char *end = key.p + key.len;

	return text_trim((struct text){end, (size_t)(colon - end)}).len == 0;
}

/* Parses a line.  In sched a key counts by its last segment, whatever prefix this kernel puts
 * before it ("se.statistics.nr_wakeups", "stats.nr_wakeups"). */
static void line_parse(const struct files_index *index, enum file_id file, struct text line,
		       struct value *values)
{
	const char *colon = line.len > 0 ? memchr(line.p, ':', line.len) : NULL;

	if (!colon)
		return;
	struct text whole = key_before(line.p, colon);
	struct text last = file == FILE_SCHED ? last_segment(whole) : whole;
	struct text raw = {colon + 1, line.len - (size_t)(colon + 1 - line.p)};

	for (uint8_t at = index->head[file][bucket_of(last)]; at; at = index->next[at - 1]) {
		const struct procfs_metric *metric = &procfs_metrics[at - 1];

		if (key_matches(metric, whole, last) && is_whole(whole, colon))
			metric->parse(text_trim(raw), &values[at - 1]);
	}
}

static void lines_parse(const struct files_index *index, enum file_id file, struct text text,
			struct value *values)
{
	struct text line;

	all_missing(index, file, values);
	while (text_take_line(&text, &line))
		line_parse(index, file, line, values);
}

static bool is_ruler(struct text line)
{
	if (line.len < RULER_MIN)
		return false;
	for (size_t i = 0; i < line.len; i++)
		if (line.p[i] != '-')
			return false;
	return true;
}

/* Skips the heading, which has the comm unescaped and could look like a key. */
static struct text sched_body(struct text text)
{
	struct text rest = text;
	struct text line;

	for (unsigned i = 0; i < RULER_LINES && text_take_line(&rest, &line); i++)
		if (is_ruler(line))
			return rest;
	return text;
}

/* Subtracts one value from another: absent unless both are present, never below 0. */
static void subtract(struct value *from, const struct value *minus)
{
	if (from->why != CTPROF_PRESENT)
		return;
	if (minus->why == CTPROF_PRESENT)
		from->bits -= minus->bits < from->bits ? minus->bits : from->bits;
	else
		from->why = minus->why;
}

/* Finds the value of a line that begins with the key and a blank; false if there is none. */
static bool find_line(struct text body, const char *key, struct text *ret)
{
	const char *at = body.len > 0 ? memmem(body.p, body.len, key, strlen(key)) : NULL;
	struct text line, left;

	if (!at)
		return false;
	body = (struct text){at + 1, body.len - (size_t)(at + 1 - body.p)};
	return text_take_line(&body, &line) && text_split(line, ':', &left, ret);
}

/* Sets why values are missing: only SCHED_OTHER and SCHED_BATCH have a slice, and only
 * SCHED_DEADLINE has a deadline. */
static void judge_policy(const struct files_index *index, struct text body, struct value *values)
{
	struct value *slice = &values[index->slice - 1];
	struct value *deadline = &values[index->dl_runtime - 1]; /* and the value after it */
	struct text policy;

	if (!find_line(body, "\npolicy ", &policy))
		return;
	if (slice->why == CTPROF_ABSENT_UNSUPPORTED && !text_equal(policy, "0") &&
	    !text_equal(policy, "3"))
		slice->why = CTPROF_ABSENT_INAPPLICABLE;
	for (unsigned i = 0; i < 2 && !text_equal(policy, "6"); i++)
		if (deadline[i].why == CTPROF_ABSENT_UNSUPPORTED)
			deadline[i].why = CTPROF_ABSENT_INAPPLICABLE;
}

/* Joins two estimates of sched, as it has before Linux 6.8: the kernel uses the larger one. */
static void join_util_est(struct text body, struct value *value)
{
	struct text ewma, enqueued;
	struct value other;

	if (value->why != CTPROF_ABSENT_UNSUPPORTED ||
	    !find_line(body, "\nse.avg.util_est.ewma ", &ewma) ||
	    !find_line(body, "\nse.avg.util_est.enqueued ", &enqueued))
		return;
	value_parse_u64(ewma, value);
	value_parse_u64(enqueued, &other);
	if (other.why != CTPROF_PRESENT)
		value->why = other.why;
	else if (other.bits > value->bits)
		value->bits = other.bits;
}

static void sched_parse(const struct files_index *index, enum file_id file, struct text text,
			struct value *values)
{
	unsigned first = index->first[file];
	struct text body = sched_body(text);

	lines_parse(index, file, body, values);
	judge_policy(index, body, values);
	join_util_est(body, &values[index->util_est - 1]);
	for (unsigned row = first; row < first + index->count[file]; row++)
		if (index->minus[row])
			subtract(&values[row], &values[index->minus[row] - 1]);
}

/* ---- files of one name ------------------------------------------------ */

/* Takes a name: the kernel adds one newline; any other byte belongs to the name. */
static void name_parse(const struct files_index *index, enum file_id file, struct text text,
		       struct value *values)
{
	struct value *value = &values[index->first[file]];

	if (text.len > 0 && text.p[text.len - 1] == '\n')
		text.len--;
	value_parse_verbatim(text, value);
	if (text.len > COMM_MAX)
		value->why = CTPROF_ABSENT_INVALID;
}

/* ---- cgroup ----------------------------------------------------------- */

static void cgroup_parse(const struct files_index *index, enum file_id file, struct text text,
			 struct value *values)
{
	struct value *value = &values[index->first[file]];
	struct ctprof_map_entry entries[CGROUP_CONTROLLERS];
	struct text path;

	all_missing(index, file, values);
	if (cgroup_lines_main(text, &path))
		value_parse_verbatim(path, value);
	if (cgroup_lines_v1(text, entries) > 0)
		value_parse_verbatim(text, value + 1);
	else
		value[1].why = CTPROF_ABSENT_INAPPLICABLE;
}

/* ---- the table --------------------------------------------------------- */

const struct procfs_file procfs_files[N_FILES] = {
	[FILE_STAT] = {.name = "stat", .parse = stat_parse, .tallied = true},
	[FILE_COMM] = {.name = "comm", .parse = name_parse},
	[FILE_PCOMM] = {.name = "comm", .path = "../comm", .parse = name_parse},
	[FILE_CGROUP] = {.name = "cgroup", .parse = cgroup_parse, .tallied = true},
	[FILE_SCHEDSTAT] = {.name = "schedstat", .parse = schedstat_parse, .tallied = true},
	[FILE_STATUS] = {.name = "status", .parse = lines_parse, .tallied = true},
	[FILE_SCHED] = {.name = "sched", .parse = sched_parse, .tallied = true},
	[FILE_IO] = {.name = "io", .parse = lines_parse, .tallied = true},
	[FILE_PROCESS_STAT] = {.path = "../stat", .leader = true, .parse = stat_parse},
	[FILE_PROCESS_IO] = {.path = "../io", .leader = true, .parse = lines_parse},
	[FILE_SMAPS] = {.name = "smaps_rollup", .tallied = true},
};
