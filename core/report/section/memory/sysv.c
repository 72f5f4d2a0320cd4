/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SysV shared memory segments. */
#include "sysv.h"

#include <string.h>

#include "listing.h"

guint64 sysv_id(const char *name)
{
	const char *colon = strchr(name, ':');
	guint64 id;

	return colon && g_ascii_string_to_unsigned(colon + 1, 10, 0, G_MAXUINT64, &id, NULL)
		       ? id
		       : G_MAXUINT64;
}

/* "sysv:10" comes behind "sysv:9". */
static gint compare_ids(const char *a, const char *b)
{
	guint64 x = sysv_id(a), y = sysv_id(b);

	return (x > y) - (x < y);
}

static void draft_sysv(const Draft *draft, const Section *section)
{
	static const Place places[] = {
		{TEXT_FIELD("key", "KEY"), "sysv_key", 0, NULL},
		{COUNT_FIELD("owner", "UID"), "sysv_owner", PLACE_SAME, NULL},
		{COUNT_FIELD("attaches", "ATTACHES"), "sysv_attaches", 0, NULL},
		{BYTES_FIELD("size", "SIZE"), "sysv_size_bytes", PLACE_SUMMED, NULL},
		{BYTES_FIELD("rss", "RSS"), "sysv_rss_bytes", PLACE_SUMMED, NULL},
		{BYTES_FIELD("swap", "SWAP"), "sysv_swap_bytes", PLACE_SUMMED, NULL},
		{TEXT_FIELD("segment", "SEGMENT"), PLACE_NAME, PLACE_TITLE, NULL},
	};
	g_auto(Rows) rows = rows_of(draft, section->groups);
	Listing listing = {
		.rows = rows,
		.places = places,
		.n_places = G_N_ELEMENTS(places),
		.compare = compare_ids,
	};

	listing_draft(&listing, section->name, section->heading,
		      section->orders[draft->plan->order]);
	listing_cover(&listing, "segments");
}

const Section view_sysv = {
	.name = "sysv",
	.heading = "SysV shared memory segments",
	.help = "SysV shared memory segments",
	.flags = SECTION_VIEW,
	.draft = draft_sysv,
	.orders = (const char *const[]){"rss", "size", "swap", "attaches", "id", NULL},
	.groups = "memory-sysv",
	.needs = "sysv_rss_bytes",
	.what = "SysV segments",
	.capture = "--memory=sysv",
};
