/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "file-locks.h"

bool file_lock_parse(struct text line, struct file_lock *ret)
{
	struct file_lock lock = {0};
	struct text token;
	int64_t pid;

	if (!text_take_u64(&line, &lock.number) || !text_take_token(&line, &token) ||
	    !text_equal(token, ":") || !text_take_token(&line, &lock.type))
		return false;
	lock.waits = text_equal(lock.type, "->");
	if (lock.waits && !text_take_token(&line, &lock.type))
		return false;
	/* ADVISORY, and READ or WRITE. */
	for (int i = 0; i < 2; i++)
		if (!text_take_token(&line, &token))
			return false;
	if (!text_take_token(&line, &token) || !text_i64(token, &pid) || pid < -1 ||
	    pid > INT32_MAX || !text_take_token(&line, &lock.file))
		return false;
	lock.pid = (int32_t)pid;
	*ret = lock;
	return true;
}
