/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a source of threads on a host that the test can make fail. */
#pragma once

#include "fakehost.h"

/* The root of this machine's own processes. */
#define LIVE_PROC G_DIR_SEPARATOR_S "proc"

struct run {
	char *root; /* the tree that the test writes; NULL: another root is read */
	FakeHost *fake;
	struct ctprof_host table;
	const struct ctprof_source_ops *ops;
	void *self, *worker;
};

/* Prepares a run over a given proc root, or over one that the test writes and that is empty at
 * first.  It is not begun, so that options and wanted metrics can be set. */
void run_init(struct run *run, const char *proc, gboolean live);
void run_init_tree(struct run *run);
void run_clear(struct run *run);
#define RUN __attribute__((cleanup(run_clear))) struct run

/* From now on, opening paths that end in suffix fails; NULL: no path. */
void run_inject(const char *suffix, int err);
/* Sets whether the host reports its roots as live. */
void run_set_live(gboolean live);
/* Opens a file as the host table's open_file does without injected errors. */
int run_open_file(const struct ctprof_host *host, int dirfd, const char *path);

/* Opens the source and one worker. */
void run_begin(struct run *run);
/* Reads the threads added to the host so far. */
void run_threads(struct run *run);
void run_close_worker(struct run *run);
/* Ends the worker and collects the tallies. */
void run_summary(struct run *run);

void run_write(struct run *run, const char *path, const char *text);
void run_write_thread(struct run *run, int tgid, int tid, const char *file, const char *format, ...)
	G_GNUC_PRINTF(5, 6);
void run_remove(struct run *run, int tgid, int tid, const char *file);
/* Writes all files of a thread, using its TID for some values, and adds it to the host. */
void run_add_thread(struct run *run, int tgid, int tid, const char *comm);

/* The beginning of a text that stands for a file that does not answer: run_gated_read() reads it
 * only while the gate is open. */
#define RUN_STUCK "Stuck: 1 kB\n"
void run_set_gate(gboolean is_open);
ssize_t run_gated_read(int fd, void *buf, size_t size);

/* Returns the number of entries of that directory of our own process: "task", "fd". */
guint run_count_own(const char *folder);
