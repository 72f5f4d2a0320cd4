/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ledger.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- rows -------------------------------------------------------------- */

CTPROF_PRINTF(4, 5)
static void add_row(struct ledger *ledger, struct amount amount, bool estimate, const char *format,
		    ...)
{
	struct ledger_row *row = &ledger->rows[ledger->n];
	va_list args;

	if (ledger->n == LEDGER_ROWS_MAX)
		return;
	*row = (struct ledger_row){.estimate = estimate, .amount = amount};
	va_start(args, format);
	(void)vsnprintf(row->name, sizeof row->name, format, args);
	va_end(args);
	ledger->n++;
}

static struct amount key_amount(const struct meminfo *info, const char *key)
{
	struct amount amount = {.absent = CTPROF_ABSENT_UNSUPPORTED};

	if (meminfo_find(info, key, &amount.bytes))
		amount.absent = 0;
	return amount;
}

/* Adds part if it is known; a sum without known parts stays unknown. */
static void gather(struct amount *sum, struct amount part)
{
	if (part.absent)
		return;
	*sum = amount_known(sum->absent ? part.bytes : amount_sum(sum->bytes, part.bytes));
}

/* Adds a row for the part of whole that parts does not cover, or for the amount by which parts
 * exceeds it. */
static void add_remainder(struct ledger *ledger, const char *section, const char *rest,
			  uint64_t whole, uint64_t parts)
{
	if (parts > whole)
		add_row(ledger, amount_known(parts - whole), true, "%s.excess", section);
	else
		add_row(ledger, amount_known(whole - parts), true, "%s.%s", section, rest);
}

/* ---- sections ---------------------------------------------------------- */

void ledger_add_meminfo(struct ledger *ledger, const struct meminfo *info)
{
	for (uint32_t i = 0; i < info->n; i++)
		add_row(ledger, amount_known(info->entries[i].bytes), false, "meminfo.%.*s",
			(int)info->entries[i].key.len, info->entries[i].key.p);
}

/* No page is counted under two of these keys. */
static const struct part {
	const char *name;
	const char *keys[12];
} physical_parts[] = {
	{"lru",
	 {"Active(anon)", "Inactive(anon)", "Active(file)", "Inactive(file)", "Unevictable"}},
	{"slab", {"Slab"}},
	{"hugetlb", {"Hugetlb"}},
	{"kernel",
	 {"KernelStack", "ShadowCallStack", "PageTables", "SecPageTables", "Percpu", "Zswap",
	  "HardwareCorrupted", "Unaccepted", "Balloon", "GPUActive", "GPUReclaim"}},
};

#define N_PHYSICAL_PARTS (sizeof physical_parts / sizeof physical_parts[0])

void ledger_add_physical(struct ledger *ledger, const struct meminfo *info)
{
	uint64_t total, unused, classified = 0;

	if (!meminfo_find(info, "MemTotal", &total) || !meminfo_find(info, "MemFree", &unused) ||
	    unused > total)
		return;
	add_row(ledger, amount_known(total - unused), false, "physical.allocated");
	for (size_t i = 0; i < N_PHYSICAL_PARTS; i++) {
		const struct part *part = &physical_parts[i];
		struct amount sum = {.absent = CTPROF_ABSENT_UNSUPPORTED};

		for (const char *const *key = part->keys; *key; key++)
			gather(&sum, key_amount(info, *key));
		add_row(ledger, sum, false, "physical.%s", part->name);
		classified = amount_sum(classified, sum.bytes);
	}
	add_remainder(ledger, "physical", "residual", total - unused, classified);
}

void ledger_add_shmem(struct ledger *ledger, const struct meminfo *info,
		      const struct ledger_shmem *shmem)
{
	const struct {
		const char *name;
		struct amount amount;
		bool estimate;
	} parts[] = {
		{"tmpfs", shmem->tmpfs, shmem->partial},
		{"memfd", shmem->memfd, true},
		{"sysv", shmem->sysv, false},
		{"anonymous", shmem->anonymous, true},
	};
	struct amount sum = {0};
	uint64_t total;

	if (!meminfo_find(info, "Shmem", &total))
		return;
	add_row(ledger, amount_known(total), false, "shmem.total");
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		add_row(ledger, parts[i].amount, parts[i].estimate, "shmem.%s", parts[i].name);
		gather(&sum, parts[i].amount);
	}
	add_remainder(ledger, "shmem", "rest", total, sum.bytes);
}

bool ledger_swap_used(const struct meminfo *info, uint64_t *ret_bytes)
{
	uint64_t total, unused;

	if (!meminfo_find(info, "SwapTotal", &total) || !meminfo_find(info, "SwapFree", &unused) ||
	    unused > total)
		return false;
	*ret_bytes = total - unused;
	return true;
}

void ledger_add_swap(struct ledger *ledger, const struct meminfo *info)
{
	struct amount used = {.absent = CTPROF_ABSENT_UNSUPPORTED};

	if (ledger_swap_used(info, &used.bytes))
		used.absent = 0;
	const struct {
		const char *name;
		struct amount amount;
	} rows[] = {
		{"total", key_amount(info, "SwapTotal")},
		{"used", used},
		{"cached", key_amount(info, "SwapCached")},
		{"zswap_pool", key_amount(info, "Zswap")},
		{"zswap_stored", key_amount(info, "Zswapped")},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (!rows[i].amount.absent)
			add_row(ledger, rows[i].amount, false, "swap.%s", rows[i].name);
}

/* The columns of mm_stat_show(): the size of stored data, its compressed size, and the memory it
 * takes. */
static const char *const zram_columns[ZRAM_N_COLUMNS] = {"stored", "compressed", "memory"};

void ledger_add_zram(struct ledger *ledger, uint64_t device, const char *text, size_t len)
{
	struct text rest = {text, len};
	struct text token;
	uint64_t bytes[ZRAM_N_COLUMNS];

	for (size_t i = 0; i < ZRAM_N_COLUMNS; i++)
		if (!text_take_token(&rest, &token) || !text_u64(token, &bytes[i]))
			return;
	for (size_t i = 0; i < ZRAM_N_COLUMNS; i++)
		add_row(ledger, amount_known(bytes[i]), false, "swap.zram%" PRIu64 "_%s", device,
			zram_columns[i]);
}

void ledger_add_nvidia(struct ledger *ledger, struct amount pools)
{
	add_row(ledger, pools, false, "nvidia.pools");
}
