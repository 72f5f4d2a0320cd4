/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tmpfs: mounts, and the tree of what is in them. */
#include <string.h>

#include "collapse.h"
#include "memory-rows.h"
#include "memory-views.h"

/* ---- mounts ------------------------------------------------------------------- */

enum {
	MOUNT_USED,
	MOUNT_LIMIT,
	MOUNT_SHARE,
	MOUNT_FILES,
	MOUNT_DEVICE,
	MOUNT_SOURCE,
	MOUNT_NAME,
	N_MOUNT_FIELDS,
};

static const struct ctprof_report_field mount_fields[N_MOUNT_FIELDS] = {
	[MOUNT_USED] = BYTES_FIELD("used", "USED"),
	[MOUNT_LIMIT] = BYTES_FIELD("limit", "LIMIT"),
	[MOUNT_SHARE] = SHARE_FIELD("used_percent", "%"),
	[MOUNT_FILES] = COUNT_FIELD("files", "FILES"),
	[MOUNT_DEVICE] = TEXT_FIELD("device", "DEVICE"),
	[MOUNT_SOURCE] = TEXT_FIELD("source", "SOURCE"),
	[MOUNT_NAME] = TEXT_FIELD("mount", "MOUNT"),
};

/* The mounts' order, and that of the files. */
static const struct {
	const char *name;
	guint mounts, files;
} orders[] = {
	{"used", TMPFS_USED, FILE_ALLOCATED},      {"limit", TMPFS_LIMIT, FILE_ALLOCATED},
	{"files", TMPFS_FILES, FILE_ALLOCATED},    {"name", MEMORY_BY_NAME, MEMORY_BY_NAME},
	{"allocated", TMPFS_USED, FILE_ALLOCATED}, {"logical", TMPFS_USED, FILE_LOGICAL},
};

const char *memory_tmpfs_sort(guint i)
{
	return i < G_N_ELEMENTS(orders) ? orders[i].name : NULL;
}

static void put_mount(MemoryTable *table, const MemoryRow *row)
{
	struct ctprof_value *cells = memory_table_line(table, 0, 0);
	guint64 used, limit;

	cells[MOUNT_USED] = memory_row_value(row, TMPFS_USED);
	cells[MOUNT_LIMIT] = memory_row_value(row, TMPFS_LIMIT);
	cells[MOUNT_FILES] = memory_row_value(row, TMPFS_FILES);
	cells[MOUNT_DEVICE] = memory_row_value(row, TMPFS_DEVICE);
	cells[MOUNT_SOURCE] = memory_row_value(row, TMPFS_SOURCE);
	cells[MOUNT_NAME] = value_of_text(row->name);
	if (!memory_row_number(row, TMPFS_LIMIT, &limit))
		return;
	if (limit == G_MAXUINT64)
		cells[MOUNT_LIMIT].type = CTPROF_VALUE_UNLIMITED;
	else if (memory_row_number(row, TMPFS_USED, &used))
		cells[MOUNT_SHARE] = value_of_share(used, limit);
}

static void draft_mounts(MemoryDraft *draft)
{
	const GPtrArray *all = draft->data->rows[MEMORY_TMPFS];
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	MemoryTable *table = memory_tables_add(draft->tables, "tmpfs", "tmpfs mounts", mount_fields,
					       N_MOUNT_FIELDS);
	AmountSum sum = {0};
	Coverage coverage = {0};

	memory_table_hide(table, MOUNT_DEVICE, !draft->options->wide);
	memory_table_hide(table, MOUNT_SOURCE, !draft->options->wide);
	for (guint i = 0; i < all->len; i++) {
		const MemoryRow *row = g_ptr_array_index(all, i);

		if (memory_draft_matches(draft, row->name))
			g_ptr_array_add(rows, (gpointer)(uintptr_t)row);
	}
	memory_rows_sort(rows, orders[draft->sort].mounts);
	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);
		Amount used = memory_row_amount(row, TMPFS_USED);

		amount_sum_add(&sum, used);
		coverage_add(&coverage, &used, 1);
		if (memory_table_has_room(table, draft->options->limit))
			put_mount(table, row);
	}
	struct ctprof_value *total = memory_table_line(table, CTPROF_LINE_TOTAL, 0);
	total[MOUNT_USED] = value_of_amount(amount_sum_of_all(&sum));
	total[MOUNT_NAME] = value_of_text("total");
	memory_table_cover(table, "mounts", &coverage);
	memory_table_note(table, "What is used is in RAM or swapped out.");
}

/* ---- files ---------------------------------------------------------------------- */

enum {
	FIELD_TREE,
	FIELD_OWN,
	FIELD_LOGICAL_TREE,
	FIELD_LOGICAL_OWN,
	FIELD_KIND,
	FIELD_LINKED,
	FIELD_FOLDED,
	FIELD_ENTRY,
	FIELD_PATH,
	N_FIELDS,
};

static const struct ctprof_report_field file_fields[N_FIELDS] = {
	[FIELD_TREE] = BYTES_FIELD("allocated_subtree", "ALLOCATED"),
	[FIELD_OWN] = BYTES_FIELD("allocated", "OWN"),
	[FIELD_LOGICAL_TREE] = BYTES_FIELD("logical_subtree", "LOGICAL"),
	[FIELD_LOGICAL_OWN] = BYTES_FIELD("logical", "OWN LOGICAL"),
	[FIELD_KIND] = TEXT_FIELD("kind", "KIND"),
	[FIELD_LINKED] = COUNT_FIELD("linked", "LINKED"),
	[FIELD_FOLDED] = COUNT_FIELD("folded", "FOLDED"),
	[FIELD_ENTRY] = TEXT_FIELD("entry", "ENTRY"),
	[FIELD_PATH] = TEXT_FIELD("path", "PATH"),
};

typedef struct file {
	const MemoryRow *row;
	Amount allocated, logical;
	AmountSum allocated_tree, logical_tree;
	gboolean matches, is_inside, is_shown;
	guint n_folded; /* files its line stands for besides */
} File;

typedef struct files {
	const MemoryDraft *draft;
	File *list; /* in the order of the walk */
	guint64 n_unreadable;
	Forest forest;
	MemoryTable *table;
} Files;

static void files_clear(Files *self)
{
	forest_clear(&self->forest);
	g_clear_pointer(&self->list, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Files, files_clear)

static guint64 depth_of(const MemoryRow *row)
{
	guint64 depth = 0;

	(void)memory_row_number(row, FILE_DEPTH, &depth);
	return depth;
}

/* One row may tell of what could not be read, and is no file. */
static GPtrArray *pick_files(Files *self)
{
	const GPtrArray *all = self->draft->data->rows[MEMORY_FILES];
	GPtrArray *rows = g_ptr_array_new();

	for (guint i = 0; i < all->len; i++) {
		MemoryRow *row = g_ptr_array_index(all, i);

		if (!memory_row_number(row, FILE_UNREADABLE, &self->n_unreadable))
			g_ptr_array_add(rows, row);
	}
	return rows;
}

/* A walk names a folder before what is in it: the parent is the last one above. */
static void take_files(Files *self)
{
	g_autoptr(GPtrArray) rows = pick_files(self);
	guint above = FOREST_ROOT;

	self->list = g_new0(File, rows->len);
	forest_init(&self->forest, rows->len);
	for (guint i = 0; i < rows->len; i++) {
		File *file = &self->list[i];

		file->row = g_ptr_array_index(rows, i);
		file->allocated = memory_row_amount(file->row, FILE_ALLOCATED);
		file->logical = memory_row_amount(file->row, FILE_LOGICAL);
		file->matches = memory_draft_matches(self->draft, file->row->name);
		while (above != FOREST_ROOT &&
		       depth_of(self->list[above].row) >= depth_of(file->row))
			above = self->forest.parents[above];
		self->forest.parents[i] = above;
		above = i;
	}
	forest_settle(&self->forest);
}

/* Up: sums, and who is above a match; down: who is below one. */
static void relate_files(Files *self)
{
	const Forest *forest = &self->forest;

	for (guint at = forest->n; at-- > 0;) {
		guint i = forest->order[at], parent = forest->parents[i];
		File *file = &self->list[i];

		amount_sum_add(&file->allocated_tree, file->allocated);
		amount_sum_add(&file->logical_tree, file->logical);
		file->is_shown |= file->matches;
		if (parent == FOREST_ROOT)
			continue;
		self->list[parent].is_shown |= file->is_shown;
		amount_sum_merge(&self->list[parent].allocated_tree, &file->allocated_tree);
		amount_sum_merge(&self->list[parent].logical_tree, &file->logical_tree);
	}
	for (guint at = 0; at < forest->n; at++) {
		File *file = &self->list[forest->order[at]];
		guint parent = forest->parents[forest->order[at]];

		file->is_inside =
			file->matches || (parent != FOREST_ROOT && self->list[parent].is_inside);
	}
}

static const AmountSum *tree_of(const Files *self, const File *file)
{
	return orders[self->draft->sort].files == FILE_LOGICAL ? &file->logical_tree
							       : &file->allocated_tree;
}

static void collapse(Files *self)
{
	g_autofree CollapseNode *nodes = g_new0(CollapseNode, self->forest.n);

	for (guint i = 0; i < self->forest.n; i++) {
		const File *file = &self->list[i];

		nodes[i].tree = *tree_of(self, file);
		nodes[i].is_shown = file->is_shown;
		nodes[i].is_kept = file->is_shown && !file->matches;
	}
	collapse_forest(&self->forest, nodes, memory_draft_ram(self->draft));
	for (guint i = 0; i < self->forest.n; i++) {
		self->list[i].is_shown &= !nodes[i].is_hidden;
		self->list[i].n_folded = nodes[i].n_folded;
	}
}

static gint compare_files(guint a, guint b, gconstpointer data)
{
	const Files *self = data;
	const File *x = &self->list[a], *y = &self->list[b];
	gint order = 0;

	if (orders[self->draft->sort].files != MEMORY_BY_NAME)
		order = amount_compare(amount_sum_total(tree_of(self, x)),
				       amount_sum_total(tree_of(self, y)));
	return order != 0 ? order : strcmp(x->row->name, y->row->name);
}

/* The path's last part; of a mount, all of it. */
static const char *entry_of(const MemoryRow *row, guint depth)
{
	const char *slash = strrchr(row->name, '/');

	return depth > 0 && slash && slash[1] ? slash + 1 : row->name;
}

static void put_file(Files *self, guint i)
{
	const File *file = &self->list[i];
	guint depth = self->forest.depths[i];

	if (!memory_table_has_room(self->table, self->draft->options->limit))
		return;
	struct ctprof_value *cells =
		memory_table_line(self->table, file->matches ? 0 : CTPROF_LINE_CONTEXT, depth);
	cells[FIELD_TREE] = value_of_amount(amount_sum_total(&file->allocated_tree));
	cells[FIELD_OWN] = value_of_amount(file->allocated);
	cells[FIELD_LOGICAL_TREE] = value_of_amount(amount_sum_total(&file->logical_tree));
	cells[FIELD_LOGICAL_OWN] = value_of_amount(file->logical);
	cells[FIELD_KIND] = memory_row_value(file->row, FILE_KIND);
	cells[FIELD_LINKED] = memory_row_value(file->row, FILE_LINKED);
	if (file->n_folded > 0)
		cells[FIELD_FOLDED] = value_of_number(file->n_folded);
	cells[FIELD_ENTRY] = value_of_text(entry_of(file->row, depth));
	cells[FIELD_PATH] = value_of_text(file->row->name);
}

static void cover(Files *self)
{
	Coverage coverage = {.missing = self->n_unreadable};

	for (guint i = 0; i < self->forest.n; i++) {
		const Amount amounts[] = {self->list[i].allocated, self->list[i].logical};

		if (self->list[i].is_inside)
			coverage_add(&coverage, amounts, G_N_ELEMENTS(amounts));
	}
	memory_table_cover(self->table, "files", &coverage);
	if (self->n_unreadable > 0)
		memory_table_estimate_totals(self->table);
}

static void put_total(Files *self)
{
	AmountSum allocated = {0}, allocated_tree = {0}, logical = {0}, logical_tree = {0};

	for (guint i = 0; i < self->forest.n; i++) {
		const File *file = &self->list[i];
		guint parent = self->forest.parents[i];

		if (!file->matches)
			continue;
		amount_sum_add(&allocated, file->allocated);
		amount_sum_add(&logical, file->logical);
		if (parent != FOREST_ROOT && self->list[parent].is_inside)
			continue;
		amount_sum_merge(&allocated_tree, &file->allocated_tree);
		amount_sum_merge(&logical_tree, &file->logical_tree);
	}
	struct ctprof_value *cells = memory_table_line(self->table, CTPROF_LINE_TOTAL, 0);
	cells[FIELD_TREE] = value_of_amount(amount_sum_of_all(&allocated_tree));
	cells[FIELD_OWN] = value_of_amount(amount_sum_of_all(&allocated));
	cells[FIELD_LOGICAL_TREE] = value_of_amount(amount_sum_of_all(&logical_tree));
	cells[FIELD_LOGICAL_OWN] = value_of_amount(amount_sum_of_all(&logical));
	cells[FIELD_ENTRY] = value_of_text("total");
}

static void draft_files(MemoryDraft *draft)
{
	static const guint rare[] = {FIELD_OWN, FIELD_LOGICAL_OWN, FIELD_LINKED, FIELD_PATH};
	g_auto(Files) self = {.draft = draft};

	take_files(&self);
	relate_files(&self);
	if (draft->options->fold)
		collapse(&self);
	forest_sort(&self.forest, compare_files, &self);
	self.table =
		memory_tables_add(draft->tables, "files", "Files in tmpfs", file_fields, N_FIELDS);
	memory_table_flag(self.table, FIELD_ENTRY, CTPROF_FIELD_TREE);
	for (guint i = 0; i < G_N_ELEMENTS(rare); i++)
		memory_table_hide(self.table, rare[i], !draft->options->wide);
	memory_table_hide(self.table, FIELD_FOLDED, !draft->options->fold);
	for (guint at = 0; at < self.forest.n; at++)
		if (self.list[self.forest.order[at]].is_shown)
			put_file(&self, self.forest.order[at]);
	put_total(&self);
	cover(&self);
}

void memory_draft_tmpfs(MemoryDraft *draft)
{
	draft_mounts(draft);
	if (draft->data->captured[MEMORY_FILES])
		draft_files(draft);
}
