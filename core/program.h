/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program whose command line is that of ctprof. */
#pragma once

#include "command/cmd.h"

/* Runs the command that the words of argv name, of a list ended by NULL; returns the exit
 * status of the program.  Once, from main. */
int program_run(const Command *const *list, char **argv);
