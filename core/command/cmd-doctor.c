/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/ui.h"
#include "cmd.h"
#include "plugin/loader.h"

/* One line of the report: a plugin's finding about a group. */
struct diagnosis {
	const char *group, *plugin, *why, *remedy;
	guint32 state;
};

/* Adds the findings of the plugin itself. */
static void diagnose_plugin(const Plugin *plugin, const char *group, GArray *out)
{
	struct diagnosis line = {group, plugin_name(plugin), NULL, NULL, CTPROF_WORKS};

	if (!plugin_is_live(plugin)) {
		line.state = CTPROF_FAILS;
		line.why = plugin->why;
		g_array_append_val(out, line);
		return;
	}
	for (guint i = 0; i < plugin->findings->len; i++) {
		const Finding *finding = g_ptr_array_index(plugin->findings, i);

		if (strcmp(finding->group, group) != 0)
			continue;
		line.state = finding->state;
		line.why = finding->why;
		line.remedy = finding->remedy;
		g_array_append_val(out, line);
	}
}

/* Adds the findings about a group.  Tallies are not mentioned unless their plugin does so. */
static void diagnose_group(const Session *session, const char *group, gboolean tally, GArray *out)
{
	g_autoptr(GArray) silent = g_array_new(FALSE, FALSE, sizeof(struct diagnosis));
	guint before = out->len;

	for (guint i = 0; i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);
		struct diagnosis works = {group, plugin_name(plugin), NULL, NULL, CTPROF_WORKS};

		if (!registry_offers(session->registry, plugin_name(plugin), group))
			continue;
		if (!tally || plugin_is_live(plugin))
			diagnose_plugin(plugin, group, out);
		if (!tally)
			g_array_append_val(silent, works);
	}
	/* If several plugins fill a group, only those with findings are listed; without findings,
	 * the group is assumed to work. */
	if (out->len == before)
		g_array_append_vals(out, silent->data, silent->len);
}

/* Adds plugins that failed before their groups were known. */
static void diagnose_rest(const Session *session, GArray *out)
{
	for (guint i = 0; i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);
		gboolean told = plugin_is_live(plugin);

		for (guint l = 0; l < out->len && !told; l++)
			told = strcmp(g_array_index(out, struct diagnosis, l).plugin,
				      plugin_name(plugin)) == 0;
		if (!told)
			diagnose_plugin(plugin, "-", out);
	}
}

/* Adds sources that come with ctprof, but are missing. */
static void diagnose_missing(const Session *session, GArray *out)
{
	g_auto(GStrv) own = g_strsplit(CTPROF_SOURCES, ",", -1);

	for (guint i = 0; own[i]; i++) {
		if (plugin_find(session->plugins, own[i], 0))
			continue;
		g_autofree char *hint = loader_package_hint(own[i]);
		g_autofree char *remedy =
			g_strdup_printf("install the plugin%s%s%s, or name it in --plugins",
					hint ? " (" : "", hint ? hint : "", hint ? ")" : "");
		struct diagnosis line = {"-", g_intern_string(own[i]),
					 "its plugin is not installed or not selected",
					 g_intern_string(remedy), CTPROF_FAILS};
		g_array_append_val(out, line);
	}
}

static GArray *diagnose(const Session *session)
{
	GArray *out = g_array_new(FALSE, FALSE, sizeof(struct diagnosis));
	g_autoptr(GPtrArray) list = registry_list(session->registry);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < list->len; i++) {
		const Metric *metric = g_ptr_array_index(list, i);

		if (g_hash_table_add(seen, (gpointer)(uintptr_t)metric->def.group))
			diagnose_group(session, metric->def.group, metric->row == ROW_CAPTURE, out);
	}
	diagnose_rest(session, out);
	diagnose_missing(session, out);
	return out;
}

static int widest_group(const GArray *lines)
{
	gsize width = 0;

	for (guint i = 0; i < lines->len; i++)
		width = MAX(width, strlen(g_array_index(lines, struct diagnosis, i).group));
	return (int)width;
}

static void print_text(const GArray *lines)
{
	int width = widest_group(lines);

	for (guint i = 0; i < lines->len; i++) {
		const struct diagnosis *line = &g_array_index(lines, struct diagnosis, i);

		printf("%-*s %-7s %s\n", width, line->group, plugin_finding_word(line->state),
		       line->plugin);
		if (line->why)
			printf("%*s why:    %s\n", width, "", line->why);
		if (line->remedy)
			printf("%*s remedy: %s\n", width, "", line->remedy);
	}
}

static void print_json(const GArray *lines)
{
	g_autoptr(JsonBuilder) builder = json_begin();

	json_begin_list(builder, "groups");
	for (guint i = 0; i < lines->len; i++) {
		const struct diagnosis *line = &g_array_index(lines, struct diagnosis, i);

		json_builder_begin_object(builder);
		json_add_texts(builder, "group", line->group, "here",
			       plugin_finding_word(line->state), "plugin", line->plugin, "why",
			       line->why, "remedy", line->remedy, NULL);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	json_print(builder);
}

static int run(Globals *globals, char **arguments, GError **error)
{
	g_autoptr(Session) session =
		cmd_no_arguments(arguments, error) ? session_new(globals, NULL, error) : NULL;

	if (!session)
		return EXIT_FAILED;
	for (guint i = 0; i < session->plugins->len; i++)
		plugin_probe(g_ptr_array_index(session->plugins, i));
	g_autoptr(GArray) lines = diagnose(session);
	if (cmd_json)
		print_json(lines);
	else
		print_text(lines);
	return cmd_printed();
}

const Command cmd_doctor = {
	.name = "doctor",
	.arguments = "",
	.summary = "Show what works on this host, what does not, and why",
	.help = "Run it as the user who captures: what works depends on privileges.\n\n"
		"Examples:\n"
		"  ctprof doctor\n"
		"  ctprof --plugins=taskstats doctor\n"
		"  ctprof doctor --format json | jq -r '.groups[] | select(.here != \"works\")'",
	.shared = {cmd_format_options},
	.run = run,
};
