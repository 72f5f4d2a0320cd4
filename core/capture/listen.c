/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "listen.h"

#include "base/lock.h"
#include "guard/crash.h"
#include "guard/priority.h"

/* How often to drain: waking up for each record would cost five times as much. */
#define DRAIN_EVERY_US (G_USEC_PER_SEC / 20)

struct listener {
	GPtrArray *sources; /* Plugin *: those that listen */
	char *why;          /* why the last source failed to listen; NULL: none was asked */
	GThread *thread;    /* NULL: not running */
	GMutex lock;
	GCond stop;
	gboolean stopped;
};

static void drain(Listener *listener)
{
	for (guint i = 0; i < listener->sources->len; i++)
		plugin_drain(g_ptr_array_index(listener->sources, i));
}

static gpointer listener_main(gpointer data)
{
	Listener *listener = data;

	crash_init_thread();
	/* If draining waited for the load, the kernel's buffer could overflow. */
	priority_note_light();
	HOLD(&listener->lock);
	do {
		gint64 next = g_get_monotonic_time() + DRAIN_EVERY_US;

		g_mutex_unlock(&listener->lock);
		drain(listener);
		g_mutex_lock(&listener->lock);
		while (!listener->stopped &&
		       g_cond_wait_until(&listener->stop, &listener->lock, next))
			continue;
	} while (!listener->stopped);
	return NULL;
}

static void listen_to(Listener *listener, Plugin *plugin)
{
	g_autoptr(GError) error = NULL;

	plugin_start(plugin);
	if (plugin_can_listen(plugin) && plugin_listen(plugin, &error)) {
		g_ptr_array_add(listener->sources, plugin);
		return;
	}
	g_free(listener->why);
	listener->why = g_strdup_printf("%s: %s", plugin_name(plugin),
					error ? error->message : plugin->why);
}

Listener *listener_new(GPtrArray *plugins, const Registry *registry)
{
	Listener *listener = g_new0(Listener, 1);

	g_mutex_init(&listener->lock);
	g_cond_init(&listener->stop);
	listener->sources = g_ptr_array_new();
	for (guint i = 0; i < plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(plugins, i);

		/* With two sources, every thread that ends would have two rows. */
		if (listener->sources->len == 0 && plugin_can_listen(plugin) &&
		    registry_provides(registry, plugin_name(plugin), ROW_EXIT))
			listen_to(listener, plugin);
	}
	return listener;
}

void listener_start(Listener *listener)
{
	/* The thread still runs if the last sample failed.  If it cannot be started, all records
	 * until the end must fit into the kernel's buffer. */
	if (listener->sources->len > 0 && !listener->thread) {
		listener->stopped = FALSE;
		listener->thread =
			g_thread_try_new("ctprof-listener", listener_main, listener, NULL);
	}
}

const char *listener_failure(const Listener *listener)
{
	if (listener->sources->len > 0)
		return NULL;
	return listener->why ? listener->why : "no plugin that records them is loaded";
}

const GPtrArray *listener_stop(Listener *listener)
{
	g_mutex_lock(&listener->lock);
	listener->stopped = TRUE;
	g_cond_signal(&listener->stop);
	g_mutex_unlock(&listener->lock);
	if (listener->thread)
		g_thread_join(g_steal_pointer(&listener->thread));
	return listener->sources;
}

void listener_free(Listener *listener)
{
	listener_stop(listener);
	g_ptr_array_unref(listener->sources);
	g_mutex_clear(&listener->lock);
	g_cond_clear(&listener->stop);
	g_free(listener->why);
	g_free(listener);
}
