/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "categories.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "base/error.h"

#define MAX_PATTERN 1024
#define MAX_NAME 64
#define MAX_BRACKETS 2048 /* opening brackets */

/*
 * Limit on the steps of one match: enough for '.*' over a hundred thousand bytes, and a few
 * milliseconds at worst.
 */
#define MATCH_LIMIT "(*LIMIT_MATCH=100000)"

/* Names are bytes, and arguments may contain newlines. */
#define COMPILE (G_REGEX_RAW | G_REGEX_DOTALL)

typedef struct rule {
	GRegex *regex;
	guint category;
} Rule;

struct categories {
	GArray *rules;    /* Rule */
	GPtrArray *names; /* each once, including "other" */
	guint other;
	guint64 given_up;
	guint first_given_up; /* number of the first rule that did, from 1 */
};

static void rule_clear(gpointer data)
{
	g_clear_pointer(&((Rule *)data)->regex, g_regex_unref);
}

static guint take_name(Categories *categories, const char *name)
{
	guint index;

	if (!g_ptr_array_find_with_equal_func(categories->names, name, g_str_equal, &index)) {
		index = categories->names->len;
		g_ptr_array_add(categories->names, g_strdup(name));
	}
	return index;
}

static Categories *new_table(void)
{
	Categories *categories = g_new0(Categories, 1);

	categories->rules = g_array_new(FALSE, FALSE, sizeof(Rule));
	g_array_set_clear_func(categories->rules, rule_clear);
	categories->names = g_ptr_array_new_with_free_func(g_free);
	return categories;
}

Categories *categories_new(void)
{
	Categories *categories = new_table();

	categories->other = take_name(categories, CATEGORY_OTHER);
	return categories;
}

void categories_free(Categories *categories)
{
	g_array_unref(categories->rules);
	g_ptr_array_unref(categories->names);
	g_free(categories);
}

/* ---- the table's text ---- */

/* json-glib recurses for each level, so it must not get deep nesting.  Brackets in patterns are
 * counted too; distinguishing them would take a parser. */
static gboolean has_few_brackets(const char *text, gsize length)
{
	guint n = 0;

	for (gsize i = 0; i < length; i++)
		n += text[i] == '[' || text[i] == '{';
	return n <= MAX_BRACKETS;
}

/* Returns the member as text of least to max bytes, or NULL with an error. */
static const char *take_text(JsonObject *rule, guint number, const char *member, gsize least,
			     gsize max, GError **error)
{
	JsonNode *node = json_object_get_member(rule, member);
	const char *text = node && JSON_NODE_HOLDS_VALUE(node) &&
					   json_node_get_value_type(node) == G_TYPE_STRING
				   ? json_node_get_string(node)
				   : NULL;

	if (!text) {
		error_set_usage(error, "rule %u: expected a string \"%s\"", number, member);
		return NULL;
	}
	if (strlen(text) < least || strlen(text) > max) {
		error_set_usage(error, "rule %u: \"%s\" has %zu bytes; expected %zu to %zu", number,
				member, strlen(text), least, max);
		return NULL;
	}
	return text;
}

static gboolean add_rule(Categories *categories, guint number, const char *pattern,
			 const char *name, GError **error)
{
	/* Compile without the limit first, so that positions in error messages refer to the user's
	 * pattern. */
	g_autoptr(GError) cause = NULL;
	g_autoptr(GRegex) plain = g_regex_new(pattern, COMPILE, 0, &cause);
	g_autofree char *limited = g_strconcat(MATCH_LIMIT, pattern, NULL);
	Rule rule = {.regex = plain ? g_regex_new(limited, COMPILE, 0, &cause) : NULL};

	if (!rule.regex)
		return error_set_usage(error, "rule %u: %s", number, cause->message);
	rule.category = take_name(categories, name);
	g_array_append_val(categories->rules, rule);
	return TRUE;
}

static gboolean add_node(Categories *categories, guint number, JsonNode *node, GError **error)
{
	JsonObject *rule = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;

	if (!rule)
		return error_set_usage(
			error, "rule %u: expected {\"match\": REGEX, \"name\": NAME}", number);
	const char *match = take_text(rule, number, "match", 0, MAX_PATTERN, error);
	const char *name = match ? take_text(rule, number, "name", 1, MAX_NAME, error) : NULL;
	if (!name)
		return FALSE;
	if (json_object_get_size(rule) != 2)
		return error_set_usage(error, "rule %u: has keys other than \"match\" and \"name\"",
				       number);
	return add_rule(categories, number, match, name, error);
}

static JsonArray *find_rules(JsonNode *root)
{
	if (root && JSON_NODE_HOLDS_OBJECT(root))
		root = json_object_get_member(json_node_get_object(root), "categories");
	return root && JSON_NODE_HOLDS_ARRAY(root) ? json_node_get_array(root) : NULL;
}

static gboolean add_rules(Categories *categories, const char *text, gsize length, GError **error)
{
	g_autoptr(JsonParser) parser = json_parser_new_immutable();
	g_autoptr(GError) cause = NULL;

	if (length > CATEGORIES_MAX_BYTES)
		return error_set_usage(error, "more than %d bytes", CATEGORIES_MAX_BYTES);
	if (memchr(text, '\0', length) || !g_utf8_validate(text, (gssize)length, NULL))
		return error_set_usage(error, "not UTF-8 text");
	if (!has_few_brackets(text, length))
		return error_set_usage(error, "more than %d opening brackets", MAX_BRACKETS);
	if (!json_parser_load_from_data(parser, text, (gssize)length, &cause))
		return error_set_usage(error, "not JSON: %s", cause->message);
	JsonArray *rules = find_rules(json_parser_get_root(parser));
	guint n = rules ? json_array_get_length(rules) : 0;

	if (!rules)
		return error_set_usage(error,
				       "expected a list of rules, [{\"match\": REGEX, \"name\": "
				       "NAME}, ...], or an object with it as \"categories\"");
	if (n > CATEGORIES_MAX_RULES)
		return error_set_usage(error, "%u rules; expected at most %d", n,
				       CATEGORIES_MAX_RULES);
	for (guint i = 0; i < n; i++)
		if (!add_node(categories, i + 1, json_array_get_element(rules, i), error))
			return FALSE;
	return TRUE;
}

Categories *categories_parse(const char *text, gsize length, GError **error)
{
	g_autoptr(Categories) categories = new_table();

	if (!add_rules(categories, text, length, error))
		return NULL;
	categories->other = take_name(categories, CATEGORY_OTHER);
	return g_steal_pointer(&categories);
}

/* ---- matching ---- */

guint categories_find(Categories *categories, const char *command)
{
	for (guint i = 0; i < categories->rules->len; i++) {
		const Rule *rule = &g_array_index(categories->rules, Rule, i);
		g_autoptr(GError) error = NULL;

		if (g_regex_match_full(rule->regex, command, -1, 0, 0, NULL, &error))
			return rule->category;
		if (!error)
			continue;
		/* Do not try the other patterns: they may be as slow. */
		if (categories->given_up++ == 0)
			categories->first_given_up = i + 1;
		break;
	}
	return categories->other;
}

char *categories_complaint(const Categories *categories)
{
	if (categories->given_up == 0)
		return NULL;
	return g_strdup_printf("categories: %" G_GUINT64_FORMAT
			       " command lines took too many steps to "
			       "match (first of rule %u): their processes are in 'other'",
			       categories->given_up, categories->first_given_up);
}

guint categories_count(const Categories *categories)
{
	return categories->names->len;
}

const char *categories_name(const Categories *categories, guint category)
{
	return g_ptr_array_index(categories->names, category);
}
