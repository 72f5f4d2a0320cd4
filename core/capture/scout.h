/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds processes of which not even small files can be read.
 *
 * A process that is becoming another program holds its exec_update_lock, and what the
 * kernel does meanwhile (closing files, which a file system in user space need not
 * answer) may last for ever.  Who reads its io, maps or, since Linux 6.18, stat waits as
 * long.  So threads of the scout's own, which can be left behind, ask each process
 * before the workers do.
 */
#pragma once

#include <glib.h>

#include "base/root.h"

typedef struct scout Scout;

/* Asks processes, in this order, below a live root; NULL: no thread can be had. */
Scout *scout_new(const Root *root, const GArray *pids);
/* Leaves those threads behind that do not return. */
void scout_free(Scout *scout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Scout, scout_free)

enum scout_news {
	SCOUT_ANSWERS,
	SCOUT_SILENT,
	SCOUT_UNKNOWN, /* it is being waited for */
};

/* What is known of process number i of the array; may_wait: until it is.  Callers take
 * turns, and ask of one process after the other. */
enum scout_news scout_ask(Scout *scout, guint i, gboolean may_wait);
