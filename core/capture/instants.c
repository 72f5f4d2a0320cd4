/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "instants.h"

#include "base/lock.h"
#include "guard/crash.h"
#include "guard/priority.h"

#define NS_PER_US 1000
/* How often to check whether the other process has set may_begin. */
#define LOOK_US (G_USEC_PER_SEC / 100)
/* The shortest time between two calls of a source. */
#define LEAST_US (G_USEC_PER_SEC / 1000)

typedef struct sampled {
	Plugin *plugin;
	gint64 due_us;
} Sampled;

struct instants {
	GArray *sources; /* Sampled */
	const guint *may_begin;
	GThread *thread; /* NULL: not running */
	GMutex lock;
	GCond stop;
	gboolean stopped;
};

static gboolean may_begin(const Instants *instants)
{
	return !instants->may_begin || __atomic_load_n(instants->may_begin, __ATOMIC_ACQUIRE);
}

/* Calls the sources that are due; returns the time at which the next one is due, in µs. */
static gint64 sample(const Instants *instants)
{
	gint64 next = G_MAXINT64;

	if (!may_begin(instants))
		return g_get_monotonic_time() + LOOK_US;
	for (guint i = 0; i < instants->sources->len; i++) {
		Sampled *source = &g_array_index(instants->sources, Sampled, i);
		guint64 wait_ns = 0;

		if (source->due_us <= g_get_monotonic_time())
			source->due_us =
				plugin_sample(source->plugin, &wait_ns)
					? g_get_monotonic_time() +
						  MAX((gint64)(wait_ns / NS_PER_US), LEAST_US)
					: G_MAXINT64;
		next = MIN(next, source->due_us);
	}
	return next;
}

static gpointer instants_main(gpointer data)
{
	Instants *instants = data;

	crash_init_thread();
	/* A late sample would be one of another moment. */
	priority_note_light();
	HOLD(&instants->lock);
	while (!instants->stopped) {
		g_mutex_unlock(&instants->lock);
		gint64 next = sample(instants);
		g_mutex_lock(&instants->lock);
		while (!instants->stopped &&
		       g_cond_wait_until(&instants->stop, &instants->lock, next))
			continue;
	}
	return NULL;
}

Instants *instants_new(GPtrArray *plugins, const Registry *registry, const guint *may_begin)
{
	g_autoptr(GArray) sources = g_array_new(FALSE, FALSE, sizeof(Sampled));

	for (guint i = 0; i < plugins->len; i++) {
		const Sampled source = {.plugin = g_ptr_array_index(plugins, i)};

		if (!plugin_can_sample(source.plugin) ||
		    !registry_provides(registry, plugin_name(source.plugin), ROW_HOST))
			continue;
		plugin_start(source.plugin);
		g_array_append_val(sources, source);
	}
	if (sources->len == 0)
		return NULL;
	Instants *instants = g_new0(Instants, 1);
	g_mutex_init(&instants->lock);
	g_cond_init(&instants->stop);
	instants->sources = g_steal_pointer(&sources);
	instants->may_begin = may_begin;
	return instants;
}

void instants_start(Instants *instants)
{
	if (!instants || instants->thread)
		return;
	instants->stopped = FALSE;
	instants->thread = g_thread_try_new("ctprof-looks", instants_main, instants, NULL);
}

void instants_stop(Instants *instants)
{
	if (!instants)
		return;
	g_mutex_lock(&instants->lock);
	instants->stopped = TRUE;
	g_cond_signal(&instants->stop);
	g_mutex_unlock(&instants->lock);
	if (instants->thread)
		g_thread_join(g_steal_pointer(&instants->thread));
}

void instants_free(Instants *instants)
{
	instants_stop(instants);
	g_array_unref(instants->sources);
	g_mutex_clear(&instants->lock);
	g_cond_clear(&instants->stop);
	g_free(instants);
}
