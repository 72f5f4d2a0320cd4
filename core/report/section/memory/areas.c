/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The largest areas of all processes that belong to no object: heaps, stacks,
 * anonymous areas. */
#include <string.h>

#include "footprint.h"
#include "listing.h"

#define SHORT_BYTES(id, head)                                                                      \
	TABLE_FIELD(id, head, "bytes", CTPROF_LADDER_BYTES, CTPROF_FIELD_SHORT)

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

/* Names of processes by pid, on each side. */
typedef struct names {
	GHashTable *sides[SIDES];
} Names;

static void names_clear(Names *names)
{
	for (guint side = 0; side < SIDES; side++)
		g_clear_pointer(&names->sides[side], g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Names, names_clear)

static void names_init(Names *names, const Draft *draft)
{
	g_auto(Rows) rows = rows_of(draft, NULL);

	for (guint side = 0; side < SIDES; side++) {
		names->sides[side] = g_hash_table_new(NULL, NULL);
		for (guint i = 0; i < rows.list->len; i++) {
			const Pool *row = g_ptr_array_index(rows.list, i);
			const char *name = row_text_of(&rows, row, side, "pcomm");

			if (name)
				g_hash_table_insert(names->sides[side],
						    GINT_TO_POINTER(row->key.tid),
						    (gpointer)(uintptr_t)name);
		}
	}
}

static struct ctprof_value value_of(const Listing *listing, const Pool *row, guint side,
				    const Place *place)
{
	const Names *names = listing->data;
	guint64 pid;

	if (place != &places[NAME])
		return listing_value(listing, row, side, place);
	if (!row_number(&listing->rows, row, side, "mapping_pid", &pid))
		return value_of_text(NULL);
	return value_of_text(g_hash_table_lookup(names->sides[side], GINT_TO_POINTER((gint32)pid)));
}

/* Keeps only areas that belong to no object, and drops rows about the cost of
 * reading. */
static void take_areas(Rows *rows)
{
	GPtrArray *list = rows->list;
	guint n = 0;

	for (guint i = 0; i < list->len; i++) {
		const Pool *row = g_ptr_array_index(list, i);
		guint64 inode;

		if (!row_number(rows, row, row_side(row), "mapping_inode", &inode) &&
		    row_text(rows, row, "mapping_label"))
			list->pdata[n++] = list->pdata[i];
	}
	g_ptr_array_set_size(list, (gint)n);
}

static void draft_areas(const Draft *draft, const Section *section)
{
	g_auto(Rows) rows = rows_of(draft, MEMORY_MAPPINGS_GROUP);
	g_auto(Names) names = {{NULL}};

	take_areas(&rows);
	names_init(&names, draft);
	Listing listing = {
		.rows = rows,
		.places = places,
		.n_places = N_PLACES,
		.value = value_of,
		.data = &names,
	};
	listing_draft(&listing, section->name, section->heading,
		      section->orders[draft->plan->order]);
	listing_cover(&listing, "areas");
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
