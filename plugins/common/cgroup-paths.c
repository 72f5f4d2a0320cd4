/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cgroup-paths.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "cleanup.h"
#include "file.h"
#include "list.h"

#define PATH_BYTES 4096u
/* More directories than any host has cgroups. */
#define MOST_GROUPS 262144u

struct group {
	uint64_t inode;
	char *path; /* from the walk's root ("/a.slice/b.service"; the root is ""); after complete()
		     * as the kernel shows it */
};

struct cgroups {
	struct group *groups; /* by inode, once the walk is over */
	size_t n, size;
};

static void free_cgroups(struct cgroups **cgroups)
{
	cgroups_free(*cgroups);
}

void cgroups_free(struct cgroups *cgroups)
{
	if (!cgroups)
		return;
	for (size_t i = 0; i < cgroups->n; i++)
		free(cgroups->groups[i].path);
	free(cgroups->groups);
	free(cgroups);
}

/* ---- the walk --------------------------------------------------------- */

/* Leaves out a group whose path is too long. */
static int add(struct cgroups *cgroups, uint64_t inode, const char *parent, const char *name)
{
	int r = list_reserve(&cgroups->groups, &cgroups->size, cgroups->n + 1, MOST_GROUPS,
			     sizeof *cgroups->groups);
	char path[PATH_BYTES];

	if (r < 0)
		return r;
	int len = snprintf(path, sizeof path, "%s%s%s", parent, *name ? "/" : "", name);
	if (len >= (int)sizeof path)
		return 0;
	char *copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	cgroups->groups[cgroups->n++] = (struct group){inode, copy};
	return 0;
}

/* Adds the subdirectories of group i.  add() may move the groups, but not the path of this one. */
static int add_children(struct cgroups *cgroups, const struct ctprof_host *host, int root, size_t i)
{
	__attribute__((cleanup(file_close_dir))) DIR *dir = NULL;
	const char *path = cgroups->groups[i].path;
	int r = file_open_dir(host, root, *path ? path + 1 : ".", &dir);

	/* The directory may have been removed meanwhile. */
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (const struct dirent *entry; (entry = readdir(dir));) {
		if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		r = add(cgroups, entry->d_ino, path, entry->d_name);
		if (r < 0)
			return r;
	}
	return 0;
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* Opens the top of cgroup2, alone or beside v1: a descriptor or -errno. */
static int open_top(const struct ctprof_host *host)
{
	static const char *const places[] = {".", "unified"};
	int root = host->root(host, CTPROF_ROOT_CGROUP);

	for (size_t i = 0; root >= 0 && i < sizeof places / sizeof places[0]; i++) {
		int fd = host->open_file(host, root, places[i]);
		struct statfs fs;

		if (fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			return fd;
		cleanup_fd(&fd);
	}
	return -ENOENT;
}

static int walk(struct cgroups *cgroups, const struct ctprof_host *host)
{
	AUTO_FD root = open_top(host);
	struct stat st;

	if (root < 0)
		return root;
	if (fstat(root, &st) < 0)
		return -errno;
	int r = add(cgroups, st.st_ino, "", "");
	for (size_t i = 0; r == 0 && i < cgroups->n; i++)
		r = add_children(cgroups, host, root, i);
	if (r == 0)
		qsort(cgroups->groups, cgroups->n, sizeof *cgroups->groups, compare_groups);
	return r;
}

/* ---- paths ------------------------------------------------------------ */

struct text cgroups_parse_own(struct text text)
{
	static const char unified[] = "0::";
	struct text line;

	while (text_take_line(&text, &line))
		if (text_starts(line, unified))
			return (struct text){line.p + 3, line.len - 3};
	return (struct text){"", 0};
}

static const struct group *find(const struct cgroups *cgroups, uint64_t inode)
{
	const struct group key = {.inode = inode};

	return bsearch(&key, cgroups->groups, cgroups->n, sizeof key, compare_groups);
}

/* Prefixes all paths so that the path of own becomes the one that procfs shows (own_path). */
static int complete(struct cgroups *cgroups, uint64_t own, struct text own_path)
{
	const struct group *group = find(cgroups, own);
	size_t len = group ? strlen(group->path) : 0;

	/* The root of a namespace is "/": its children need no prefix. */
	size_t own_len = own_path.len == 1 ? 0 : own_path.len;
	if (!group || own_path.len == 0 || own_len < len ||
	    memcmp(own_path.p + own_len - len, group->path, len) != 0)
		return -ENOENT;
	for (size_t i = 0; i < cgroups->n; i++) {
		char *path = NULL;

		if (asprintf(&path, "%.*s%s", (int)(own_len - len), own_path.p,
			     cgroups->groups[i].path) < 0)
			return -ENOMEM;
		AUTO_FREE char *below __attribute__((unused)) = cgroups->groups[i].path;
		cgroups->groups[i].path = path;
	}
	return 0;
}

struct cgroups *cgroups_walk(const struct ctprof_host *host)
{
	__attribute__((cleanup(free_cgroups))) struct cgroups *made = calloc(1, sizeof *made);

	if (!made || walk(made, host) < 0)
		return NULL;
	struct cgroups *result = made;
	made = NULL;
	return result;
}

struct cgroups *cgroups_new(const struct ctprof_host *host, uint64_t own, struct text own_path)
{
	__attribute__((cleanup(free_cgroups))) struct cgroups *made = cgroups_walk(host);

	if (!made || complete(made, own, own_path) < 0)
		return NULL;
	struct cgroups *result = made;
	made = NULL;
	return result;
}

const char *cgroups_find(const struct cgroups *cgroups, uint64_t inode)
{
	const struct group *group = find(cgroups, inode);

	if (!group)
		return NULL;
	return *group->path ? group->path : "/";
}
