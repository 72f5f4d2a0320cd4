/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one process maps. */
#include <gio/gio.h>
#include <string.h>

#include "listing.h"
#include "processes.h"

#define MAPPINGS "memory-mappings"

static gboolean is_cost(const Pool *row)
{
	return g_str_has_suffix(row_name(row), " *");
}

/* Objects of that group are called "PID OBJECT". */
static gboolean is_of(const Pool *row, gint32 pid)
{
	return g_ascii_strtoll(row_name(row), NULL, 10) == pid;
}

static gboolean check_process(const Draft *draft, guint side, GError **error)
{
	const AnalysisOptions *options = draft->plan->options;
	g_auto(Rows) rows = rows_of(draft, MAPPINGS);

	for (guint i = 0; i < rows.list->len; i++) {
		const Pool *row = g_ptr_array_index(rows.list, i);

		if (row->sides[side] && is_of(row, options->pid))
			return TRUE;
	}
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
		    "%s has no mappings of process %d: it did not exist, or could not be read",
		    options->files[side], options->pid);
	return FALSE;
}

static struct ctprof_value value_of(const Listing *listing, const Pool *row, guint side,
				    const Place *place)
{
	struct ctprof_value value = listing_value(listing, row, side, place);

	if (place->flags & PLACE_TITLE && value.type != CTPROF_VALUE_TEXT && row->sides[side])
		value = value_of_text(row_name(row));
	return value;
}

/* Leaves the mappings of the process in rows, and tells what reading them took. */
static void take_mappings(const Draft *draft, Rows *rows, struct ctprof_value ret_cost[SIDES])
{
	GPtrArray *list = rows->list;
	guint n = 0;

	for (guint i = 0; i < list->len; i++) {
		const Pool *row = g_ptr_array_index(list, i);

		if (!is_of(row, draft->plan->options->pid))
			continue;
		if (is_cost(row))
			row_values(rows, row, "mapping_read_ns", ret_cost);
		else
			list->pdata[n++] = list->pdata[i];
	}
	g_ptr_array_set_size(list, (gint)n);
}

static void draft_mappings(const Draft *draft, const Section *section)
{
	static const Place places[] = {
		{TEXT_FIELD("kind", "KIND"), "mapping_kind", 0, NULL},
		{COUNT_FIELD("vmas", "VMAS"), "mapping_vmas", 0, NULL},
		{BYTES_FIELD("size", "SIZE"), "mapping_size_bytes", PLACE_SUMMED, NULL},
		{BYTES_FIELD("rss", "RSS"), "mapping_rss_bytes", PLACE_SUMMED, NULL},
		{BYTES_FIELD("pss", "PSS"), "mapping_pss_bytes", PLACE_SUMMED, NULL},
		{BYTES_FIELD("uss", "USS"), "mapping_uss_bytes", PLACE_SUMMED, NULL},
		{BYTES_FIELD("swap", "SWAP"), "mapping_swap_bytes", PLACE_SUMMED, NULL},
		{BYTES_FIELD("anonymous", "ANON"), "mapping_anonymous_bytes",
		 PLACE_SUMMED | PLACE_RARE, NULL},
		{TEXT_FIELD("device", "DEVICE"), "mapping_device", PLACE_RARE, NULL},
		{COUNT_FIELD("inode", "INODE"), "mapping_inode", PLACE_RARE | PLACE_SAME, NULL},
		{TEXT_FIELD("object", "OBJECT"), "mapping_label", PLACE_TITLE, NULL},
	};
	g_auto(Rows) rows = rows_of(draft, MAPPINGS);
	struct ctprof_value cost[SIDES] = {{0}};

	take_mappings(draft, &rows, cost);
	Listing listing = {
		.rows = rows,
		.places = places,
		.n_places = G_N_ELEMENTS(places),
		.value = value_of,
	};
	listing_draft(&listing, "mappings", section->heading, section->orders[draft->plan->order]);
	/* A process's smaps is read in full, or none of its mappings is here. */
	table_cover(listing.table, "processes", &(Tally){.exact = 1});
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

	/* The orders of one view are none of another's. */
	if (rows_are_captured(&processes, "memory_state"))
		processes_draft(draft, "pss");
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
	.groups = "memory," MAPPINGS,
	.optional = "memory-swap,memory-ledger",
	.needs = "mapping_pss_bytes",
	.what = "mappings of a process",
	.capture = "-g memory,memory-mappings -O memory.pid=PID",
};
