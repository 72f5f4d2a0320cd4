/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "condition.h"

#include <stdio.h>
#include <string.h>

#include "file.h"
#include "newer-host.h"
#include "option.h"
#include "text.h"

const struct ctprof_option_word condition_words[3] = {
	[WHEN_AUTO] = OPTION_WORD("auto", "from " OPTION_TEXT(CONDITION_THREADS) " threads on"),
	[WHEN_ALWAYS] = OPTION_WORD("always", NULL),
	[WHEN_NEVER] = OPTION_WORD("never", NULL),
};

enum condition_when condition_option(const struct ctprof_host *host)
{
	const char *given = host->option(host, "when");

	for (unsigned i = 0; given && i < sizeof condition_words / sizeof condition_words[0]; i++)
		if (strcmp(given, condition_words[i].name) == 0)
			return (enum condition_when)i;
	return WHEN_AUTO;
}

/* ---- whether it pays -------------------------------------------------- */

bool condition_pays(enum condition_when when, uint64_t threads)
{
	return when == WHEN_ALWAYS || (when == WHEN_AUTO && threads >= CONDITION_THREADS);
}

uint64_t condition_count_threads(const struct ctprof_host *host)
{
	char line[128];
	ssize_t got = file_read_root(host, CTPROF_ROOT_PROC, "loadavg", line, sizeof line);
	struct text text = {line, got > 0 ? (size_t)got : 0}, part, all = {"", 0};
	uint64_t n = 0;

	/* "0.20 0.18 0.12 1/80 11206": the number after the slash in the fourth token. */
	for (int i = 0; i < 4; i++)
		if (!text_take_token(&text, &all))
			return 0;
	return text_take_part(&all, '/', &part) && text_u64(all, &n) ? n : 0;
}

uint64_t condition_count_captured(const struct ctprof_host *host)
{
	uint64_t n =
		HOST_HAS(host, count_threads) ? host->count_threads(host, CONDITION_THREADS) : 0;

	return n ? n : condition_count_threads(host);
}
