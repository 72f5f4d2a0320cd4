/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a process that runs plugins tells whoever supervises it (supervise.h),
 * as it goes and as it dies: which plugin each thread is in, which thread it
 * was that crashed, what of the output is there.  And what an interrupt means.
 */
#pragma once

#include <glib.h>
#include <limits.h>
#include <signal.h>

/* A worker each, as many as --jobs takes, and the main thread. */
#define CRASH_MAX_THREADS 1025

/* How much of its result the process has handed out. */
enum crash_output {
	CRASH_NOTHING_OUT,
	CRASH_PARTLY_OUT, /* to a pipe or device: beginning again would spoil it */
	CRASH_ALL_OUT,
};

/* Where a thread is. */
typedef struct crash_blame {
	guint32 moves;       /* odd: in the plugin; atomic */
	guint32 seen, ticks; /* the supervisor's own */
	char op[32], plugin[NAME_MAX + 1];
} CrashBlame;

/* Shared with the supervisor; of zeros when a process begins. */
typedef struct crash_page {
	guint32 n_blames; /* may exceed what there is; atomic */
	guint32 crashed;  /* the thread's place in blames + 1; atomic */
	enum crash_output output;
	gboolean is_finished; /* it ends because its work has */
	gboolean is_doomed;
	char doomed[PATH_MAX]; /* file to remove when the process ends early */
	CrashBlame blames[CRASH_MAX_THREADS];
} CrashPage;

/* Makes the page and installs the handlers; once, from main. */
void crash_init(void);
/* Empties the page, for a process about to be made.  The caller has no place in
 * it any more, and calls no plugin. */
CrashPage *crash_renew(void);
/* Gives the calling thread a place in the page. */
void crash_take_place(void);
/* And a stack on which a stack overflow can be told: for new threads. */
void crash_init_thread(void);

/* From now on a crash of this thread is plugin's, in op, until it leaves. */
void crash_enter(const char *plugin, const char *op);
void crash_leave(void);
/* Back into what it left, to let the host wait for a reader or a terminal. */
void crash_return(void);
/* It has got somewhere, and does not hang. */
void crash_progress(void);

/* The plugin a crash was in, or an exit, or NULL: none, or nobody knows. */
const CrashBlame *crash_find_culprit(const CrashPage *page);
/* "SIGSEGV"; NULL for signals that do not mean a crash. */
const char *crash_signal_name(int number);

/* The file to remove when the process ends early; NULL: none. */
void crash_unlink(const char *path);
/* Removes it. */
void crash_remove_unlinked(void);
void crash_set_output(enum crash_output output);

/* The signals that interrupt, less those that are ignored (nohup). */
void crash_list_interrupts(sigset_t *ret_set);
/* Whether such a signal came; a second one ends the process. */
gboolean crash_interrupted(void);
/* As if the signal, any signal, had come. */
void crash_note_signal(int number);
/* Ends the process as that signal would have; returns if none came. */
void crash_reraise(void);
