/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The largest areas of all processes that belong to no object: heaps, stacks,
 * anonymous areas. */
#include "footprint.h"
#include "listing.h"

enum { PID, RSS, PSS, SWAP, SIZE, VMAS, KIND, AREA, NAME, N_PLACES };

static const Place places[N_PLACES] = {
	[PID] = {COUNT_FIELD("pid", "PID"), "mapping_pid", PLACE_SAME, NULL},
	[RSS] = {SHORT_BYTES("rss", "RSS"), "mapping_rss_bytes", PLACE_SUMMED, NULL},
	[PSS] = {SHORT_BYTES("pss", "PSS"), "mapping_pss_bytes", PLACE_SUMMED, NULL},
	[SWAP] = {SHORT_BYTES("swap", "SWAP"), "mapping_swap_bytes", PLACE_SUMMED, NULL},
	[SIZE] = {SHORT_BYTES("size", "SIZE"), "mapping_size_bytes", PLACE_SUMMED, NULL},
	[VMAS] = {COUNT_FIELD("vmas", "VMAS"), "mapping_vmas", 0, NULL},
	[KIND] = {TEXT_FIELD("kind", "KIND"), "mapping_kind", PLACE_RARE, NULL},
	[AREA] = {TEXT_FIELD("area", "AREA"), "mapping_label", PLACE_TITLE, NULL},
	[NAME] = {TEXT_FIELD("name", "PROCESS"), NULL, PLACE_SAME, NULL},
};

/* The processes, and an index of them by PID. */
struct processes {
	const Rows *rows;
	GHashTable *pids;
};

static struct ctprof_value area_value(const Listing *listing, const Pair *row, guint side,
				      const Place *place)
{
	const struct processes *processes = listing->data;
	guint64 pid;
	guint at;

	if (place != &places[NAME])
		return listing_value(listing, row, side, place);
	if (!row_number(&listing->rows, row, side, "mapping_pid", &pid) ||
	    !footprint_find_pid(processes->pids, pid, side, &at))
		return value_of_text(NULL);
	return value_of_text(
		row_text_of(processes->rows, processes->rows->list->pdata[at], side, "pcomm"));
}

/* Whether the row is an area that belongs to no object, and not a row about the cost of reading. */
static gboolean is_area(const Rows *rows, const Pair *row, gpointer data)
{
	guint64 inode;

	(void)data;
	return !row_number(rows, row, row_side(row), "mapping_inode", &inode) &&
	       row_text(rows, row, "mapping_label");
}

static const Listing areas = {
	.group = MEMORY_MAPPINGS_GROUP,
	.keep = is_area,
	.places = places,
	.n_places = N_PLACES,
	.value = area_value,
	.covered = "areas",
};

static void draft_areas(const Draft *draft, const Section *section)
{
	g_auto(Rows) rows = rows_of(draft, NULL);
	g_autoptr(GHashTable) pids = footprint_index_pids(&rows);
	struct processes processes = {&rows, pids};
	g_auto(Listing) listing = listing_of(draft, &areas, &processes);

	listing_draft(&listing, section, section->orders[draft->plan->order]);
}

const Section view_areas = {
	.name = "areas",
	.heading = "Heaps, stacks and anonymous areas",
	.help = "The largest memory areas not backed by files, of all processes",
	.flags = SECTION_VIEW,
	.draft = draft_areas,
	.orders = (const char *const[]){"rss", "pss", "swap", "size", "vmas", "pid", "name", NULL},
	.groups = MEMORY_GROUP "," MEMORY_MAPPINGS_GROUP,
	.needs = "mapping_pss_bytes",
	.what = "memory areas of processes",
	.capture = "-g memory,memory-mappings",
};
