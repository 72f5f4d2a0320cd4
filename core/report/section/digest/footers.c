/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Below the first screen: what was not measured, and why, and where there is more. */
#include <string.h>

#include "digest.h"
#include "row/absence.h"

#define DELAYACCT "host.task_delayacct"

static const struct part {
	enum cost cost;
	const char *name;
} parts[] = {
	{COST_CPU, "CPU time"},         {COST_WAITING, "run-queue wait"},
	{COST_SWITCHES, "switches"},    {COST_READ, "reads"},
	{COST_WRITE, "writes"},         {COST_PSS, "PSS"},
	{COST_WAKEUPS, "wakeups"},      {COST_DISK_WAIT, "block I/O delay"},
	{COST_SWAP_WAIT, "swap delay"}, {COST_RECLAIM, "reclaim delay"},
};

/* "CONFIG_SCHEDSTATS" of "[cfs-only] [SCHEDSTATS]": what it needs of the kernel. */
static char *config_of(const char *tags)
{
	for (const char *at = strchr(tags, '['); at; at = strchr(at + 1, '['))
		if (g_ascii_isupper(at[1]))
			return g_strdup_printf("CONFIG_%.*s", (int)strcspn(at + 1, "]"), at + 1);
	return NULL;
}

static gboolean has_delay_accounting(const Digest *digest)
{
	const char *text = host_state_text(digest, DELAYACCT);

	return !text || strchr("1Yt", text[0]);
}

/* Why no thread has it. */
static char *reason_of(const Digest *digest, enum cost cost, guint32 why)
{
	const Measure *measure = cost_measure(digest->draft, cost);
	g_autofree char *config = measure ? config_of(measure->tags) : NULL;

	if (why == CTPROF_ABSENT_DENIED)
		return g_strdup("denied: capture as root");
	if (why != CTPROF_ABSENT_UNSUPPORTED)
		return g_strdup(absence_word(why));
	if (measure && measure->delay && !has_delay_accounting(digest))
		return g_strdup("kernel.task_delayacct=0");
	return config ? g_steal_pointer(&config) : g_strdup(absence_word(why));
}

static void tell_unmeasured(const Digest *digest, GPtrArray *pieces)
{
	g_autofree char *before = NULL;
	g_autoptr(GString) alike = g_string_new("not measured here: ");

	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		const struct ctprof_value *total = &digest->total.of[parts[i].cost];

		if (total->type != CTPROF_VALUE_ABSENT || total->missing == 0)
			continue;
		g_autofree char *reason = reason_of(digest, parts[i].cost, total->why);
		if (before && strcmp(before, reason) != 0) {
			digest_add(pieces, "%s (%s)", alike->str, before);
			g_string_truncate(alike, 0);
		}
		g_string_append_printf(alike, "%s%s", before ? ", " : "", parts[i].name);
		g_free(before);
		before = g_steal_pointer(&reason);
	}
	if (before)
		digest_add(pieces, "%s (%s)", alike->str, before);
}

void digest_add_footers(Digest *digest)
{
	g_autoptr(GPtrArray) pieces = g_ptr_array_new_with_free_func(g_free);
	guint width = digest->draft->plan->options->width;

	tell_unmeasured(digest, pieces);
	if (pieces->len > 0)
		g_ptr_array_add(digest->footers, digest_join(pieces, width));
	g_ptr_array_set_size(pieces, 0);
	digest_add(pieces, "more: --all, -m METRIC,…");
	digest_add(pieces, "   --group-by unit|cgroup|comm|process");
	digest_add(pieces, "   --sort waiting|read|pss");
	g_ptr_array_add(digest->footers, digest_join(pieces, width));
}
