/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "roster.h"

#include <string.h>

/* In place of the number of equal values: all the others are equal. */
#define ALL_THE_SAME G_MAXUINT32

/* A thread's bytes encode its names, then the values that the layout binds. */
#define FIRST_VALUE KEY_NAMES
/* Maximum bytes of an encoded number. */
#define MOST_BYTES 9

struct roster {
	const Layout *layout;
	Store *store;
	GArray *entries; /* RosterEntry */
	Arena *arena;    /* of their bytes, shapes and kept values */
	/* A shape says which values are present, and why the others are not: a
	 * state for each binding. */
	GPtrArray *shapes;
	GHashTable *by_states; /* GBytes -> index of the shape */
	guint last;            /* shape of the last thread: mostly also the next one's */
	GHashTable *kept;      /* GBytes -> the same bytes, of texts and sets */
	guint64 *first;        /* names and values of the first thread; NULL: none yet */
	guint64 *now;          /* those of the thread being added */
	guint8 *bytes;         /* likewise */
};

static guint n_bindings(const Roster *roster)
{
	return roster->layout->bindings->len;
}

static const Binding *binding_at(const Layout *layout, guint i)
{
	return &g_array_index(layout->bindings, Binding, i);
}

Roster *roster_new(const Layout *layout, Store *store)
{
	Roster *roster = g_new0(Roster, 1);

	roster->layout = layout;
	roster->store = store;
	roster->entries = g_array_new(FALSE, FALSE, sizeof(RosterEntry));
	roster->arena = arena_new();
	roster->shapes = g_ptr_array_new();
	roster->by_states = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
						  (GDestroyNotify)g_bytes_unref, NULL);
	roster->kept = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
					     (GDestroyNotify)g_bytes_unref, NULL);
	return roster;
}

void roster_free(Roster *roster)
{
	g_array_unref(roster->entries);
	g_ptr_array_unref(roster->shapes);
	g_hash_table_unref(roster->by_states);
	g_hash_table_unref(roster->kept);
	g_free(roster->bytes);
	arena_free(roster->arena);
	g_free(roster->now);
	g_free(roster);
}

/* ---- numbers of few bytes ----
 *
 * As many bytes as the place of the lowest bit that is set in the first one, and
 * above that bit the number; eight more after a 0.  Whole words are written and
 * read: going byte by byte, the processor guesses wrong where a number ends. */

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

static guint shape_of(Roster *roster, const guint8 *states)
{
	guint n = n_bindings(roster);
	gpointer index;

	if (roster->shapes->len > 0 &&
	    memcmp(g_ptr_array_index(roster->shapes, roster->last), states, n) == 0)
		return roster->last;
	g_autoptr(GBytes) wanted = g_bytes_new_static(states, n);
	if (g_hash_table_lookup_extended(roster->by_states, wanted, NULL, &index))
		return roster->last = GPOINTER_TO_UINT(index);
	guint8 *shape = arena_take(roster->arena, n);
	memcpy(shape, states, n);
	roster->last = roster->shapes->len;
	g_ptr_array_add(roster->shapes, shape);
	g_hash_table_insert(roster->by_states, g_bytes_new_static(shape, n),
			    GUINT_TO_POINTER(roster->last));
	return roster->last;
}

/* Keeps a copy of a row's text or set. */
static guint64 keep(Roster *roster, const void *data, gsize size)
{
	g_autoptr(GBytes) wanted = g_bytes_new_static(data, size);
	GBytes *known = g_hash_table_lookup(roster->kept, wanted);

	if (!known) {
		gpointer copy = arena_take(roster->arena, size);

		memcpy(copy, data, size);
		known = g_bytes_new_static(copy, size);
		g_hash_table_insert(roster->kept, known, known);
	}
	return (guint64)(uintptr_t)g_bytes_get_data(known, NULL);
}

/* Keeps only those entries of a map that are folded. */
static guint64 keep_map(Roster *roster, const struct ctprof_map *map)
{
	struct ctprof_map kept;

	memset(&kept, 0, sizeof kept);
	kept.entries[0].key = FOLD_PSS_ENTRY;
	for (guint64 i = 0; i < map->n; i++)
		if (strcmp(map->entries[i].key, FOLD_PSS_ENTRY) == 0) {
			kept.n = 1;
			kept.entries[0].number = map->entries[i].number;
		}
	return keep(roster, &kept, sizeof kept);
}

static guint64 take_value(Roster *roster, const Measure *measure, guint64 value)
{
	const void *data = (const void *)(uintptr_t)value;
	const struct ctprof_text *text = data;
	const struct ctprof_cpus *cpus = data;

	if (measure->kind == CTPROF_CPUSET)
		return keep(roster, data,
			    offsetof(struct ctprof_cpus, cpus) + cpus->n * sizeof cpus->cpus[0]);
	if (measure->kind == CTPROF_MAP)
		return keep_map(roster, data);
	if (measure->unit == CTPROF_UNIT_TEXT)
		return keep(roster, data, offsetof(struct ctprof_text, bytes) + text->length + 1);
	return value;
}

/* Writes, in turn, the number of values equal to the first thread's, the number
 * of different ones, and their differences.  Absent values are omitted.  Returns
 * the end. */
static const guint8 *encode(Roster *roster, const guint8 *states, guint64 *now)
{
	const guint64 *first = roster->first;
	guint n = 0, all = FIRST_VALUE + n_bindings(roster);
	guint8 *at = roster->bytes;

	for (guint i = 0; i < all; i++)
		if (i < FIRST_VALUE || states[i - FIRST_VALUE] == CTPROF_PRESENT)
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

void roster_add(Roster *roster, const RecordKey *key, gint32 ppid, const struct ctprof_rows *rows,
		guint64 i)
{
	const guint64 *values = rows->values + i * rows->n_slots;
	const guint8 *states = rows->states + i * rows->n_slots;
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	guint n = n_bindings(roster);

	if (!roster->now) {
		roster->now = g_malloc0((FIRST_VALUE + n) * sizeof(guint64) + n);
		/* Enough for two counts per value at worst, the mark at the end and the
		 * rest of a word. */
		roster->bytes = g_malloc((FIRST_VALUE + n + 1) * 3 * MOST_BYTES);
	}
	guint64 *now = roster->now;
	guint8 *bound = (guint8 *)(now + FIRST_VALUE + n);
	for (guint k = 0; k < KEY_NAMES; k++)
		now[k] = (guint64)(uintptr_t)key->names[k];
	for (guint b = 0; b < n; b++) {
		const Binding *binding = binding_at(roster->layout, b);

		bound[b] = states[binding->slot];
		now[FIRST_VALUE + b] =
			bound[b] == CTPROF_PRESENT
				? take_value(roster, binding->measure, values[binding->slot])
				: 0;
	}
	if (!roster->first) {
		roster->first = arena_take(roster->arena, (FIRST_VALUE + n) * sizeof now[0]);
		memcpy(roster->first, now, (FIRST_VALUE + n) * sizeof now[0]);
	}
	gsize size = (gsize)(encode(roster, bound, now) - roster->bytes);
	RosterEntry entry = {
		.tgid = target->tgid,
		.tid = target->tid,
		.start = key->start,
		.ppid = ppid,
		.shape = shape_of(roster, bound),
	};
	entry.data = memcpy(arena_take(roster->arena, size + sizeof(guint64)), roster->bytes, size);
	g_array_append_val(roster->entries, entry);
}

/* ---- finding them ---- */

gint roster_entry_compare(const RosterEntry *a, const RosterEntry *b)
{
	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
	return roster_entry_compare(a, b);
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

guint roster_search(const Roster *roster, gint32 tgid, gint32 tid, guint64 start)
{
	const RosterEntry wanted = {.tgid = tgid, .tid = tid, .start = start};
	guint low = 0, high = roster->entries->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (roster_entry_compare(roster_entry(roster, middle), &wanted) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const RosterEntry *roster_process(const Roster *roster, gint32 pid)
{
	guint at = roster_search(roster, pid, pid, G_MAXUINT64);
	const RosterEntry *found = at > 0 ? roster_entry(roster, at - 1) : NULL;

	return found && found->tgid == pid && found->tid == pid ? found : NULL;
}

/* ---- reading them ---- */

/* Walks a thread's values. */
typedef struct reader {
	const guint8 *at;
	guint64 same, differ; /* number of values equal to the first's, and of different ones after
				 them */
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

static void read_names(const Roster *roster, Reader *reader, const char *ret_names[KEY_NAMES])
{
	for (guint i = 0; i < KEY_NAMES; i++)
		ret_names[i] = (const char *)(uintptr_t)read_next(reader, roster->first[i]);
}

void roster_names(const Roster *roster, const RosterEntry *entry, const char *ret_names[KEY_NAMES])
{
	Reader reader = {.at = entry->data};

	read_names(roster, &reader, ret_names);
}

void roster_read(const Roster *roster, const RosterEntry *entry, RosterRow *row)
{
	const guint8 *states = g_ptr_array_index(roster->shapes, entry->shape);
	Reader reader = {.at = entry->data};

	read_names(roster, &reader, row->names);
	for (guint b = 0; b < n_bindings(roster); b++) {
		guint32 slot = binding_at(roster->layout, b)->slot;

		row->states[slot] = states[b];
		if (states[b] == CTPROF_PRESENT)
			row->values[slot] = read_next(&reader, roster->first[FIRST_VALUE + b]);
	}
	row->target.tgid = entry->tgid;
	row->target.tid = entry->tid;
}

void roster_row_init(RosterRow *row, const Layout *layout)
{
	guint n = 1;

	for (guint b = 0; b < layout->bindings->len; b++)
		n = MAX(n, binding_at(layout, b)->slot + 1);
	*row = (RosterRow){
		.target = {.struct_size = sizeof row->target, .task_fd = -1},
		.values = g_new0(guint64, n),
		.states = g_new0(guint8, n),
	};
	row->rows = (struct ctprof_rows){
		.struct_size = sizeof row->rows,
		.scope = CTPROF_SCOPE_THREAD,
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
