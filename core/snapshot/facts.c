/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "facts.h"

#include "base/texts.h"
#include "ctprof/sink.h"

static GHashTable *new_table(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static void mark_clear(gpointer data)
{
	struct ctprof_fact *mark = data;

	g_free((gpointer)(uintptr_t)mark->key);
	g_free((gpointer)(uintptr_t)mark->value);
}

void facts_init(LoadFacts *facts)
{
	*facts = (LoadFacts){
		.capture = new_table(),
		.options = new_table(),
		.plugins = g_ptr_array_new_with_free_func(g_free),
		.reports = g_ptr_array_new_with_free_func(g_free),
		.marks = g_array_new(FALSE, FALSE, sizeof(struct ctprof_fact)),
	};
	g_array_set_clear_func(facts->marks, mark_clear);
}

void facts_clear(LoadFacts *facts)
{
	g_hash_table_unref(facts->capture);
	g_hash_table_unref(facts->options);
	g_ptr_array_unref(facts->plugins);
	g_ptr_array_unref(facts->reports);
	g_array_unref(facts->marks);
	g_free(facts->redaction);
	g_free(facts->note);
}

static guint64 number_of(const char *text)
{
	guint64 number = 0;

	(void)g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64, &number, NULL);
	return number;
}

static void set_text(char **text, const char *value)
{
	g_free(*text);
	*text = g_strdup(value);
}

static void note_fact(GHashTable *facts, const char *key, const char *value)
{
	if (g_hash_table_size(facts) < FACTS_MOST)
		g_hash_table_replace(facts, g_strdup(key), g_strdup(value));
}

static void list_fact(GPtrArray *facts, const char *key, const char *value)
{
	if (facts->len < FACTS_MOST)
		g_ptr_array_add(facts, g_strconcat(key, " ", value, NULL));
}

static void take_mark(GArray *marks, const char *moment, const char *name)
{
	/* The last mark is always kept, as it names the current phase. */
	if (marks->len >= FACTS_MOST)
		g_array_set_size(marks, FACTS_MOST - 1);
	texts_add_fact(marks, g_strdup(moment), g_strdup(name));
}

static void take_capture(LoadFacts *facts, const char *key, const char *value)
{
	note_fact(facts->capture, key, value);
	if (g_str_equal(key, "captured_at_unix_ns"))
		facts->realtime_ns = number_of(value);
	else if (g_str_equal(key, "begin_boottime_ns"))
		facts->boottime_ns = number_of(value);
	else if (g_str_equal(key, "skew_ns"))
		facts->skew_ns = number_of(value);
	else if (g_str_equal(key, "unseen"))
		facts->unseen = number_of(value);
	else if (g_str_equal(key, "note"))
		set_text(&facts->note, value);
}

void facts_take(LoadFacts *facts, guint32 kind, const char *key, const char *value)
{
	if (kind == CTPROF_FACT_CAPTURE)
		take_capture(facts, key, value);
	else if (kind == CTPROF_FACT_OPTION)
		note_fact(facts->options, key, value);
	else if (kind == CTPROF_FACT_PLUGIN)
		list_fact(facts->plugins, key, value);
	else if (kind == CTPROF_FACT_REPORT)
		list_fact(facts->reports, key, value);
	else if (kind == CTPROF_FACT_MARK)
		take_mark(facts->marks, key, value);
	else if (kind == CTPROF_FACT_REDACTED && g_str_equal(key, "key"))
		set_text(&facts->redaction, value);
}
