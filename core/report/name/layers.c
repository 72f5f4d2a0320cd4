/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layers.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "base/error.h"

#define MAX_BRACKETS 4096
#define NS_PER_US 1000
#define KTHREADD 2 /* the parent of all kernel threads */
/* No pattern of a configuration needs more steps to match a cgroup path. */
#define MATCH_LIMIT "(*LIMIT_MATCH=100000)"

typedef enum answer { NO, MAYBE, YES } Answer;
enum operation { PREFIX, NO_PREFIX, SUFFIX, CONTAINS, REGEX, ABOVE, BELOW, EQUALS, WITHIN, IS };

/* The scheduler's matchers, and the fact about a thread that each one tests. */
static const struct word {
	const char *name;
	guint subject; /* LAYER_*, or 0: no capture has that fact */
	enum operation operation;
} words[] = {
	{"CgroupPrefix", LAYER_CGROUP, PREFIX},
	{"CgroupSuffix", LAYER_CGROUP, SUFFIX},
	{"CgroupContains", LAYER_CGROUP, CONTAINS},
	{"CgroupRegex", LAYER_CGROUP, REGEX},
	{"CommPrefix", LAYER_COMM, PREFIX},
	{"CommPrefixExclude", LAYER_COMM, NO_PREFIX},
	{"PcommPrefix", LAYER_PCOMM, PREFIX},
	{"PcommPrefixExclude", LAYER_PCOMM, NO_PREFIX},
	{"NiceAbove", LAYER_NICE, ABOVE},
	{"NiceBelow", LAYER_NICE, BELOW},
	{"NiceEquals", LAYER_NICE, EQUALS},
	{"UIDEquals", LAYER_UID, EQUALS},
	{"PIDEquals", LAYER_TID, EQUALS},
	{"PPIDEquals", LAYER_PPID, EQUALS},
	{"TGIDEquals", LAYER_TGID, EQUALS},
	{"IsGroupLeader", LAYER_LEADER, IS},
	{"IsKthread", LAYER_KTHREAD, IS},
	{"AvgRuntime", LAYER_RUNTIME, WITHIN},
	{"GIDEquals", 0, IS},
	{"NSPIDEquals", 0, IS},
	{"NSEquals", 0, IS},
	{"CmdJoin", 0, IS},
	{"UsedGpuTid", 0, IS},
	{"UsedGpuPid", 0, IS},
	{"HintEquals", 0, IS},
	{"SystemCpuUtilBelow", 0, IS},
	{"DsqInsertBelow", 0, IS},
	{"NumaNode", 0, IS},
};

typedef struct matcher {
	const struct word *word; /* NULL: matches everything */
	gboolean is_unknown;     /* no capture can decide it */
	char *text;
	GRegex *regex;
	gint64 numbers[2];
} Matcher;

typedef struct layer {
	char *name, *unsure; /* "NAME?" */
	GPtrArray *lists;    /* GArray of Matcher */
	Matcher template;    /* makes one layer of each cgroup that it matches */
} Layer;

struct layers {
	GArray *list;       /* Layer */
	GPtrArray *unknown; /* char *: matchers that cannot be evaluated, each once */
};

static void matcher_clear(gpointer data)
{
	Matcher *matcher = data;

	g_clear_pointer(&matcher->text, g_free);
	g_clear_pointer(&matcher->regex, g_regex_unref);
}

static void layer_clear(gpointer data)
{
	Layer *layer = data;

	g_free(layer->name);
	g_free(layer->unsure);
	g_ptr_array_unref(layer->lists);
	matcher_clear(&layer->template);
}

void layers_free(Layers *layers)
{
	g_array_unref(layers->list);
	g_ptr_array_unref(layers->unknown);
	g_free(layers);
}

/* ---- matching -------------------------------------------------------------------- */

static gboolean is_text(enum operation operation)
{
	return operation <= REGEX;
}

/* The scheduler's cgroup paths have no leading slash, but a trailing one. */
static char *text_of(guint subject, const LayerThread *thread)
{
	const char *cgroup = thread->cgroup + (thread->cgroup[0] == '/');

	return subject == LAYER_CGROUP
		       ? g_strconcat(cgroup, "/", NULL)
		       : g_strdup(subject == LAYER_COMM ? thread->comm : thread->pcomm);
}

static gboolean holds_for_text(const Matcher *matcher, const char *text)
{
	switch (matcher->word->operation) {
	case PREFIX:
		return g_str_has_prefix(text, matcher->text);
	case NO_PREFIX:
		return !g_str_has_prefix(text, matcher->text);
	case SUFFIX:
		return g_str_has_suffix(text, matcher->text);
	case CONTAINS:
		return strstr(text, matcher->text) != NULL;
	default:
		return g_regex_match(matcher->regex, text, 0, NULL);
	}
}

static gint64 number_of(guint subject, const LayerThread *thread)
{
	switch (subject) {
	case LAYER_NICE:
		return thread->nice;
	case LAYER_UID:
		return (gint64)thread->uid;
	case LAYER_PPID:
		return (gint64)thread->ppid;
	case LAYER_TID:
		return thread->tid;
	case LAYER_TGID:
		return thread->tgid;
	case LAYER_LEADER:
		return thread->tid == thread->tgid;
	case LAYER_KTHREAD:
		return thread->tgid == KTHREADD || thread->ppid == KTHREADD;
	default: /* the mean in us; the scheduler's own mean starts at 0 */
		return (gint64)(thread->turns ? thread->run_ns / thread->turns / NS_PER_US : 0);
	}
}

static gboolean holds_for_number(const Matcher *matcher, gint64 number)
{
	const gint64 *limits = matcher->numbers;

	switch (matcher->word->operation) {
	case ABOVE:
		return number > limits[0];
	case BELOW:
		return number < limits[0];
	case WITHIN:
		return limits[0] <= number && number < limits[1];
	default:
		return number == limits[0];
	}
}

static Answer ask(const Matcher *matcher, const LayerThread *thread)
{
	const struct word *word = matcher->word;

	if (!word)
		return YES;
	if (matcher->is_unknown || (thread->known & word->subject) != word->subject)
		return MAYBE;
	if (!is_text(word->operation))
		return holds_for_number(matcher, number_of(word->subject, thread)) ? YES : NO;
	g_autofree char *text = text_of(word->subject, thread);
	return holds_for_text(matcher, text) ? YES : NO;
}

static Answer ask_list(const GArray *list, const LayerThread *thread)
{
	Answer least = YES;

	for (guint i = 0; i < list->len && least != NO; i++)
		least = MIN(least, ask(&g_array_index(list, Matcher, i), thread));
	return least;
}

const char *layers_find(const Layers *layers, const LayerThread *thread)
{
	for (guint i = 0; i < layers->list->len; i++) {
		const Layer *layer = &g_array_index(layers->list, Layer, i);
		Answer most = NO;

		for (guint j = 0; j < layer->lists->len && most != YES; j++)
			most = MAX(most, ask_list(g_ptr_array_index(layer->lists, j), thread));
		most = MIN(most, ask(&layer->template, thread));
		if (most != NO)
			return most == YES ? layer->name : layer->unsure;
	}
	g_return_val_if_reached("-");
}

char *layers_complaint(const Layers *layers)
{
	g_autoptr(GString) list = g_string_new(NULL);

	for (guint i = 0; i < layers->unknown->len; i++)
		g_string_append_printf(list, "%s%s", i > 0 ? ", " : "",
				       (const char *)g_ptr_array_index(layers->unknown, i));
	return list->len == 0
		       ? NULL
		       : g_strdup_printf("--layers: a capture cannot decide %s: threads that "
					 "depend on it are in 'LAYER?'",
					 list->str);
}

/* ---- the configuration ------------------------------------------------------------- */

static gboolean take_number(JsonNode *node, gint64 *ret)
{
	if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_INT64)
		return FALSE;
	*ret = json_node_get_int(node);
	return TRUE;
}

static const char *text_of_node(JsonNode *node)
{
	return node && JSON_NODE_HOLDS_VALUE(node) &&
			       json_node_get_value_type(node) == G_TYPE_STRING
		       ? json_node_get_string(node)
		       : NULL;
}

/* Takes the value; FALSE: it does not have the type that the matcher takes. */
static gboolean take_value(Matcher *matcher, JsonNode *node)
{
	enum operation operation = matcher->word->operation;
	JsonArray *pair = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

	if (matcher->is_unknown)
		return TRUE;
	if (is_text(operation))
		return (matcher->text = g_strdup(text_of_node(node))) != NULL;
	if (operation == WITHIN)
		return pair && json_array_get_length(pair) == 2 &&
		       take_number(json_array_get_element(pair, 0), &matcher->numbers[0]) &&
		       take_number(json_array_get_element(pair, 1), &matcher->numbers[1]);
	if (operation != IS)
		return take_number(node, &matcher->numbers[0]);
	if (!JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_BOOLEAN)
		return FALSE;
	matcher->numbers[0] = json_node_get_boolean(node);
	/* Versions of the scheduler differ in what false means. */
	matcher->is_unknown = matcher->word->subject == LAYER_KTHREAD && !matcher->numbers[0];
	return TRUE;
}

static gboolean take_regex(Matcher *matcher, GError **error)
{
	g_autofree char *limited = g_strconcat(MATCH_LIMIT, matcher->text, NULL);
	g_autoptr(GError) cause = NULL;

	matcher->regex = g_regex_new(limited, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, &cause);
	return matcher->regex || error_set_usage(error, "%s", cause->message);
}

static gboolean take_word(Matcher *matcher, const char *name, JsonNode *value, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(words); i++)
		if (strcmp(words[i].name, name) == 0)
			matcher->word = &words[i];
	if (!matcher->word)
		return error_set_usage(error, "unknown matcher");
	matcher->is_unknown = matcher->word->subject == 0;
	if (!take_value(matcher, value))
		return error_set_usage(error, "the value is of another type");
	return !matcher->text || matcher->word->operation != REGEX || take_regex(matcher, error);
}

/* {"CommPrefix": "x"} */
static gboolean take_matcher(Layers *layers, const Layer *layer, JsonNode *node, Matcher *matcher,
			     GError **error)
{
	JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
	g_autoptr(GList) names = object ? json_object_get_members(object) : NULL;
	const char *name = names && !names->next ? names->data : NULL;

	if (!name)
		return error_set_usage(error, "layer '%s': expected {\"MATCHER\": VALUE}",
				       layer->name);
	if (!take_word(matcher, name, json_object_get_member(object, name), error)) {
		g_prefix_error(error, "layer '%s': %s: ", layer->name, name);
		return FALSE;
	}
	if (matcher->is_unknown)
		g_ptr_array_add(layers->unknown,
				g_strdup_printf("%s of layer '%s'", name, layer->name));
	return TRUE;
}

static gboolean take_list(Layers *layers, Layer *layer, JsonNode *node, GError **error)
{
	JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
	GArray *list = g_array_new(FALSE, TRUE, sizeof(Matcher));

	g_array_set_clear_func(list, matcher_clear);
	g_ptr_array_add(layer->lists, list);
	if (!array)
		return error_set_usage(error, "layer '%s': expected a list of matchers",
				       layer->name);
	for (guint i = 0; i < json_array_get_length(array); i++) {
		g_array_set_size(list, i + 1);
		if (!take_matcher(layers, layer, json_array_get_element(array, i),
				  &g_array_index(list, Matcher, i), error))
			return FALSE;
	}
	return TRUE;
}

static gboolean take_layer(Layers *layers, JsonNode *node, GError **error)
{
	JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
	const char *name = object ? text_of_node(json_object_get_member(object, "name")) : NULL;
	JsonNode *matches = object ? json_object_get_member(object, "matches") : NULL;
	JsonNode *template = object ? json_object_get_member(object, "template") : NULL;

	if (!name || !name[0] || !matches || !JSON_NODE_HOLDS_ARRAY(matches))
		return error_set_usage(error, "layer %u: expected a \"name\" and \"matches\"",
				       layers->list->len + 1);
	g_array_set_size(layers->list, layers->list->len + 1);
	Layer *layer = &g_array_index(layers->list, Layer, layers->list->len - 1);
	layer->name = g_strdup(name);
	layer->unsure = g_strconcat(name, "?", NULL);
	layer->lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	if (template && !JSON_NODE_HOLDS_NULL(template) &&
	    !take_matcher(layers, layer, template, &layer->template, error))
		return FALSE;
	JsonArray *lists = json_node_get_array(matches);
	for (guint i = 0; i < json_array_get_length(lists); i++)
		if (!take_list(layers, layer, json_array_get_element(lists, i), error))
			return FALSE;
	return TRUE;
}

/* json-glib recurses for each level, so nesting is limited. */
static gboolean is_bounded(const char *text, gsize length)
{
	guint n = 0;

	for (gsize i = 0; i < length; i++)
		n += text[i] == '[' || text[i] == '{';
	return length <= LAYERS_MAX_BYTES && n <= MAX_BRACKETS;
}

/* The scheduler also requires that the last layer matches every thread. */
static gboolean ends_with_rest(const GArray *list)
{
	const GPtrArray *last = list->len ? g_array_index(list, Layer, list->len - 1).lists : NULL;

	return last && last->len == 1 && ((const GArray *)last->pdata[0])->len == 0;
}

Layers *layers_parse(const char *text, gsize length, GError **error)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(Layers) layers = g_new0(Layers, 1);
	g_autoptr(GError) cause = NULL;

	layers->list = g_array_new(FALSE, TRUE, sizeof(Layer));
	g_array_set_clear_func(layers->list, layer_clear);
	layers->unknown = g_ptr_array_new_with_free_func(g_free);
	if (!is_bounded(text, length) ||
	    !json_parser_load_from_data(parser, text, (gssize)length, &cause)) {
		error_set_usage(error, "%s", cause ? cause->message : "too large");
		return NULL;
	}
	JsonNode *root = json_parser_get_root(parser);
	JsonArray *list = root && JSON_NODE_HOLDS_ARRAY(root) ? json_node_get_array(root) : NULL;
	for (guint i = 0; list && i < json_array_get_length(list); i++)
		if (!take_layer(layers, json_array_get_element(list, i), error))
			return NULL;
	if (!ends_with_rest(layers->list)) {
		error_set_usage(error, "expected a list of layers whose last one matches every "
				       "thread: \"matches\": [[]]");
		return NULL;
	}
	return g_steal_pointer(&layers);
}
