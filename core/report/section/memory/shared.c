/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects that processes share, and their largest users; SysV segments, mapped
 * or not. */
#include <string.h>

#include "base/error.h"
#include "consumers.h"
#include "footprint.h"
#include "listing.h"

#define MOST_CONSUMERS 3
#define SHMID "object_shmid"

/* The kernel's number of the segment is used if the object has none. */
#define PLACE_JOINED PLACE_OWN

enum {
	KIND,
	PROCESSES,
	PSS,
	RSS,
	USS,
	SWAP,
	SIZE,
	VMAS,
	DEVICE,
	INODE,
	ID,
	ATTACHES,
	OBJECT,
	USERS
};

static const Place places[] = {
	[KIND] = {TEXT_FIELD("kind", "KIND"), "object_kind", 0, NULL},
	[PROCESSES] = {COUNT_FIELD("processes", "PROCS"), "object_processes", 0, NULL},
	[PSS] = {BYTES_FIELD("pss", "PSS"), "object_pss_bytes", PLACE_SUMMED, NULL},
	[RSS] = {BYTES_FIELD("rss", "RSS"), "object_rss_bytes", 0, "sysv_rss_bytes"},
	[USS] = {BYTES_FIELD("uss", "USS"), "object_uss_bytes", PLACE_RARE | PLACE_SUMMED, NULL},
	[SWAP] = {BYTES_FIELD("swap", "SWAP"), "object_swap_bytes", 0, "sysv_swap_bytes"},
	[SIZE] = {BYTES_FIELD("size", "SIZE"), "object_size_bytes", PLACE_RARE | PLACE_JOINED,
		  "sysv_size_bytes"},
	[VMAS] = {COUNT_FIELD("vmas", "VMAS"), "object_vmas", PLACE_RARE, NULL},
	[DEVICE] = {TEXT_FIELD("device", "DEVICE"), "object_device", PLACE_RARE, NULL},
	[INODE] = {COUNT_FIELD("inode", "INODE"), "object_inode", PLACE_RARE | PLACE_SAME, NULL},
	[ID] = {COUNT_FIELD("shmid", "SHMID"), SHMID, PLACE_RARE | PLACE_SAME, NULL},
	[ATTACHES] = {COUNT_FIELD("attaches", "ATTACHES"), "object_attaches",
		      PLACE_RARE | PLACE_JOINED, "sysv_attaches"},
	[OBJECT] = {TEXT_FIELD("object", "OBJECT"), PLACE_NAME, PLACE_TITLE, NULL},
	[USERS] = {TEXT_FIELD("consumers", "USED MOST BY"), CONSUMERS, 0, NULL},
};

/* ---- segments ---- */

/* The number in "sysv:10"; UINT64_MAX: none. */
static guint64 sysv_id(const char *name)
{
	const char *colon = strchr(name, ':');
	guint64 id;

	return colon && g_ascii_string_to_unsigned(colon + 1, 10, 0, G_MAXUINT64, &id, NULL)
		       ? id
		       : G_MAXUINT64;
}

/* The segment of each object and the object of each segment (Pair -> Pair), on each side. */
typedef struct partners {
	GHashTable *sides[SIDES];
} Partners;

static void partners_clear(Partners *partners)
{
	for (guint side = 0; side < SIDES; side++)
		g_clear_pointer(&partners->sides[side], g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Partners, partners_clear)

static const Pair *partner_of(const Partners *partners, const Pair *row, guint side)
{
	return g_hash_table_lookup(partners->sides[side], row);
}

/* Indexes the objects that are SysV segments by the segment's ID. */
static GHashTable *list_ids(const Rows *objects, guint side)
{
	GHashTable *by_id = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

	for (guint i = 0; i < objects->list->len; i++) {
		gpointer object = g_ptr_array_index(objects->list, i);
		guint64 id;

		if (row_number(objects, object, side, SHMID, &id))
			g_hash_table_insert(by_id, g_memdup2(&id, sizeof id), object);
	}
	return by_id;
}

/* A segment is shown once: as the object that maps it, or by itself after the
 * objects. */
static void join_segments(Rows *objects, const Rows *segments, Partners *partners)
{
	g_autoptr(GHashTable) alone = g_hash_table_new(NULL, NULL);

	for (guint side = 0; side < SIDES; side++) {
		g_autoptr(GHashTable) by_id = list_ids(objects, side);

		partners->sides[side] = g_hash_table_new(NULL, NULL);
		for (guint i = 0; i < segments->list->len; i++) {
			Pair *segment = g_ptr_array_index(segments->list, i);
			guint64 id = sysv_id(row_name(segment));
			gpointer object = g_hash_table_lookup(by_id, &id);

			if (!segment->sides[side])
				continue;
			if (!object) {
				g_hash_table_add(alone, segment);
				continue;
			}
			g_hash_table_insert(partners->sides[side], object, segment);
			g_hash_table_insert(partners->sides[side], segment, object);
		}
	}
	for (guint i = 0; i < segments->list->len; i++)
		if (g_hash_table_contains(alone, g_ptr_array_index(segments->list, i)))
			g_ptr_array_add(objects->list, g_ptr_array_index(segments->list, i));
}

/* ---- the users of an object ---- */

static gint compare_users(gconstpointer a, gconstpointer b)
{
	const MapItem *x = a, *y = b;

	return x->number != y->number ? (x->number < y->number) - (x->number > y->number)
				      : strcmp(x->key, y->key);
}

/* Appends "12.3M", as a sink cannot scale numbers within text. */
static void append_size(GString *text, guint64 bytes)
{
	static const char units[] = "BKMGTPE";
	guint64 whole = bytes, tenths = 0;
	guint unit = 0;

	for (; whole >= 1024; unit++) {
		tenths = whole % 1024 * 10 / 1024;
		whole /= 1024;
	}
	g_string_append_printf(text, "%" G_GUINT64_FORMAT, whole);
	if (unit > 0 && whole < 100)
		g_string_append_printf(text, ".%" G_GUINT64_FORMAT, tenths);
	g_string_append_c(text, units[unit]);
}

static const char *list_users(const Rows *rows, const Pair *object, guint side)
{
	const GArray *map = row_map(rows, object, side, places[USERS].metric);
	g_autoptr(GString) text = g_string_new(NULL);

	if (!map)
		return NULL;
	g_autoptr(GArray) users = g_array_copy((GArray *)(uintptr_t)map);
	g_array_sort(users, compare_users);
	for (guint i = 0; i < MIN(users->len, MOST_CONSUMERS); i++) {
		const MapItem *user = &g_array_index(users, MapItem, i);

		g_string_append_printf(text, "%s%s ", i > 0 ? ", " : "", user->key);
		append_size(text, user->number);
	}
	if (users->len > MOST_CONSUMERS)
		g_string_append_printf(text, ", %u more", users->len - MOST_CONSUMERS);
	return store_text(rows->draft->store, text->str);
}

/* ---- processes that were read ---- */

/* Reads the row with these numbers.  FALSE: there is no such row. */
static gboolean find_tally(const Draft *draft, guint side, Tally *ret_tally)
{
	return swap_number(draft, side, "swap_readable", &ret_tally->n[READ_EXACT]) &&
	       swap_number(draft, side, "swap_unreadable", &ret_tally->n[READ_MISSING]);
}

/* Counts the processes whose mappings were and were not read on that side.
 * FALSE: unknown from the snapshot. */
static gboolean count_processes(const Draft *draft, guint side, Tally *ret_tally)
{
	g_auto(Rows) processes = rows_of(draft, NULL);

	*ret_tally = (Tally){{0}};
	if (find_tally(draft, side, ret_tally))
		return TRUE;
	*ret_tally = (Tally){{0}};
	/* If the rollup of a process was refused, so was its smaps. */
	for (guint i = 0; i < processes.list->len; i++)
		ret_tally->n[footprint_reading(&processes, g_ptr_array_index(processes.list, i),
					       side)]++;
	ret_tally->n[READ_MISSING] += ret_tally->n[READ_APPROXIMATE];
	ret_tally->n[READ_APPROXIMATE] = 0;
	return draft_has(draft, TABLE_PROCESSES, side, "memory_state");
}

/* With two sides, covers the one that was read less completely. */
static void cover(const Draft *draft, Table *table)
{
	Tally worst = {{0}}, tally;
	gboolean is_known = FALSE;

	for (guint side = 0; side < draft_n_sides(draft); side++) {
		if (!count_processes(draft, side, &tally))
			continue;
		if (!is_known || tally.n[READ_MISSING] > worst.n[READ_MISSING])
			worst = tally;
		is_known = TRUE;
	}
	if (is_known)
		table_note_coverage(table, "processes", &worst);
	guint64 n = worst.n[READ_MISSING];
	if (n == 0)
		return;
	table_mark_totals(table);
	if (!draft->plan->options->is_warned)
		table_note(table,
			   "%" G_GUINT64_FORMAT
			   " process%s could not be read: objects only they map "
			   "are missing, and PSS and PROCS exclude them.",
			   n, n == 1 ? "" : "es");
}

/* ---- the table ---- */

static struct ctprof_value value_of_segment(const Listing *listing, const Pair *segment, guint side,
					    const Place *place)
{
	struct ctprof_value value = {.type = CTPROF_VALUE_ABSENT};

	if (place == &places[OBJECT])
		return value_of_text(row_name(segment));
	/* On that side it is an object. */
	if (!segment->sides[side] || partner_of(listing->data, segment, side))
		value.why = CTPROF_ABSENT_INAPPLICABLE;
	else if (place == &places[KIND])
		value = value_of_text("sysv");
	else if (place->stand_in)
		value = row_value(&listing->rows, segment, side, place->stand_in);
	return value;
}

static struct ctprof_value shared_value(const Listing *listing, const Pair *row, guint side,
					const Place *place)
{
	if (strcmp(row->key.names[0], MEMORY_SYSV_GROUP) == 0)
		return value_of_segment(listing, row, side, place);
	if (place == &places[USERS])
		return value_of_text(list_users(&listing->rows, row, side));
	struct ctprof_value value = listing_value(listing, row, side, place);
	const Pair *segment = partner_of(listing->data, row, side);
	if (value.type == CTPROF_VALUE_ABSENT && segment && place->flags & PLACE_JOINED)
		value = row_value(&listing->rows, segment, side, place->stand_in);
	return value;
}

static gboolean is_called(const Rows *rows, const Pair *row, gpointer name)
{
	(void)rows;
	return strcmp(row_name(row), name) == 0;
}

static gboolean contains(const Rows *rows, const Pair *row, gpointer name)
{
	(void)rows;
	return strstr(row_name(row), name) != NULL;
}

/* Keeps the objects of that name, or whose names contain it. */
static void take_named(Rows *objects, const char *wanted)
{
	gpointer name = (gpointer)(uintptr_t)wanted;
	gboolean is_exact = FALSE;

	for (guint i = 0; i < objects->list->len; i++)
		is_exact = is_exact || is_called(objects, objects->list->pdata[i], name);
	rows_keep(objects, is_exact ? is_called : contains, name);
}

static const Listing shared = {
	.name = "shared",
	.group = MEMORY_SHARED_GROUP,
	.places = places,
	.n_places = G_N_ELEMENTS(places),
	.value = shared_value,
};

static void draft_shared(const Draft *draft, const Section *section)
{
	const AnalysisOptions *options = draft->plan->options;
	g_auto(Rows) segments = rows_of(draft, MEMORY_SYSV_GROUP);
	g_auto(Partners) partners = {{NULL}};
	g_auto(Listing) listing = listing_of(draft, &shared, &partners);

	join_segments(&listing.rows, &segments, &partners);
	if (options->object)
		take_named(&listing.rows, options->object);
	listing_draft(&listing, section, section->orders[draft->plan->order]);
	cover(draft, listing.table);
	if (options->object || options->for_machines)
		consumers_draft(draft, &listing.rows, draft->view->limit, options->object != NULL);
}

/* The code that both views of objects share. */
#define OBJECTS                                                                                    \
	.draft = draft_shared,                                                                     \
	.orders = (const char *const[]){"pss",       "rss",  "uss",  "swap", "size",               \
					"processes", "vmas", "name", NULL},                        \
	.groups =                                                                                  \
		MEMORY_GROUP "," MEMORY_SHARED_GROUP "," MEMORY_SWAP_GROUP "," MEMORY_SYSV_GROUP,  \
	.needs = "object_pss_bytes", .what = "shared objects", .capture = "--memory=shared"

static gboolean check_object(const Draft *draft, guint side, GError **error)
{
	const AnalysisOptions *options = draft->plan->options;
	g_auto(Rows) objects = rows_of(draft, MEMORY_SHARED_GROUP);

	take_named(&objects, options->object);
	for (guint i = 0; i < objects.list->len; i++)
		if (((const Pair *)objects.list->pdata[i])->sides[side])
			return TRUE;
	return error_set_failed(error, "%s has no object '%s': see 'ctprof memory shared'",
				options->files[side], options->object);
}

const Section view_object = {
	.name = "object",
	.heading = "Objects of that name",
	.help = "All processes that map an object: object NAME",
	.flags = SECTION_VIEW | SECTION_TAKES_NAME,
	.check = check_object,
	OBJECTS,
};

const Section view_shared = {
	.name = "shared",
	.heading = "Objects that processes map",
	.help = "Objects that processes share, and their largest users",
	.flags = SECTION_VIEW,
	OBJECTS,
};

/* ---- all segments ---- */

/* "sysv:10" comes after "sysv:9". */
static gint compare_ids(const char *a, const char *b)
{
	guint64 x = sysv_id(a), y = sysv_id(b);

	return (x > y) - (x < y);
}

static const Place places_of_segments[] = {
	{TEXT_FIELD("key", "KEY"), "sysv_key", 0, NULL},
	{COUNT_FIELD("owner", "UID"), "sysv_owner", PLACE_SAME, NULL},
	{COUNT_FIELD("attaches", "ATTACHES"), "sysv_attaches", 0, NULL},
	{BYTES_FIELD("size", "SIZE"), "sysv_size_bytes", PLACE_SUMMED, NULL},
	{BYTES_FIELD("rss", "RSS"), "sysv_rss_bytes", PLACE_SUMMED, NULL},
	{BYTES_FIELD("swap", "SWAP"), "sysv_swap_bytes", PLACE_SUMMED, NULL},
	{TEXT_FIELD("segment", "SEGMENT"), PLACE_NAME, PLACE_TITLE, NULL},
};

const Section view_sysv = {
	.name = "sysv",
	.heading = "SysV shared memory segments",
	.help = "SysV shared memory segments",
	.flags = SECTION_VIEW | SECTION_OF_HOST,
	.draft = listing_draft_section,
	.listing = &(const Listing){.group = MEMORY_SYSV_GROUP,
				    .places = places_of_segments,
				    .n_places = G_N_ELEMENTS(places_of_segments),
				    .compare = compare_ids,
				    .covered = "segments"},
	.orders = (const char *const[]){"rss", "size", "swap", "attaches", "id", NULL},
	.groups = MEMORY_SYSV_GROUP,
	.needs = "sysv_rss_bytes",
	.what = "SysV segments",
	.capture = "--memory=sysv",
};
