/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A page that a process running plugins shares with its supervisor
 * (supervise.h): which plugin each thread is in, which thread crashed, how much
 * of the output is written.  It also has the handlers of crashes and interrupts.
 */
#pragma once

#include <glib.h>
#include <limits.h>
#include <signal.h>

#include "trespass.h"

/* The maximum number of --jobs workers, the main thread, and the thread that drains. */
#define CRASH_MAX_THREADS 1026

/* How much of its result the process has written out. */
enum crash_output {
	CRASH_NOTHING_OUT,
	CRASH_PARTLY_OUT, /* to a pipe or device: a second run would repeat it */
	CRASH_ALL_OUT,
};

/* The plugin op in which a thread is. */
typedef struct crash_blame {
	guint32 moves;   /* odd while in the plugin; atomic */
	guint32 is_left; /* the thread has ended, so another may take the place; atomic */
	gint32 tid;
	char op[32], plugin[NAME_MAX + 1];
} CrashBlame;

/* Shared with the supervisor; all zeros when a process starts. */
typedef struct crash_page {
	guint32 n_blames; /* may exceed CRASH_MAX_THREADS; atomic */
	guint32 crashed;  /* index of the thread in blames + 1; 0: none; atomic */
	enum crash_output output;
	enum trespass trespass; /* why the process has ended itself */
	gboolean is_finished;   /* the process exits because its work is done */
	gint32 status;          /* its exit status if is_finished */
	CrashBlame blames[CRASH_MAX_THREADS];
} CrashPage;

/* Makes the page and installs the handlers; once, from main. */
void crash_init(void);
/* Makes another page, for a second supervisor. */
void crash_init_page(void);
/* Clears the page for the next process.  The calling thread is not registered
 * any more, and must not call plugins. */
CrashPage *crash_reset(void);
/* Returns a private copy of the page, valid until the next call: the process, if it was
 * abandoned, may go on writing to the page itself. */
CrashPage *crash_read(void);
/* Registers the calling thread in the page. */
void crash_register(void);
/* For new threads: registers the calling thread, and gives it a stack on which to handle a stack
 * overflow.  Its place in the page is free again when it ends. */
void crash_init_thread(void);

/* Until crash_leave(), a crash of this thread is blamed on op of plugin.  Calls nest: leaving
 * an inner op returns to the outer one. */
void crash_enter(const char *plugin, const char *op);
/* Ends the process if the op has done something to it that a plugin must not do (trespass.h). */
void crash_leave(void);
/* Leaves the op for as long as the host waits for a reader or terminal. */
void crash_pause(void);
void crash_return(void);
/* Notes that the op has made progress: it does not hang. */
void crash_progress(void);

/* FALSE: a plugin has overwritten the page. */
gboolean crash_is_legible(const CrashPage *page);
/* Returns the place of the thread in a plugin that crashed or exited; NULL: none, or unknown. */
const CrashBlame *crash_find_culprit(const CrashPage *page);
/* Returns "SIGSEGV"; NULL for signals that do not mean a crash. */
const char *crash_signal_name(int number);

void crash_set_output(enum crash_output output);
/* Ends the process with EXIT_FAILED; the caller has printed the error. */
G_NORETURN void crash_fail(void);
/* Called when a thread crashes, if not NULL. TRUE: it has printed why; no plugin is to blame. */
extern gboolean (*crash_excuse)(void);

/* Sets *ret_set to the signals that interrupt, except those that are ignored (nohup). */
void crash_list_interrupts(sigset_t *ret_set);
/* Whether such a signal has arrived; a second one ends the process. */
gboolean crash_interrupted(void);
/* Whether a signal has arrived; sets the error if so. */
gboolean crash_fail_interrupted(GError **error);
/* Returns the signal that has arrived (0: none) and clears it, so that the results so far can
 * be processed.  crash_note_signal() puts it back. */
int crash_take_signal(void);
/* Notes the signal as if it had arrived now. */
void crash_note_signal(int number);
/* Ends the process as that signal would have; returns if none has arrived. */
void crash_reraise(void);
