/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program with the command line of ctprof. */
#pragma once

#include "command/cmd.h"

/* Runs the command of list (NULL-terminated) that argv names; returns the exit status of the
 * program.  Call once, from main. */
int program_run(const Command *const *list, char **argv);
