/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes, as a tree of parents and children or a flat list, and the mappings
 * of one of them. */
#include <string.h>

#include "base/error.h"
#include "footprint.h"
#include "tree.h"

#define PID NULL
#define NAME "pcomm"
#define COMMAND "cmdline"
#define STATE "memory_state"
#define SHARE "" /* share of PSS in the RAM */

/* Places before the amounts, and after them. */
static const Place before[] = {
	{COUNT_FIELD("pid", "PID"), PID, PLACE_SAME, NULL},
	{COUNT_FIELD("ppid", "PPID"), "ppid", PLACE_SAME | PLACE_RARE, NULL},
	{TEXT_FIELD("user", "USER"), "user", PLACE_SAME, NULL},
	{TEXT_FIELD("state", "S"), "state", PLACE_SAME | PLACE_RARE, NULL},
	{COUNT_FIELD("threads", "THREADS"), "nr_threads", PLACE_RARE, NULL},
};
static const Place after[] = {
	{SHARE_FIELD("ram_percent", "% RAM"), SHARE, PLACE_RARE, NULL},
	{TEXT_FIELD("memory_state", "READ"), STATE, PLACE_EACH | PLACE_RARE, NULL},
	{TEXT_FIELD("memory_source", "FROM"), "memory_source", PLACE_EACH | PLACE_RARE, NULL},
	{TEXT_FIELD("name", "NAME"), NAME, PLACE_SAME | PLACE_RARE, NULL},
	{COUNT_FIELD("folded", "FOLDED"), NULL, PLACE_FOLDED, NULL},
	{TEXT_FIELD("command", "COMMAND"), COMMAND, PLACE_SAME | PLACE_TITLE, NULL},
	{TEXT_FIELD("cwd", "CWD"), "cwd", PLACE_SAME | PLACE_RARE, NULL},
};

#define FOOTPRINT(id, head, is_common, metric, stand_in)                                           \
	{                                                                                          \
		SHORT_BYTES(id, head), SHORT_BYTES(id "_subtree", head "+"), is_common, metric,    \
			stand_in                                                                   \
	}

/* The memory of a process alone, and with its children. */
static const struct footprint {
	struct ctprof_report_field own, tree;
	gboolean is_common; /* shown by default */
	const char *metric, *stand_in;
} footprints[] = {
	FOOTPRINT("pss", "PSS", TRUE, "pss_bytes", NULL),
	FOOTPRINT("uss", "USS", TRUE, "uss_bytes", NULL),
	FOOTPRINT("rss", "RSS", TRUE, "rss_bytes", NULL),
	FOOTPRINT("swap", "SWAPPSS", TRUE, "swap_pss_bytes", NULL),
	FOOTPRINT("eps", "EPSS", FALSE, NULL, NULL),
	FOOTPRINT("anon", "ANON", FALSE, "pss_anon_bytes", "anonymous_bytes"),
	FOOTPRINT("file", "FILE", FALSE, "pss_file_bytes", NULL),
	FOOTPRINT("shmem", "SHMEM", FALSE, "pss_shmem_bytes", NULL),
};

static gint compare_pids(gconstpointer a, gconstpointer b)
{
	const RecordKey *x = &(*(const Pair *const *)a)->key, *y = &(*(const Pair *const *)b)->key;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* ---- values ---- */

static const char *name_of(const Rows *rows, const Pair *row)
{
	const char *name = row_text(rows, row, NAME);

	return name ? name : "?";
}

/* Returns the command line; without one, the name in brackets, like ps. */
static const char *command_of(const Rows *rows, const Pair *row)
{
	const char *command = row_text(rows, row, COMMAND);

	return command && command[0] ? command
				     : store_take(rows->draft->store,
						  g_strdup_printf("[%s]", name_of(rows, row)));
}

static struct ctprof_value process_value(const Listing *listing, const Pair *row, guint side,
					 const Place *place)
{
	const guint64 *ram = listing->data;

	if (place->flags & (PLACE_SUMMED | PLACE_TREE))
		return footprint_value(&listing->rows, row, side, place->metric, place->stand_in);
	if (place->metric == PID)
		return value_of_number((guint64)row->key.tid);
	if (strcmp(place->metric, SHARE) == 0) {
		struct ctprof_value pss =
			footprint_value(&listing->rows, row, side, "pss_bytes", NULL);

		return value_of_share(&pss, *ram);
	}
	if (strcmp(place->metric, NAME) == 0)
		return value_of_text(name_of(&listing->rows, row));
	if (strcmp(place->metric, COMMAND) == 0)
		return value_of_text(command_of(&listing->rows, row));
	return listing_value(listing, row, side, place);
}

/* by: the amount that processes are sorted by. */
static GArray *list_places(const char *by, gboolean flat, gboolean is_self)
{
	GArray *places = g_array_new(FALSE, FALSE, sizeof(Place));

	g_array_append_vals(places, before, G_N_ELEMENTS(before));
	for (guint f = 0; f < G_N_ELEMENTS(footprints); f++) {
		const struct footprint *footprint = &footprints[f];
		guint rare = strcmp(footprint->own.name, by) == 0 ? 0 : PLACE_RARE;
		Place own = {footprint->own, footprint->metric,
			     PLACE_SUMMED | (footprint->is_common ? 0 : rare), footprint->stand_in};
		Place tree = {footprint->tree, footprint->metric, PLACE_TREE | rare,
			      footprint->stand_in};

		g_array_append_val(places, own);
		if (is_self)
			tree.flags |= PLACE_RARE;
		if (!flat)
			g_array_append_val(places, tree);
	}
	g_array_append_vals(places, after, G_N_ELEMENTS(after));
	for (guint i = 0; !flat && i < places->len; i++)
		if (g_array_index(places, Place, i).flags & PLACE_TITLE)
			g_array_index(places, Place, i).field.flags |= CTPROF_FIELD_TREE;
	return places;
}

/* ---- parents, and the processes asked for ---- */

/* Parents are those of the side shown. */
static void find_parents(Tree *tree)
{
	const Rows *rows = &tree->listing->rows;
	g_autoptr(GHashTable) pids = footprint_index_pids(rows);

	for (guint i = 0; i < rows->list->len; i++) {
		const Pair *row = g_ptr_array_index(rows->list, i);
		guint side = row_side(row), parent;
		guint64 ppid;

		if (row_number(rows, row, side, "ppid", &ppid) &&
		    footprint_find_pid(pids, ppid, side, &parent) && parent != i)
			tree->nodes[i].parent = parent;
	}
}

static gboolean is_asked_for(const Rows *rows, const Pair *row)
{
	const AnalysisOptions *options = rows->draft->plan->options;
	gint32 pid = row->key.tid;
	char text[16];

	if (options->pid > 0)
		return pid == options->pid;
	if (footprint_worst_reading(rows, row) == READ_NONE && !options->all)
		return FALSE;
	g_snprintf(text, sizeof text, "%d", pid);
	const char *const texts[] = {name_of(rows, row),           command_of(rows, row),
				     row_text(rows, row, "user"),  text,
				     row_text(rows, row, "state"), row_text(rows, row, "cwd")};
	return view_matches(rows->draft->view, texts, G_N_ELEMENTS(texts));
}

/* Marks the processes asked for; returns the name of the total. */
static const char *choose(Tree *tree)
{
	const Rows *rows = &tree->listing->rows;
	guint n = 0;

	for (guint i = 0; i < rows->list->len; i++) {
		tree->nodes[i].matches = is_asked_for(rows, g_ptr_array_index(rows->list, i));
		n += tree->nodes[i].matches ? 1 : 0;
	}
	return rows->draft->view->match ? store_take(rows->draft->store,
						     g_strdup_printf(n == 1 ? "%u process matches"
									    : "%u processes match",
								     n))
					: "total";
}

/* ---- how processes were read ---- */

/* Counts the processes that were read with this state on either side. */
static guint64 count_state(const Rows *rows, const char *state)
{
	guint64 n = 0;

	for (guint i = 0; i < rows->list->len; i++) {
		const Pair *row = g_ptr_array_index(rows->list, i);

		n += g_strcmp0(row_text_of(rows, row, 0, STATE), state) == 0 ||
		     g_strcmp0(row_text_of(rows, row, 1, STATE), state) == 0;
	}
	return n;
}

static void put_notes(const Rows *rows, Table *table)
{
	static const struct {
		const char *state, *remedy;
	} notes[] = {
		{"approximate", "the kernel refused: capture as root, or with CAP_SYS_PTRACE, or "
				"CAP_PERFMON since Linux 6.15"},
		{"skipped", "too expensive: raise --smaps-max-rss or --smaps-budget"},
		{"timeout", "not read in time: raise --smaps-timeout"},
		{"inaccessible", "none of their memory could be read"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(notes); i++) {
		guint64 n = count_state(rows, notes[i].state);

		if (n > 0)
			table_note(table, "PSS missing for %" G_GUINT64_FORMAT " process%s: %s", n,
				   n == 1 ? "" : "es", notes[i].remedy);
	}
}

/* listing: its rows are the processes that are shown or could be. */
static void cover(const Listing *listing)
{
	const Rows *rows = &listing->rows;
	Tally tally = {{0}};

	for (guint i = 0; i < rows->list->len; i++)
		tally.n[footprint_worst_reading(rows, g_ptr_array_index(rows->list, i))]++;
	table_note_coverage(listing->table, "processes", &tally);
	/* Hide columns that are 0 everywhere: nothing is swapped out, or no file is mapped. */
	for (guint i = 0; rows->list->len > 0 && i < listing->n_places; i++)
		if (listing->places[i].flags & (PLACE_SUMMED | PLACE_TREE) &&
		    !(table_field(listing->table, i)->flags & CTPROF_FIELD_HIDDEN))
			listing_hide_idle(listing, &listing->places[i]);
	if (!rows->draft->plan->options->is_warned)
		put_notes(rows, listing->table);
}

/* Drafts all processes, or only options->pid; order: one of the orders of view_processes. */
static void list_processes(const Draft *draft, const char *order)
{
	const AnalysisOptions *options = draft->plan->options;
	gboolean is_flat = options->flat || options->pid > 0;
	g_auto(Rows) rows = rows_of(draft, NULL);
	guint64 ram = ledger_ram(draft);
	g_autoptr(GArray) places = list_places(order, is_flat, options->is_self);
	Listing listing = {
		.rows = rows,
		.places = (const Place *)(void *)places->data,
		.n_places = places->len,
		.value = process_value,
		.data = &ram,
	};
	g_auto(Tree) tree;
	g_autofree char *with_children = g_strconcat(order, "_subtree", NULL);

	g_ptr_array_sort(rows.list, compare_pids);
	tree_init(&tree, &listing);
	tree.judged = PLACE_SUMMED;
	tree.ranked = listing_find(&listing, with_children);
	tree.by = is_flat || options->is_self || !tree.ranked ? listing_find(&listing, order)
							      : tree.ranked;
	/* The rows are already sorted by PID. */
	if (strcmp(order, "pid") == 0)
		tree.by = NULL;
	if (!tree.ranked)
		tree.ranked = listing_find(&listing, "pss_subtree");
	if (!is_flat)
		find_parents(&tree);
	tree.total = choose(&tree);
	if (options->pid > 0)
		tree.total = NULL;
	tree_draft(&tree, "processes", "Processes");
	g_autoptr(GPtrArray) inside = tree_list_inside(&tree);
	listing.rows.list = inside;
	cover(&listing);
}

static void draft_processes(const Draft *draft, const Section *section)
{
	list_processes(draft, section->orders[draft->plan->order]);
}

const Section view_processes = {
	.name = "processes",
	.heading = "Processes",
	.help = "PSS, USS, RSS and swap of processes, as a tree",
	.flags = SECTION_VIEW,
	.draft = draft_processes,
	.orders = (const char *const[]){"pss", "uss", "rss", "swap", "eps", "anon", "file", "shmem",
					"pid", "name", NULL},
	.groups = MEMORY_GROUP "," MEMORY_LEDGER_GROUP,
	.optional = MEMORY_SWAP_GROUP,
	.needs = "memory_state",
	.what = "memory of processes",
	.capture = "--memory=processes",
};

/* ---- the mappings of one process ---- */

static gboolean is_cost(const Pair *row)
{
	return g_str_has_suffix(row_name(row), " *");
}

/* Rows of the mappings group are named "PID OBJECT". */
static gboolean mapping_is_of_pid(const Pair *row, gint32 pid)
{
	return g_ascii_strtoll(row_name(row), NULL, 10) == pid;
}

static gboolean check_process(const Draft *draft, guint side, GError **error)
{
	const AnalysisOptions *options = draft->plan->options;
	g_auto(Rows) rows = rows_of(draft, MEMORY_MAPPINGS_GROUP);

	for (guint i = 0; i < rows.list->len; i++) {
		const Pair *row = g_ptr_array_index(rows.list, i);

		if (row->sides[side] && mapping_is_of_pid(row, options->pid))
			return TRUE;
	}
	return error_set_failed(
		error, "%s has no mappings of process %d: it did not exist, or could not be read",
		options->files[side], options->pid);
}

static struct ctprof_value mapping_value(const Listing *listing, const Pair *row, guint side,
					 const Place *place)
{
	struct ctprof_value value = listing_value(listing, row, side, place);

	if (place->flags & PLACE_TITLE && value.type != CTPROF_VALUE_TEXT && row->sides[side])
		value = value_of_text(row_name(row));
	return value;
}

/* Keeps the mappings of the process; data receives the time spent reading them. */
static gboolean is_mapping(const Rows *rows, const Pair *row, gpointer data)
{
	struct ctprof_value *cost = data;

	if (!mapping_is_of_pid(row, rows->draft->plan->options->pid))
		return FALSE;
	for (guint side = 0; is_cost(row) && side < SIDES; side++)
		cost[side] = row_value(rows, row, side, "mapping_read_ns");
	return !is_cost(row);
}

static const Place places_of_mappings[] = {
	{TEXT_FIELD("kind", "KIND"), "mapping_kind", 0, NULL},
	{COUNT_FIELD("vmas", "VMAS"), "mapping_vmas", 0, NULL},
	{BYTES_FIELD("size", "SIZE"), "mapping_size_bytes", PLACE_SUMMED, NULL},
	{BYTES_FIELD("rss", "RSS"), "mapping_rss_bytes", PLACE_SUMMED, NULL},
	{BYTES_FIELD("pss", "PSS"), "mapping_pss_bytes", PLACE_SUMMED, NULL},
	{BYTES_FIELD("uss", "USS"), "mapping_uss_bytes", PLACE_SUMMED, NULL},
	{BYTES_FIELD("swap", "SWAP"), "mapping_swap_bytes", PLACE_SUMMED, NULL},
	{BYTES_FIELD("anonymous", "ANON"), "mapping_anonymous_bytes", PLACE_SUMMED | PLACE_RARE,
	 NULL},
	{TEXT_FIELD("device", "DEVICE"), "mapping_device", PLACE_RARE, NULL},
	{COUNT_FIELD("inode", "INODE"), "mapping_inode", PLACE_RARE | PLACE_SAME, NULL},
	{TEXT_FIELD("object", "OBJECT"), "mapping_label", PLACE_TITLE, NULL},
};

static const Listing mappings = {
	.name = "mappings",
	.group = MEMORY_MAPPINGS_GROUP,
	.keep = is_mapping,
	.places = places_of_mappings,
	.n_places = G_N_ELEMENTS(places_of_mappings),
	.value = mapping_value,
};

static void draft_mappings(const Draft *draft, const Section *section)
{
	struct ctprof_value cost[SIDES] = {{0}};
	g_auto(Listing) listing = listing_of(draft, &mappings, cost);

	listing_draft(&listing, section, section->orders[draft->plan->order]);
	/* The smaps of a process is read in full, or none of its mappings is listed. */
	table_note_coverage(listing.table, "processes", &(Tally){{[READ_EXACT] = 1}});
	for (guint side = 0; side < draft_n_sides(draft); side++)
		if (cost[side].type == CTPROF_VALUE_NUMBER)
			table_note(listing.table,
				   "Reading them took %" G_GUINT64_FORMAT ".%03u ms.",
				   cost[side].number / 1000000,
				   (guint)(cost[side].number / 1000 % 1000));
}

static void draft_process(const Draft *draft, const Section *section)
{
	g_auto(Rows) processes = rows_of(draft, NULL);

	/* Each view has sort orders of its own. */
	if (rows_are_captured(&processes, "memory_state"))
		list_processes(draft, "pss");
	draft_mappings(draft, section);
}

const Section view_process = {
	.name = "process",
	.heading = "Mappings of the process",
	.help = "Mappings of one process: process PID",
	.flags = SECTION_VIEW | SECTION_TAKES_PID,
	.draft = draft_process,
	.check = check_process,
	.orders = (const char *const[]){"pss", "rss", "uss", "swap", "size", "vmas", "name", NULL},
	.groups = MEMORY_GROUP "," MEMORY_MAPPINGS_GROUP,
	.optional = MEMORY_SWAP_GROUP "," MEMORY_LEDGER_GROUP,
	.needs = "mapping_pss_bytes",
	.what = "mappings of a process",
	.capture = "-g memory,memory-mappings -O memory.pid=PID",
};
