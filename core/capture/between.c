/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "between.h"

#include "base/lock.h"
#include "guard/crash.h"
#include "guard/priority.h"

/* How often to drain: waking up for each record would cost five times as much. */
#define DRAIN_EVERY_US (G_USEC_PER_SEC / 20)
/* How often to check whether the other process has set may_begin. */
#define LOOK_US (G_USEC_PER_SEC / 100)
/* The shortest time between two samples of a source. */
#define LEAST_US (G_USEC_PER_SEC / 1000)
#define NS_PER_US 1000

struct between {
	GPtrArray *sources; /* Plugin * */
	GArray *due_us;     /* gint64: when to call each of them next */
	/* Calls a source; returns how long to wait until the next call, in µs. */
	gint64 (*call)(Plugin *source);
	const guint *may_begin; /* NULL: at once */
	char *why;              /* why the last source failed to listen; NULL: none was asked */
	GThread *thread;        /* NULL: not running */
	GMutex lock;
	GCond stop;
	gboolean stopped;
};

static gint64 drain(Plugin *source)
{
	plugin_drain(source);
	return DRAIN_EVERY_US;
}

static gint64 sample(Plugin *source)
{
	guint64 wait_ns = 0;

	return plugin_sample(source, &wait_ns) ? MAX((gint64)(wait_ns / NS_PER_US), LEAST_US)
					       : G_MAXINT64;
}

/* Calls the sources that are due; returns the time at which the next one is due, in µs. */
static gint64 call_due(const Between *between)
{
	gint64 next = G_MAXINT64;

	if (between->may_begin && !__atomic_load_n(between->may_begin, __ATOMIC_ACQUIRE))
		return g_get_monotonic_time() + LOOK_US;
	for (guint i = 0; i < between->sources->len; i++) {
		gint64 *due_us = &g_array_index(between->due_us, gint64, i);

		if (*due_us <= g_get_monotonic_time()) {
			gint64 wait_us = between->call(g_ptr_array_index(between->sources, i));

			*due_us = wait_us < G_MAXINT64 ? g_get_monotonic_time() + wait_us
						       : G_MAXINT64;
		}
		next = MIN(next, *due_us);
	}
	return next;
}

static gpointer between_main(gpointer data)
{
	Between *between = data;

	crash_init_thread();
	/* If draining waited for the load, the kernel's buffer could overflow; a late sample would
	 * belong to another moment. */
	priority_note_light();
	HOLD(&between->lock);
	do {
		g_mutex_unlock(&between->lock);
		gint64 next = call_due(between);
		g_mutex_lock(&between->lock);
		while (!between->stopped && g_cond_wait_until(&between->stop, &between->lock, next))
			continue;
	} while (!between->stopped);
	return NULL;
}

static Between *between_new(gint64 (*call)(Plugin *source))
{
	Between *between = g_new0(Between, 1);

	g_mutex_init(&between->lock);
	g_cond_init(&between->stop);
	between->sources = g_ptr_array_new();
	between->due_us = g_array_new(FALSE, TRUE, sizeof(gint64));
	between->call = call;
	return between;
}

static void add_source(Between *between, Plugin *source)
{
	g_ptr_array_add(between->sources, source);
	g_array_set_size(between->due_us, between->sources->len);
}

static void listen_to(Between *between, Plugin *plugin)
{
	g_autoptr(GError) error = NULL;

	plugin_start(plugin);
	if (plugin_can_listen(plugin) && plugin_listen(plugin, &error)) {
		add_source(between, plugin);
		return;
	}
	g_free(between->why);
	between->why = g_strdup_printf("%s: %s", plugin_name(plugin),
				       error ? error->message : plugin->why);
}

Between *between_listen(GPtrArray *plugins, const Registry *registry)
{
	Between *between = between_new(drain);

	for (guint i = 0; i < plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(plugins, i);

		/* If two sources listened, every thread that ends would have two rows. */
		if (between->sources->len == 0 && plugin_can_listen(plugin) &&
		    registry_provides(registry, plugin_name(plugin), ROW_EXIT))
			listen_to(between, plugin);
	}
	return between;
}

Between *between_sample(GPtrArray *plugins, const Registry *registry, const guint *may_begin)
{
	g_autoptr(Between) between = between_new(sample);

	between->may_begin = may_begin;
	for (guint i = 0; i < plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(plugins, i);

		if (!plugin_can_sample(plugin) ||
		    !registry_provides(registry, plugin_name(plugin), ROW_HOST))
			continue;
		plugin_start(plugin);
		add_source(between, plugin);
	}
	return between->sources->len > 0 ? g_steal_pointer(&between) : NULL;
}

const char *between_failure(const Between *between)
{
	if (between->sources->len > 0)
		return NULL;
	return between->why ? between->why : "no plugin that records them is loaded";
}

void between_start(Between *between)
{
	/* The thread still runs if the last sample failed.  If it cannot be started, the kernel's
	 * buffer must hold all records until the end. */
	if (!between || between->sources->len == 0 || between->thread)
		return;
	between->stopped = FALSE;
	between->thread = g_thread_try_new("ctprof-between", between_main, between, NULL);
}

const GPtrArray *between_stop(Between *between)
{
	if (!between)
		return NULL;
	g_mutex_lock(&between->lock);
	between->stopped = TRUE;
	g_cond_signal(&between->stop);
	g_mutex_unlock(&between->lock);
	if (between->thread)
		g_thread_join(g_steal_pointer(&between->thread));
	return between->sources;
}

void between_free(Between *between)
{
	between_stop(between);
	g_ptr_array_unref(between->sources);
	g_array_unref(between->due_us);
	g_mutex_clear(&between->lock);
	g_cond_clear(&between->stop);
	g_free(between->why);
	g_free(between);
}
