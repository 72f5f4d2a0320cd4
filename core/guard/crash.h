/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A page that a process running plugins shares with its supervisor
 * (supervise.h): which plugin each thread is in, which thread crashed, how much
 * of the output is written.  Also the handlers of crashes and interrupts.
 */
#pragma once

#include <glib.h>
#include <limits.h>
#include <signal.h>

#include "trespass.h"

/* The maximum of --jobs workers, the main thread, and the one that drains. */
#define CRASH_MAX_THREADS 1026

/* How much of its result the process has handed out. */
enum crash_output {
	CRASH_NOTHING_OUT,
	CRASH_PARTLY_OUT, /* to a pipe or device: starting again would repeat it */
	CRASH_ALL_OUT,
};

/* Where a thread is. */
typedef struct crash_blame {
	guint32 moves;   /* odd: in the plugin; atomic */
	guint32 is_left; /* the thread has ended: another may have the place; atomic */
	gint32 tid;
	char op[32], plugin[NAME_MAX + 1];
} CrashBlame;

/* Shared with the supervisor; all zeros when a process starts. */
typedef struct crash_page {
	guint32 n_blames; /* may exceed CRASH_MAX_THREADS; atomic */
	guint32 crashed;  /* index of the thread in blames + 1; 0: none; atomic */
	enum crash_output output;
	enum trespass trespass; /* why the process has ended itself */
	gboolean is_finished;   /* it exits because its work is done */
	gint32 status;          /* with which, if so */
	CrashBlame blames[CRASH_MAX_THREADS];
} CrashPage;

/* Makes the page and installs the handlers; once, from main. */
void crash_init(void);
/* Makes another page: for a supervisor beside another. */
void crash_init_page(void);
/* Clears the page for the next process.  The calling thread is not registered
 * any more, and must not call plugins. */
CrashPage *crash_reset(void);
/* What the page says once its process has ended, in memory of our own: a process that
 * this one has left behind may go on writing. */
CrashPage *crash_read(void);
/* Registers the calling thread in the page. */
void crash_register(void);
/* For new threads: also sets up a stack on which a stack overflow is handled.  Their place in
 * the page is free again when they end. */
void crash_init_thread(void);

/* Until crash_leave(), a crash of this thread is blamed on op of plugin; also within another
 * op, which is then entered again. */
void crash_enter(const char *plugin, const char *op);
/* Ends the process if the op has done to it what a plugin must not do. */
void crash_leave(void);
/* Leaves the op for as long as the host waits for a reader or terminal. */
void crash_pause(void);
void crash_return(void);
/* The op makes progress: it does not hang. */
void crash_progress(void);

/* FALSE: a plugin has written over the page. */
gboolean crash_is_legible(const CrashPage *page);
/* The thread, and so the plugin, that crashed or exited; NULL: none, or unknown. */
const CrashBlame *crash_find_culprit(const CrashPage *page);
/* "SIGSEGV"; NULL for signals that do not mean a crash. */
const char *crash_signal_name(int number);

void crash_set_output(enum crash_output output);
/* Ends the process as one that failed and has said why. */
G_NORETURN void crash_fail(void);
/* Asked when a thread crashes, unless NULL: TRUE: it has said why, and no plugin is to blame. */
extern gboolean (*crash_excuse)(void);

/* The signals that interrupt, less those that are ignored (nohup). */
void crash_list_interrupts(sigset_t *ret_set);
/* Whether such a signal came; a second one ends the process. */
gboolean crash_interrupted(void);
/* The same; sets the error that says so. */
gboolean crash_fail_interrupted(GError **error);
/* Takes the signal that came away, 0: none, so that work can go on: for what is to be
 * done with what there is.  crash_note_signal() puts it back. */
int crash_take_signal(void);
/* Acts as if that signal had come. */
void crash_note_signal(int number);
/* Ends the process as that signal would have; returns if none came. */
void crash_reraise(void);
