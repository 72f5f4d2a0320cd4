/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "checking.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../value.h"

struct checking checking;

void check(bool holds)
{
	if (!holds)
		abort();
}

void checking_begin(uint64_t size)
{
	checking = (struct checking){.size = size};
}

/* ---- the input -------------------------------------------------------- */

static int take_metric(const struct ctprof_input *input, const char *plugin,
		       const struct ctprof_metric *metric, uint32_t *ret_slot)
{
	(void)input;
	check(!checking.sealed && plugin && metric->name && metric->group && metric->help &&
	      metric->origin);
	if (checking.n_slots == CHECKING_SLOTS || metric->name[0] == '\0')
		return -EINVAL;
	checking.kinds[checking.n_slots] = value_kind_of_metric(metric);
	*ret_slot = checking.n_slots++;
	return 0;
}

static int take_seal(const struct ctprof_input *input)
{
	(void)input;
	checking.sealed = true;
	return 0;
}

static int take_row(const struct ctprof_input *input, uint32_t scope,
		    const struct ctprof_target *target, struct ctprof_batch **ret_batch,
		    uint64_t *ret_row)
{
	static struct ctprof_batch batch;

	(void)input;
	check(checking.sealed && target->struct_size == sizeof *target && target->tid >= 0);
	check(scope != CTPROF_SCOPE_CGROUP ||
	      (target->path_len == 0 || !memchr(target->path, '\0', target->path_len)));
	check(scope != CTPROF_SCOPE_OBJECT ||
	      (target->group && target->path_len >= 1 && target->path_len <= 4096 &&
	       !memchr(target->path, '\0', target->path_len)));
	*ret_batch = &batch;
	*ret_row = 0;
	return 0;
}

static void take_fact(const struct ctprof_input *input, uint32_t kind, const char *key,
		      const char *value)
{
	(void)input;
	check(kind % 10 == 0 && key && value);
}

static CTPROF_PRINTF(3, 4) void take_fault(const struct ctprof_input *input, uint64_t offset,
					   const char *format, ...)
{
	char sentence[1024];
	va_list ap;

	(void)input;
	va_start(ap, format);
	(void)vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	check(offset <= checking.size && !strchr(sentence, '\n') && strlen(sentence) > 10);
	checking.reported = true;
}

struct ctprof_input checking_input(void)
{
	return (struct ctprof_input){
		.struct_size = sizeof(struct ctprof_input),
		.max_depth = 16,
		.max_window_log = 20,
		.metric = take_metric,
		.seal = take_seal,
		.row = take_row,
		.fact = take_fact,
		.fault = take_fault,
	};
}

/* ---- the host --------------------------------------------------------- */

static void check_slot(const struct ctprof_batch *batch, uint32_t slot, uint32_t kinds)
{
	check(batch && slot < checking.n_slots && (1u << checking.kinds[slot] & kinds));
}

#define KIND(kind) (1u << VALUE_##kind)

static void put_u64(struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint64_t value)
{
	(void)row;
	(void)value;
	check_slot(batch, slot, KIND(U64) | KIND(CHAR) | KIND(BOOL));
}

static void put_i64(struct ctprof_batch *batch, uint64_t row, uint32_t slot, int64_t value)
{
	(void)row;
	(void)value;
	check_slot(batch, slot, KIND(I64));
}

static void put_text(struct ctprof_batch *batch, uint64_t row, uint32_t slot, const char *text,
		     size_t length)
{
	(void)row;
	check_slot(batch, slot, KIND(TEXT));
	check(length <= 65535 && (length == 0 || !memchr(text, '\0', length)));
}

static void put_cpuset(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
		       const uint32_t *cpus, size_t n)
{
	(void)row;
	check_slot(batch, slot, KIND(CPUS));
	check(n >= 1 && n <= 65536);
	for (size_t i = 1; i < n; i++)
		check(cpus[i] > cpus[i - 1]);
}

static void put_map(struct ctprof_batch *batch, uint64_t row, uint32_t slot,
		    const struct ctprof_map_entry *entries, size_t n)
{
	(void)row;
	check_slot(batch, slot, KIND(MAP) | KIND(TEXTS) | KIND(HISTOGRAM));
	check(n <= 65536);
	for (size_t i = 0; i < n; i++) {
		const struct ctprof_map_entry *a = &entries[i], *b = &entries[i > 0 ? i - 1 : 0];
		size_t least = a->key_len < b->key_len ? a->key_len : b->key_len;

		check(a->key_len >= 1 && a->key_len <= 255 && !memchr(a->key, '\0', a->key_len));
		check((a->text != NULL) == (checking.kinds[slot] == VALUE_TEXTS));
		/* Keys may be in either order, but strictly ascending: none comes twice. */
		check(i == 0 || memcmp(b->key, a->key, least) < 0 ||
		      (memcmp(b->key, a->key, least) == 0 && b->key_len < a->key_len));
	}
}

static void put_absent(struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint32_t why)
{
	(void)row;
	check_slot(batch, slot, UINT32_MAX);
	check(why >= CTPROF_ABSENT_UNSUPPORTED && why <= CTPROF_ABSENT_INAPPLICABLE &&
	      why % 10 == 0);
}

static CTPROF_PRINTF(3, 4) void take_log(const struct ctprof_host *host, uint32_t level,
					 const char *format, ...)
{
	(void)host;
	check(level == CTPROF_LOG_INFO && format);
}

const struct ctprof_host checking_host = {
	.struct_size = sizeof checking_host,
	.log = take_log,
	.put_u64 = put_u64,
	.put_i64 = put_i64,
	.put_text = put_text,
	.put_cpuset = put_cpuset,
	.put_map = put_map,
	.put_absent = put_absent,
};
