/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "redactor.h"

#include <string.h>

#include "base/texts.h"
#include "fields.h"
#include "row/rowset.h"

/* Slightly below the limits of readers. */
#define MOST_PATH 4000
#define MOST_KEY 250
#define MOST_TEXT 65000

#define KTHREADD 2 /* the parent of all kernel threads */

struct redactor {
	Pseudonyms *pseudonyms;
	const Registry *registry;
	GString *text; /* the replacement being built */
	Rowset *rows, *cgroups;
	guint64 n_cgroups;  /* number of cgroups passed on */
	GHashTable *counts; /* field name -> guint64 *, number of replacements */
	GStringChunk *strings;
	GArray *facts, *marks, *replaced; /* struct ctprof_fact */
	GArray *reports;                  /* struct ctprof_plugin_report */
	gboolean has_kthreadd;
	gboolean is_kernel;    /* the current row is a kernel thread */
	GHashTable *of_kernel; /* tid -> guint64 *, start of a kernel thread in any sample */
};

Redactor *redactor_new(const guint8 *key, gsize size)
{
	Redactor *self = g_new0(Redactor, 1);

	self->pseudonyms = pseudonyms_new(key, size);
	self->text = g_string_new(NULL);
	self->rows = rowset_new();
	self->cgroups = rowset_new();
	self->counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	self->of_kernel = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	self->strings = g_string_chunk_new(4096);
	self->facts = g_array_new(FALSE, FALSE, sizeof(struct ctprof_fact));
	self->marks = g_array_new(FALSE, FALSE, sizeof(struct ctprof_fact));
	self->replaced = g_array_new(FALSE, FALSE, sizeof(struct ctprof_fact));
	self->reports = g_array_new(FALSE, FALSE, sizeof(struct ctprof_plugin_report));
	return self;
}

void redactor_free(Redactor *self)
{
	pseudonyms_free(self->pseudonyms);
	g_string_free(self->text, TRUE);
	rowset_free(self->rows);
	rowset_free(self->cgroups);
	g_hash_table_unref(self->counts);
	g_hash_table_unref(self->of_kernel);
	g_string_chunk_free(self->strings);
	g_array_unref(self->facts);
	g_array_unref(self->marks);
	g_array_unref(self->replaced);
	g_array_unref(self->reports);
	g_free(self);
}

static void note(Redactor *self, const char *field)
{
	guint64 *n = g_hash_table_lookup(self->counts, field);

	if (!n) {
		n = g_new0(guint64, 1);
		g_hash_table_insert(self->counts, g_strdup(field), n);
	}
	(*n)++;
}

/* Returns the replacement of text, valid until the next call. */
static const GString *replace(Redactor *self, const char *field, PseudonymLaw law, const char *text,
			      gsize len, gsize most)
{
	g_string_truncate(self->text, 0);
	pseudonyms_append(self->pseudonyms, self->text, law, text, len, most);
	if (self->text->len != len || memcmp(self->text->str, text, len) != 0)
		note(self, field);
	return self->text;
}

/* ---- facts ---------------------------------------------------------------- */

static const char *keep(Redactor *self, const char *text)
{
	return g_string_chunk_insert(self->strings, text);
}

static void replace_options(Redactor *self, struct ctprof_capture *capture)
{
	g_array_set_size(self->facts, 0);
	for (guint64 i = 0; i < capture->n_options; i++) {
		const struct ctprof_fact *option = &capture->options[i];
		const GString *made = replace(self, "capture.options", field_of_option(option->key),
					      option->value, strlen(option->value), MOST_TEXT);

		texts_add_fact(self->facts, keep(self, option->key), keep(self, made->str));
	}
	capture->options = (const void *)self->facts->data;
}

/* Keeps the sentences that record writes, without text in brackets: an error may name its file. */
static void append_note(GString *out, const char *sentence)
{
	static const char *const known[] = {
		"the host was suspended for ",
		"the clock was set ",
		"samples skipped, being late: ",
		"samples that could not be written: ",
		"marks left out: ",
	};
	g_autofree char *text = g_strndup(sentence, strcspn(sentence, "("));
	gboolean is_known = FALSE;

	for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
		gsize len = strlen(known[i]);

		is_known |= strncmp(text, known[i], len) == 0 && strlen(text) < len + 32;
	}
	g_string_append_printf(out, "%s%s", out->len > 0 ? "; " : "",
			       is_known ? g_strstrip(text) : "(redacted)");
}

static void replace_note(Redactor *self, struct ctprof_capture *capture)
{
	g_auto(GStrv) sentences = g_strsplit(capture->note ? capture->note : "", "; ", -1);
	g_autoptr(GString) text = g_string_new(NULL);

	if (!capture->note)
		return;
	for (char **sentence = sentences; *sentence; sentence++)
		append_note(text, *sentence);
	if (strcmp(text->str, capture->note) != 0)
		note(self, "capture.note");
	capture->note = keep(self, text->str);
}

/* A name chosen by the user may reveal anything. */
static void replace_marks(Redactor *self, struct ctprof_capture *capture)
{
	g_array_set_size(self->marks, 0);
	for (guint64 i = 0; i < capture->n_marks; i++) {
		const struct ctprof_fact *mark = &capture->marks[i];
		const GString *made = replace(self, "capture.marks", LAW_OPAQUE, mark->value,
					      strlen(mark->value), MOST_TEXT);

		texts_add_fact(self->marks, mark->key, keep(self, made->str));
	}
	capture->marks = (const void *)self->marks->data;
}

void redactor_begin(Redactor *self, const Registry *registry, struct ctprof_capture *capture)
{
	self->registry = registry;
	/* A sample may leave out unchanged threads, so only the first one resets this. */
	if (capture->sample <= 1)
		self->has_kthreadd = FALSE;
	self->n_cgroups = 0;
	rowset_clear(self->cgroups);
	g_hash_table_remove_all(self->counts);
	g_string_chunk_clear(self->strings);
	replace_options(self, capture);
	replace_note(self, capture);
	replace_marks(self, capture);
}

/* ---- values ---------------------------------------------------------------- */

static guint64 replace_text(Redactor *self, Arena *arena, const char *name, const Field *field,
			    guint64 value)
{
	const struct ctprof_text *text = (const void *)(uintptr_t)value;
	PseudonymLaw law = field->of_kernel && self->is_kernel ? LAW_KERNEL : field->text;
	const GString *made = replace(self, name, law, text->bytes, text->length, MOST_TEXT);

	return (uintptr_t)arena_copy_text(arena, made->str, made->len);
}

static guint64 replace_map(Redactor *self, Arena *arena, const Metric *metric, const Field *field,
			   guint64 value)
{
	struct ctprof_map *map = (void *)(uintptr_t)rowset_copy_value(arena, metric, value);

	for (guint64 i = 0; i < map->n; i++) {
		struct ctprof_map_entry *entry = &map->entries[i];
		const GString *made = replace(self, metric->def.name, field->key, entry->key,
					      entry->key_len, MOST_KEY);

		entry->key = arena_copy_text(arena, made->str, made->len)->bytes;
		entry->key_len = (guint32)made->len;
		if (!entry->text)
			continue;
		made = replace(self, metric->def.name, field->text, entry->text, entry->text_len,
			       MOST_TEXT);
		entry->text = arena_copy_text(arena, made->str, made->len)->bytes;
		entry->text_len = (guint32)made->len;
	}
	qsort(map->entries, map->n, sizeof map->entries[0], arena_compare_entries);
	return (uintptr_t)map;
}

static guint64 replace_value(gpointer data, Arena *arena, const Metric *metric, guint64 value)
{
	Redactor *self = data;

	/* The keys of a histogram are bucket numbers. */
	if ((metric->type != CTPROF_TYPE_TEXT && metric->type != CTPROF_TYPE_MAP) ||
	    metric->def.kind == CTPROF_HISTOGRAM)
		return rowset_copy_value(arena, metric, value);
	const Field *field = field_of_metric(metric->def.name);
	return metric->type == CTPROF_TYPE_TEXT
		       ? replace_text(self, arena, metric->def.name, field, value)
		       : replace_map(self, arena, metric, field, value);
}

/* ---- rows ------------------------------------------------------------------ */

static gboolean find_number(const Redactor *self, const struct ctprof_rows *rows, guint64 row,
			    const char *name, guint64 *ret_number)
{
	enum row_class class = registry_row_of_scope(rows->scope);

	return rows_read(rows, row, registry_index(self->registry, class, name, CTPROF_TYPE_U64),
			 ret_number);
}

/* Uses the result of an earlier sample if this one does not count page faults. */
static gboolean was_kernel(const Redactor *self, const struct ctprof_target *target, guint64 start)
{
	const guint64 *known = g_hash_table_lookup(self->of_kernel, GINT_TO_POINTER(target->tid));

	return known && *known == start;
}

/*
 * True for kthreadd and for its children that never had a page fault: user-mode helpers and
 * processes merely named kthreadd have had some.  Always FALSE in a container.
 */
static gboolean is_kernel(Redactor *self, const struct ctprof_rows *rows, guint64 row)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, row);
	guint64 parent, start = 0, minor = 0, major = 0;

	if ((rows->scope != CTPROF_SCOPE_THREAD && rows->scope != CTPROF_SCOPE_EXIT) ||
	    target->tid != target->tgid || !find_number(self, rows, row, "ppid", &parent) ||
	    !find_number(self, rows, row, "start_time_clock_ticks", &start))
		return FALSE;
	if (!find_number(self, rows, row, "minflt", &minor) ||
	    !find_number(self, rows, row, "majflt", &major))
		return was_kernel(self, target, start);
	if (rows->scope == CTPROF_SCOPE_THREAD && target->tid == KTHREADD) {
		gint comm = registry_index(self->registry, ROW_THREAD, "comm", CTPROF_TYPE_TEXT);

		self->has_kthreadd = parent == 0 && minor + major == 0 &&
				     g_strcmp0(rows_text(rows, row, comm), "kthreadd") == 0;
	}
	if (!self->has_kthreadd || minor + major > 0 ||
	    (target->tid != KTHREADD && parent != KTHREADD))
		return FALSE;
	guint64 *known = g_new(guint64, 1);
	*known = start;
	g_hash_table_replace(self->of_kernel, GINT_TO_POINTER(target->tid), known);
	return TRUE;
}

static void replace_path(Redactor *self, Rowset *set, struct ctprof_target *target)
{
	g_autofree char *field =
		target->group ? g_strconcat("objects.", target->group, NULL) : NULL;
	PseudonymLaw law = target->group ? field_of_objects(target->group) : LAW_CGROUP;
	const GString *made = replace(self, field ? field : "cgroup_stats", law, target->path,
				      target->path_len, MOST_PATH);
	const struct ctprof_text *copy = arena_copy_text(rowset_arena(set), made->str, made->len);

	target->path = copy->bytes;
	target->path_len = copy->length;
}

void redactor_rows(Redactor *self, const struct ctprof_rows *rows, struct ctprof_rows *ret_rows)
{
	gboolean is_held = rows->scope == CTPROF_SCOPE_CGROUP;
	Rowset *set = is_held ? self->cgroups : self->rows;

	rowset_clear(self->rows);
	/* Passes threads that are unchanged since the previous sample: only their IDs. */
	if (rows->scope == CTPROF_SCOPE_THREAD && rows->n_slots == 0) {
		*ret_rows = *rows;
		return;
	}
	for (guint64 i = 0; i < rows->n; i++) {
		self->is_kernel = is_kernel(self, rows, i);
		struct ctprof_target *target =
			rowset_add(set, self->registry, rows, i, replace_value, self);

		if (target->path)
			replace_path(self, set, target);
	}
	rowset_view_all(self->rows, ret_rows);
}

gboolean redactor_next_cgroup(Redactor *self, struct ctprof_rows *ret_rows)
{
	if (self->n_cgroups == 0)
		rowset_sort(self->cgroups);
	if (self->n_cgroups == rowset_size(self->cgroups))
		return FALSE;
	rowset_view(self->cgroups, self->n_cgroups++, ret_rows);
	return TRUE;
}

/* ---- the end --------------------------------------------------------------- */

static void list_replaced(Redactor *self)
{
	g_autoptr(GList) names =
		g_list_sort(g_hash_table_get_keys(self->counts), (GCompareFunc)strcmp);

	g_array_set_size(self->replaced, 0);
	for (GList *name = names; name; name = name->next) {
		const guint64 *n = g_hash_table_lookup(self->counts, name->data);
		g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, *n);

		texts_add_fact(self->replaced, keep(self, name->data), keep(self, number));
	}
}

/* A message may contain the name of any file or process. */
static void replace_messages(Redactor *self, struct ctprof_capture_end *end)
{
	g_array_set_size(self->reports, 0);
	for (guint64 i = 0; i < end->n_plugins; i++) {
		struct ctprof_plugin_report report = end->plugins[i];

		if (report.why) {
			report.why = "(redacted)";
			note(self, "plugins.why");
		}
		g_array_append_val(self->reports, report);
	}
	end->plugins = (const void *)self->reports->data;
}

void redactor_end(Redactor *self, struct ctprof_capture_end *end)
{
	g_autofree char *fingerprint = pseudonyms_fingerprint(self->pseudonyms);

	replace_messages(self, end);
	list_replaced(self);
	end->redaction_key = keep(self, fingerprint);
	end->n_replaced = self->replaced->len;
	end->replaced = (const void *)self->replaced->data;
}
