/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "places-parse.h"

#include <stdint.h>
#include <string.h>

/* PF_KTHREAD of include/linux/sched.h. */
#define FLAG_KTHREAD 0x00200000u
/* Columns after the name, from 0: do_task_stat(). */
#define STAT_FLAGS 6u
#define STAT_START_CODE 23u
#define STAT_WCHAN 32u
#define STAT_COLUMNS (STAT_WCHAN + 1)
#define BETWEEN " < "

bool wait_stat_parse(struct text text, struct wait_stat *ret)
{
	const char *end = text.len > 0 ? memrchr(text.p, ')', text.len) : NULL;
	uint64_t columns[STAT_COLUMNS] = {0};
	struct text rest, token;
	unsigned n = 0;
	char state = 0;

	if (!end)
		return false;
	rest = (struct text){end + 1, text.len - (size_t)(end + 1 - text.p)};
	for (; n < STAT_COLUMNS && text_take_token(&rest, &token); n++)
		if (n == 0)
			state = token.p[0];
		/* Signed columns are not needed. */
		else if (!text_u64(token, &columns[n]))
			columns[n] = 0;
	ret->waits = state == 'S' || state == 'D';
	/* A hidden address is shown as 1. A kernel thread has no addresses, but its wait channel is
	 * 1 if the reader may see it. */
	ret->denied = columns[STAT_FLAGS] & FLAG_KTHREAD ? columns[STAT_WCHAN] == 0
							 : columns[STAT_START_CODE] == 1;
	return n == STAT_COLUMNS;
}

bool wait_is_symbol(struct text name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.p[i] <= ' ' || name.p[i] > '~')
			return false;
	return name.len > 0 && name.len < WAIT_SYMBOL_MAX;
}

/* "[<0>] do_poll.constprop.0+0x1a/0x30 [module]"; false: another kind of line. */
static bool take_symbol(struct text line, struct text *ret_name)
{
	struct text address;

	if (!text_take_token(&line, &address) || !text_starts(address, "[<") ||
	    !text_take_token(&line, ret_name))
		return false;
	const char *plus = memchr(ret_name->p, '+', ret_name->len);
	/* On older kernels a stack ends with an address without a symbol. */
	if (!plus)
		return false;
	ret_name->len = (size_t)(plus - ret_name->p);
	return wait_is_symbol(*ret_name);
}

size_t wait_stack_parse(struct text text, char ret_place[WAIT_PLACE_MAX])
{
	struct text line, name;
	size_t len = 0;

	for (unsigned n = 0; n < WAIT_FRAMES && text_take_line(&text, &line);) {
		if (!take_symbol(line, &name))
			continue;
		if (n++ > 0) {
			memcpy(ret_place + len, BETWEEN, sizeof BETWEEN - 1);
			len += sizeof BETWEEN - 1;
		}
		memcpy(ret_place + len, name.p, name.len);
		len += name.len;
	}
	return len;
}
