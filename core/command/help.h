/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints --help from the tables of options. usage: follows "ctprof "; tables: as in
 * CommandLine, the first one is --help; text: paragraphs below the options. */
#pragma once

#include <stdio.h>

#include "command-line.h"

void help_print(const char *usage, const char *summary, const Option *const *tables,
		const char *text, FILE *stream);
