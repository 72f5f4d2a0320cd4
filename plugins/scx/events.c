/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "schedulers.h"

#define SUB "sub-"
#define DURATION "_DURATION"
#define MAX_NAME 255u

bool events_take(struct text *rest, struct text *ret_name, uint64_t *ret_number, bool *ret_valid)
{
	struct text line, number, extra;

	while (text_take_line(rest, &line)) {
		if (!text_take_token(&line, ret_name))
			continue;
		*ret_valid = ret_name->len <= MAX_NAME &&
			     !memchr(ret_name->p, '\0', ret_name->len) &&
			     text_take_token(&line, &number) && text_u64(number, ret_number) &&
			     !text_take_token(&line, &extra);
		return true;
	}
	return false;
}

bool events_is_duration(struct text name)
{
	size_t len = strlen(DURATION);

	return name.len >= len && memcmp(name.p + name.len - len, DURATION, len) == 0;
}

bool scheduler_version(struct text ops, struct text *ret)
{
	for (size_t i = 1; i + 1 < ops.len; i++)
		if (ops.p[i] == '_' && ops.p[i + 1] >= '0' && ops.p[i + 1] <= '9') {
			*ret = (struct text){ops.p + i + 1, ops.len - i - 1};
			return true;
		}
	return false;
}

uint64_t scheduler_cgroup(const char *directory)
{
	struct text name = text_of(directory);
	size_t len = strlen(SUB);
	uint64_t number;

	if (!text_starts(name, SUB) ||
	    !text_u64((struct text){name.p + len, name.len - len}, &number))
		return 0;
	return number;
}
