/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What --help prints, out of the rows of options. */
#pragma once

#include <stdio.h>

#include "command-line.h"

typedef struct help {
	const char *usage;           /* after "ctprof " */
	const char *summary;         /* one line */
	const char *text;            /* paragraphs below the options */
	const Option *const *tables; /* as CommandLine's; the first one is --help */
} Help;

void help_print(const Help *help, FILE *stream);
