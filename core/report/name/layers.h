/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The layers of a scx_layered configuration, evaluated on the threads of a capture: the layer that
 * each thread would be in.  Some matchers need facts that no capture has (hints, use of a GPU, the
 * state of the scheduler).  A thread whose layer depends on such a matcher is in "LAYER?".
 */
#pragma once

#include <glib.h>

#define LAYERS_MAX_BYTES (1024 * 1024)

typedef struct layers Layers;

/* The facts known about a thread: only members whose bits are set are valid. */
enum {
	LAYER_CGROUP = 1,
	LAYER_COMM = 2,
	LAYER_PCOMM = 4,
	LAYER_NICE = 8,
	LAYER_UID = 16,
	LAYER_PPID = 32,
	LAYER_RUNTIME = 64, /* run_ns and turns */
	LAYER_TID = 128,    /* tid and tgid: always known */
	LAYER_TGID = 256,
	LAYER_LEADER = 512,
	LAYER_OF_IDS = LAYER_TID | LAYER_TGID | LAYER_LEADER,
	LAYER_KTHREAD = 1024 | LAYER_PPID, /* known with the parent */
};
typedef struct layer_thread {
	guint known; /* LAYER_* */
	const char *cgroup, *comm, *pcomm;
	gint32 tid, tgid;
	gint64 nice;
	guint64 uid, ppid;
	guint64 run_ns, turns; /* on a CPU */
} LayerThread;

/* JSON: [{"name": NAME, "matches": [[{MATCHER: VALUE}, ...], ...]}, ...]: a layer matches if all
 * matchers of one of its lists match.  Errors are usage errors and name the layer. */
Layers *layers_parse(const char *text, gsize length, GError **error);
void layers_free(Layers *layers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Layers, layers_free)

/* Returns the name of the first layer that matches, or "LAYER?"; owned by layers. */
const char *layers_find(const Layers *layers, const LayerThread *thread);
/* Returns a sentence that lists the matchers that cannot be evaluated; NULL: there are none. */
char *layers_complaint(const Layers *layers);
