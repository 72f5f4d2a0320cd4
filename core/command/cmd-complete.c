/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a shell offers at the end of a half-typed command line.  The scripts of
 * bash, zsh and fish only ask here, so that they know every option, metric and
 * plugin of the ctprof that is installed, strangers' included.
 *
 *	ctprof complete -- WORD... CURRENT
 *
 * Prints "CANDIDATE<TAB>DESCRIPTION" lines; a line that begins with ':' is an
 * instruction instead: ":files", ":directories", ":snapshots" (files, snapshots
 * first), ":command" (what stat runs), ":more" (the candidate is no whole word).
 */
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/ui.h"
#include "cmd.h"
#include "report/section/memory/memory.h"
#include "report/section/sections.h"

/* Where the candidates of a value come from. */
enum source {
	FROM_WORDS,
	FROM_PLUGINS,
	FROM_METRICS,
	FROM_GROUPS,
	FROM_SECTIONS,
	FROM_DRAWERS,
	FROM_VIEWS,
	FROM_ORDERS,
	FROM_INSTRUCTION,
};

struct value_rule {
	const char *option;  /* without dashes; or a command: its arguments */
	const char *command; /* only there; NULL: anywhere */
	enum source source;
	gboolean is_list; /* separated by commas, '-' in front leaves one out */
	const char *words;
};

static const struct value_rule value_rules[] = {
	{"plugins", NULL, FROM_PLUGINS, TRUE, NULL},
	{"plugin-path", NULL, FROM_INSTRUCTION, FALSE, ":directories"},
	{"proc-root", NULL, FROM_INSTRUCTION, FALSE, ":directories"},
	{"sys-root", NULL, FROM_INSTRUCTION, FALSE, ":directories"},
	{"cgroup-root", NULL, FROM_INSTRUCTION, FALSE, ":directories"},
	{"metrics", NULL, FROM_METRICS, TRUE, NULL},
	{"sort-by", NULL, FROM_METRICS, TRUE, NULL},
	{"groups", NULL, FROM_GROUPS, TRUE, NULL},
	{"sections", NULL, FROM_SECTIONS, TRUE, NULL},
	{"format", "plugins", FROM_WORDS, FALSE, "text json"},
	{"format", "doctor", FROM_WORDS, FALSE, "text json"},
	{"format", "metric-list", FROM_WORDS, FALSE, "text json"},
	{"format", "plugin-check", FROM_WORDS, FALSE, "text json"},
	{"format", NULL, FROM_DRAWERS, FALSE, NULL},
	{"group-by", NULL, FROM_WORDS, FALSE, "pcomm comm comm-exact cgroup all thread"},
	{"display-format", NULL, FROM_WORDS, FALSE, "full delta-only no-pct arrow pct-only"},
	{"smaps", NULL, FROM_WORDS, FALSE, "auto always never"},
	{"smaps-source", NULL, FROM_WORDS, FALSE, "auto rollup smaps"},
	{"jemalloc", NULL, FROM_WORDS, FALSE, "auto ptrace"},
	{"memory", "memory", FROM_VIEWS, FALSE, NULL}, /* its arguments */
	{"sort", "memory", FROM_ORDERS, FALSE, NULL},
	{"memory", NULL, FROM_WORDS, TRUE, "ledger processes shared tmpfs files sysv all"},
	{"swap-share", NULL, FROM_WORDS, FALSE, "by-object by-name"},
	{"output", NULL, FROM_INSTRUCTION, FALSE, ":files"},
	{"categories", NULL, FROM_INSTRUCTION, FALSE, ":files"},
	{"artifact", NULL, FROM_INSTRUCTION, FALSE, ":files"},
	/* Arguments. */
	{"show", "show", FROM_INSTRUCTION, FALSE, ":snapshots"},
	{"compare", "compare", FROM_INSTRUCTION, FALSE, ":snapshots"},
	{"stat", "stat", FROM_INSTRUCTION, FALSE, ":command"},
	{"plugins", "plugins", FROM_PLUGINS, FALSE, NULL},
	{"plugin-check", "plugin-check", FROM_INSTRUCTION, FALSE, ":files"},
};

/* What is being completed, and what of it is settled already. */
typedef struct request {
	const Globals *globals;
	const Command *command; /* NULL: not typed yet */
	const char *argument;   /* the first of the command's; NULL: not typed yet */
	gboolean lost;          /* there is no command of the name typed */
	char *before;           /* stands before each candidate: "--plugins=", "a,b," */
	const char *typed;      /* the rest, which candidates begin with */
	gboolean opened;
	Session *session; /* opened when needed; NULL: cannot be */
} Request;

static void offer(const Request *request, const char *candidate, const char *description)
{
	if (!g_str_has_prefix(candidate, request->typed))
		return;
	g_autofree char *shown = ui_escape(candidate, -1);
	g_autofree char *told = ui_escape(description ? description : "", -1);

	printf("%s%s\t%s\n", request->before, shown, told);
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

static void offer_plugins(Request *request)
{
	const Session *session = session_of(request);

	for (guint i = 0; session && i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);

		offer(request, plugin_name(plugin), plugin->descriptor.summary);
	}
}

static void offer_drawers(Request *request)
{
	const Session *session = session_of(request);

	for (guint i = 0; session && i < session->plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(session->plugins, i);

		if (plugin->descriptor.kind == CTPROF_KIND_SINK && plugin->sink.report)
			offer(request, plugin_name(plugin), plugin->descriptor.summary);
	}
}

static void offer_metrics(Request *request)
{
	const Session *session = session_of(request);

	if (!session)
		return;
	g_autoptr(GPtrArray) list = registry_list(session->registry);
	for (guint i = 0; i < list->len; i++) {
		const Metric *metric = g_ptr_array_index(list, i);

		offer(request, metric->def.name, metric->def.help);
	}
}

static void offer_groups(Request *request)
{
	const Session *session = session_of(request);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	if (!session)
		return;
	g_autoptr(GPtrArray) list = registry_list(session->registry);
	for (guint i = 0; i < list->len; i++) {
		const Metric *metric = g_ptr_array_index(list, i);

		if (g_hash_table_add(seen, (gpointer)(uintptr_t)metric->def.group))
			offer(request, metric->def.group, NULL);
	}
}

static void offer_sections(Request *request)
{
	for (guint i = 0; sections[i].name; i++)
		offer(request, sections[i].name, sections[i].help);
}

static void offer_views(Request *request)
{
	const MemoryView *view;

	puts(":snapshots");
	for (guint i = 0; (view = memory_view_at(i)); i++)
		offer(request, memory_view_name(view), memory_view_summary(view));
}

/* Those of the view typed; of all of them while there is none. */
static void offer_orders(Request *request)
{
	const MemoryView *typed = request->argument ? memory_view_find(request->argument) : NULL;
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	const MemoryView *view;
	const char *order;

	for (guint v = 0; (view = memory_view_at(v)); v++) {
		for (guint i = 0; (order = memory_view_sort(view, i)); i++)
			if ((!typed || typed == view) &&
			    g_hash_table_add(seen, (gpointer)(uintptr_t)order))
				offer(request, order, NULL);
	}
}

static void offer_words(Request *request, const char *words)
{
	g_auto(GStrv) list = g_strsplit(words, " ", -1);

	for (guint i = 0; list[i]; i++)
		offer(request, list[i], NULL);
}

static void offer_commands(const Request *request)
{
	const Command *command;

	for (guint i = 0; (command = cmd_nth(i)); i++)
		if (command->summary)
			offer(request, command->name, command->summary);
	offer(request, "help", "Show the help of a command");
}

/* ---- options ------------------------------------------------------------- */

static gboolean takes_value(const GOptionEntry *entry)
{
	return entry->arg != G_OPTION_ARG_NONE &&
	       !(entry->flags & (G_OPTION_FLAG_NO_ARG | G_OPTION_FLAG_OPTIONAL_ARG));
}

/* Called with each table of options that may be given; the number of the call
 * tells which.  NULL behind the last. */
static const GOptionEntry *nth_table(const Command *command, guint n)
{
	if (n == 0)
		return cmd_global_entries();
	if (!command || n > COMMAND_MAX_SHARED + 1)
		return NULL;
	if (n == 1)
		return command->entries ? command->entries : command->shared[0];
	guint shared = command->entries ? n - 2 : n - 1;
	return shared < COMMAND_MAX_SHARED ? command->shared[shared] : NULL;
}

/* The option a word such as "--jobs=4", "-j" is; NULL: none that is known. */
static const GOptionEntry *find_option(const Command *command, const char *word)
{
	gboolean is_long = g_str_has_prefix(word, "--");
	gsize len = is_long ? strcspn(word + 2, "=") : 0;
	const GOptionEntry *table;

	for (guint n = 0; (table = nth_table(command, n)); n++)
		for (const GOptionEntry *entry = table; entry->long_name; entry++)
			if (is_long ? strncmp(entry->long_name, word + 2, len) == 0 &&
					      !entry->long_name[len]
				    : entry->short_name && entry->short_name == word[1] && !word[2])
				return entry;
	return NULL;
}

static void offer_options(const Request *request)
{
	const GOptionEntry *table;

	for (guint n = 0; (table = nth_table(request->command, n)); n++)
		for (const GOptionEntry *entry = table; entry->long_name; entry++) {
			g_autofree char *option = g_strconcat("--", entry->long_name, NULL);

			if (!(entry->flags & G_OPTION_FLAG_HIDDEN))
				offer(request, option, entry->description);
		}
	offer(request, "--help", "Show help options");
}

static const struct value_rule *find_rule(const Command *command, const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(value_rules); i++) {
		const struct value_rule *rule = &value_rules[i];

		if (g_str_equal(rule->option, name) &&
		    (!rule->command || (command && g_str_equal(rule->command, command->name))))
			return rule;
	}
	return NULL;
}

/* Only the last name of a list is open, and its '-' stays with what is settled. */
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

static void offer_values(Request *request, const struct value_rule *rule)
{
	static void (*const offers[])(Request *) = {
		[FROM_PLUGINS] = offer_plugins, [FROM_METRICS] = offer_metrics,
		[FROM_GROUPS] = offer_groups,   [FROM_SECTIONS] = offer_sections,
		[FROM_DRAWERS] = offer_drawers, [FROM_VIEWS] = offer_views,
		[FROM_ORDERS] = offer_orders,
	};

	if (rule->is_list)
		settle_list(request);
	if (rule->source == FROM_INSTRUCTION)
		puts(rule->words);
	else if (rule->source == FROM_WORDS)
		offer_words(request, rule->words);
	else
		offers[rule->source](request);
}

/* ---- the command line ---------------------------------------------------- */

/* Steps over the words before the current one; ret_option is the option whose
 * value is to come.  FALSE behind a "--": what follows is not ours. */
static gboolean read_words(Request *request, char **words, guint n, const GOptionEntry **ret_option)
{
	const GOptionEntry *open = NULL;

	for (guint i = 0; i < n; i++) {
		const char *word = words[i];

		if (open) {
			open = NULL;
		} else if (g_str_equal(word, "--")) {
			return FALSE;
		} else if (word[0] == '-' && word[1]) {
			open = strchr(word, '=') ? NULL : find_option(request->command, word);
			open = open && takes_value(open) ? open : NULL;
		} else if (!request->command && !g_str_equal(word, "help")) {
			request->command = cmd_find(word);
			request->lost = !request->command;
		} else if (request->command && !request->argument) {
			request->argument = word;
		}
	}
	*ret_option = open;
	return TRUE;
}

/* "--plugins=proc": the value is what is completed. */
static const GOptionEntry *split_option(Request *request)
{
	const char *equals = strchr(request->typed, '=');
	const GOptionEntry *option = equals && request->typed[0] == '-'
					     ? find_option(request->command, request->typed)
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
	const GOptionEntry *option = NULL;

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
	const struct value_rule *rule =
		find_rule(request->command, option ? option->long_name : request->command->name);
	if (rule)
		offer_values(request, rule);
}

static int run(Globals *globals, char **arguments)
{
	Request request = {.globals = globals, .before = g_strdup("")};
	guint n;

	if (arguments[0] && g_str_equal(arguments[0], "--"))
		arguments++;
	n = g_strv_length(arguments);
	/* A shell is not the place for warnings. */
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
	.run = run,
};
