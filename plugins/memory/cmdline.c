/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cmdline.h"

static void push(struct cmdline *cmdline, char byte)
{
	if (cmdline->len < CMDLINE_MAX)
		cmdline->text[cmdline->len++] = byte;
}

size_t cmdline_take(void *data, const char *text, size_t len, bool last)
{
	struct cmdline *cmdline = data;

	(void)last;
	for (size_t i = 0; i < len; i++) {
		if (!text[i]) {
			cmdline->gap = cmdline->len > 0;
			continue;
		}
		if (cmdline->gap)
			push(cmdline, ' ');
		cmdline->gap = false;
		push(cmdline, text[i]);
	}
	return len;
}
