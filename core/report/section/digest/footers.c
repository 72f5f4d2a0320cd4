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

/* "wakeups, swap delay (unsupported)"; with fewer names if that is wider than width. */
static char *tell_alike(const char *head, const GPtrArray *names, const char *reason, guint width)
{
	GString *text = g_string_new(NULL);

	for (guint n = names->len; n > 0; n--) {
		g_string_assign(text, head);
		for (guint i = 0; i < n; i++)
			g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
					       (const char *)g_ptr_array_index(names, i));
		g_string_append_printf(text, "%s (%s)", n < names->len ? ", …" : "", reason);
		if (width == 0 || 1 + g_utf8_strlen(text->str, -1) <= width)
			break;
	}
	return g_string_free(text, FALSE);
}

/* Ends what is alike for a reason. */
static void flush(GPtrArray *pieces, GPtrArray *names, const char *reason, guint width)
{
	if (names->len > 0)
		g_ptr_array_add(pieces, tell_alike(pieces->len > 0 ? ", " : "not measured here: ",
						   names, reason, width));
	g_ptr_array_set_size(names, 0);
}

static void tell_unmeasured(const Digest *digest, GPtrArray *pieces, guint width)
{
	g_autofree char *before = NULL;
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		const struct ctprof_value *total = &digest->total.of[parts[i].cost];

		if (total->type != CTPROF_VALUE_ABSENT || total->missing == 0)
			continue;
		g_autofree char *reason = reason_of(digest, parts[i].cost, total->why);
		if (g_strcmp0(before, reason) != 0)
			flush(pieces, names, before, width);
		g_ptr_array_add(names, (gpointer)(uintptr_t)parts[i].name);
		g_free(before);
		before = g_steal_pointer(&reason);
	}
	flush(pieces, names, before, width);
}

void digest_add_footers(Digest *digest)
{
	g_autoptr(GPtrArray) pieces = g_ptr_array_new_with_free_func(g_free);
	guint width = digest->draft->plan->options->width;

	tell_unmeasured(digest, pieces, width);
	if (pieces->len > 0)
		g_ptr_array_add(digest->footers, digest_join(pieces, width));
	g_ptr_array_set_size(pieces, 0);
	digest_add(pieces, "more: --all, -m METRIC,…");
	digest_add(pieces, "   --group-by unit|cgroup|comm|process");
	digest_add(pieces, "   --sort waiting|read|pss");
	g_ptr_array_add(digest->footers, digest_join(pieces, width));
}
