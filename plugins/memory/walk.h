/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of one file system, depth first, entries of a directory in order of
 * their bytes: one at a time, so that it can pause where a batch is full.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "pool.h"
#include "text.h"

/* Each directory on the way down is open. */
#define WALK_DEPTH_MAX 256u
/* Entries of all file systems of one walk. */
#define WALK_ENTRIES_MAX (1u << 20)
#define WALK_PATH_MAX 4096u

struct walk_entry {
	struct text path;
	const char *kind;   /* "mount", "dir", "file", ... */
	uint64_t allocated; /* bytes of memory and swap; its own, not of what is below */
	uint64_t logical;
	uint32_t depth; /* 0: the root */
	bool linked;    /* a later name of what has come before: amounts 0 */
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
	uint64_t left;  /* entries that may still come */
	bool truncated; /* more than that many were there */
	/* The walk's own. */
	bool at_root;
	int root_fd; /* until it is opened */
	dev_t device;
	struct pool links; /* inodes of several names that have come */
	size_t depth;
	struct walk_frame frames[WALK_DEPTH_MAX];
	struct stat status; /* of the entry */
	char path[WALK_PATH_MAX];
	size_t path_len; /* of the entry's path */
	size_t root_len; /* of the root's */
};

void walk_init(struct walk *ret);
/* Begins at the root of a file system, fd being of O_PATH and the walk's from
 * now on.  0 or -errno. */
int walk_begin(struct walk *walk, int fd, struct text path);
/* The entry the walk is at; false: it is through. */
bool walk_at(struct walk *walk, struct walk_entry *ret);
/* On to the next one. */
void walk_advance(struct walk *walk);
void walk_clear(struct walk *walk);

/* Sorts a directory's names, each of which is left once: a file that is made anew
 * while readdir() goes may come twice.  How many are left. */
size_t walk_sort_names(char **names, size_t n);
