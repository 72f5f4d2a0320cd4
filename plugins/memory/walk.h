/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walks the files of one file system, depth first, entries of a directory in byte order: one at a
 * time, so that it can pause when a batch is full.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "pool.h"
#include "text.h"

/* Each directory on the way down stays open. */
#define WALK_DEPTH_MAX 256u
/* Maximum entries in all file systems of one walk. */
#define WALK_ENTRIES_MAX (1u << 20)
#define WALK_PATH_MAX 4096u

struct walk_entry {
	struct text path;
	const char *kind;   /* "mount", "dir", "file", ... */
	uint64_t allocated; /* bytes of memory and swap of the entry itself, without its contents */
	uint64_t logical;
	uint32_t depth; /* 0: the root */
	bool linked;    /* a later name of an earlier entry: amounts are 0 */
};

struct walk_frame {
	DIR *dir;
	char *names;    /* NUL after each */
	char **entries; /* sorted */
	size_t n, next;
	size_t path_len;
};

struct walk {
	uint64_t unreadable;
	uint64_t left;  /* number of entries still allowed */
	bool truncated; /* there were more entries */
	/* Internal. */
	bool at_root;
	int root_fd; /* until it is opened */
	dev_t device;
	struct pool links; /* visited inodes with several names */
	size_t depth;
	struct walk_frame frames[WALK_DEPTH_MAX];
	struct stat status; /* of the entry */
	char path[WALK_PATH_MAX];
	size_t path_len; /* of the entry's path */
};

void walk_init(struct walk *ret);
/* Begins at the root of a file system; takes ownership of fd, which must be opened with O_PATH.  0
 * or -errno. */
int walk_begin(struct walk *walk, int fd, struct text path);
/* Returns the current entry; false: the walk is done. */
bool walk_at(struct walk *walk, struct walk_entry *ret);
/* Moves to the next entry. */
void walk_advance(struct walk *walk);
void walk_clear(struct walk *walk);

/* Sorts a directory's names and drops duplicates: a file recreated during
 * readdir() may appear twice.  Returns the number left. */
size_t walk_sort_names(char **names, size_t n);
