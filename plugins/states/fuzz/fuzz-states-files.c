/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdint.h>
#include <stdlib.h>

#include "../places-parse.h"
#include "../syscall-file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text text = {(const char *)data, size};
	char place[WAIT_PLACE_MAX];
	struct wait_stat stat;
	struct thread_record record = {.state = 1};

	(void)wait_stat_parse(text, &stat);
	size_t len = wait_stack_parse(text, place);
	if (len >= sizeof place)
		abort();
	for (size_t i = 0; i < len; i++)
		if (place[i] < ' ' || place[i] > '~')
			abort();
	(void)syscall_file_parse(text, &record);
	syscall_file_take_link(text, &record);
	if (kind_of(MACHINE_X86_64, &record, text) >= N_KINDS ||
	    record.name[sizeof record.name - 1] != '\0')
		abort();
	return 0;
}
