/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "syscall-file.h"

#include <string.h>

#define ANONYMOUS "anon_inode:"
#define MODE_FILE 0100000u
#define MODE_ANONYMOUS 0600u
/* The states of the letters in stat: task_state_array. */
#define STATE_IDLE 0x402u

void syscall_file_take_state(char letter, struct thread_record *record)
{
	static const struct {
		char letter;
		uint32_t state;
	} rows[] = {{'S', 0x1},  {'D', 0x2},        {'T', 0x4}, {'t', 0x8},
		    {'P', 0x40}, {'I', STATE_IDLE}, {'K', 0x2}, {'W', 0}};

	if (letter == 'Z' || letter == 'X' || letter == 'x')
		record->marks |= RECORD_IS_EXITING;
	record->state = 0;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].letter == letter)
			record->state = rows[i].state;
}

bool syscall_file_parse(struct text text, struct thread_record *record)
{
	struct text token;
	uint64_t number;

	if (!text_take_token(&text, &token))
		return false;
	if (text_equal(token, "running")) {
		record->state = 0;
		return true;
	}
	if (text_equal(token, "-1")) {
		record->nr = RECORD_NO_CALL;
		return true;
	}
	if (!text_u64(token, &number))
		return false;
	for (size_t i = 0; i < sizeof record->args / sizeof record->args[0]; i++)
		if (!text_take_0x(&text, &record->args[i]))
			return false;
	record->nr = number;
	return true;
}

void syscall_file_take_link(struct text link, struct thread_record *record)
{
	if (text_starts(link, "socket:[")) {
		record->mode = RECORD_TYPE_SOCKET;
	} else if (text_starts(link, "pipe:[")) {
		record->mode = RECORD_TYPE_PIPE;
	} else if (text_starts(link, ANONYMOUS)) {
		size_t len = link.len - (sizeof ANONYMOUS - 1);

		record->mode = MODE_ANONYMOUS;
		memset(record->name, 0, sizeof record->name);
		memcpy(record->name, link.p + sizeof ANONYMOUS - 1,
		       len < sizeof record->name - 1 ? len : sizeof record->name - 1);
	} else if (text_starts(link, "/dev/") && !text_starts(link, "/dev/shm/")) {
		record->mode = RECORD_TYPE_DEVICE;
	} else if (text_starts(link, "/")) {
		record->mode = MODE_FILE;
	}
}
