/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Completions of a partial command line for a shell. The scripts of bash, zsh
 * and fish only call this, so they know every option, metric and plugin of the
 * installed ctprof, including third-party ones.
 *
 *	ctprof complete -- WORD... CURRENT
 *
 * Prints "CANDIDATE<TAB>DESCRIPTION" lines; a line that begins with ':' is an
 * instruction instead: ":files", ":directories", ":snapshots" (files, snapshots
 * first), ":command" (what stat runs), ":more" (the candidate is not a whole
 * word).
 */
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "base/ui.h"
#include "cmd.h"
#include "frame/quantity.h"
#include "plugin-options.h"
#include "report/plan/sections.h"

/* The word being completed, and what is already known. */
typedef struct request {
	const Globals *globals;
	const Command *command;                   /* NULL: not typed yet */
	const char *argument;                     /* its first argument; NULL: not typed yet */
	gboolean lost;                            /* the typed command does not exist */
	const Option *tables[COMMAND_MAX_TABLES]; /* tables of the options known so far */
	char *before;      /* prefix of each candidate: "--plugins=", "a,b," */
	const char *typed; /* the rest, with which candidates must begin */
	gboolean opened;
	Session *session; /* opened when needed; NULL: not possible */
} Request;

static void offer(const Request *request, const char *candidate, const char *description)
{
	if (!g_str_has_prefix(candidate, request->typed))
		return;
	g_autofree char *shown = ui_escape(candidate, -1);
	g_autofree char *escaped = ui_escape(description ? description : "", -1);

	printf("%s%s\t%s\n", request->before, shown, escaped);
}

static const Session *session_of(Request *request)
{
	if (!request->opened) {
		request->opened = TRUE;
		request->session = session_new(request->globals, NULL, NULL);
	}
	return request->session;
}

/* ---- candidates by source ------------------------------------------------ */

/* The ops of the other kind of plugin are NULL. */
static gboolean is_of_kind(const Plugin *plugin, enum completion from)
{
	return from == FROM_REPORT_SINKS ? plugin->sink.report != NULL
	       : from == FROM_TABULATORS ? plugin_can_tabulate(plugin)
	       : from == FROM_WRITERS    ? plugin->sink.begin || plugin_can_tabulate(plugin)
					 : TRUE;
}

static void offer_plugins(Request *request, enum completion from)
{
	const Session *session = session_of(request);

	for (guint i = 0; session && i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);

		if (is_of_kind(plugin, from))
			offer(request, plugin_name(plugin), plugin->descriptor.summary);
	}
}

/* Offers metrics, or their groups, each once. */
static void offer_declared(Request *request, enum completion from)
{
	const Session *session = session_of(request);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) list = session ? registry_list(session->registry) : NULL;

	for (guint i = 0; list && i < list->len; i++) {
		const struct ctprof_metric *def =
			&((const Metric *)g_ptr_array_index(list, i))->def;

		if (from == FROM_METRICS)
			offer(request, def->name, def->help);
		else if (g_hash_table_add(seen, (gpointer)(uintptr_t)def->group))
			offer(request, def->group, NULL);
	}
	for (const Quantity *quantity = quantities; from == FROM_METRICS && quantity->name;
	     quantity++) {
		if (quantity_is_derived(quantity))
			offer(request, quantity->name, quantity->help);
		for (guint i = 0; i < QUANTITY_ALIASES && quantity->aliases[i]; i++)
			offer(request, quantity->aliases[i], quantity->name);
	}
}

static void offer_sections(Request *request, enum completion from)
{
	for (guint i = 0; sections[i]; i++)
		if (!(sections[i]->flags & SECTION_VIEW) == (from == FROM_SECTIONS))
			offer(request, sections[i]->name, sections[i]->help);
}

/* Offers the orders of the typed view, or else of all views. */
static void offer_orders(Request *request, enum completion from)
{
	const Section *typed = request->argument ? section_find(request->argument, TRUE) : NULL;
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	(void)from;
	for (guint v = 0; sections[v]; v++) {
		const char *const *orders = sections[v]->orders;

		for (guint i = 0; orders && orders[i]; i++)
			if ((!typed || typed == sections[v]) &&
			    g_hash_table_add(seen, (gpointer)(uintptr_t)orders[i]))
				offer(request, orders[i], NULL);
	}
}

static void offer_findings(Request *request, enum completion from)
{
	const char *finding;

	(void)from;
	for (guint i = 0; (finding = finding_name(i)); i++)
		offer(request, finding, NULL);
}

/* Offers "procfs.smaps=" and the like, for all loaded plugins. */
static void offer_settings(Request *request, enum completion from)
{
	const Session *session = session_of(request);

	(void)from;
	for (guint p = 0; session && p < session->plugins->len; p++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, p);

		for (guint i = 0; i < plugin->descriptor.n_options; i++) {
			const struct ctprof_option row = plugin_option(plugin, i);
			g_autofree char *setting =
				g_strconcat(plugin_name(plugin), ".", row.name, "=", NULL);

			offer(request, setting, row.help);
		}
	}
}

static void offer_commands(const Request *request)
{
	for (const Command *const *command = cmd_list(); *command; command++)
		if ((*command)->summary)
			offer(request, (*command)->name, (*command)->summary);
	offer(request, "help", "Show the help of a command");
}

/* ---- options ------------------------------------------------------------- */

static void offer_options(const Request *request)
{
	for (const Option *const *table = request->tables; *table; table++)
		for (const Option *option = *table; option->row.name; option++) {
			g_autofree char *word = g_strconcat("--", option->row.name, NULL);

			if (!option->synonym)
				offer(request, word, option->row.help);
		}
}

/* Only the last name of a list is completed; its '-' belongs to the fixed part. */
static void settle_list(Request *request)
{
	const char *comma = strrchr(request->typed, ',');
	gsize settled = comma ? (gsize)(comma + 1 - request->typed) : 0;

	if (request->typed[settled] == '-')
		settled++;
	char *before = g_strdup_printf("%s%.*s", request->before, (int)settled, request->typed);
	g_free(request->before);
	request->before = before;
	request->typed += settled;
	puts(":more");
}

static void offer_from(Request *request, enum completion from)
{
	static const struct {
		void (*offer)(Request *request, enum completion from);
		const char *instruction;
		gboolean is_list;
	} rows[N_COMPLETIONS] = {
		[FROM_PLUGINS] = {.offer = offer_plugins},
		[FROM_METRICS] = {.offer = offer_declared, .is_list = TRUE},
		[FROM_GROUPS] = {.offer = offer_declared, .is_list = TRUE},
		[FROM_SECTIONS] = {.offer = offer_sections, .is_list = TRUE},
		[FROM_REPORT_SINKS] = {.offer = offer_plugins},
		[FROM_WRITERS] = {.offer = offer_plugins},
		[FROM_TABULATORS] = {.offer = offer_plugins},
		[FROM_VIEWS] = {.offer = offer_sections, .instruction = ":snapshots"},
		[FROM_ORDERS] = {.offer = offer_orders},
		[FROM_FINDINGS] = {.offer = offer_findings},
		[FROM_SETTINGS] = {.offer = offer_settings, .instruction = ":more"},
		[FROM_FILES] = {.instruction = ":files"},
		[FROM_DIRECTORIES] = {.instruction = ":directories"},
		[FROM_SNAPSHOTS] = {.instruction = ":snapshots"},
		[FROM_COMMANDS] = {.instruction = ":command"},
	};

	if (rows[from].is_list)
		settle_list(request);
	if (rows[from].instruction)
		puts(rows[from].instruction);
	if (rows[from].offer)
		rows[from].offer(request, from);
}

static void offer_values(Request *request, const Option *option)
{
	if (option->row.flags & CTPROF_OPTION_LIST || option->from == FROM_PLUGINS)
		settle_list(request);
	for (guint i = 0; i < option->row.n_words; i++)
		offer(request, option_word(&option->row, i)->name,
		      option_word(&option->row, i)->help);
	offer_from(request, option->from);
}

/* ---- the command line ---------------------------------------------------- */

/* A command that captures also has options of plugins. */
static void take_command(Request *request, const char *word)
{
	const Option *of_plugins = NULL;
	g_autoptr(GError) error = NULL;

	request->command = cmd_find(word);
	request->lost = !request->command;
	if (request->command && request->command->plugin_options &&
	    !plugin_options_load(request->globals, request->command->plugin_options, &of_plugins,
				 &error))
		error_report(error);
	cmd_list_tables(request->command, of_plugins, request->tables);
}

/* Skips the words before the current one; ret_option is the option whose value comes next.  FALSE
 * after "--": the rest is not for ctprof. */
static gboolean read_words(Request *request, char **words, guint n, const Option **ret_option)
{
	const Option *open = NULL;

	for (guint i = 0; i < n; i++) {
		const char *word = words[i];

		if (open) {
			open = NULL;
		} else if (g_str_equal(word, "--")) {
			return FALSE;
		} else if (word[0] == '-' && word[1]) {
			open = strchr(word, '=') ? NULL : line_find(request->tables, word);
			open = open && option_takes_value(open) ? open : NULL;
		} else if (!request->command && !g_str_equal(word, "help")) {
			take_command(request, word);
		} else if (request->command && !request->argument) {
			request->argument = word;
		}
	}
	*ret_option = open;
	return TRUE;
}

/* Splits "--plugins=proc", so that the value is completed. */
static const Option *split_option(Request *request)
{
	const char *equals = strchr(request->typed, '=');
	const Option *option = equals && request->typed[0] == '-'
				       ? line_find(request->tables, request->typed)
				       : NULL;

	if (!option)
		return NULL;
	g_free(request->before);
	request->before = g_strndup(request->typed, (gsize)(equals + 1 - request->typed));
	request->typed = equals + 1;
	return option;
}

static void complete(Request *request, char **words, guint n)
{
	const Option *option = NULL;

	request->typed = words[n];
	if (!read_words(request, words, n, &option)) {
		puts(":command");
		return;
	}
	if (!option)
		option = split_option(request);
	if (!option && request->typed[0] == '-') {
		offer_options(request);
		return;
	}
	if (!option && !request->command) {
		if (!request->lost)
			offer_commands(request);
		return;
	}
	if (option)
		offer_values(request, option);
	else
		offer_from(request, request->command->arguments_from);
}

static int cmd_complete_run(Globals *globals, char **arguments, GError **error)
{
	Request request = {.globals = globals, .before = g_strdup("")};
	guint n = g_strv_length(arguments);

	(void)error;
	cmd_list_tables(NULL, NULL, request.tables);
	/* Warnings would disturb the shell. */
	ui_set_verbosity(-1);
	if (n > 0)
		complete(&request, arguments, n - 1);
	g_clear_pointer(&request.session, session_free);
	g_free(request.before);
	return EXIT_DONE;
}

const Command cmd_complete = {
	.name = "complete",
	.arguments = "-- WORD…",
	.run = cmd_complete_run,
};
