/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a plugin's table of options, and conversion of their values to numbers. */
#pragma once

#include <stdlib.h>

#include "ctprof/plugin.h"

/* Makes the text of a default from the number that the code uses. */
#define OPTION_TEXT_(number) #number
#define OPTION_TEXT(number) OPTION_TEXT_(number)

/* A row: type is BOOL, WORD, TIME, …; further members follow the help. */
#define OPTION(type_, name_, help_, ...)                                                           \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_option), .type = CTPROF_OPTION_##type_,        \
		.name = name_, .help = help_, __VA_ARGS__                                          \
	}
#define OPTION_WORD(name_, help_, ...)                                                             \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_option_word), .name = name_, .help = help_,    \
		__VA_ARGS__                                                                        \
	}
#define OPTION_WORDS(words_) .n_words = sizeof words_ / sizeof words_[0], .words = words_

/* Returns the value of a TIME, SIZE or COUNT option, which the host has checked. */
static inline uint64_t option_u64(const struct ctprof_host *host, const char *name,
				  uint64_t standard)
{
	const char *given = host->option(host, name);

	return given ? strtoull(given, NULL, 10) : standard;
}
