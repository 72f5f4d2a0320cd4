/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flatten.h"

#include <string.h>

#include "base/texts.h"
#include "report/name/pattern.h"
#include "report/name/unit.h"

#define BOOT_METRIC "host.boot_id"
#define KERNEL_METRIC "host.kernel_release"
/* Maximum names that are kept with their derived forms; with more, all are forgotten. */
#define MAX_MADE 4096

/* How a value of a row becomes one of a record. */
enum how { AS_IT_IS, AS_TEXT, AS_CHAR, AS_CPUS, AS_MAP };

typedef struct flow {
	guint32 index; /* in the row */
	guint column;
	enum how how;
} Flow;

/* A form of a name, such as its pattern. */
typedef struct made {
	char *(*make)(const char *name);
	guint from, to;    /* columns; G_MAXUINT: there is none */
	GHashTable *texts; /* names, of struct ctprof_text -> struct ctprof_text * */
} Made;

enum { MADE_PATTERN, MADE_UNIT, N_MADE };

struct flatten {
	Writer *writer;
	gboolean is_bound; /* flows belong to this capture */
	GArray *flows;
	Made made[N_MADE];
	Arena *names;                      /* and their derived forms */
	Store *store;                      /* of sets of CPUs */
	guint tgid, tid, user, kind, name; /* columns */
	/* The user of the last leader: only leaders have it, and they come before their threads. */
	gint32 user_of;
	GString *user_name; /* empty: not known */
};

/* ---- what a capture has in common -------------------------------------------- */

static struct ctprof_text *keep(const Origin *origin, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	return arena_copy_text(origin->texts, valid, strlen(valid));
}

void origin_begin(Origin *origin, const char *host)
{
	origin_clear(origin);
	origin->texts = arena_new();
	origin->host = host ? keep(origin, host) : NULL;
}

void origin_clear(Origin *origin)
{
	g_clear_pointer(&origin->texts, arena_free);
	*origin = (Origin){.texts = NULL};
}

static void note(const Origin *origin, const Registry *registry, const struct ctprof_rows *rows,
		 const char *name, struct ctprof_text **ret_text)
{
	gint index = registry_index(registry, ROW_HOST, name, CTPROF_TYPE_TEXT);
	const char *text = rows->n > 0 ? rows_text(rows, 0, index) : NULL;

	if (text && !*ret_text)
		*ret_text = keep(origin, text);
}

void origin_note(Origin *origin, const Registry *registry, const struct ctprof_rows *rows)
{
	note(origin, registry, rows, BOOT_METRIC, &origin->boot);
	note(origin, registry, rows, KERNEL_METRIC, &origin->kernel);
}

void origin_note_phase(Origin *origin, const char *phase)
{
	origin->phase = keep(origin, phase);
}

void origin_put(const Origin *origin, Writer *writer)
{
	if (writer->rows == CTPROF_TABLE_CAPTURES)
		writer_put_own(writer, writer_find(writer, "phase"), origin->phase);
	writer_put_own(writer, COMMON_HOST, origin->host);
	writer_put_own(writer, COMMON_BOOT, origin->boot);
	writer_put_own(writer, COMMON_KERNEL, origin->kernel);
	if (origin->realtime_ns > 0)
		writer_put(writer, COMMON_TIME, origin->realtime_ns);
}

/* ---- the table ---------------------------------------------------------------- */

Flatten *flatten_new(Writer *writer)
{
	Flatten *self = g_new0(Flatten, 1);

	self->writer = writer;
	self->flows = g_array_new(FALSE, FALSE, sizeof(Flow));
	self->store = store_new();
	self->names = arena_new();
	self->user_name = g_string_new(NULL);
	self->tgid = writer_find(writer, "tgid");
	self->tid = writer_find(writer, "tid");
	self->user = writer_find(writer, "user");
	self->kind = writer_find(writer, "kind");
	self->name = writer->rows == CTPROF_TABLE_CGROUPS ? writer_find(writer, "cgroup")
							  : writer_find(writer, "object");
	self->made[MADE_PATTERN] = (Made){.make = pattern_key,
					  .from = writer_find(writer, "comm"),
					  .to = writer_find(writer, "pattern")};
	self->made[MADE_UNIT] = (Made){.make = unit_of_cgroup,
				       .from = writer_find(writer, "cgroup"),
				       .to = writer_find(writer, "unit")};
	for (guint i = 0; i < N_MADE; i++)
		self->made[i].texts = g_hash_table_new(g_str_hash, g_str_equal);
	return self;
}

void flatten_free(Flatten *self)
{
	for (guint i = 0; i < N_MADE; i++)
		g_hash_table_unref(self->made[i].texts);
	g_array_unref(self->flows);
	store_free(self->store);
	arena_free(self->names);
	g_string_free(self->user_name, TRUE);
	g_free(self);
}

void flatten_again(Flatten *self)
{
	self->is_bound = FALSE;
	self->user_of = 0;
	g_string_truncate(self->user_name, 0);
	g_array_set_size(self->flows, 0);
	/* Memory must not grow with the number of captures. */
	store_free(self->store);
	self->store = store_new();
}

static enum how how_of(const Metric *metric)
{
	switch (metric->type) {
	case CTPROF_TYPE_TEXT:
		return AS_TEXT;
	case CTPROF_TYPE_CPUS:
		return AS_CPUS;
	case CTPROF_TYPE_MAP:
		return AS_MAP;
	default:
		return metric->def.unit == CTPROF_UNIT_CHAR ? AS_CHAR : AS_IT_IS;
	}
}

static void bind(Flatten *self, const Registry *registry)
{
	const GPtrArray *metrics = registry_row(registry, schema_source(self->writer->rows));

	for (guint i = 0; i < metrics->len; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);
		const Flow flow = {metric->index, schema_find(self->writer, metric),
				   how_of(metric)};

		if (flow.column != G_MAXUINT)
			g_array_append_val(self->flows, flow);
	}
	self->is_bound = TRUE;
}

/* ---- values ------------------------------------------------------------------- */

void flatten_put_map(Writer *writer, guint column, const struct ctprof_map *map)
{
	g_autoptr(GString) out = g_string_new("{");

	for (guint64 i = 0; i < map->n; i++) {
		const struct ctprof_map_entry *entry = &map->entries[i];

		if (i > 0)
			g_string_append_c(out, ',');
		texts_append_json(out, entry->key, entry->key_len);
		g_string_append_c(out, ':');
		if (entry->text)
			texts_append_json(out, entry->text, entry->text_len);
		else
			g_string_append_printf(out, "%" G_GUINT64_FORMAT, entry->number);
	}
	g_string_append_c(out, '}');
	writer_put_text(writer, column, out->str, out->len);
}

/* Puts a text: borrowed, like the rows, or copied if it is not UTF-8. */
static void put_text(Writer *writer, guint column, const struct ctprof_text *text)
{
	if (g_utf8_validate_len(text->bytes, text->length, NULL))
		writer_put_own(writer, column, text);
	else
		writer_put_text(writer, column, text->bytes, text->length);
}

static void put_value(Flatten *self, const Flow *flow, guint64 value)
{
	const void *what = (const void *)(uintptr_t)value;
	char letter = (char)value;

	switch (flow->how) {
	case AS_TEXT:
		put_text(self->writer, flow->column, what);
		break;
	case AS_CHAR:
		writer_put_text(self->writer, flow->column, &letter, 1);
		break;
	case AS_CPUS: {
		const char *text = store_cpus(self->store, what)->text;

		writer_put_text(self->writer, flow->column, text, strlen(text));
		break;
	}
	default:
		flatten_put_map(self->writer, flow->column, what);
	}
}

/* Returns the text of a column of the current row; NULL: absent. */
static const struct ctprof_text *text_at(const Writer *writer, guint column)
{
	gsize at = (gsize)writer->filled * writer->columns->len + column;

	return column != G_MAXUINT && writer->present[at]
		       ? (const struct ctprof_text *)(uintptr_t)writer->values[at]
		       : NULL;
}

static const struct ctprof_text *make(Arena *names, Made *made, const struct ctprof_text *from)
{
	g_autofree char *name = made->make(from->bytes);
	struct ctprof_text *text = arena_copy_text(names, name, strlen(name));
	struct ctprof_text *key = arena_copy_text(names, from->bytes, from->length);

	g_hash_table_insert(made->texts, key->bytes, text);
	return text;
}

static void put_made(Flatten *self, Made *made)
{
	const struct ctprof_text *from = text_at(self->writer, made->from);

	if (!from || made->to == G_MAXUINT)
		return;
	const struct ctprof_text *text = g_hash_table_lookup(made->texts, from->bytes);
	writer_put_own(self->writer, made->to, text ? text : make(self->names, made, from));
}

/* Forgets the derived forms if there are too many: memory must not grow with the threads. */
static void forget_made(Flatten *self)
{
	guint n = 0;

	for (guint i = 0; i < N_MADE; i++)
		n += g_hash_table_size(self->made[i].texts);
	if (n <= MAX_MADE)
		return;
	for (guint i = 0; i < N_MADE; i++)
		g_hash_table_remove_all(self->made[i].texts);
	arena_reset(self->names);
}

static void put_user(Flatten *self, gint32 tgid)
{
	const struct ctprof_text *own = text_at(self->writer, self->user);

	if (own) {
		g_string_assign(self->user_name, own->bytes);
		self->user_of = tgid;
	} else if (self->user_name->len > 0 && self->user_of == tgid) {
		writer_put_text(self->writer, self->user, self->user_name->str,
				self->user_name->len);
	}
}

static void put_target(Flatten *self, const struct ctprof_target *target)
{
	Writer *writer = self->writer;

	writer_put(writer, self->tgid, (guint64)(gint64)target->tgid);
	writer_put(writer, self->tid, (guint64)(gint64)target->tid);
	if (target->group)
		writer_put_text(writer, self->kind, target->group, strlen(target->group));
	writer_put_text(writer, self->name, target->path, target->path_len);
}

static void put_row(Flatten *self, const Origin *origin, const struct ctprof_rows *rows, guint64 i)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	const guint64 *values = rows->values + i * rows->n_slots;
	const guint8 *states = rows->states + i * rows->n_slots;

	origin_put(origin, self->writer);
	put_target(self, target);
	for (guint f = 0; f < self->flows->len; f++) {
		const Flow *flow = &g_array_index(self->flows, Flow, f);

		if (states[flow->index] != CTPROF_PRESENT)
			continue;
		if (flow->how == AS_IT_IS)
			writer_put(self->writer, flow->column, values[flow->index]);
		else
			put_value(self, flow, values[flow->index]);
	}
	for (guint m = 0; m < N_MADE; m++)
		put_made(self, &self->made[m]);
	if (self->user != G_MAXUINT)
		put_user(self, target->tgid);
}

gboolean flatten_rows(Flatten *self, const Origin *origin, const Registry *registry,
		      const struct ctprof_rows *rows, GError **error)
{
	if (!self->is_bound)
		bind(self, registry);
	forget_made(self);
	for (guint64 i = 0; i < rows->n; i++) {
		put_row(self, origin, rows, i);
		if (!writer_next(self->writer, error))
			return FALSE;
	}
	return writer_flush(self->writer, error);
}
