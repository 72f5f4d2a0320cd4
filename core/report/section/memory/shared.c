/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What processes map: shared objects, SysV segments, the parts of one process. */
#include <string.h>

#include "memory-rows.h"
#include "memory-views.h"

#define MOST_CONSUMERS 3
#define MAX_PLACES 16

/* A cell of an object's row, and the field it is shown in. */
struct place {
	struct ctprof_report_field field;
	guint cell;
	gboolean is_rare;   /* with --wide only */
	gboolean is_summed; /* there is a total of it */
};

/* A table of objects while it is made. */
struct objects {
	MemoryDraft *draft;
	const struct place *places;
	guint n_places;
	GPtrArray *rows; /* MemoryRow *, in order */
	MemoryTable *table;
};

/* Fields behind the places are the view's own. */
static void begin_objects(struct objects *objects, const char *name, const char *heading,
			  const struct ctprof_report_field *behind, guint n_behind)
{
	g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_field));

	for (guint i = 0; i < objects->n_places; i++)
		g_array_append_val(fields, objects->places[i].field);
	g_array_append_vals(fields, behind, n_behind);
	objects->table = memory_tables_add(objects->draft->tables, name, heading,
					   (const void *)fields->data, fields->len);
	for (guint i = 0; i < objects->n_places; i++)
		memory_table_hide(objects->table, i,
				  objects->places[i].is_rare && !objects->draft->options->wide);
}

static struct ctprof_value *put_object(struct objects *objects, const MemoryRow *row)
{
	struct ctprof_value *cells = memory_table_line(objects->table, 0, 0);

	for (guint i = 0; i < objects->n_places; i++)
		cells[i] = memory_row_value(row, objects->places[i].cell);
	return cells;
}

static struct ctprof_value *put_total(struct objects *objects)
{
	struct ctprof_value *cells = memory_table_line(objects->table, CTPROF_LINE_TOTAL, 0);

	for (guint i = 0; i < objects->n_places; i++) {
		AmountSum sum = {0};

		for (guint r = 0; objects->places[i].is_summed && r < objects->rows->len; r++) {
			const MemoryRow *row = g_ptr_array_index(objects->rows, r);

			amount_sum_add(&sum, memory_row_amount(row, objects->places[i].cell));
		}
		if (objects->places[i].is_summed)
			cells[i] = value_of_amount(amount_sum_of_all(&sum));
	}
	return cells;
}

/* The rows themselves, by how many of their summed amounts are there. */
static void cover_rows(struct objects *objects, const char *noun)
{
	Coverage coverage = {0};

	for (guint r = 0; r < objects->rows->len; r++) {
		Amount amounts[MAX_PLACES];
		guint n = 0;

		for (guint i = 0; i < objects->n_places; i++)
			if (objects->places[i].is_summed)
				amounts[n++] =
					memory_row_amount(g_ptr_array_index(objects->rows, r),
							  objects->places[i].cell);
		coverage_add(&coverage, amounts, n);
	}
	memory_table_cover(objects->table, noun, &coverage);
}

/* Those that the filter lets through. */
static GPtrArray *pick_rows(const MemoryDraft *draft, enum memory_group group)
{
	const GPtrArray *all = draft->data->rows[group];
	GPtrArray *rows = g_ptr_array_new();

	for (guint i = 0; i < all->len; i++) {
		MemoryRow *row = g_ptr_array_index(all, i);

		if (memory_draft_matches(draft, row->name))
			g_ptr_array_add(rows, row);
	}
	return rows;
}

/* ---- SysV segments ---------------------------------------------------------- */

static const MemoryOrder sysv_orders[] = {
	{"rss", SYSV_RSS},           {"size", SYSV_SIZE},    {"swap", SYSV_SWAP},
	{"attaches", SYSV_ATTACHES}, {"id", MEMORY_BY_NAME},
};

const char *memory_sysv_sort(guint i)
{
	return i < G_N_ELEMENTS(sysv_orders) ? sysv_orders[i].name : NULL;
}

/* "sysv:10" comes behind "sysv:9". */
static guint64 segment_id(const MemoryRow *row)
{
	const char *colon = strchr(row->name, ':');
	guint64 id;

	return colon && g_ascii_string_to_unsigned(colon + 1, 10, 0, G_MAXUINT64, &id, NULL)
		       ? id
		       : G_MAXUINT64;
}

static gint compare_segments(gconstpointer a, gconstpointer b, gpointer data)
{
	const MemoryRow *x = *(const MemoryRow *const *)a, *y = *(const MemoryRow *const *)b;
	guint by = *(const guint *)data;
	gint order = by == MEMORY_BY_NAME
			     ? 0
			     : amount_compare(memory_row_amount(x, by), memory_row_amount(y, by));
	guint64 id_x = segment_id(x), id_y = segment_id(y);

	return order != 0 ? order : id_x < id_y ? -1 : id_x > id_y;
}

void memory_draft_sysv(MemoryDraft *draft)
{
	static const struct place places[] = {
		{TEXT_FIELD("key", "KEY"), SYSV_KEY, FALSE, FALSE},
		{COUNT_FIELD("owner", "UID"), SYSV_OWNER, FALSE, FALSE},
		{COUNT_FIELD("attaches", "ATTACHES"), SYSV_ATTACHES, FALSE, FALSE},
		{BYTES_FIELD("size", "SIZE"), SYSV_SIZE, FALSE, TRUE},
		{BYTES_FIELD("rss", "RSS"), SYSV_RSS, FALSE, TRUE},
		{BYTES_FIELD("swap", "SWAP"), SYSV_SWAP, FALSE, TRUE},
	};
	static const struct ctprof_report_field name[] = {TEXT_FIELD("segment", "SEGMENT")};
	g_autoptr(GPtrArray) rows = pick_rows(draft, MEMORY_SYSV);
	struct objects objects = {
		.draft = draft, .places = places, .n_places = G_N_ELEMENTS(places), .rows = rows};

	g_ptr_array_sort_with_data(rows, compare_segments,
				   (gpointer)(uintptr_t)&sysv_orders[draft->sort].cell);
	begin_objects(&objects, "sysv", "SysV shared memory segments", name, 1);
	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);

		if (memory_table_has_room(objects.table, draft->options->limit))
			put_object(&objects, row)[objects.n_places] = value_of_text(row->name);
	}
	put_total(&objects)[objects.n_places] = value_of_text("total");
	cover_rows(&objects, "segments");
}

/* ---- shared objects ----------------------------------------------------------- */

static const MemoryOrder shared_orders[] = {
	{"pss", SHARED_PSS},   {"rss", SHARED_RSS},      {"uss", SHARED_USS},
	{"swap", SHARED_SWAP}, {"size", SHARED_SIZE},    {"processes", SHARED_PROCESSES},
	{"vmas", SHARED_VMAS}, {"name", MEMORY_BY_NAME},
};

const char *memory_shared_sort(guint i)
{
	return i < G_N_ELEMENTS(shared_orders) ? shared_orders[i].name : NULL;
}

static void copy_cell(MemoryRow *to, guint cell, const MemoryRow *from, guint from_cell)
{
	if (to->cells[cell].state != CTPROF_PRESENT)
		to->cells[cell] = from->cells[from_cell];
}

/* Objects by the id of the segment they are. */
static GHashTable *list_segments(const GPtrArray *objects)
{
	GHashTable *by_id = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

	for (guint i = 0; i < objects->len; i++) {
		MemoryRow *object = g_ptr_array_index(objects, i);
		guint64 id;

		if (!memory_row_number(object, SHARED_SHMID, &id))
			continue;
		guint64 *key = g_new(guint64, 1);
		*key = id;
		g_hash_table_insert(by_id, key, object);
	}
	return by_id;
}

static MemoryRow *find_segment(GHashTable *by_id, const MemoryRow *segment)
{
	guint64 id = segment_id(segment);

	return g_hash_table_lookup(by_id, &id);
}

/* A segment is shown once: as the object it is mapped as, or by itself. */
static void join_segments(MemoryData *data)
{
	const GPtrArray *segments = data->rows[MEMORY_SYSV];
	g_autoptr(GHashTable) by_id = list_segments(data->rows[MEMORY_SHARED]);

	for (guint i = 0; i < segments->len; i++) {
		const MemoryRow *segment = g_ptr_array_index(segments, i);
		MemoryRow *object = find_segment(by_id, segment);

		if (!object) {
			object = memory_data_new_row(data, MEMORY_SHARED, segment->name, 0);
			object->cells[SHARED_KIND] = (MemoryCell){
				.state = CTPROF_PRESENT, .type = CTPROF_TYPE_TEXT, .text = "sysv"};
			copy_cell(object, SHARED_RSS, segment, SYSV_RSS);
			copy_cell(object, SHARED_SWAP, segment, SYSV_SWAP);
		}
		copy_cell(object, SHARED_SIZE, segment, SYSV_SIZE);
		copy_cell(object, SHARED_ATTACHES, segment, SYSV_ATTACHES);
	}
}

/* "12.3M": in a text a sink cannot scale it. */
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

static const char *list_consumers(MemoryData *data, const MemoryRow *object)
{
	const MemoryCell *cell = &object->cells[SHARED_CONSUMERS];
	g_autoptr(GString) text = g_string_new(NULL);

	if (cell->state != CTPROF_PRESENT || cell->type != CTPROF_TYPE_MAP)
		return NULL;
	for (guint i = 0; i < MIN(cell->map->len, MOST_CONSUMERS); i++) {
		const MemoryEntry *entry = &g_array_index(cell->map, MemoryEntry, i);

		g_string_append_printf(text, "%s%s ", i > 0 ? ", " : "", entry->key);
		append_size(text, entry->number);
	}
	if (cell->map->len > MOST_CONSUMERS)
		g_string_append_printf(text, ", %u more", cell->map->len - MOST_CONSUMERS);
	return memory_data_keep(data, text->str);
}

/* The row that tells how many processes were read; NULL: there is none. */
static const MemoryRow *find_tally(const MemoryData *data)
{
	const GPtrArray *rows = data->rows[MEMORY_SWAP];

	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);

		if (strcmp(row->name, "*") == 0)
			return row;
	}
	return NULL;
}

/* Of whom the objects are: those whose smaps was read, and the others.  FALSE: the
 * snapshot does not tell. */
static gboolean shared_coverage(const MemoryData *data, Coverage *ret_coverage)
{
	const GPtrArray *processes = data->rows[MEMORY_PROCESSES];
	const MemoryRow *tally = find_tally(data);
	Coverage coverage = {0};

	if (tally && memory_row_number(tally, SWAP_READABLE, &coverage.exact) &&
	    memory_row_number(tally, SWAP_UNREADABLE, &coverage.missing)) {
		*ret_coverage = coverage;
		return TRUE;
	}
	if (!data->captured[MEMORY_PROCESSES])
		return FALSE;
	/* Whose rollup was refused, that one's smaps was as well. */
	for (guint i = 0; i < processes->len; i++) {
		enum memory_coverage how = memory_coverage_of(g_ptr_array_index(processes, i));

		coverage.exact += how == MEMORY_EXACT;
		coverage.missing += how == MEMORY_APPROXIMATE || how == MEMORY_MISSING;
	}
	*ret_coverage = coverage;
	return TRUE;
}

guint64 memory_draft_n_unread(const MemoryDraft *draft)
{
	Coverage coverage;

	return shared_coverage(draft->data, &coverage) ? coverage.missing : 0;
}

void memory_draft_shared(MemoryDraft *draft)
{
	static const struct place places[] = {
		{TEXT_FIELD("kind", "KIND"), SHARED_KIND, FALSE, FALSE},
		{COUNT_FIELD("processes", "PROCS"), SHARED_PROCESSES, FALSE, FALSE},
		{BYTES_FIELD("pss", "PSS"), SHARED_PSS, FALSE, TRUE},
		{BYTES_FIELD("rss", "RSS"), SHARED_RSS, FALSE, FALSE},
		{BYTES_FIELD("uss", "USS"), SHARED_USS, TRUE, TRUE},
		{BYTES_FIELD("swap", "SWAP"), SHARED_SWAP, FALSE, FALSE},
		{BYTES_FIELD("size", "SIZE"), SHARED_SIZE, TRUE, FALSE},
		{COUNT_FIELD("vmas", "VMAS"), SHARED_VMAS, TRUE, FALSE},
		{TEXT_FIELD("device", "DEVICE"), SHARED_DEVICE, TRUE, FALSE},
		{COUNT_FIELD("inode", "INODE"), SHARED_INODE, TRUE, FALSE},
		{COUNT_FIELD("shmid", "SHMID"), SHARED_SHMID, TRUE, FALSE},
		{COUNT_FIELD("attaches", "ATTACHES"), SHARED_ATTACHES, TRUE, FALSE},
	};
	static const struct ctprof_report_field texts[] = {TEXT_FIELD("object", "OBJECT"),
							   TEXT_FIELD("consumers", "USED MOST BY")};
	struct objects objects = {
		.draft = draft, .places = places, .n_places = G_N_ELEMENTS(places)};
	guint64 n_unread = memory_draft_n_unread(draft);
	Coverage coverage;

	join_segments(draft->data);
	g_autoptr(GPtrArray) rows = pick_rows(draft, MEMORY_SHARED);
	objects.rows = rows;
	memory_rows_sort(rows, shared_orders[draft->sort].cell);
	begin_objects(&objects, "shared", "Objects that processes map", texts, G_N_ELEMENTS(texts));
	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);

		if (!memory_table_has_room(objects.table, draft->options->limit))
			continue;
		struct ctprof_value *last = put_object(&objects, row) + objects.n_places;
		last[0] = value_of_text(row->name);
		last[1] = value_of_text(list_consumers(draft->data, row));
	}
	put_total(&objects)[objects.n_places] = value_of_text("total");
	if (shared_coverage(draft->data, &coverage))
		memory_table_cover(objects.table, "processes", &coverage);
	if (n_unread > 0)
		memory_table_estimate_totals(objects.table);
	if (n_unread > 0 && !draft->options->is_told)
		memory_table_note(objects.table,
				  "%" G_GUINT64_FORMAT " process%s could not be read: what only "
				  "they map is not here, and PSS and PROCS lack their part.",
				  n_unread, n_unread == 1 ? "" : "es");
}

/* ---- one process ---------------------------------------------------------------- */

static const MemoryOrder mapping_orders[] = {
	{"pss", MAPPING_PSS},     {"rss", MAPPING_RSS},   {"uss", MAPPING_USS},
	{"swap", MAPPING_SWAP},   {"size", MAPPING_SIZE}, {"vmas", MAPPING_VMAS},
	{"name", MEMORY_BY_NAME},
};

const char *memory_process_sort(guint i)
{
	return i < G_N_ELEMENTS(mapping_orders) ? mapping_orders[i].name : NULL;
}

static gboolean is_cost(const MemoryRow *row)
{
	return g_str_has_suffix(row->name, " *");
}

static gboolean is_of(const MemoryRow *row, gint32 wanted)
{
	guint64 pid;

	if (memory_row_number(row, MAPPING_PID, &pid))
		return pid == (guint64)wanted;
	return g_ascii_strtoll(row->name, NULL, 10) == wanted;
}

static GPtrArray *pick_mappings(const MemoryDraft *draft)
{
	const GPtrArray *all = draft->data->rows[MEMORY_MAPPINGS];
	GPtrArray *rows = g_ptr_array_new();

	for (guint i = 0; i < all->len; i++) {
		MemoryRow *row = g_ptr_array_index(all, i);
		const char *label = memory_row_text(row, MAPPING_LABEL);

		if (is_of(row, draft->options->pid) && !is_cost(row) &&
		    memory_draft_matches(draft, label ? label : row->name))
			g_ptr_array_add(rows, row);
	}
	return rows;
}

static void note_cost(const MemoryDraft *draft, MemoryTable *table)
{
	const GPtrArray *all = draft->data->rows[MEMORY_MAPPINGS];

	for (guint i = 0; i < all->len; i++) {
		const MemoryRow *row = g_ptr_array_index(all, i);
		guint64 ns;

		if (is_of(row, draft->options->pid) && is_cost(row) &&
		    memory_row_number(row, MAPPING_READ_NS, &ns))
			memory_table_note(table, "Reading them took %" G_GUINT64_FORMAT ".%03u ms.",
					  ns / 1000000, (guint)(ns / 1000 % 1000));
	}
}

static void draft_mappings(MemoryDraft *draft)
{
	static const struct place places[] = {
		{TEXT_FIELD("kind", "KIND"), MAPPING_KIND, FALSE, FALSE},
		{COUNT_FIELD("vmas", "VMAS"), MAPPING_VMAS, FALSE, FALSE},
		{BYTES_FIELD("size", "SIZE"), MAPPING_SIZE, FALSE, TRUE},
		{BYTES_FIELD("rss", "RSS"), MAPPING_RSS, FALSE, TRUE},
		{BYTES_FIELD("pss", "PSS"), MAPPING_PSS, FALSE, TRUE},
		{BYTES_FIELD("uss", "USS"), MAPPING_USS, FALSE, TRUE},
		{BYTES_FIELD("swap", "SWAP"), MAPPING_SWAP, FALSE, TRUE},
		{BYTES_FIELD("anonymous", "ANON"), MAPPING_ANONYMOUS, TRUE, TRUE},
		{TEXT_FIELD("device", "DEVICE"), MAPPING_DEVICE, TRUE, FALSE},
		{COUNT_FIELD("inode", "INODE"), MAPPING_INODE, TRUE, FALSE},
	};
	static const struct ctprof_report_field object[] = {TEXT_FIELD("object", "OBJECT")};
	g_autoptr(GPtrArray) rows = pick_mappings(draft);
	struct objects objects = {
		.draft = draft, .places = places, .n_places = G_N_ELEMENTS(places), .rows = rows};

	memory_rows_sort(rows, mapping_orders[draft->sort].cell);
	begin_objects(&objects, "mappings", "What the process maps", object, 1);
	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);
		const char *label = memory_row_text(row, MAPPING_LABEL);

		if (memory_table_has_room(objects.table, draft->options->limit))
			put_object(&objects, row)[objects.n_places] =
				value_of_text(label ? label : row->name);
	}
	put_total(&objects)[objects.n_places] = value_of_text("total");
	/* A process's smaps is read in full, or none of its mappings is here. */
	memory_table_cover(objects.table, "processes", &(Coverage){.exact = 1});
	note_cost(draft, objects.table);
}

void memory_draft_process(MemoryDraft *draft)
{
	MemoryDraft one = *draft;

	/* The orders of one view are none of another's. */
	one.sort = 0;
	if (draft->data->captured[MEMORY_PROCESSES])
		memory_draft_processes(&one);
	draft_mappings(draft);
}
