/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses any bytes as status, stat and cmdline. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../cmdline.h"
#include "../status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text text = {(const char *)data, size};
	struct cmdline cmdline = {0};
	struct status status;
	struct stat_line line;

	status_parse(text, &status);
	for (unsigned i = 0; i < N_STATUS; i++)
		if (status.at[i].why != CTPROF_PRESENT &&
		    status.at[i].why != CTPROF_ABSENT_UNSUPPORTED &&
		    status.at[i].why != CTPROF_ABSENT_INVALID)
			__builtin_trap();
	/* A stat file has at least twenty columns after the name. */
	if (stat_line_parse(text, &line) && line.name_len + 40u > size)
		__builtin_trap();
	(void)cmdline_take(&cmdline, text.p, size / 2, false);
	(void)cmdline_take(&cmdline, text.p + size / 2, size - size / 2, true);
	if (cmdline.len > CMDLINE_MAX || cmdline.len > size ||
	    (cmdline.len > 0 && memchr(cmdline.text, '\0', cmdline.len)))
		__builtin_trap();
	return 0;
}
