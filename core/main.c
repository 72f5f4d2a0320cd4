/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program.h"

#define DECLARE(name) extern const Command cmd_##name;
CTPROF_COMMANDS(DECLARE)

int main(int argc, char **argv)
{
#define ADDRESS(name) &cmd_##name,
	static const Command *const commands[] = {CTPROF_COMMANDS(ADDRESS) NULL};

	(void)argc;
	return program_run(commands, argv);
}
