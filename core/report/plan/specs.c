/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "specs.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "ctprof/report.h"
#include "frame/percentile.h"
#include "frame/quantity.h"
#include "sections.h"

#define GROUP_BYTES "abcdefghijklmnopqrstuvwxyz0123456789-"
#define IN_COMPARE 1u
#define IN_SHOW 2u
#define IN_BOTH (IN_COMPARE | IN_SHOW)

static const struct column {
	const char *name;
	guint32 column; /* enum ctprof_column */
	guint commands; /* IN_* */
} columns[] = {
	{"group", CTPROF_COLUMN_GROUP, IN_BOTH},
	{"threads", CTPROF_COLUMN_THREADS, IN_BOTH},
	{"metric", CTPROF_COLUMN_METRIC, IN_BOTH},
	{"value", CTPROF_COLUMN_VALUE, IN_SHOW},
	{"baseline", CTPROF_COLUMN_BASELINE, IN_COMPARE},
	{"candidate", CTPROF_COLUMN_CANDIDATE, IN_COMPARE},
	{"delta", CTPROF_COLUMN_DELTA, IN_COMPARE},
	{"%", CTPROF_COLUMN_PCT, IN_COMPARE},
	{"verdict", CTPROF_COLUMN_VERDICT, IN_COMPARE},
	{"arrow", CTPROF_COLUMN_ARROW, IN_COMPARE},
	{"tags", CTPROF_COLUMN_TAGS, IN_BOTH},
	{"uptime", CTPROF_COLUMN_UPTIME, IN_BOTH},
};

static const struct format {
	const char *name;
	const char *columns;
} formats[] = {
	{"full", "group,threads,metric,baseline,candidate,delta,%,verdict"},
	{"delta-only", "group,threads,metric,delta,%,verdict"},
	{"no-pct", "group,threads,metric,baseline,candidate,delta,verdict"},
	{"arrow", "group,threads,metric,arrow,delta,%,verdict,uptime"},
	{"pct-only", "group,threads,metric,%,verdict"},
};

#define DEFAULT_FORMAT "arrow"
#define SHOW_COLUMNS "group,threads,metric,value"

static gboolean is_blank(const char *text)
{
	return !text || text[strspn(text, " \t\n")] == '\0';
}

/* A comma-separated list being parsed. */
typedef struct list {
	const char *option, *text;
	GPtrArray *names; /* its entries; owned */
	guint command;    /* IN_* */
	gpointer result;
} List;

/* Takes a trimmed entry, which it may change. */
typedef gboolean (*TakeEntry)(List *list, char *entry, GError **error);

static gboolean fail_twice(const List *list, const char *name, GError **error)
{
	return error_set_usage(error, "--%s '%s': '%s' is listed twice", list->option, list->text,
			       name);
}

static gboolean take_name(List *list, const char *name, GError **error)
{
	if (g_ptr_array_find_with_equal_func(list->names, name, g_str_equal, NULL))
		return fail_twice(list, name, error);
	g_ptr_array_add(list->names, g_strdup(name));
	return TRUE;
}

static gboolean take_metric(List *list, char *entry, GError **error)
{
	return take_name(list, quantity_name(entry), error);
}

/* Passes each entry to take.  Returns FALSE also if an entry is empty. */
static gboolean take_entries(List *list, TakeEntry take, GError **error)
{
	g_auto(GStrv) entries = g_strsplit(list->text, ",", -1);

	for (guint i = 0; entries[i]; i++)
		if (!*g_strstrip(entries[i]))
			return error_set_usage(error, "--%s '%s': an empty entry", list->option,
					       list->text);
	for (guint i = 0; entries[i]; i++)
		if (!take(list, entries[i], error))
			return FALSE;
	return TRUE;
}

/* ---- sort and metrics ---- */

static void sort_key_clear(gpointer data)
{
	g_free(((SortKey *)data)->name);
}

/* Parses "metric" or "metric:direction", and cuts the direction off. */
static gboolean take_direction(char *entry, gboolean *ret_ascending)
{
	char *colon = strrchr(entry, ':');

	*ret_ascending = FALSE;
	if (!colon || percentile_at(colon))
		return TRUE;
	*colon = '\0';
	g_strstrip(entry);
	const char *direction = g_strstrip(colon + 1);
	const char *rest = strchr(entry, ':');
	*ret_ascending = g_ascii_strcasecmp(direction, "asc") == 0;
	return *entry && (!rest || percentile_at(rest)) &&
	       (*ret_ascending || g_ascii_strcasecmp(direction, "desc") == 0);
}

static gboolean take_key(List *list, char *entry, GError **error)
{
	SortKey key;

	if (!take_direction(entry, &key.ascending))
		return error_set_usage(error,
				       "--sort '%s': an entry is METRIC, METRIC:asc or METRIC:desc",
				       list->text);
	const char *metric = quantity_name(entry);
	if (!take_name(list, metric, error))
		return FALSE;
	key.name = g_strdup(metric);
	g_array_append_val((GArray *)list->result, key);
	return TRUE;
}

GArray *specs_parse_sort(const char *text, GError **error)
{
	g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(SortKey));
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	List list = {.option = "sort", .text = text, .names = names, .result = keys};

	g_array_set_clear_func(keys, sort_key_clear);
	if (text && *text && !take_entries(&list, take_key, error))
		return NULL;
	return g_steal_pointer(&keys);
}

GPtrArray *specs_parse_metrics(const char *text, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	List list = {.option = "metrics", .text = text, .names = names};

	if (!is_blank(text) && !take_entries(&list, take_metric, error))
		return NULL;
	return g_steal_pointer(&names);
}

/* ---- columns ---- */

static gboolean has_column(const GArray *list, guint32 column)
{
	for (guint i = 0; i < list->len; i++)
		if (g_array_index(list, guint32, i) == column)
			return TRUE;
	return FALSE;
}

static gboolean take_column(List *list, char *entry, GError **error)
{
	g_autofree char *name = g_ascii_strdown(entry, -1);

	for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
		if (columns[i].commands & list->command && strcmp(columns[i].name, name) == 0) {
			g_array_append_val((GArray *)list->result, columns[i].column);
			return take_name(list, name, error);
		}
	g_autoptr(GString) known = g_string_new(NULL);
	Nearest nearest = {.typed = name, .known = known};
	for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
		if (columns[i].commands & list->command)
			nearest_try(&nearest, columns[i].name);
	g_autofree char *hint = nearest_hint(&nearest, "");
	return error_set_usage(error,
			       "--columns '%s': there is no column '%s': expected one of %s%s",
			       list->text, name, known->str, hint);
}

static GArray *parse_columns(const char *text, guint command, GError **error)
{
	g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(guint32));
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	List list = {"columns", text, names, command, found};

	if (!take_entries(&list, take_column, error))
		return NULL;
	if (has_column(found, CTPROF_COLUMN_ARROW) &&
	    (has_column(found, CTPROF_COLUMN_BASELINE) ||
	     has_column(found, CTPROF_COLUMN_CANDIDATE))) {
		error_set_usage(error, "--columns '%s': arrow already has baseline and candidate",
				text);
		return NULL;
	}
	return g_steal_pointer(&found);
}

static const char *columns_of_format(const char *display_format, GError **error)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
		if (strcmp(formats[i].name, display_format) == 0)
			return formats[i].columns;
		g_string_append_printf(names, "%s%s", i ? ", " : "", formats[i].name);
	}
	error_set_usage(error, "--display-format '%s': expected one of %s", display_format,
			names->str);
	return NULL;
}

GArray *specs_parse_columns(const char *text, const char *display_format, gboolean compare,
			    GError **error)
{
	const char *list = SHOW_COLUMNS;

	/* A wrong format is an error even if --columns overrides it. */
	if (compare)
		list = columns_of_format(is_blank(display_format) ? DEFAULT_FORMAT : display_format,
					 error);
	if (!list)
		return NULL;
	return parse_columns(is_blank(text) ? list : text, compare ? IN_COMPARE : IN_SHOW, error);
}

/* ---- sections ---- */

gboolean specs_fail_section(const char *text, const char *name, const GPtrArray *groups,
			    GError **error)
{
	g_autoptr(GString) known = g_string_new(NULL);
	Nearest nearest = {.typed = name, .known = known};

	for (guint i = 0; sections[i]; i++)
		if (!(sections[i]->flags & SECTION_VIEW))
			nearest_try(&nearest, sections[i]->name);
	nearest.known = NULL;
	for (guint i = 0; groups && i < groups->len; i++)
		nearest_try(&nearest, g_ptr_array_index(groups, i));
	g_autofree char *hint = nearest_hint(&nearest, "");
	if (hint[0])
		return error_set_usage(error, "--sections '%s': there is no section '%s'%s", text,
				       name, hint);
	return error_set_usage(error,
			       "--sections '%s': there is no section '%s'; there are %s, and the "
			       "groups of objects in the files",
			       text, name, known->str);
}

static gboolean take_section(List *list, char *entry, GError **error)
{
	g_autofree char *name = g_ascii_strdown(entry, -1);
	const Section *section = section_find(name, FALSE);
	guint32 *set = list->result, bit = section ? section_bit(section) : 0;

	if (!section && (!g_ascii_islower(name[0]) || name[strspn(name, GROUP_BYTES)] != '\0'))
		return specs_fail_section(list->text, name, NULL, error);
	if (*set & bit)
		return fail_twice(list, name, error);
	*set |= bit;
	return section || take_name(list, name, error);
}

gboolean specs_parse_sections(const char *text, gboolean compare, guint32 *ret_set,
			      GPtrArray **ret_groups, GError **error)
{
	guint32 unnamed = SECTION_VIEW | SECTION_NAMED | (compare ? 0 : SECTION_SHOW_NAMED);
	g_autoptr(GPtrArray) groups = g_ptr_array_new_with_free_func(g_free);
	guint32 set = 0;
	List list = {.option = "sections", .text = text, .names = groups, .result = &set};

	if (!is_blank(text) && !take_entries(&list, take_section, error))
		return FALSE;
	for (guint i = 0; is_blank(text) && sections[i]; i++)
		if (!(sections[i]->flags & unnamed))
			set |= section_bit(sections[i]);
	*ret_set = set;
	*ret_groups = is_blank(text) ? NULL : g_steal_pointer(&groups);
	return TRUE;
}

/* ---- findings ---- */

gboolean specs_check_finding(const char *option, const char *glob, gboolean runs, GError **error)
{
	g_autoptr(GString) known = g_string_new(NULL);
	Nearest nearest = {.typed = glob, .known = known};
	const char *name;

	if (runs)
		return error_set_usage(error, "--%s: several runs have no findings", option);
	for (guint i = 0; (name = finding_name(i)); i++) {
		if (g_pattern_match_simple(glob, name))
			return TRUE;
		nearest_try(&nearest, name);
	}
	g_autofree char *hint = nearest_hint(&nearest, "");
	return error_set_usage(error, "--%s: there is no finding '%s': expected one of %s%s",
			       option, glob, known->str, hint);
}

/* ---- min-delta ---- */

static gboolean take_least(List *list, char *entry, GError **error)
{
	gdouble *least = list->result;
	Magnitude magnitude;

	if (!magnitude_parse(entry, &magnitude) || magnitude.number < 0)
		return error_set_usage(error,
				       "--min-delta '%s': '%s' is not a number with a unit "
				       "(" MAGNITUDE_UNITS ")",
				       list->text, entry);
	least[magnitude.has_unit ? magnitude.dimension : DIMENSION_COUNT] = magnitude.number;
	return TRUE;
}

gboolean specs_parse_min_delta(const char *text, gdouble ret_least[N_DIMENSIONS], GError **error)
{
	gdouble least[N_DIMENSIONS] = {0};
	List list = {.option = "min-delta", .text = text, .result = least};

	if (!is_blank(text) && !take_entries(&list, take_least, error))
		return FALSE;
	memcpy(ret_least, least, sizeof least);
	return TRUE;
}
