/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints options, and other text, in lines that fit the terminal. */
#pragma once

#include <stdio.h>

#include "command-line.h"

/* Prints text, which begins at the column indent, in lines no wider than the terminal. */
void help_wrap(const char *text, glong indent, FILE *stream);
/* Prints --help from the tables of options. usage: follows "ctprof "; tables: as in
 * CommandLine, the first one is --help; text: paragraphs below the options. */
void help_print(const char *usage, const char *summary, const Option *const *tables,
		const char *text, FILE *stream);
