/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of host functions that is lent to a plugin. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "base/lock.h"
#include "base/ui.h"
#include "guard/crash.h"
#include "guard/priority.h"
#include "guard/userfile.h"
#include "plugin.h"
#include "row/batch.h"

/* Warnings shown per plugin: more mean an error in the plugin, and take time. */
#define MAX_WARNINGS 1000u

static Plugin *plugin_of(const struct ctprof_host *host)
{
	return host->handle;
}

static CTPROF_PRINTF(3, 4) void host_log(const struct ctprof_host *host, guint32 level,
					 const char *format, ...)
{
	Plugin *plugin = plugin_of(host);
	const char *name = plugin_name(plugin);
	guint n = level > CTPROF_LOG_WARNING
			  ? 0
			  : __atomic_add_fetch(&plugin->n_warnings, 1, __ATOMIC_RELAXED);
	va_list ap;

	if (n > MAX_WARNINGS)
		return;
	va_start(ap, format);
	g_autofree char *text = n == MAX_WARNINGS ? g_strdup("its further warnings are left out")
						  : g_strdup_vprintf(format, ap);
	va_end(ap);
	crash_pause();
	if (level <= CTPROF_LOG_WARNING)
		ui_warning("%s: %s", name, text);
	else
		ui_verbose(level <= CTPROF_LOG_INFO ? 1 : 2, "%s: %s", name, text);
	crash_return();
}

static CTPROF_PRINTF(2, 3) void host_error(const struct ctprof_host *host, const char *format, ...)
{
	Plugin *plugin = plugin_of(host);
	va_list ap;

	va_start(ap, format);
	char *text = g_strdup_vprintf(format, ap);
	va_end(ap);
	HOLD(&plugin->lock);
	g_free(plugin->said);
	plugin->said = text;
}

static int host_root(const struct ctprof_host *host, guint32 which)
{
	return root_fd(plugin_of(host)->root, which);
}

static int host_live(const struct ctprof_host *host)
{
	return root_is_live(plugin_of(host)->root);
}

static int host_open_file(const struct ctprof_host *host, int dirfd, const char *path)
{
	(void)host;
	if (dirfd == AT_FDCWD)
		return userfile_open(path, O_NONBLOCK);
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	crash_progress();
	return fd >= 0 ? fd : -errno;
}

static void host_progress(const struct ctprof_host *host)
{
	(void)host;
	crash_progress();
}

/* Accepts only a child: a plugin must not raise other processes of the host. */
static void host_raise(const struct ctprof_host *host, gint32 pid, int raise)
{
	siginfo_t info;

	(void)host;
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
		priority_lend(pid, raise);
}

static const char *host_option(const struct ctprof_host *host, const char *key)
{
	Plugin *plugin = plugin_of(host);
	g_autofree char *full = g_strconcat(plugin_name(plugin), ".", key, NULL);

	return g_hash_table_lookup(plugin->options, full);
}

/* Registers a copy of the metric, of the size that this host knows. */
static int host_metric(const struct ctprof_host *host, const struct ctprof_metric *metric,
		       guint32 *ret_slot)
{
	Plugin *plugin = plugin_of(host);
	struct ctprof_metric own = {0};
	const char *why;

	memcpy(&own, metric, MIN(metric->struct_size, sizeof own));
	own.struct_size = sizeof own;
	int result = registry_add(plugin->registry, plugin_name(plugin), &own, ret_slot, &why);
	if (result < 0)
		host_error(host, "metric '%s': %s", own.name ? own.name : "(no name)", why);
	return result;
}

static int host_wanted(const struct ctprof_host *host, guint32 slot)
{
	const Metric *metric = registry_slot(plugin_of(host)->registry, slot);

	return metric && metric_is_due(metric);
}

static void host_finding(const struct ctprof_host *host, const struct ctprof_finding *finding)
{
	Plugin *plugin = plugin_of(host);
	struct ctprof_finding own = {0};

	memcpy(&own, finding, MIN(finding->struct_size, sizeof own));
	if (!own.group)
		return;
	Finding *copy = g_new0(Finding, 1);
	copy->state = own.state;
	copy->group = g_strdup(own.group);
	copy->why = g_strdup(own.why);
	copy->remedy = g_strdup(own.remedy);
	g_ptr_array_add(plugin->findings, copy);
}

static int host_write(const struct ctprof_host *host, const void *data, size_t size)
{
	Plugin *plugin = plugin_of(host);

	if (!plugin->output)
		return -EBADF;
	crash_pause();
	int result = output_write(plugin->output, data, size);
	crash_return();
	return result;
}

static guint64 host_count_threads(const struct ctprof_host *host, guint64 enough)
{
	const Plugin *plugin = plugin_of(host);

	return plugin->count_threads ? plugin->count_threads(plugin->capture, enough) : 0;
}

void plugin_lend_host(Plugin *plugin)
{
	plugin->host = (struct ctprof_host){
		.struct_size = sizeof plugin->host,
		.abi_minor = CTPROF_ABI_MINOR,
		.handle = plugin,
		.log = host_log,
		.error = host_error,
		.root = host_root,
		.live = host_live,
		.open_file = host_open_file,
		.option = host_option,
		.metric = host_metric,
		.wanted = host_wanted,
		.finding = host_finding,
		.write = host_write,
		.count_threads = host_count_threads,
		.progress = host_progress,
		.raise = host_raise,
	};
	batch_lend(&plugin->host);
	if (plugin->overlay)
		plugin->overlay(&plugin->host);
}
