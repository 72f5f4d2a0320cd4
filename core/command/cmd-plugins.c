/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/option.h"
#include "base/ui.h"
#include "cmd.h"
#include "plugin/loader.h"

static const char *kind_word(const Plugin *plugin)
{
	guint32 kind = plugin->descriptor.kind;

	return kind == CTPROF_KIND_SOURCE ? "source"
	       : kind == CTPROF_KIND_SINK ? "sink"
					  : "unknown";
}

static const char *threads_word(const Plugin *plugin)
{
	return plugin->descriptor.thread_model == CTPROF_THREADS_PER_WORKER ? "per-worker"
									    : "serial";
}

static const char *cost_word(const Plugin *plugin)
{
	guint32 cost = plugin->descriptor.cost;

	return cost <= CTPROF_COST_CHEAP      ? "cheap"
	       : cost <= CTPROF_COST_MODERATE ? "moderate"
					      : "expensive";
}

static const char *need_word(guint32 kind)
{
	static const char *const words[] = {"?", "capability", "kernel option", "sysctl", "file"};

	return words[kind / 10 < G_N_ELEMENTS(words) ? kind / 10 : 0];
}

/* Returns FAILS if all findings fail or the plugin could not open, WORKS if all work, or else
 * PARTLY. */
static guint32 overall(const Plugin *plugin)
{
	guint32 best = CTPROF_FAILS, worst = CTPROF_WORKS;

	if (!plugin_is_live(plugin))
		return CTPROF_FAILS;
	for (guint i = 0; i < plugin->findings->len; i++) {
		const Finding *finding = g_ptr_array_index(plugin->findings, i);

		best = MIN(best, finding->state);
		worst = MAX(worst, finding->state);
	}
	return worst == CTPROF_WORKS  ? CTPROF_WORKS
	       : best == CTPROF_FAILS ? CTPROF_FAILS
				      : CTPROF_PARTLY;
}

static void print_needs(const Plugin *plugin)
{
	g_autoptr(GPtrArray) cells = ui_new_cells();

	for (guint i = 0; i < plugin->descriptor.n_needs; i++) {
		const struct ctprof_need need = plugin_need(plugin, i);

		ui_add_cells(cells, need.required ? "  required" : "  optional",
			     need_word(need.kind), need.name, need.why ? need.why : "", NULL);
	}
	puts("needs:");
	ui_print_cells(cells, 4);
}

static void print_options(const Plugin *plugin)
{
	g_autoptr(GPtrArray) cells = ui_new_cells();

	for (guint i = 0; i < plugin->descriptor.n_options; i++) {
		const struct ctprof_option row = plugin_option(plugin, i);

		g_ptr_array_add(cells, g_strdup_printf("  -O %s.%s=%s", plugin_name(plugin),
						       row.name, option_placeholder(&row)));
		g_ptr_array_add(cells, row.long_name ? g_strconcat("--", row.long_name, NULL)
						     : g_strdup("-"));
		g_ptr_array_add(cells, option_describe(&row));
	}
	puts("options:");
	ui_print_cells(cells, 3);
}

static void print_findings(const Plugin *plugin)
{
	puts("on this host:");
	if (!plugin_is_live(plugin))
		printf("  no: %s\n", plugin->why);
	else if (plugin->findings->len == 0)
		puts("  works");
	for (guint i = 0; i < plugin->findings->len; i++) {
		const Finding *finding = g_ptr_array_index(plugin->findings, i);

		printf("  %s: %s%s%s\n", finding->group, plugin_finding_word(finding->state),
		       finding->why ? ": " : "", finding->why ? finding->why : "");
		if (finding->remedy)
			printf("    remedy: %s\n", finding->remedy);
	}
}

/* Returns the plugin's groups in order of their first metric, or one group's metrics. */
static GPtrArray *names_of(const Session *session, const Plugin *plugin, const char *group)
{
	g_autoptr(GPtrArray) list = registry_list(session->registry);
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; i < list->len; i++) {
		const Metric *metric = g_ptr_array_index(list, i);
		const char *name = group ? metric->def.name : metric->def.group;

		if (!metric_is_of(metric, plugin_name(plugin)) ||
		    (group && strcmp(group, metric->def.group) != 0) ||
		    g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
			continue;
		g_ptr_array_add(names, (gpointer)(uintptr_t)name);
	}
	return names;
}

static void print_metrics(const Session *session, const Plugin *plugin)
{
	g_autoptr(GPtrArray) groups = names_of(session, plugin, NULL);

	puts("metrics by group:");
	for (guint g = 0; g < groups->len; g++) {
		const char *group = g_ptr_array_index(groups, g);
		g_autoptr(GPtrArray) names = names_of(session, plugin, group);

		g_ptr_array_add(names, NULL);
		g_autofree char *line = g_strjoinv(" ", (char **)names->pdata);
		printf("  %s: %s\n", group, line);
	}
}

static void print_one(const Session *session, const Plugin *plugin)
{
	const struct ctprof_plugin *d = &plugin->descriptor;

	printf("%s: %s\n", d->name, d->summary);
	printf("kind: %s\nversion: %s\nABI: %u.%u\nfile: %s\n", kind_word(plugin), d->version,
	       d->abi_major, d->abi_minor, plugin->file);
	printf("threads: %s\ncost: %s\n", threads_word(plugin), cost_word(plugin));
	print_findings(plugin);
	if (d->n_needs > 0)
		print_needs(plugin);
	if (d->n_options > 0)
		print_options(plugin);
	if (d->kind == CTPROF_KIND_SOURCE)
		print_metrics(session, plugin);
}

static void print_table(const Session *session)
{
	g_autoptr(GPtrArray) cells = ui_new_cells();

	ui_add_cells(cells, "name", "kind", "version", "abi", "here", "groups", "summary", NULL);
	for (guint i = 0; i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);
		const struct ctprof_plugin *d = &plugin->descriptor;
		g_autoptr(GPtrArray) groups = names_of(session, plugin, NULL);

		g_ptr_array_add(groups, NULL);
		g_autofree char *abi = g_strdup_printf("%u.%u", d->abi_major, d->abi_minor);
		g_autofree char *list = g_strjoinv(" ", (char **)groups->pdata);
		ui_add_cells(cells, d->name, kind_word(plugin), d->version, abi,
			     plugin_finding_word(overall(plugin)), list[0] ? list : "-", d->summary,
			     NULL);
	}
	ui_print_cells(cells, 7);
	puts("\nRun 'ctprof plugins NAME' for the reasons and remedies.");
}

static void add_needs(JsonBuilder *builder, const Plugin *plugin)
{
	json_begin_list(builder, "needs");
	for (guint i = 0; i < plugin->descriptor.n_needs; i++) {
		const struct ctprof_need need = plugin_need(plugin, i);

		json_builder_begin_object(builder);
		json_add_texts(builder, "kind", need_word(need.kind), "name", need.name, NULL);
		json_add_bool(builder, "required", need.required != 0);
		json_add_texts(builder, "why", need.why, NULL);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

static void add_option(JsonBuilder *builder, const struct ctprof_option *row)
{
	json_builder_begin_object(builder);
	json_add_texts(builder, "name", row->name, "long_name", row->long_name, "value",
		       option_placeholder(row), "default", row->default_value, "help", row->help,
		       NULL);
	json_begin_list(builder, "words");
	for (guint i = 0; i < row->n_words; i++)
		json_builder_add_string_value(builder, option_word(row, i)->name);
	json_builder_end_array(builder);
	json_builder_end_object(builder);
}

static void add_options(JsonBuilder *builder, const Plugin *plugin)
{
	json_begin_list(builder, "options");
	for (guint i = 0; i < plugin->descriptor.n_options; i++) {
		const struct ctprof_option row = plugin_option(plugin, i);

		add_option(builder, &row);
	}
	json_builder_end_array(builder);
}

static void add_findings(JsonBuilder *builder, const Plugin *plugin)
{
	json_add_texts(builder, "here", plugin_finding_word(overall(plugin)), "why", plugin->why,
		       NULL);
	json_begin_list(builder, "findings");
	for (guint i = 0; i < plugin->findings->len; i++) {
		const Finding *finding = g_ptr_array_index(plugin->findings, i);

		json_builder_begin_object(builder);
		json_add_texts(builder, "group", finding->group, "state",
			       plugin_finding_word(finding->state), "why", finding->why, "remedy",
			       finding->remedy, NULL);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

static void add_groups(JsonBuilder *builder, const Session *session, const Plugin *plugin)
{
	g_autoptr(GPtrArray) groups = names_of(session, plugin, NULL);

	json_builder_set_member_name(builder, "groups");
	json_builder_begin_object(builder);
	for (guint g = 0; g < groups->len; g++) {
		const char *group = g_ptr_array_index(groups, g);
		g_autoptr(GPtrArray) names = names_of(session, plugin, group);

		json_add_list(builder, group, (const char *const *)names->pdata, names->len);
	}
	json_builder_end_object(builder);
}

static void print_json(const Session *session, const char *only)
{
	g_autoptr(JsonBuilder) builder = json_begin();

	json_begin_list(builder, "plugins");
	for (guint i = 0; i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);
		const struct ctprof_plugin *d = &plugin->descriptor;

		if (only && strcmp(only, d->name) != 0)
			continue;
		json_builder_begin_object(builder);
		json_add_texts(builder, "name", d->name, "kind", kind_word(plugin), "version",
			       d->version, NULL);
		json_add_int(builder, "abi_major", d->abi_major);
		json_add_int(builder, "abi_minor", d->abi_minor);
		json_add_texts(builder, "file", plugin->file, "summary", d->summary, "threads",
			       threads_word(plugin), "cost", cost_word(plugin), NULL);
		add_findings(builder, plugin);
		add_needs(builder, plugin);
		add_options(builder, plugin);
		add_groups(builder, session, plugin);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	json_print_document(builder);
}

static int fail_name(const Session *session, const char *name)
{
	g_autofree char *package = loader_package_hint(name);
	Nearest nearest = {.typed = name};

	for (guint i = 0; i < session->plugins->len; i++)
		nearest_try(&nearest, plugin_name(g_ptr_array_index(session->plugins, i)));
	g_autofree char *hint = nearest_hint(&nearest, "");
	ui_error("no plugin '%s' is loaded%s (%s)", name, package ? "" : hint,
		 package ? package : "see 'ctprof plugins'");
	return EXIT_FAILED;
}

static int cmd_plugins_run(Globals *globals, char **arguments, GError **error)
{
	const char *name = arguments[0];
	g_autoptr(Session) session = NULL;

	if ((name && !cmd_no_arguments(arguments + 1, error)) ||
	    !(session = session_new(globals, NULL, error)))
		return EXIT_FAILED;
	const Plugin *asked = name ? plugin_find(session->plugins, name, 0) : NULL;
	if (name && !asked)
		return fail_name(session, name);
	for (guint i = 0; i < session->plugins->len; i++)
		plugin_probe(g_ptr_array_index(session->plugins, i));
	if (cmd_json)
		print_json(session, name);
	else if (asked)
		print_one(session, asked);
	else
		print_table(session);
	return cmd_printed();
}

const Command cmd_plugins = {
	.name = "plugins",
	.arguments = "[NAME]",
	.summary = "List the plugins, their needs, and whether they work on this host",
	.help = "Examples:\n"
		"  ctprof plugins\n"
		"  ctprof plugins procfs\n"
		"  ctprof plugins --format json | jq -r '.plugins[] | .name + \" \" + .here'",
	.shared = {cmd_format_options},
	.arguments_from = FROM_PLUGINS,
	.run = cmd_plugins_run,
};
