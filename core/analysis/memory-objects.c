/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What processes map: shared objects, SysV segments, the parts of one process. */
#include <string.h>

#include "memory-views.h"

#define MOST_CONSUMERS 3

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
			Amount amount = {.type = CTPROF_VALUE_NUMBER};

			if (!memory_row_number(row, objects->places[i].cell, &amount.number))
				amount = AMOUNT_ABSENT;
			amount_sum_add(&sum, amount);
		}
		if (objects->places[i].is_summed)
			cells[i] = value_of_amount(amount_sum_of_all(&sum));
	}
	return cells;
}

static gint compare_cells(const MemoryRow *a, const MemoryRow *b, guint cell)
{
	Amount x = {.type = CTPROF_VALUE_NUMBER}, y = x;

	if (!memory_row_number(a, cell, &x.number))
		x = AMOUNT_ABSENT;
	if (!memory_row_number(b, cell, &y.number))
		y = AMOUNT_ABSENT;
	return amount_compare(x, y);
}

static gint compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
	const MemoryRow *x = *(const MemoryRow *const *)a, *y = *(const MemoryRow *const *)b;
	gint order = compare_cells(x, y, *(const guint *)data);

	return order != 0 ? order : strcmp(x->name, y->name);
}

static void sort_rows(GPtrArray *rows, guint cell)
{
	g_ptr_array_sort_with_data(rows, compare_rows, &cell);
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

	sort_rows(rows, SYSV_RSS);
	begin_objects(&objects, "sysv", "SysV shared memory segments", name, 1);
	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);

		if (memory_table_has_room(objects.table, draft->options->limit))
			put_object(&objects, row)[objects.n_places] = value_of_text(row->name);
	}
	put_total(&objects)[objects.n_places] = value_of_text("total");
}

/* ---- shared objects ----------------------------------------------------------- */

static const struct {
	const char *name;
	guint cell;
} shared_sorts[] = {
	{"pss", SHARED_PSS},
	{"rss", SHARED_RSS},
	{"swap", SHARED_SWAP},
	{"processes", SHARED_PROCESSES},
};

const char *memory_shared_sort(guint i)
{
	return i < G_N_ELEMENTS(shared_sorts) ? shared_sorts[i].name : NULL;
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

static MemoryRow *find_segment(GHashTable *by_id, const char *name)
{
	const char *colon = strchr(name, ':');
	guint64 id;

	if (!colon || !g_ascii_string_to_unsigned(colon + 1, 10, 0, G_MAXUINT64, &id, NULL))
		return NULL;
	return g_hash_table_lookup(by_id, &id);
}

/* A segment is shown once: as the object it is mapped as, or by itself. */
static void join_segments(MemoryData *data)
{
	const GPtrArray *segments = data->rows[MEMORY_SYSV];
	g_autoptr(GHashTable) by_id = list_segments(data->rows[MEMORY_SHARED]);

	for (guint i = 0; i < segments->len; i++) {
		const MemoryRow *segment = g_ptr_array_index(segments, i);
		MemoryRow *object = find_segment(by_id, segment->name);

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

guint64 memory_draft_n_unread(const MemoryDraft *draft)
{
	const GPtrArray *shares = draft->data->rows[MEMORY_SWAP];
	const GPtrArray *processes = draft->data->rows[MEMORY_PROCESSES];
	guint64 n = 0;

	for (guint i = 0; i < shares->len; i++) {
		const MemoryRow *row = g_ptr_array_index(shares, i);

		if (strcmp(row->name, "*") == 0 && memory_row_number(row, SWAP_UNREADABLE, &n))
			return n;
	}
	for (guint i = 0; draft->data->captured[MEMORY_PROCESSES] && i < processes->len; i++) {
		enum memory_coverage coverage = memory_coverage_of(g_ptr_array_index(processes, i));

		n += coverage == MEMORY_APPROXIMATE || coverage == MEMORY_MISSING;
	}
	return n;
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

	join_segments(draft->data);
	g_autoptr(GPtrArray) rows = pick_rows(draft, MEMORY_SHARED);
	objects.rows = rows;
	sort_rows(rows, shared_sorts[draft->sort].cell);
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
	if (n_unread > 0 && !draft->options->is_told)
		memory_table_note(objects.table,
				  "%" G_GUINT64_FORMAT " process%s could not be read: what only "
				  "they map is not here, and PSS and PROCS lack their part.",
				  n_unread, n_unread == 1 ? "" : "es");
}

/* ---- one process ---------------------------------------------------------------- */

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

	sort_rows(rows, MAPPING_PSS);
	begin_objects(&objects, "mappings", "What the process maps", object, 1);
	for (guint i = 0; i < rows->len; i++) {
		const MemoryRow *row = g_ptr_array_index(rows, i);
		const char *label = memory_row_text(row, MAPPING_LABEL);

		if (memory_table_has_room(objects.table, draft->options->limit))
			put_object(&objects, row)[objects.n_places] =
				value_of_text(label ? label : row->name);
	}
	put_total(&objects)[objects.n_places] = value_of_text("total");
	note_cost(draft, objects.table);
}

void memory_draft_process(MemoryDraft *draft)
{
	if (draft->data->captured[MEMORY_PROCESSES])
		memory_draft_processes(draft);
	draft_mappings(draft);
}
