/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The view tmpfs: mounts, and the tree of their files. */
#include <string.h>

#include "tree.h"

/* ---- mounts ------------------------------------------------------------------- */

enum { USED, LIMIT, SHARE, INODES, DEVICE, SOURCE, MOUNT };

static const Place places_of_mounts[] = {
	[USED] = {BYTES_FIELD("used", "USED"), "tmpfs_used_bytes", PLACE_SUMMED, NULL},
	[LIMIT] = {BYTES_FIELD("limit", "LIMIT"), "tmpfs_limit_bytes", 0, NULL},
	[SHARE] = {SHARE_FIELD("used_percent", "%"), NULL, 0, NULL},
	[INODES] = {COUNT_FIELD("files", "FILES"), "tmpfs_files", 0, NULL},
	[DEVICE] = {TEXT_FIELD("device", "DEVICE"), "tmpfs_device", PLACE_RARE, NULL},
	[SOURCE] = {TEXT_FIELD("source", "SOURCE"), "tmpfs_source", PLACE_RARE, NULL},
	[MOUNT] = {TEXT_FIELD("mount", "MOUNT"), PLACE_NAME, PLACE_TITLE, NULL},
};

static struct ctprof_value mount_value(const Listing *listing, const Pair *row, guint side,
				       const Place *place)
{
	if (place != &places_of_mounts[SHARE])
		return listing_value(listing, row, side, place);
	struct ctprof_value used = listing_value(listing, row, side, &places_of_mounts[USED]);
	struct ctprof_value limit = listing_value(listing, row, side, &places_of_mounts[LIMIT]);
	return value_of_share(&used, limit.type == CTPROF_VALUE_NUMBER ? limit.number : 0);
}

static const Listing mounts = {
	.group = TMPFS_GROUP,
	.places = places_of_mounts,
	.n_places = G_N_ELEMENTS(places_of_mounts),
	.value = mount_value,
	.covered = "mounts",
};

static void draft_mounts(const Draft *draft, const Section *section, const char *order)
{
	g_auto(Listing) listing = listing_of(draft, &mounts, NULL);

	if (strcmp(order, "allocated") == 0 || strcmp(order, "logical") == 0)
		order = places_of_mounts[USED].field.name;
	listing_draft(&listing, section, order);
	table_note(listing.table, "Used memory is in RAM or swapped out.");
}

/* ---- files ---------------------------------------------------------------------- */

#define ALLOCATED "file_allocated_bytes"
#define LOGICAL "file_logical_bytes"

static const Place files[] = {
	{BYTES_FIELD("allocated_subtree", "ALLOCATED"), ALLOCATED, PLACE_TREE, NULL},
	{BYTES_FIELD("allocated", "OWN"), ALLOCATED, PLACE_SUMMED | PLACE_RARE, NULL},
	{BYTES_FIELD("logical_subtree", "LOGICAL"), LOGICAL, PLACE_TREE, NULL},
	{BYTES_FIELD("logical", "OWN LOGICAL"), LOGICAL, PLACE_SUMMED | PLACE_RARE, NULL},
	{TEXT_FIELD("kind", "KIND"), "file_kind", PLACE_SAME, NULL},
	{COUNT_FIELD("linked", "LINKED"), "file_linked", PLACE_RARE, NULL},
	{COUNT_FIELD("folded", "FOLDED"), NULL, PLACE_FOLDED, NULL},
	{TABLE_FIELD("entry", "ENTRY", "text", CTPROF_LADDER_NONE, CTPROF_FIELD_TREE), NULL,
	 PLACE_ENTRY | PLACE_TITLE, NULL},
	{TEXT_FIELD("path", "PATH"), PLACE_NAME, PLACE_RARE, NULL},
};

static gint compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(row_name(*(const Pair *const *)a), row_name(*(const Pair *const *)b));
}

/* Keeps the files, not the row that may hold the number of unreadable files.  data receives that
 * number: with two sides, the larger one. */
static gboolean is_file(const Rows *rows, const Pair *row, gpointer data)
{
	guint64 *n_unreadable = data, unreadable;
	gboolean is_file = TRUE;

	for (guint side = 0; side < draft_n_sides(rows->draft); side++) {
		if (!row_number(rows, row, side, "files_unreadable", &unreadable))
			continue;
		*n_unreadable = MAX(*n_unreadable, unreadable);
		is_file = FALSE;
	}
	return is_file;
}

struct walk {
	const Rows *rows;
	guint side;
};

static const Pair *file_at(const Rows *rows, guint i)
{
	return g_ptr_array_index(rows->list, i);
}

static gint compare_places(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct walk *walk = data;
	const Record *x = file_at(walk->rows, *(const guint *)a)->sides[walk->side];
	const Record *y = file_at(walk->rows, *(const guint *)b)->sides[walk->side];

	return (x->place > y->place) - (x->place < y->place);
}

/* Lists a side's files in the order of the walk. */
static GArray *list_walk(const Rows *rows, guint side)
{
	GArray *order = g_array_new(FALSE, FALSE, sizeof(guint));
	struct walk walk = {rows, side};

	for (guint i = 0; i < rows->list->len; i++)
		if (file_at(rows, i)->sides[side])
			g_array_append_val(order, i);
	g_array_sort_with_data(order, compare_places, &walk);
	return order;
}

static guint64 depth_of(const Rows *rows, guint i, guint side)
{
	guint64 depth = 0;

	(void)row_number(rows, file_at(rows, i), side, "file_depth", &depth);
	return depth;
}

/* A walk lists a directory before its contents, so the parent is the last entry with a smaller
 * depth.  A file that is on both sides is placed as in the baseline. */
static void find_parents(Tree *tree, guint side)
{
	const Rows *rows = &tree->listing->rows;
	g_autoptr(GArray) order = list_walk(rows, side);
	guint above = TREE_ROOT;

	for (guint at = 0; at < order->len; at++) {
		guint i = g_array_index(order, guint, at);
		guint64 depth = depth_of(rows, i, side);

		while (above != TREE_ROOT && depth_of(rows, above, side) >= depth)
			above = tree->nodes[above].parent;
		if (side == 0 || !file_at(rows, i)->sides[0])
			tree->nodes[i].parent = above;
		above = i;
	}
}

static void cover(const Listing *listing, const Tree *tree, guint64 n_unreadable)
{
	g_autoptr(GPtrArray) inside = tree_list_inside(tree);
	Listing covered = *listing;

	covered.rows.list = inside;
	listing_note_coverage(&covered, "files");
	listing->table->section.n_missing += n_unreadable;
	if (n_unreadable > 0)
		table_mark_totals(listing->table);
}

/* Drafts the files; sorts them by allocated memory if the sort key applies to mounts only. */
static void draft_files(const Draft *draft, Rows *rows, const char *order)
{
	guint64 n_unreadable = 0;
	Listing listing = {.rows = *rows, .places = files, .n_places = G_N_ELEMENTS(files)};
	g_auto(Tree) tree;

	rows_keep(rows, is_file, &n_unreadable);
	g_ptr_array_sort(rows->list, compare_names);
	tree_init(&tree, &listing);
	for (guint side = 0; side < draft_n_sides(draft); side++)
		find_parents(&tree, side);
	for (guint i = 0; i < rows->list->len; i++)
		tree.nodes[i].matches = rows_match(draft, row_name(file_at(rows, i)));
	tree.ranked = listing_find(&listing, strcmp(order, "logical") == 0 ? "logical_subtree"
									   : "allocated_subtree");
	tree.by = strcmp(order, "name") == 0 ? NULL : tree.ranked;
	tree.total = "total";
	tree_draft(&tree, "files", "Files in tmpfs");
	cover(&listing, &tree, n_unreadable);
}

static void draft_tmpfs(const Draft *draft, const Section *section)
{
	const char *order = section->orders[draft->plan->order];
	g_auto(Rows) rows = rows_of(draft, MEMORY_FILES_GROUP);

	draft_mounts(draft, section, order);
	if (rows_are_captured(&rows, ALLOCATED))
		draft_files(draft, &rows, order);
}

const Section view_tmpfs = {
	.name = "tmpfs",
	.heading = "tmpfs mounts",
	.help = "tmpfs mounts, and with --walk their files",
	.flags = SECTION_VIEW | SECTION_OF_HOST,
	.draft = draft_tmpfs,
	.orders = (const char *const[]){"used", "limit", "files", "name", "allocated", "logical",
					NULL},
	.groups = TMPFS_GROUP,
	.optional = MEMORY_FILES_GROUP "," MEMORY_LEDGER_GROUP,
	.needs = "tmpfs_used_bytes",
	.what = "tmpfs mounts",
	.capture = "--memory=tmpfs",
};
