/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "program.h"

int main(int argc, char **argv)
{
	static const Command *const commands[] = {
		&cmd_stat,     &cmd_top,    &cmd_capture,     &cmd_record,  &cmd_show,
		&cmd_compare,  &cmd_memory, &cmd_replay,      &cmd_cut,     &cmd_export,
		&cmd_redact,   &cmd_doctor, &cmd_metric_list, &cmd_plugins, &cmd_plugin_check,
		&cmd_complete, NULL};

	(void)argc;
	return program_run(commands, argv);
}
