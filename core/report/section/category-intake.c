/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "category-intake.h"

#include <string.h>

#include "report/fold/fold.h"

#define KIB 1024
#define NO_NAME "-"
#define NOT_APPLICABLE "not-applicable"
#define EVERYBODY "*" /* the row of memory-swap that is about no process */
#define NAMED_PIDS 8

static const struct {
	const char *name;
	guint32 type, scope;
} slots[N_CATEGORY_SLOTS] = {
	[CATEGORY_SLOT_CMDLINE] = {"cmdline", CTPROF_TYPE_TEXT, CTPROF_SCOPE_THREAD},
	[CATEGORY_SLOT_PCOMM] = {"pcomm", CTPROF_TYPE_TEXT, CTPROF_SCOPE_THREAD},
	[CATEGORY_SLOT_MEMORY_STATE] = {"memory_state", CTPROF_TYPE_TEXT, CTPROF_SCOPE_THREAD},
	[CATEGORY_SLOT_SMAPS_STATE] = {"smaps_state", CTPROF_TYPE_TEXT, CTPROF_SCOPE_THREAD},
	[CATEGORY_SLOT_PSS] = {"pss_bytes", CTPROF_TYPE_U64, CTPROF_SCOPE_THREAD},
	[CATEGORY_SLOT_SWAP_PSS] = {"swap_pss_bytes", CTPROF_TYPE_U64, CTPROF_SCOPE_THREAD},
	[CATEGORY_SLOT_SWAP] = {"swap_bytes", CTPROF_TYPE_U64, CTPROF_SCOPE_THREAD},
	[CATEGORY_SLOT_ROLLUP] = {"smaps_rollup_kib", CTPROF_TYPE_MAP, CTPROF_SCOPE_THREAD},
	[CATEGORY_SLOT_SHARE] = {"swap_shared_bytes", CTPROF_TYPE_U64, CTPROF_SCOPE_OBJECT},
	[CATEGORY_SLOT_SHARE_BY_NAME] = {"swap_shared_by_name_bytes", CTPROF_TYPE_U64,
					 CTPROF_SCOPE_OBJECT},
	[CATEGORY_SLOT_UNREADABLE] = {"swap_unreadable", CTPROF_TYPE_U64, CTPROF_SCOPE_OBJECT},
};

void category_intake_init(CategoryIntake *intake, Categories *categories)
{
	*intake = (CategoryIntake){.categories = categories};
	intake->list = g_array_new(FALSE, TRUE, sizeof(CategoryMember));
	intake->shares = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	intake->pssless = g_array_new(FALSE, FALSE, sizeof(gint32));
}

void category_intake_clear(CategoryIntake *intake)
{
	g_clear_pointer(&intake->list, g_array_unref);
	g_clear_pointer(&intake->shares, g_hash_table_unref);
	g_clear_pointer(&intake->pssless, g_array_unref);
}

void category_intake_bind(CategoryIntake *intake, const Registry *registry)
{
	for (guint i = 0; i < N_CATEGORY_SLOTS; i++) {
		enum row_class row = registry_row_of_scope(slots[i].scope);
		const Metric *metric =
			row < N_ROW_CLASSES ? registry_named(registry, row, slots[i].name) : NULL;
		gboolean fits = metric && metric->slot && metric->type == slots[i].type;

		intake->slots[i] = fits ? (gint)metric->index : -1;
	}
}

/* ---- a row's values ---- */

/* A row while it is looked at. */
typedef struct row {
	const CategoryIntake *intake;
	const struct ctprof_rows *rows;
	guint64 i;
} Row;

static gboolean find_value(const Row *row, enum category_slot slot, guint64 *ret_value)
{
	gint index = row->intake->slots[slot];
	gsize at = row->i * row->rows->n_slots + (gsize)index;

	if (index < 0 || row->rows->states[at] != CTPROF_PRESENT)
		return FALSE;
	*ret_value = row->rows->values[at];
	return TRUE;
}

static const char *find_text(const Row *row, enum category_slot slot)
{
	guint64 value;

	return find_value(row, slot, &value) ? ((const struct ctprof_text *)(uintptr_t)value)->bytes
					     : NULL;
}

static const struct ctprof_map *find_rollup(const Row *row)
{
	guint64 value;

	return find_value(row, CATEGORY_SLOT_ROLLUP, &value)
		       ? (const struct ctprof_map *)(uintptr_t)value
		       : NULL;
}

/* In bytes: the metric, or what the rollup says. */
static gboolean find_amount(const Row *row, enum category_slot slot, const char *key,
			    guint64 *ret_bytes)
{
	const struct ctprof_map *map = find_rollup(row);

	if (find_value(row, slot, ret_bytes))
		return TRUE;
	for (guint64 i = 0; map && i < map->n; i++) {
		if (strcmp(map->entries[i].key, key) != 0)
			continue;
		*ret_bytes = fold_multiply_saturated(map->entries[i].number, KIB);
		return TRUE;
	}
	return FALSE;
}

/* ---- rows of processes ---- */

/* Kernel threads, and what is left of processes, take nothing. */
static gboolean has_memory(const Row *row)
{
	const char *state = find_text(row, CATEGORY_SLOT_MEMORY_STATE);
	const struct ctprof_map *map = find_rollup(row);
	guint64 pss;

	if (!state)
		state = find_text(row, CATEGORY_SLOT_SMAPS_STATE);
	if (state)
		return strcmp(state, NOT_APPLICABLE) != 0;
	/* Older files say it by a map that is there and empty. */
	return !map || map->n > 0 || find_value(row, CATEGORY_SLOT_PSS, &pss);
}

static void add_process(CategoryIntake *intake, const Row *row)
{
	const struct ctprof_target *target = ctprof_rows_target(row->rows, row->i);
	const char *command = find_text(row, CATEGORY_SLOT_CMDLINE);
	CategoryMember member = {.pid = target->tgid};
	guint64 swap;

	if (target->tid != target->tgid || !has_memory(row))
		return;
	if (!command)
		command = find_text(row, CATEGORY_SLOT_PCOMM);
	if (!command)
		command = NO_NAME;
	member.category = categories_find(intake->categories, command);
	member.has_pss = find_amount(row, CATEGORY_SLOT_PSS, "Pss", &member.pss);
	member.has_swap_pss = find_amount(row, CATEGORY_SLOT_SWAP_PSS, "SwapPss", &member.swap_pss);
	if (find_amount(row, CATEGORY_SLOT_SWAP, "Swap", &swap) && swap > 0)
		intake->has_swap = TRUE;
	if (!member.has_pss && intake->pssless->len < NAMED_PIDS)
		g_array_append_val(intake->pssless, member.pid);
	g_array_append_val(intake->list, member);
}

/* ---- rows of the group memory-swap ---- */

static void add_share(CategoryIntake *intake, const Row *row)
{
	const char *name = ctprof_rows_target(row->rows, row->i)->path;
	enum category_slot slot =
		intake->share == SHARE_BY_NAME ? CATEGORY_SLOT_SHARE_BY_NAME : CATEGORY_SLOT_SHARE;
	guint64 bytes, pid;

	if (!name)
		return;
	if (strcmp(name, EVERYBODY) == 0 && find_value(row, CATEGORY_SLOT_UNREADABLE, &bytes)) {
		intake->has_shares = TRUE;
		intake->unreadable = bytes;
		return;
	}
	if (!find_value(row, slot, &bytes) ||
	    !g_ascii_string_to_unsigned(name, 10, 1, G_MAXINT32, &pid, NULL))
		return;
	intake->has_shares = TRUE;
	g_hash_table_replace(intake->shares, GINT_TO_POINTER((gint)pid),
			     g_memdup2(&bytes, sizeof bytes));
}

void category_intake_add(CategoryIntake *intake, const struct ctprof_rows *rows, guint64 i)
{
	const Row row = {intake, rows, i};

	if (rows->scope == CTPROF_SCOPE_THREAD)
		add_process(intake, &row);
	else if (rows->scope == CTPROF_SCOPE_OBJECT)
		add_share(intake, &row);
}

/* ---- results ---- */

static guint64 share_of(const CategoryIntake *intake, gint32 pid)
{
	const guint64 *bytes = g_hash_table_lookup(intake->shares, GINT_TO_POINTER(pid));

	return bytes ? *bytes : 0;
}

GArray *category_intake_fold(const CategoryIntake *intake)
{
	g_autoptr(GArray) processes = g_array_new(FALSE, FALSE, sizeof(CategoryProcess));

	for (guint i = 0; i < intake->list->len; i++) {
		const CategoryMember *member = &g_array_index(intake->list, CategoryMember, i);
		CategoryProcess process = {
			.category = member->category,
			.has_pss = member->has_pss,
			.has_swap = member->has_swap_pss,
			.pss = member->pss,
			.swap = fold_add_saturated(member->swap_pss, share_of(intake, member->pid)),
		};

		g_array_append_val(processes, process);
	}
	return categories_fold(intake->categories, (const void *)processes->data, processes->len);
}

static guint64 count_pssless(const CategoryIntake *intake)
{
	guint64 n = 0;

	for (guint i = 0; i < intake->list->len; i++)
		n += !g_array_index(intake->list, CategoryMember, i).has_pss;
	return n;
}

static char *name_pssless(const CategoryIntake *intake, guint64 n)
{
	g_autoptr(GString) pids = g_string_new(NULL);

	for (guint i = 0; i < intake->pssless->len; i++)
		g_string_append_printf(pids, "%s%d", i ? ", " : "",
				       g_array_index(intake->pssless, gint32, i));
	return g_strdup_printf("categories: no PSS of %" G_GUINT64_FORMAT
			       " process%s (pid %s%s): counted as missing, in no sum",
			       n, n == 1 ? "" : "es", pids->str,
			       n > intake->pssless->len ? ", …" : "");
}

GPtrArray *category_intake_list_gaps(const CategoryIntake *intake)
{
	GPtrArray *gaps = g_ptr_array_new_with_free_func(g_free);
	guint64 pssless = count_pssless(intake);

	if (pssless > 0)
		g_ptr_array_add(gaps, name_pssless(intake, pssless));
	if (intake->has_swap && !intake->has_shares)
		g_ptr_array_add(gaps, g_strdup("categories: swap of shared memory is in no sum: "
					       "capture with --memory=shared"));
	/* Where nothing is swapped out nobody has a share. */
	if (intake->unreadable > 0 && g_hash_table_size(intake->shares) > 0)
		g_ptr_array_add(gaps,
				g_strdup_printf("categories: the mappings of %" G_GUINT64_FORMAT
						" process%s could not be read: the shares of "
						"shared swap may be too big",
						intake->unreadable,
						intake->unreadable == 1 ? "" : "es"));
	return gaps;
}
