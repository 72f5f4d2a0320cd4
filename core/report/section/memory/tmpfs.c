/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tmpfs: mounts, and the tree of what is in them. */
#include <string.h>

#include "collapse.h"
#include "footprint.h"
#include "listing.h"

#define MOUNTS "memory-tmpfs"
#define FILES "memory-files"

/* ---- mounts ------------------------------------------------------------------- */

enum { USED, LIMIT, SHARE, INODES, DEVICE, SOURCE, MOUNT };

static const Place mounts[] = {
	[USED] = {BYTES_FIELD("used", "USED"), "tmpfs_used_bytes", PLACE_SUMMED, NULL},
	[LIMIT] = {BYTES_FIELD("limit", "LIMIT"), "tmpfs_limit_bytes", 0, NULL},
	[SHARE] = {SHARE_FIELD("used_percent", "%"), NULL, 0, NULL},
	[INODES] = {COUNT_FIELD("files", "FILES"), "tmpfs_files", 0, NULL},
	[DEVICE] = {TEXT_FIELD("device", "DEVICE"), "tmpfs_device", PLACE_RARE, NULL},
	[SOURCE] = {TEXT_FIELD("source", "SOURCE"), "tmpfs_source", PLACE_RARE, NULL},
	[MOUNT] = {TEXT_FIELD("mount", "MOUNT"), PLACE_NAME, PLACE_TITLE, NULL},
};

/* The mounts' order is by one of their places; the files' by this. */
enum by { BY_ALLOCATED, BY_LOGICAL, BY_NAME };

static enum by order_of_files(const char *order)
{
	return strcmp(order, "name") == 0      ? BY_NAME
	       : strcmp(order, "logical") == 0 ? BY_LOGICAL
					       : BY_ALLOCATED;
}

static struct ctprof_value value_of(const Listing *listing, const Pool *row, guint side,
				    const Place *place)
{
	if (place != &mounts[SHARE])
		return listing_value(listing, row, side, place);
	struct ctprof_value used = listing_value(listing, row, side, &mounts[USED]);
	struct ctprof_value limit = listing_value(listing, row, side, &mounts[LIMIT]);
	return value_of_share(&used, limit.type == CTPROF_VALUE_NUMBER ? limit.number : 0);
}

static void draft_mounts(const Draft *draft, const Section *section, const char *order)
{
	g_auto(Rows) rows = rows_of(draft, MOUNTS);
	Listing listing = {
		.rows = rows,
		.places = mounts,
		.n_places = G_N_ELEMENTS(mounts),
		.value = value_of,
	};

	if (strcmp(order, "allocated") == 0 || strcmp(order, "logical") == 0)
		order = mounts[USED].field.name;
	listing_draft(&listing, section->name, section->heading, order);
	listing_cover(&listing, "mounts");
	table_note(listing.table, "Used memory is in RAM or swapped out.");
}

/* ---- files ---------------------------------------------------------------------- */

/* Amounts of a file, each a field for itself and one with all below it. */
enum { ALLOCATED, LOGICAL, N_AMOUNTS };

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
	[FIELD_ENTRY] =
		TABLE_FIELD("entry", "ENTRY", "text", CTPROF_LADDER_NONE, CTPROF_FIELD_TREE),
	[FIELD_PATH] = TEXT_FIELD("path", "PATH"),
};

static const struct {
	const char *metric;
	guint own, tree; /* fields */
} amounts[N_AMOUNTS] = {
	[ALLOCATED] = {"file_allocated_bytes", FIELD_OWN, FIELD_TREE},
	[LOGICAL] = {"file_logical_bytes", FIELD_LOGICAL_OWN, FIELD_LOGICAL_TREE},
};

typedef struct file {
	const Pool *row;
	Sums trees[N_AMOUNTS];
	/* is_asked: for itself, else for what is below it. */
	gboolean matches, is_asked, is_inside, is_shown;
	guint n_folded; /* files its line stands for besides */
} File;

typedef struct files {
	const Draft *draft;
	enum by by;
	Rows rows;
	File *list; /* one for each row */
	guint64 n_unreadable;
	Forest forest;
	Table *table;
} Files;

static void files_clear(Files *self)
{
	forest_clear(&self->forest);
	g_clear_pointer(&self->list, g_free);
	rows_clear(&self->rows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Files, files_clear)

static void own_of(const Files *self, const File *file, guint amount,
		   struct ctprof_value ret_values[SIDES])
{
	row_values(&self->rows, file->row, amounts[amount].metric, ret_values);
}

static void tree_of(const Files *self, const File *file, guint amount,
		    struct ctprof_value ret_values[SIDES])
{
	sums_values(self->draft, &file->trees[amount], FALSE, ret_values);
}

/* One row may tell of what could not be read, and is no file.  Of two sides that
 * counts which was read worse. */
static void take_rows(Files *self)
{
	GPtrArray *list = self->rows.list;
	guint n = 0;

	for (guint i = 0; i < list->len; i++) {
		const Pool *row = g_ptr_array_index(list, i);
		gboolean is_file = TRUE;

		for (guint side = 0; side < draft_n_sides(self->draft); side++) {
			guint64 unreadable;

			if (!row_number(&self->rows, row, side, "files_unreadable", &unreadable))
				continue;
			self->n_unreadable = MAX(self->n_unreadable, unreadable);
			is_file = FALSE;
		}
		if (is_file)
			list->pdata[n++] = list->pdata[i];
	}
	g_ptr_array_set_size(list, (gint)n);
}

/* ---- the tree ---- */

struct walk {
	const Files *files;
	guint side;
};

static gint compare_places(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct walk *walk = data;
	const Record *x = walk->files->list[*(const guint *)a].row->sides[walk->side];
	const Record *y = walk->files->list[*(const guint *)b].row->sides[walk->side];

	return (x->place > y->place) - (x->place < y->place);
}

/* A side's files in the order of the walk. */
static GArray *list_walk(const Files *self, guint side)
{
	GArray *order = g_array_new(FALSE, FALSE, sizeof(guint));
	struct walk walk = {self, side};

	for (guint i = 0; i < self->forest.n; i++)
		if (self->list[i].row->sides[side])
			g_array_append_val(order, i);
	g_array_sort_with_data(order, compare_places, &walk);
	return order;
}

static guint64 depth_of(const Files *self, guint i, guint side)
{
	guint64 depth = 0;

	(void)row_number(&self->rows, self->list[i].row, side, "file_depth", &depth);
	return depth;
}

/* A walk names a folder before what is in it: the parent is the last one above.
 * A file of both sides stays where the baseline has it. */
static void take_parents(Files *self, guint side)
{
	g_autoptr(GArray) order = list_walk(self, side);
	guint *parents = self->forest.parents;
	guint above = FOREST_ROOT;

	for (guint at = 0; at < order->len; at++) {
		guint i = g_array_index(order, guint, at);
		guint64 depth = depth_of(self, i, side);

		while (above != FOREST_ROOT && depth_of(self, above, side) >= depth)
			above = parents[above];
		if (side == 0 || !self->list[i].row->sides[0])
			parents[i] = above;
		above = i;
	}
}

static void take_files(Files *self)
{
	take_rows(self);
	self->list = g_new0(File, self->rows.list->len);
	forest_init(&self->forest, self->rows.list->len);
	for (guint i = 0; i < self->forest.n; i++) {
		File *file = &self->list[i];

		file->row = g_ptr_array_index(self->rows.list, i);
		file->matches = rows_match(self->draft, row_name(file->row));
	}
	for (guint side = 0; side < draft_n_sides(self->draft); side++)
		take_parents(self, side);
	forest_settle(&self->forest);
}

/* Whether what changed in or below the file is to be seen. */
static gboolean passes(const Files *self, const File *file)
{
	for (guint i = 0; i < N_AMOUNTS; i++) {
		struct ctprof_value values[SIDES];

		tree_of(self, file, i, values);
		if (rows_pass(self->draft, file->row, &file_fields[amounts[i].tree], values))
			return TRUE;
	}
	return FALSE;
}

/* Up: sums, and who is above a match; down: who is below one. */
static void relate_files(Files *self)
{
	const Forest *forest = &self->forest;

	for (guint at = forest->n; at-- > 0;) {
		guint i = forest->order[at], parent = forest->parents[i];
		File *file = &self->list[i];

		for (guint a = 0; a < N_AMOUNTS; a++) {
			struct ctprof_value values[SIDES];

			own_of(self, file, a, values);
			sums_add(self->draft, &file->trees[a], values);
			if (parent != FOREST_ROOT)
				sums_merge(&self->list[parent].trees[a], &file->trees[a]);
		}
		file->is_asked = file->matches && passes(self, file);
		file->is_shown |= file->is_asked;
		if (parent != FOREST_ROOT)
			self->list[parent].is_shown |= file->is_shown;
	}
	for (guint at = 0; at < forest->n; at++) {
		File *file = &self->list[forest->order[at]];
		guint parent = forest->parents[forest->order[at]];

		file->is_inside =
			file->matches || (parent != FOREST_ROOT && self->list[parent].is_inside);
	}
}

static guint ranked_amount(const Files *self)
{
	return self->by == BY_LOGICAL ? LOGICAL : ALLOCATED;
}

static void collapse(Files *self)
{
	g_autofree CollapseNode *nodes = g_new0(CollapseNode, self->forest.n);

	for (guint i = 0; i < self->forest.n; i++) {
		const File *file = &self->list[i];

		nodes[i].tree = file->trees[ranked_amount(self)];
		nodes[i].is_shown = file->is_shown;
		nodes[i].is_kept = file->is_shown && !file->is_asked;
	}
	collapse_forest(&self->forest, nodes, ledger_ram(self->draft));
	for (guint i = 0; i < self->forest.n; i++) {
		self->list[i].is_shown &= !nodes[i].is_hidden;
		self->list[i].n_folded = nodes[i].n_folded;
	}
}

static gint compare_files(guint a, guint b, gconstpointer data)
{
	const Files *self = data;
	const File *x = &self->list[a], *y = &self->list[b];
	struct ctprof_value p[SIDES], q[SIDES];
	gint order = 0;

	if (self->by != BY_NAME) {
		tree_of(self, x, ranked_amount(self), p);
		tree_of(self, y, ranked_amount(self), q);
		order = rows_compare_values(self->draft, p, q);
	}
	return order != 0 ? order : strcmp(row_name(x->row), row_name(y->row));
}

/* ---- the table ---- */

/* The path's last part; of a mount, all of it. */
static const char *entry_of(const char *path, guint depth)
{
	const char *slash = strrchr(path, '/');

	return depth > 0 && slash && slash[1] ? slash + 1 : path;
}

static void put_file(Files *self, guint i)
{
	const File *file = &self->list[i];
	const char *path = row_name(file->row);
	const Draft *draft = self->draft;
	guint depth = self->forest.depths[i];
	struct ctprof_cell *cells =
		table_line(self->table, file->is_asked ? 0 : CTPROF_LINE_CONTEXT, depth);
	struct ctprof_value values[SIDES];

	for (guint a = 0; a < N_AMOUNTS; a++) {
		own_of(self, file, a, values);
		rows_put(draft, self->table, cells, amounts[a].own, values);
		tree_of(self, file, a, values);
		rows_put(draft, self->table, cells, amounts[a].tree, values);
	}
	rows_put_text(draft, self->table, cells, FIELD_KIND,
		      row_text(&self->rows, file->row, "file_kind"));
	row_values(&self->rows, file->row, "file_linked", values);
	rows_put(draft, self->table, cells, FIELD_LINKED, values);
	if (file->n_folded > 0)
		rows_put_number(draft, self->table, cells, FIELD_FOLDED, file->n_folded);
	rows_put_text(draft, self->table, cells, FIELD_ENTRY, entry_of(path, depth));
	rows_put_text(draft, self->table, cells, FIELD_PATH, path);
}

static void cover(const Files *self)
{
	Tally tally = {.missing = self->n_unreadable};

	for (guint i = 0; i < self->forest.n; i++) {
		struct ctprof_value list[N_AMOUNTS * SIDES], values[SIDES];
		guint n = 0;

		if (!self->list[i].is_inside)
			continue;
		for (guint a = 0; a < N_AMOUNTS; a++) {
			own_of(self, &self->list[i], a, values);
			n += rows_list_amounts(self->draft, values, &list[n]);
		}
		tally_add(&tally, list, n);
	}
	table_cover(self->table, "files", &tally);
	if (self->n_unreadable > 0)
		table_mark_totals(self->table);
}

static void put_total(const Files *self)
{
	struct ctprof_cell *cells = table_line(self->table, CTPROF_LINE_TOTAL, 0);
	struct ctprof_value values[SIDES];

	for (guint a = 0; a < N_AMOUNTS; a++) {
		Sums own = {0}, tree = {0};

		for (guint i = 0; i < self->forest.n; i++) {
			const File *file = &self->list[i];
			guint parent = self->forest.parents[i];

			if (!file->matches)
				continue;
			own_of(self, file, a, values);
			sums_add(self->draft, &own, values);
			if (parent == FOREST_ROOT || !self->list[parent].is_inside)
				sums_merge(&tree, &file->trees[a]);
		}
		sums_values(self->draft, &own, TRUE, values);
		rows_put(self->draft, self->table, cells, amounts[a].own, values);
		sums_values(self->draft, &tree, TRUE, values);
		rows_put(self->draft, self->table, cells, amounts[a].tree, values);
	}
	rows_put_text(self->draft, self->table, cells, FIELD_ENTRY, "total");
}

static void draft_files(const Draft *draft, enum by by)
{
	static const guint rare[] = {FIELD_OWN, FIELD_LOGICAL_OWN, FIELD_LINKED, FIELD_PATH};
	const AnalysisOptions *options = draft->plan->options;
	g_auto(Files) self = {.draft = draft, .by = by, .rows = rows_of(draft, FILES)};

	take_files(&self);
	relate_files(&self);
	if (options->fold)
		collapse(&self);
	forest_sort(&self.forest, compare_files, &self);
	self.table = tables_add(draft->tables, "files", "Files in tmpfs", NULL, 0);
	table_add_fields(self.table, file_fields, N_FIELDS);
	for (guint i = 0; i < G_N_ELEMENTS(rare); i++)
		table_hide(self.table, rare[i], !options->wide);
	table_hide(self.table, FIELD_FOLDED, !options->fold);
	for (guint at = 0; at < self.forest.n; at++)
		if (self.list[self.forest.order[at]].is_shown)
			put_file(&self, self.forest.order[at]);
	table_cut(self.table, draft->view->limit);
	put_total(&self);
	cover(&self);
}

static void draft_tmpfs(const Draft *draft, const Section *section)
{
	const char *order = section->orders[draft->plan->order];
	g_auto(Rows) files = rows_of(draft, FILES);

	draft_mounts(draft, section, order);
	if (rows_are_captured(&files, amounts[ALLOCATED].metric))
		draft_files(draft, order_of_files(order));
}

const Section view_tmpfs = {
	.name = "tmpfs",
	.heading = "tmpfs mounts",
	.help = "tmpfs mounts, and with --walk their files",
	.flags = SECTION_VIEW,
	.draft = draft_tmpfs,
	.orders = (const char *const[]){"used", "limit", "files", "name", "allocated", "logical",
					NULL},
	.groups = MOUNTS,
	.optional = FILES ",memory-ledger",
	.needs = "tmpfs_used_bytes",
	.what = "tmpfs mounts",
	.capture = "--memory=tmpfs",
};
