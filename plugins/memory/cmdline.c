/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cmdline.h"

#include <stdlib.h>

#define ROOM_FIRST 512u

static void push(struct cmdline *cmdline, char byte)
{
	if (cmdline->len == cmdline->room) {
		size_t room = cmdline->room ? 4 * cmdline->room : ROOM_FIRST;
		char *bigger =
			room <= 4 * (size_t)CMDLINE_MAX ? realloc(cmdline->text, room) : NULL;

		/* Without memory, as beyond the limit, it is cut. */
		if (!bigger)
			return;
		cmdline->text = bigger;
		cmdline->room = room;
	}
	if (cmdline->len < CMDLINE_MAX)
		cmdline->text[cmdline->len++] = byte;
}

void cmdline_add(struct cmdline *cmdline, const char *text, size_t len)
{
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
}

void cmdline_reset(struct cmdline *cmdline)
{
	cmdline->len = 0;
	cmdline->gap = false;
}

void cmdline_free(struct cmdline *cmdline)
{
	free(cmdline->text);
	*cmdline = (struct cmdline){0};
}
