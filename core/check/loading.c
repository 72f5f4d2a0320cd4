/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of a plugin file and its descriptor, before any of its ops is
 * called. */
#include <string.h>

#include "check.h"
#include "elf.h"
#include "plugin/loader.h"

#define ENTRY_SYMBOL "ctprof_plugin_entry_v1"
#define MAX_FILE_BYTES (256 * 1024 * 1024)

/* Plugins must open files through the host, which can then check their needs. */
static const char *const openers[] = {"open",    "open64",  "openat",   "openat64", "fopen",
				      "fopen64", "opendir", "__open_2", "creat",    "__open64_2"};

static const struct named_number {
	guint32 number;
	const char *word;
} thread_models[] = {{CTPROF_THREADS_SERIAL, "serial"}, {CTPROF_THREADS_PER_WORKER, "per worker"}},
  costs[] = {{CTPROF_COST_CHEAP, "cheap"},
	     {CTPROF_COST_MODERATE, "moderate"},
	     {CTPROF_COST_EXPENSIVE, "expensive"}};

static const struct need_rule {
	guint32 kind;
	const char *prefix; /* prefix of the name; NULL: one of the roots */
} need_rules[] = {
	{CTPROF_NEED_CAPABILITY, "CAP_"},
	{CTPROF_NEED_KCONFIG, "CONFIG_"},
	{CTPROF_NEED_SYSCTL, ""},
	{CTPROF_NEED_FILE, NULL},
};

static const char *word_of(const struct named_number *table, gsize n, guint32 number)
{
	for (gsize i = 0; i < n; i++)
		if (table[i].number == number)
			return table[i].word;
	return NULL;
}

/* Symbols that the toolchain adds begin with a prefix that C reserves. */
static gboolean is_reserved(const char *name)
{
	return name[0] == '_';
}

static void judge_symbol(const ElfSymbol *symbol, guint *ret_stray)
{
	if (symbol->defined && !is_reserved(symbol->name) &&
	    strcmp(symbol->name, ENTRY_SYMBOL) != 0) {
		check_report(CHECK_FAIL, "symbols",
			     "exports %s: everything but " ENTRY_SYMBOL
			     " must be hidden (-fvisibility=hidden)",
			     symbol->name);
		++*ret_stray;
	}
	if (!symbol->defined && g_str_has_prefix(symbol->name, "ctprof_")) {
		check_report(
			CHECK_FAIL, "symbols",
			"needs %s from the host, which exports nothing (link with -Wl,-z,defs)",
			symbol->name);
		++*ret_stray;
	}
	for (guint i = 0; !symbol->defined && i < G_N_ELEMENTS(openers); i++)
		if (strcmp(openers[i], symbol->name) == 0)
			check_report(CHECK_NOTE, "symbols",
				     "uses %s(): open files with host->open_file()", symbol->name);
}

static void judge_elf(const ElfView *view)
{
	guint stray = 0;

	for (gsize i = 0; i < view->n_symbols; i++) {
		ElfSymbol symbol;

		if (elf_view_symbol(view, i, &symbol))
			judge_symbol(&symbol, &stray);
	}
	if (stray == 0)
		check_report(CHECK_OK, "symbols", "%s", "");
	if (!view->binds_now || !view->has_relro)
		check_report(CHECK_NOTE, "hardening", "not linked with %s%s%s",
			     view->has_relro ? "" : "-Wl,-z,relro",
			     view->has_relro || view->binds_now ? "" : " ",
			     view->binds_now ? "" : "-Wl,-z,now");
}

static void check_file(const char *file)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GMappedFile) map = g_mapped_file_new(file, FALSE, &error);
	const char *why;
	ElfView view;

	if (!map) {
		check_report(CHECK_FAIL, "symbols", "%s", error->message);
		return;
	}
	gsize len = g_mapped_file_get_length(map);
	if (len > MAX_FILE_BYTES)
		check_report(CHECK_FAIL, "symbols", "the file is larger than any plugin");
	else if (!elf_view_open((const guint8 *)g_mapped_file_get_contents(map), len, &view, &why))
		check_report(CHECK_FAIL, "symbols", "%s", why);
	else
		judge_elf(&view);
}

static void check_name(const char *file, const Plugin *plugin)
{
	g_autofree char *base = g_path_get_basename(file);
	g_autofree char *expected = g_strdup_printf("ctprof-%s.so", plugin_name(plugin));

	if (strcmp(base, expected) == 0)
		check_report(CHECK_OK, "name", "%s", plugin_name(plugin));
	else
		check_report(CHECK_FAIL, "name",
			     "the file must be named %s, or ctprof does not find it", expected);
}

static guint faults; /* of the current check */

#define fail(check, ...) (check_report(CHECK_FAIL, check, __VA_ARGS__), (void)faults++)

/* Reports a number that this ctprof does not know: it is wrong, unless a newer ABI defines it. */
static void report_unknown(const Plugin *plugin, const char *check, const char *what,
			   guint32 number)
{
	if (plugin->descriptor.abi_minor > CTPROF_ABI_MINOR)
		check_report(CHECK_NOTE, check, "%s %u is unknown here", what, number);
	else
		fail(check, "%s %u is unknown", what, number);
}

static gboolean is_line(const char *text)
{
	return text && text[0] && !strpbrk(text, "\n\r\t") && g_utf8_validate(text, -1, NULL);
}

/* Checks that a struct_size is possible: this host's, an older one's, or a newer one's. */
static void check_size(const char *what, guint32 given, gsize known)
{
	if (given < known)
		check_report(CHECK_NOTE, "descriptor", "%s: of an older ABI, %u bytes of %zu", what,
			     given, known);
	if (given > known)
		check_report(CHECK_NOTE, "descriptor",
			     "%s: of a newer ABI: %u bytes, only the first %zu are checked", what,
			     given, known);
	if (given % sizeof(gpointer) != 0)
		fail("descriptor", "the struct_size of %s is impossible: %u", what, given);
}

static void check_descriptor(const Plugin *plugin)
{
	const struct ctprof_plugin *d = &plugin->descriptor;
	gboolean is_source = d->kind == CTPROF_KIND_SOURCE;
	const char *model = word_of(thread_models, G_N_ELEMENTS(thread_models), d->thread_model);
	const char *cost = word_of(costs, G_N_ELEMENTS(costs), d->cost);

	faults = 0;
	check_size("the descriptor", d->struct_size, sizeof *d);
	check_size("the ops", is_source ? plugin->source.struct_size : plugin->sink.struct_size,
		   is_source ? sizeof plugin->source : sizeof plugin->sink);
	if (!is_line(d->version) || !is_line(d->summary))
		fail("descriptor", "version and summary must be one line of UTF-8 each");
	else if (g_str_has_suffix(d->summary, "."))
		fail("descriptor", "the summary must not end with a full stop");
	if (!model)
		report_unknown(plugin, "descriptor", "the thread_model", d->thread_model);
	if (!is_source && d->thread_model != CTPROF_THREADS_SERIAL)
		fail("descriptor", "the thread_model of a sink must be serial");
	if (!cost)
		report_unknown(plugin, "descriptor", "the cost", d->cost);
	if (d->abi_minor > CTPROF_ABI_MINOR)
		check_report(CHECK_NOTE, "descriptor",
			     "made for ABI %u.%u, but this is %u.%u, without the newer functions",
			     d->abi_major, d->abi_minor, CTPROF_ABI_MAJOR, CTPROF_ABI_MINOR);
	if (is_source && !plugin->source.worker_open != !plugin->source.worker_close)
		fail("descriptor", "worker_open and worker_close must be both set or both NULL");
	if (faults == 0)
		check_report(CHECK_OK, "descriptor", "%s, %s, %s, ABI %u.%u",
			     is_source ? "source" : "sink", model ? model : "?", cost ? cost : "?",
			     d->abi_major, d->abi_minor);
}

static gboolean is_below_a_root(const char *name)
{
	static const char *const roots[] = {"proc/", "sys/", "cgroup/"};

	for (guint i = 0; i < G_N_ELEMENTS(roots); i++)
		if (g_str_has_prefix(name, roots[i]))
			return TRUE;
	return FALSE;
}

static void check_need(const Plugin *plugin, const struct ctprof_need *need, guint i)
{
	const struct need_rule *rule = NULL;

	for (guint r = 0; r < G_N_ELEMENTS(need_rules); r++)
		if (need_rules[r].kind == need->kind)
			rule = &need_rules[r];
	if (!rule) {
		report_unknown(plugin, "needs", "the kind of need", need->kind);
		return;
	}
	if (!is_line(need->name) || !is_line(need->why))
		fail("needs", "need %u: name and why must be one line of UTF-8 each", i);
	else if (rule->prefix && !g_str_has_prefix(need->name, rule->prefix))
		fail("needs", "'%s' does not begin with %s", need->name, rule->prefix);
	else if (!rule->prefix && !is_below_a_root(need->name))
		fail("needs", "'%s' does not begin with proc/, sys/ or cgroup/", need->name);
	if (need->required > 1)
		fail("needs", "need %u: required is 0 or 1", i);
}

static void check_needs(const Plugin *plugin)
{
	faults = 0;
	for (guint i = 0; i < plugin->descriptor.n_needs; i++) {
		const struct ctprof_need need = plugin_need(plugin, i);

		if (need.struct_size != plugin->descriptor.needs->struct_size)
			fail("needs", "need %u: its struct_size differs from that of the first", i);
		check_need(plugin, &need, i);
	}
	if (faults == 0)
		check_report(CHECK_OK, "needs", "%u declared", plugin->descriptor.n_needs);
}

void check_load(gconstpointer data)
{
	const CheckRequest *request = data;
	g_autoptr(GError) error = NULL;

	check_report_op("load");
	g_autoptr(Plugin) plugin = loader_load_file(request->file, &error);
	if (!plugin) {
		check_report(CHECK_FAIL, "load", "%s", error->message);
		return;
	}
	check_report(CHECK_OK, "load", "%s", "");
	check_name(request->file, plugin);
	check_file(plugin->file);
	check_descriptor(plugin);
	check_needs(plugin);
}
