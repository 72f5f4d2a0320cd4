/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parse.h"

#include <string.h>

#define MAX_NAME 64u
#define NOT_USED 255u
#define N_BALANCE_COLUMNS_MAX 11u

/* The columns of each kind of balancing. */
static const struct layout {
	uint8_t n;
	uint8_t values[N_BALANCE_COLUMNS_MAX];
} before_17 = {8,
	       {BALANCE_COUNT, BALANCE_BALANCED, BALANCE_FAILED, BALANCE_IMBALANCE, BALANCE_PULLED,
		BALANCE_PULLED_HOT, BALANCE_NOBUSYQ, BALANCE_NOBUSYG}},
  since_17 = {11,
	      {BALANCE_COUNT, BALANCE_BALANCED, BALANCE_FAILED, BALANCE_LOAD, BALANCE_UTIL,
	       BALANCE_TASK, BALANCE_MISFIT, BALANCE_PULLED, BALANCE_PULLED_HOT, BALANCE_NOBUSYQ,
	       BALANCE_NOBUSYG}};

/* The columns after the balances: no kernel counts sbe_*, sbf_* and ttwu_move_balance. */
static const uint8_t last_columns[] = {
	DOMAIN_ACTIVE_COUNT,
	DOMAIN_ACTIVE_FAILED,
	DOMAIN_ACTIVE_PUSHED,
	NOT_USED,
	NOT_USED,
	NOT_USED,
	NOT_USED,
	NOT_USED,
	NOT_USED,
	DOMAIN_WAKE_REMOTE,
	DOMAIN_WAKE_AFFINE,
	NOT_USED,
};

static const uint8_t cpu_columns[] = {
	CPU_YIELDS,        NOT_USED,     CPU_SCHEDULES, CPU_GOIDLE,     CPU_WAKEUPS,
	CPU_WAKEUPS_LOCAL, CPU_RUN_TIME, CPU_DELAY,     CPU_TIMESLICES,
};

const uint8_t schedstat_level_values[N_LEVEL_VALUES] = {
	DOMAIN_VALUE(BALANCE_BUSY, BALANCE_COUNT),
	DOMAIN_VALUE(BALANCE_IDLE, BALANCE_COUNT),
	DOMAIN_VALUE(BALANCE_NEWIDLE, BALANCE_COUNT),
	DOMAIN_VALUE(BALANCE_BUSY, BALANCE_PULLED),
	DOMAIN_VALUE(BALANCE_IDLE, BALANCE_PULLED),
	DOMAIN_VALUE(BALANCE_NEWIDLE, BALANCE_PULLED),
	DOMAIN_ACTIVE_PUSHED,
	DOMAIN_WAKE_REMOTE,
	DOMAIN_WAKE_AFFINE,
};

bool schedstat_begin(struct text text, struct schedstat_rows *ret)
{
	struct text line, key, token;
	uint64_t version;

	if (!text_take_line(&text, &line) || !text_take_token(&line, &key) ||
	    !text_equal(key, "version") || !text_take_token(&line, &token) ||
	    !text_u64(token, &version) || version > UINT32_MAX)
		return false;
	*ret = (struct schedstat_rows){.rest = text, .version = (uint32_t)version};
	return true;
}

void schedstat_add(struct slots_value *sum, const struct slots_value *value)
{
	if (sum->why != CTPROF_PRESENT)
		return;
	if (value->why != CTPROF_PRESENT)
		sum->why = value->why;
	else if (__builtin_add_overflow(sum->number, value->number, &sum->number))
		sum->why = CTPROF_ABSENT_INVALID;
}

/* Takes n columns of the line; false if it has fewer. */
static bool take_columns(struct text *line, const uint8_t *columns, size_t n,
			 struct slots_value *values)
{
	struct text token;

	for (size_t i = 0; i < n; i++) {
		if (!text_take_token(line, &token))
			return false;
		if (columns[i] == NOT_USED)
			continue;
		struct slots_value *value = &values[columns[i]];
		value->why =
			text_u64(token, &value->number) ? CTPROF_PRESENT : CTPROF_ABSENT_INVALID;
	}
	return true;
}

static bool take_domain_columns(uint32_t version, struct text *line, struct slots_value *values)
{
	/* Version 16 swapped the first two. */
	static const uint8_t order_15[] = {BALANCE_IDLE, BALANCE_BUSY, BALANCE_NEWIDLE};
	static const uint8_t order_16[] = {BALANCE_BUSY, BALANCE_IDLE, BALANCE_NEWIDLE};
	const uint8_t *order = version < 16 ? order_15 : order_16;
	const struct layout *layout = version < 17 ? &before_17 : &since_17;

	for (size_t i = 0; i < N_BALANCES; i++)
		if (!take_columns(line, layout->values, layout->n,
				  &values[DOMAIN_VALUE(order[i], 0)]))
			return false;
	return take_columns(line, last_columns, sizeof last_columns, values);
}

static void set_all(struct schedstat_row *row, uint32_t why)
{
	for (uint32_t i = 0; i < row->n; i++)
		row->values[i] = (struct slots_value){0, why};
}

/* Takes the values of a line.  If it has more or fewer columns than its version, it cannot be
 * trusted. */
static void take_values(uint32_t version, struct text line, struct schedstat_row *row)
{
	bool is_domain = row->domain.len > 0;
	struct text extra;

	row->n = is_domain ? N_DOMAIN_VALUES : N_CPU_VALUES;
	set_all(row, CTPROF_ABSENT_UNSUPPORTED);
	bool whole = is_domain ? take_domain_columns(version, &line, row->values)
			       : take_columns(&line, cpu_columns, sizeof cpu_columns, row->values);
	if (!whole || text_take_token(&line, &extra))
		set_all(row, CTPROF_ABSENT_INVALID);
}

/* Whether the name is the prefix followed by a number. */
static bool is_name(struct text name, const char *prefix)
{
	size_t len = strlen(prefix);
	uint64_t number;

	return name.len <= MAX_NAME && text_starts(name, prefix) &&
	       text_u64((struct text){name.p + len, name.len - len}, &number);
}

static bool is_level(struct text level)
{
	return level.len <= MAX_NAME && !memchr(level.p, '\0', level.len);
}

bool schedstat_take(struct schedstat_rows *rows, struct schedstat_row *ret)
{
	struct text line, key;

	while (text_take_line(&rows->rest, &line)) {
		if (!text_take_token(&line, &key))
			continue;
		if (is_name(key, "cpu")) {
			rows->cpu = key;
			*ret = (struct schedstat_row){.cpu = key};
		} else if (is_name(key, "domain") && rows->cpu.len > 0) {
			*ret = (struct schedstat_row){
				.cpu = rows->cpu, .domain = key, .level = key};
			if ((rows->version >= 17 && !text_take_token(&line, &ret->level)) ||
			    !is_level(ret->level) || !text_take_token(&line, &ret->mask))
				continue;
		} else {
			continue;
		}
		take_values(rows->version, line, ret);
		return true;
	}
	return false;
}

size_t schedstat_mask(struct text mask, uint32_t *cpus, size_t max)
{
	uint32_t first = 0; /* CPU of the digit */
	size_t n = 0;

	for (size_t i = mask.len; i > 0; i--) {
		if (mask.p[i - 1] == ',')
			continue;
		int digit = text_hex_digit(mask.p[i - 1]);
		if (digit < 0)
			return 0;
		for (uint32_t bit = 0; bit < 4; bit++) {
			if (!((unsigned)digit & 1u << bit))
				continue;
			if (n == max)
				return 0;
			cpus[n++] = first + bit;
		}
		first += 4;
	}
	return n;
}
