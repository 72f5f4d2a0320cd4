/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "roster.h"

#include <string.h>

#include "row/arena.h"
#include "row/buckets.h"

/* Replaces the number of equal values if all remaining ones are equal. */
#define ALL_THE_SAME G_MAXUINT32
/* Maximum size of an encoded number, in bytes. */
#define MOST_BYTES 9

#define START_METRIC "start_time_clock_ticks"
#define PPID_METRIC "ppid"

/* A metric whose values are kept. */
typedef struct field {
	guint32 index, type; /* in rows; enum ctprof_type */
	gboolean is_histogram;
	GBytes *last; /* the last value kept, most often the next row's too; borrowed */
} Field;

/* A field with a value. */
typedef struct present {
	guint32 field, index;
} Present;

/* The set of values in a row, and why the others are absent. */
typedef struct shape {
	const guint8 *states; /* of a row, by index */
	guint n, n_texts;     /* fields with a value; the texts among them come first */
	Present present[];
} Shape;

/* A view borrows everything but its entries from the complete roster. */
struct roster {
	gboolean is_view;
	GArray *entries;            /* RosterEntry */
	guint32 scope;              /* of rows */
	GByteArray *unfilled;       /* states of slots that are not kept, by index */
	const char *const *of_maps; /* keys of the entries that are kept; NULL: all */
	GArray *fields;             /* Field, texts first */
	guint n_texts;
	gint start, ppid;      /* their indexes in a row, or -1 */
	Arena *arena;          /* for the encoded rows, shapes and kept values */
	GPtrArray *shapes;     /* Shape */
	GHashTable *by_states; /* GBytes, of states by field -> index of the shape */
	guint last;            /* shape of the last row, most often the next one's too */
	const guint8 *states_of_last;
	GHashTable *kept; /* a set of GBytes: texts, sets, and keys of maps */
	guint64 *first;   /* values of the first row; NULL: there is no row yet */
	guint64 *now;     /* values of the row being added */
	guint8 *states;   /* states of the row being added */
	guint8 *bytes;    /* encoding of the row being added */
};

static guint n_fields(const Roster *roster)
{
	return roster->fields->len;
}

static Field *field_at(const Roster *roster, guint i)
{
	return &g_array_index(roster->fields, Field, i);
}

/* ---- life ---- */

static void add_fields(Roster *roster, const GPtrArray *metrics, const gboolean *slots,
		       gboolean texts)
{
	for (guint i = 0; i < metrics->len; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);
		const Field field = {
			.index = i,
			.type = metric->type,
			.is_histogram = metric->def.kind == CTPROF_HISTOGRAM,
		};

		if ((metric->type == CTPROF_TYPE_TEXT) == texts &&
		    (slots ? slots[i] : metric->wanted))
			g_array_append_val(roster->fields, field);
	}
}

Roster *roster_new(const Registry *registry, enum row_class row, const gboolean *slots,
		   const char *const *entries)
{
	Roster *roster = g_new0(Roster, 1);
	const GPtrArray *metrics = registry_row(registry, row);

	roster->unfilled = g_byte_array_new();
	for (guint i = 0; i < metrics->len; i++) {
		guint8 state = (guint8)((const Metric *)g_ptr_array_index(metrics, i))->unfilled;

		g_byte_array_append(roster->unfilled, &state, 1);
	}
	roster->entries = g_array_new(FALSE, FALSE, sizeof(RosterEntry));
	roster->scope = registry_scope_of_row(row);
	roster->of_maps = entries;
	roster->fields = g_array_new(FALSE, FALSE, sizeof(Field));
	add_fields(roster, metrics, slots, TRUE);
	roster->n_texts = n_fields(roster);
	add_fields(roster, metrics, slots, FALSE);
	roster->start = registry_index(registry, row, START_METRIC, CTPROF_TYPE_U64);
	roster->ppid = registry_index(registry, row, PPID_METRIC, CTPROF_TYPE_U64);
	roster->arena = arena_new();
	roster->shapes = g_ptr_array_new();
	roster->by_states = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
						  (GDestroyNotify)g_bytes_unref, NULL);
	roster->kept = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
					     (GDestroyNotify)g_bytes_unref, NULL);
	roster->now = g_new(guint64, n_fields(roster) + 1);
	roster->states = g_new(guint8, n_fields(roster) + 1);
	/* At worst each value needs two counts; add the mark at the end and the rest of a word. */
	roster->bytes = g_malloc(((gsize)n_fields(roster) + 1) * 3 * MOST_BYTES);
	return roster;
}

Roster *roster_view(const Roster *whole,
		    gboolean (*selects)(gconstpointer data, const RosterEntry *entry),
		    gconstpointer data)
{
	Roster *roster = g_memdup2(whole, sizeof *whole);

	roster->is_view = TRUE;
	if (!selects) {
		roster->entries = g_array_ref(whole->entries);
		return roster;
	}
	roster->entries = g_array_new(FALSE, FALSE, sizeof(RosterEntry));
	for (guint i = 0; i < roster_length(whole); i++) {
		const RosterEntry *entry = roster_entry(whole, i);

		if (selects(data, entry))
			g_array_append_vals(roster->entries, entry, 1);
	}
	return roster;
}

void roster_free(Roster *roster)
{
	g_array_unref(roster->entries);
	if (!roster->is_view) {
		g_array_unref(roster->fields);
		g_byte_array_unref(roster->unfilled);
		g_ptr_array_unref(roster->shapes);
		g_hash_table_unref(roster->by_states);
		g_hash_table_unref(roster->kept);
		arena_free(roster->arena);
		g_free(roster->bytes);
		g_free(roster->states);
		g_free(roster->now);
	}
	g_free(roster);
}

/* ---- variable-length numbers ----
 *
 * The position of the lowest set bit of the first byte is the number of bytes, and the bits above
 * it are the number; after a 0, eight bytes follow.  Whole words are written and read: byte by
 * byte, the processor would mispredict where a number ends. */

static guint8 *put(guint8 *at, guint64 number)
{
	guint n = (70 - (guint)__builtin_clzll(number | 1)) / 7;
	gboolean is_whole = n >= MOST_BYTES;

	if (is_whole)
		*at = 0;
	else
		number = (number << 1 | 1) << (n - 1);
	number = GUINT64_TO_LE(number);
	memcpy(at + is_whole, &number, sizeof number);
	return at + (is_whole ? MOST_BYTES : n);
}

static guint64 take(const guint8 **at)
{
	guint64 number;

	memcpy(&number, *at + (**at == 0), sizeof number);
	number = GUINT64_FROM_LE(number);
	if (**at == 0) {
		*at += MOST_BYTES;
		return number;
	}
	guint n = (guint)__builtin_ctzll(number) + 1;
	*at += n;
	return number << (64 - 8 * n) >> (64 - 7 * n);
}

/* Encodes a difference of either sign as a small number (zigzag). */
static guint64 fold_sign(guint64 difference)
{
	return difference << 1 ^ (difference >> 63 ? G_MAXUINT64 : 0);
}

static guint64 unfold_sign(guint64 number)
{
	return number >> 1 ^ (number & 1 ? G_MAXUINT64 : 0);
}

/* ---- taking rows ---- */

/* Returns the only kept copy of the data; value: stored for it if it is new. */
static GBytes *keep(Roster *roster, GHashTable *all, gconstpointer data, gsize size, gpointer value)
{
	g_autoptr(GBytes) wanted = g_bytes_new_static(data, size);
	gpointer known;

	if (g_hash_table_lookup_extended(all, wanted, &known, NULL))
		return known;
	known = g_bytes_new_static(memcpy(arena_take(roster->arena, size), data, size), size);
	g_hash_table_insert(all, known, value);
	return known;
}

static Shape *shape_new(const Roster *roster)
{
	guint n = roster->unfilled->len;
	guint8 *states = memcpy(arena_take(roster->arena, n + 1), roster->unfilled->data, n);
	Shape *shape = arena_take(roster->arena,
				  sizeof *shape + n_fields(roster) * sizeof shape->present[0]);

	*shape = (Shape){.states = states};
	for (guint f = 0; f < n_fields(roster); f++) {
		const Present present = {f, field_at(roster, f)->index};

		states[present.index] = roster->states[f];
		if (roster->states[f] != CTPROF_PRESENT)
			continue;
		shape->present[shape->n++] = present;
		shape->n_texts += f < roster->n_texts ? 1 : 0;
	}
	return shape;
}

static guint shape_of(Roster *roster)
{
	guint n = n_fields(roster), n_known = roster->shapes->len;
	GBytes *known;

	if (roster->states_of_last && memcmp(roster->states_of_last, roster->states, n) == 0)
		return roster->last;
	known = keep(roster, roster->by_states, roster->states, n, GUINT_TO_POINTER(n_known));
	roster->states_of_last = g_bytes_get_data(known, NULL);
	roster->last = GPOINTER_TO_UINT(g_hash_table_lookup(roster->by_states, known));
	if (roster->last == n_known)
		g_ptr_array_add(roster->shapes, shape_new(roster));
	return roster->last;
}

static const char *keep_text(Roster *roster, const char *text, gsize length)
{
	return text ? g_bytes_get_data(keep(roster, roster->kept, text, length + 1, NULL), NULL)
		    : NULL;
}

/* The keys are mostly the same, so each is kept once. */
static guint64 keep_map(Roster *roster, const struct ctprof_map *map)
{
	gsize size =
		offsetof(struct ctprof_map, entries) + map->n * sizeof(struct ctprof_map_entry);
	struct ctprof_map *copy = arena_take(roster->arena, size);
	struct ctprof_map_entry *to = copy->entries;
	const struct ctprof_map_entry *from = map->entries;

	copy->n = 0;
	for (guint64 i = 0; i < map->n; i++) {
		if (roster->of_maps && !g_strv_contains(roster->of_maps, from[i].key))
			continue;
		*to = from[i];
		to->key = keep_text(roster, to->key, to->key_len);
		to->text = keep_text(roster, to->text, to->text_len);
		to++;
		copy->n++;
	}
	return (guint64)(uintptr_t)copy;
}

/* The keys are static texts, so the map can be copied as it is. */
static guint64 keep_histogram(Roster *roster, const struct ctprof_map *map)
{
	Histogram histogram = {{0}};

	buckets_add(&histogram, map);
	return (guint64)(uintptr_t)buckets_store(roster->arena, &histogram);
}

static guint64 take_value(Roster *roster, Field *field, guint64 value)
{
	const void *data = (const void *)(uintptr_t)value;
	const struct ctprof_text *text = data;
	const struct ctprof_cpus *cpus = data;
	gsize size;

	switch (field->type) {
	case CTPROF_TYPE_TEXT:
		size = offsetof(struct ctprof_text, bytes) + text->length + 1;
		break;
	case CTPROF_TYPE_CPUS:
		size = offsetof(struct ctprof_cpus, cpus) + cpus->n * sizeof cpus->cpus[0];
		break;
	case CTPROF_TYPE_MAP:
		return field->is_histogram ? keep_histogram(roster, data) : keep_map(roster, data);
	default:
		return value;
	}
	if (!field->last || g_bytes_get_size(field->last) != size ||
	    memcmp(g_bytes_get_data(field->last, NULL), data, size) != 0)
		field->last = keep(roster, roster->kept, data, size, NULL);
	return (guint64)(uintptr_t)g_bytes_get_data(field->last, NULL);
}

/* Writes, in turn, the number of values equal to the first row's, the number of different ones, and
 * their differences.  Absent values are omitted.  Returns the end. */
static const guint8 *encode(const Roster *roster)
{
	const guint64 *first = roster->first;
	guint64 *now = roster->now;
	guint n = 0;
	guint8 *at = roster->bytes;

	for (guint i = 0; i < n_fields(roster); i++)
		if (roster->states[i] == CTPROF_PRESENT)
			now[n++] = now[i] - first[i];
	while (n > 0 && now[n - 1] == 0)
		n--;
	for (guint i = 0, to; i < n; i = to) {
		for (to = i; now[to] == 0;)
			to++;
		at = put(at, to - i);
		for (i = to; to < n && now[to] != 0;)
			to++;
		at = put(at, to - i);
		for (; i < to; i++)
			at = put(at, fold_sign(now[i]));
	}
	return put(at, ALL_THE_SAME);
}

static guint64 number_at(const struct ctprof_rows *rows, guint64 i, gint index)
{
	guint64 number = 0;

	(void)rows_read(rows, i, index, &number);
	return number;
}

void roster_add(Roster *roster, const struct ctprof_rows *rows, guint64 i)
{
	const guint64 *values = rows->values + i * rows->n_slots;
	const guint8 *states = rows->states + i * rows->n_slots;
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	guint n = n_fields(roster);
	guint64 ppid = number_at(rows, i, roster->ppid);

	for (guint f = 0; f < n; f++) {
		Field *field = field_at(roster, f);
		guint32 index = field->index;

		roster->states[f] = states[index];
		roster->now[f] = states[index] == CTPROF_PRESENT
					 ? take_value(roster, field, values[index])
					 : 0;
	}
	if (!roster->first) {
		gsize size = n * sizeof roster->now[0];

		roster->first = memcpy(arena_take(roster->arena, size + 1), roster->now, size);
	}
	gsize size = (gsize)(encode(roster) - roster->bytes);
	RosterEntry entry = {
		.tgid = target->tgid,
		.tid = target->tid,
		.start = number_at(rows, i, roster->start),
		.ppid = ppid <= G_MAXINT32 ? (gint32)ppid : 0,
		.shape = shape_of(roster),
	};
	entry.data = memcpy(arena_take(roster->arena, size + sizeof(guint64)), roster->bytes, size);
	g_array_append_val(roster->entries, entry);
}

/* ---- lookup ---- */

static gint compare_entries(gconstpointer a, gconstpointer b)
{
	const RosterEntry *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

void roster_sort(Roster *roster)
{
	g_array_sort(roster->entries, compare_entries);
}

guint roster_length(const Roster *roster)
{
	return roster->entries->len;
}

const RosterEntry *roster_entry(const Roster *roster, guint at)
{
	return &g_array_index(roster->entries, RosterEntry, at);
}

gboolean roster_walk_next(RosterWalk *walk)
{
	const RosterEntry *next[2];

	for (guint side = 0; side < 2; side++)
		next[side] = walk->at[side] < roster_length(walk->rosters[side])
				     ? roster_entry(walk->rosters[side], walk->at[side])
				     : NULL;
	if (!next[0] && !next[1])
		return FALSE;
	gint order = !next[1] ? -1 : !next[0] ? 1 : compare_entries(next[0], next[1]);
	walk->pair[0] = order <= 0 ? next[0] : NULL;
	walk->pair[1] = order >= 0 ? next[1] : NULL;
	walk->at[0] += order <= 0;
	walk->at[1] += order >= 0;
	return TRUE;
}

guint roster_search(const Roster *roster, gint32 tgid, gint32 tid, guint64 start)
{
	const RosterEntry wanted = {.tgid = tgid, .tid = tid, .start = start};
	guint low = 0, high = roster->entries->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (compare_entries(roster_entry(roster, middle), &wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const RosterEntry *roster_process_at(const Roster *roster, gint32 pid, guint64 start)
{
	guint at = roster_search(roster, pid, pid, start);
	const RosterEntry *found = at > 0 ? roster_entry(roster, at - 1) : NULL;

	return found && found->tgid == pid && found->tid == pid ? found : NULL;
}

const RosterEntry *roster_process(const Roster *roster, gint32 pid)
{
	return roster_process_at(roster, pid, G_MAXUINT64);
}

gboolean roster_has(const Roster *roster, guint32 index)
{
	for (guint i = 0; i < roster->shapes->len; i++)
		if (((const Shape *)g_ptr_array_index(roster->shapes, i))->states[index] ==
		    CTPROF_PRESENT)
			return TRUE;
	return FALSE;
}

/* ---- reading ---- */

/* Iterates over a row's values. */
typedef struct reader {
	const guint8 *at;
	guint64 same, differ; /* values equal to the first row's; different ones after them */
} Reader;

static guint64 read_next(Reader *reader, guint64 first)
{
	if (reader->same == 0 && reader->differ == 0) {
		reader->same = take(&reader->at);
		reader->differ = reader->same == ALL_THE_SAME ? 0 : take(&reader->at);
	}
	if (reader->same > 0) {
		reader->same--;
		return first;
	}
	reader->differ--;
	return first + unfold_sign(take(&reader->at));
}

static void read_first(const Roster *roster, const RosterEntry *entry, guint n, RosterRow *row)
{
	const Shape *shape = g_ptr_array_index(roster->shapes, entry->shape);
	Reader reader = {.at = entry->data};

	memcpy(row->states, shape->states, roster->unfilled->len);
	for (guint i = 0; i < n; i++) {
		const Present *present = &shape->present[i];

		row->values[present->index] = read_next(&reader, roster->first[present->field]);
	}
	row->target.flags = entry->tid == entry->tgid ? CTPROF_TARGET_LEADER : 0;
	row->target.tgid = entry->tgid;
	row->target.tid = entry->tid;
}

void roster_read(const Roster *roster, const RosterEntry *entry, RosterRow *row)
{
	const Shape *shape = g_ptr_array_index(roster->shapes, entry->shape);

	read_first(roster, entry, shape->n, row);
}

void roster_read_texts(const Roster *roster, const RosterEntry *entry, RosterRow *row)
{
	const Shape *shape = g_ptr_array_index(roster->shapes, entry->shape);

	read_first(roster, entry, shape->n_texts, row);
}

void roster_row_init(RosterRow *row, const Roster *roster)
{
	guint n = roster->unfilled->len;

	*row = (RosterRow){
		.target = {.struct_size = sizeof row->target, .task_fd = -1},
		.values = g_new0(guint64, n + 1),
		.states = g_memdup2(roster->unfilled->data, n),
	};
	row->rows = (struct ctprof_rows){
		.struct_size = sizeof row->rows,
		.scope = roster->scope,
		.n = 1,
		.n_slots = n,
		.targets = &row->target,
		.values = row->values,
		.states = row->states,
	};
}

void roster_row_clear(RosterRow *row)
{
	g_clear_pointer(&row->values, g_free);
	g_clear_pointer(&row->states, g_free);
}
