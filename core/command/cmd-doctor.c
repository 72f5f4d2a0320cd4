/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/ui.h"
#include "cmd.h"
#include "help.h"
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
		gboolean is_reported = plugin_is_live(plugin);

		for (guint l = 0; l < out->len && !is_reported; l++)
			is_reported = strcmp(g_array_index(out, struct diagnosis, l).plugin,
					     plugin_name(plugin)) == 0;
		if (!is_reported)
			diagnose_plugin(plugin, "-", out);
	}
}

/* Adds sources that come with ctprof, but are not there. */
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

/* Whether the two differ only in their groups and plugins. */
static gboolean is_alike(const struct diagnosis *a, const struct diagnosis *b)
{
	return a->state == b->state && g_strcmp0(a->why, b->why) == 0 &&
	       g_strcmp0(a->remedy, b->remedy) == 0;
}

/* Returns the groups with the same findings as line i; NULL: an earlier line lists them. */
static char *list_groups(const GArray *lines, guint i)
{
	const struct diagnosis *first = &g_array_index(lines, struct diagnosis, i);
	const char *before = NULL;
	GString *text = g_string_new(NULL);

	for (guint k = 0; k < lines->len; k++) {
		const struct diagnosis *line = &g_array_index(lines, struct diagnosis, k);

		if (!is_alike(first, line))
			continue;
		if (k < i) {
			g_string_free(text, TRUE);
			return NULL;
		}
		if (strcmp(line->group, "-") == 0)
			g_string_append_printf(text, " (plugin %s)", line->plugin);
		else if (g_strcmp0(before, line->group) != 0)
			g_string_append_printf(text, " %s", line->group);
		before = line->group;
	}
	return g_string_free(text, FALSE);
}

static void print_part(const char *label, const char *text)
{
	int indent = printf("%s", label);

	help_wrap(text, indent, stdout);
}

/* Groups with the same findings share a paragraph; those that work come first. */
static void print_text(const GArray *lines)
{
	static const guint32 states[] = {CTPROF_WORKS, CTPROF_PARTLY, CTPROF_FAILS};

	for (guint s = 0; s < G_N_ELEMENTS(states); s++)
		for (guint i = 0; i < lines->len; i++) {
			const struct diagnosis *line = &g_array_index(lines, struct diagnosis, i);
			g_autofree char *groups =
				line->state == states[s] ? list_groups(lines, i) : NULL;
			g_autofree char *label =
				g_strdup_printf("%-7s ", plugin_finding_word(line->state));

			if (!groups)
				continue;
			print_part(label, groups + 1);
			if (line->why)
				print_part("        why:    ", line->why);
			if (line->remedy)
				print_part("        remedy: ", line->remedy);
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
	json_print_document(builder);
}

static int cmd_doctor_run(Globals *globals, char **arguments, GError **error)
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
	.run = cmd_doctor_run,
};
