/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exit statuses, which scripts rely on. */
#pragma once

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_HOLDS = 3,
	EXIT_LOST = 4, /* done, without a plugin that crashed or did not return */
};

/* The exit status of a function that returns TRUE, or FALSE with an error set. */
#define EXIT_OF(ok) ((ok) ? EXIT_DONE : EXIT_FAILED)

/* Exit statuses that a shell uses for a command that was ended by a signal (plus its
 * number), does not exist, or cannot be executed. */
#define COMMAND_SIGNAL 128
#define COMMAND_NOT_FOUND 127
#define COMMAND_NOT_RUN 126
