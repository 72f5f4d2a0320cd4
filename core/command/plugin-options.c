/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin-options.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/option.h"
#include "base/texts.h"
#include "base/ui.h"
#include "cmd.h"
#include "guard/limits.h"
#include "guard/priority.h"
#include "guard/supervise.h"
#include "plugin/loader.h"

/* type, flags, least, most, name, placeholder, default, help, words, settings */
#define ROW_TYPE "(uuttsmsmssa(sms)as)"
#define ROW_BORROWED "(uutt&sm&sm&s&s@a(sms)^as)"

/* ---- what plugins declare ------------------------------------------------ */

static gboolean is_alike(const struct ctprof_option *a, const struct ctprof_option *b)
{
	gboolean alike = a->type == b->type && a->flags == b->flags && a->least == b->least &&
			 a->most == b->most && a->n_words == b->n_words;

	for (guint i = 0; alike && i < a->n_words; i++)
		alike = strcmp(option_word(a, i)->name, option_word(b, i)->name) == 0;
	return alike;
}

static void add_setting(Option *option, const Plugin *plugin, const struct ctprof_option *row)
{
	texts_append(&option->settings, g_strconcat(plugin_name(plugin), ".", row->name, NULL));
}

static void add_row(GArray *options, const Plugin *plugin, const struct ctprof_option *row)
{
	Option fresh = {.row = *row};

	for (guint i = 0; i < options->len; i++) {
		Option *option = &g_array_index(options, Option, i);

		if (strcmp(option->row.name, row->long_name) != 0)
			continue;
		if (is_alike(&option->row, row))
			add_setting(option, plugin, row);
		else
			ui_warning("plugin %s: its --%s differs from that of %s and is left out",
				   plugin_name(plugin), row->long_name, option->settings[0]);
		return;
	}
	fresh.row.name = row->long_name;
	add_setting(&fresh, plugin, row);
	g_array_append_val(options, fresh);
}

static GPtrArray *load_plugins(const Globals *globals, GError **error)
{
	g_autoptr(Select) select = select_parse(globals->plugins, error);

	if (!select) {
		g_prefix_error(error, "--plugins '%s': ", globals->plugins);
		return NULL;
	}
	if (!limits_check_memory(error))
		return NULL;
	g_autoptr(Loader) loader = loader_new((const char *const *)globals->plugin_path, error);
	return loader ? loader_load(loader, select, NULL, error) : NULL;
}

gboolean plugin_options_load(const Globals *globals, enum plugin_options which,
			     const Option **ret_options, GError **error)
{
	/* Never freed: the rows point into them. */
	static GPtrArray *plugins;
	static GArray *options;
	const Option end = OPTION_END;

	plugins = load_plugins(globals, error);
	if (!plugins)
		return FALSE;
	options = g_array_new(FALSE, FALSE, sizeof(Option));
	for (guint p = 0; p < plugins->len; p++) {
		const Plugin *plugin = g_ptr_array_index(plugins, p);

		for (guint i = 0; i < plugin->descriptor.n_options; i++) {
			const struct ctprof_option row = plugin_option(plugin, i);

			if (row.long_name &&
			    (which == ALL_PLUGIN_OPTIONS || row.flags & CTPROF_OPTION_COST))
				add_row(options, plugin, &row);
		}
	}
	g_array_append_val(options, end);
	*ret_options = &g_array_index(options, const Option, 0);
	return TRUE;
}

/* ---- across the processes ------------------------------------------------ */

static GVariant *pack(const Option *options)
{
	GVariantBuilder rows;

	g_variant_builder_init(&rows, G_VARIANT_TYPE("a" ROW_TYPE));
	for (const Option *option = options; option->row.name; option++) {
		const struct ctprof_option *row = &option->row;
		GVariantBuilder words;

		g_variant_builder_init(&words, G_VARIANT_TYPE("a(sms)"));
		for (guint i = 0; i < row->n_words; i++)
			g_variant_builder_add(&words, "(sms)", option_word(row, i)->name,
					      option_word(row, i)->help);
		g_variant_builder_add(&rows, "(uuttsmsmssa(sms)^as)", row->type, row->flags,
				      row->least, row->most, row->name, row->placeholder,
				      row->default_value, row->help, &words, option->settings);
	}
	return g_variant_ref_sink(g_variant_builder_end(&rows));
}

static void unpack_words(GVariant *packed, struct ctprof_option *row)
{
	gsize n = g_variant_n_children(packed);
	struct ctprof_option_word *words = g_new0(struct ctprof_option_word, n + 1);

	for (gsize i = 0; i < n; i++) {
		words[i].struct_size = sizeof words[i];
		g_variant_get_child(packed, i, "(&sm&s)", &words[i].name, &words[i].help);
	}
	row->words = words;
	row->n_words = (guint32)n;
}

/* Unpacks options; their strings stay in packed. */
static const Option *unpack(GVariant *packed)
{
	gsize n = g_variant_n_children(packed);
	Option *options = g_new0(Option, n + 1);

	for (gsize i = 0; i < n; i++) {
		struct ctprof_option *row = &options[i].row;
		g_autoptr(GVariant) words = NULL;

		g_variant_get_child(packed, i, ROW_BORROWED, &row->type, &row->flags, &row->least,
				    &row->most, &row->name, &row->placeholder, &row->default_value,
				    &row->help, &words, &options[i].settings);
		unpack_words(words, row);
	}
	return options;
}

struct send_request {
	const Globals *globals;
	enum plugin_options which;
	int fd; /* a file in memory */
};

static int step_send(gpointer data, GError **error)
{
	const struct send_request *request = data;
	Priority *raised = request->globals->proc ? NULL : priority_begin(1);
	const Option *options;
	gboolean is_loaded = plugin_options_load(request->globals, request->which, &options, error);

	priority_end(raised);
	if (!is_loaded)
		return EXIT_FAILED;
	g_autoptr(GVariant) packed = pack(options);
	gsize size = g_variant_get_size(packed);
	/* An earlier process that was lost may have written to it. */
	gboolean ok = ftruncate(request->fd, 0) == 0 &&
		      pwrite(request->fd, g_variant_get_data(packed), size, 0) == (gssize)size;
	return EXIT_OF(ok || error_set_errno(error, errno, "cannot list the options of plugins"));
}

static const Option *receive(int fd)
{
	static GVariant *packed;
	static const Option *options;
	off_t size = lseek(fd, 0, SEEK_END);
	char *bytes = g_malloc((gsize)MAX(size, 1));

	if (size < 0 || pread(fd, bytes, (size_t)size, 0) != size)
		size = 0;
	/* Not trusted: a plugin may have written it. */
	packed = g_variant_ref_sink(g_variant_new_from_data(G_VARIANT_TYPE("a" ROW_TYPE), bytes,
							    (gsize)size, FALSE, g_free, bytes));
	options = unpack(packed);
	return options;
}

int plugin_options_fetch(const Globals *globals, enum plugin_options which, gboolean supervised,
			 const Option **ret_options)
{
	struct send_request request = {globals, which, -1};
	g_autoptr(GError) error = NULL;

	if (!supervised)
		return plugin_options_load(globals, which, ret_options, &error)
			       ? EXIT_DONE
			       : error_report(error);
	request.fd = memfd_create("ctprof-options", MFD_CLOEXEC);
	if (request.fd < 0) {
		ui_error("cannot make a file in memory: %s", g_strerror(errno));
		return EXIT_FAILED;
	}
	int status = supervise_run(step_send, &request, NULL);
	if (status == EXIT_DONE)
		*ret_options = receive(request.fd);
	close(request.fd);
	return status;
}
