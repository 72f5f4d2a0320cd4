/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "../ledger.h"
#include "../nvidia.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct meminfo info;
static struct ledger ledger;

/* The host's rules for names: not empty, without NUL, unique. */
static void check_names(void)
{
	if (ledger.n > LEDGER_ROWS_MAX)
		abort();
	for (uint32_t i = 0; i < ledger.n; i++) {
		if (!memchr(ledger.rows[i].name, '\0', sizeof ledger.rows[i].name) ||
		    ledger.rows[i].name[0] == '\0')
			abort();
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(ledger.rows[i].name, ledger.rows[j].name) == 0)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct ledger_shmem shmem = {.memfd.absent = CTPROF_ABSENT_SKIPPED};
	uint64_t a, b;

	meminfo_parse(text, size, &info);
	ledger.n = 0;
	ledger_add_meminfo(&ledger, &info);
	ledger_add_physical(&ledger, &info);
	ledger_add_shmem(&ledger, &info, &shmem);
	ledger_add_swap(&ledger, &info);
	ledger_add_zram(&ledger, 1, text, size);
	check_names();
	(void)nvidia_parse_params(text, size, &a);
	(void)nvidia_parse_pool((struct text){text, size}, &a, &b);
	(void)nvidia_parse_count(text, size, size % 7, &a);
	return 0;
}
