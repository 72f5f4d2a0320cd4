/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "schedulers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"

#define PATH_BYTES 4096u

void schedulers_clear(struct schedulers *schedulers)
{
	for (size_t i = 0; i < schedulers->n; i++)
		free(schedulers->list[i].place);
	schedulers->n = 0;
	schedulers->is_cut = false;
}

bool schedulers_are_nested(const struct schedulers *schedulers)
{
	return schedulers->n > 1 || schedulers->is_cut;
}

/* ---- the schedulers --------------------------------------------------------- */

/* Adds the scheduler of the directory; false if it is not one. */
static bool add(const struct ctprof_host *host, struct schedulers *schedulers, const char *path,
		uint64_t cgroup)
{
	struct scheduler *added = &schedulers->list[schedulers->n];
	char file[sizeof added->path + 8], text[sizeof added->ops];

	(void)snprintf(file, sizeof file, "%s/ops", path);
	ssize_t got = file_read_root(host, CTPROF_ROOT_SYS, file, text, sizeof text);
	struct text ops = text_trim((struct text){text, got > 0 ? (size_t)got : 0});
	if (ops.len == 0 || ops.len >= sizeof added->ops || memchr(ops.p, '\0', ops.len))
		return false;
	*added = (struct scheduler){.cgroup = cgroup, .place = cgroup ? NULL : strdup("/")};
	(void)snprintf(added->path, sizeof added->path, "%s", path);
	memcpy(added->ops, ops.p, ops.len);
	schedulers->n++;
	return true;
}

static void visit(const struct ctprof_host *host, struct schedulers *schedulers, const char *path,
		  unsigned depth);

/* Visits a directory that represents a cgroup. */
static void visit_sub(const struct ctprof_host *host, struct schedulers *schedulers,
		      const char *path, const char *name, unsigned depth)
{
	char sub[sizeof schedulers->list[0].path];
	uint64_t cgroup = scheduler_cgroup(name);
	int len = snprintf(sub, sizeof sub, "%s/sub/%s", path, name);

	if (cgroup == 0)
		return;
	if (schedulers->n == MAX_SCHEDULERS || depth == MAX_DEPTH || len >= (int)sizeof sub)
		schedulers->is_cut = true;
	else if (add(host, schedulers, sub, cgroup))
		visit(host, schedulers, sub, depth + 1);
}

static void visit(const struct ctprof_host *host, struct schedulers *schedulers, const char *path,
		  unsigned depth)
{
	__attribute__((cleanup(file_close_dir))) DIR *dir = NULL;
	char subs[sizeof schedulers->list[0].path + 8];

	(void)snprintf(subs, sizeof subs, "%s/sub", path);
	if (file_open_dir(host, host->root(host, CTPROF_ROOT_SYS), subs, &dir) < 0)
		return;
	for (const struct dirent *entry; (entry = readdir(dir));)
		visit_sub(host, schedulers, path, entry->d_name, depth);
}

/* ---- their cgroups ---------------------------------------------------------- */

struct search {
	const struct ctprof_host *host;
	struct schedulers *schedulers;
	size_t missing; /* cgroups whose path is still unknown */
	char path[PATH_BYTES];
};

/* Notes the path of a cgroup, whose number is the inode of its directory. */
static void note_place(struct search *search, uint64_t inode)
{
	for (size_t i = 0; i < search->schedulers->n; i++) {
		struct scheduler *one = &search->schedulers->list[i];

		if (one->place || one->cgroup != inode)
			continue;
		one->place = strdup(search->path);
		search->missing--;
	}
}

/* Searches the directories below search->path, which is unchanged on return. */
static void search_below(struct search *search, int root)
{
	__attribute__((cleanup(file_close_dir))) DIR *dir = NULL;
	size_t len = strlen(search->path);

	if (file_open_dir(search->host, root, len ? search->path + 1 : ".", &dir) < 0)
		return;
	for (const struct dirent *entry; search->missing > 0 && (entry = readdir(dir));) {
		size_t need = len + 1 + strlen(entry->d_name) + 1;

		if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0 || need > sizeof search->path)
			continue;
		(void)snprintf(search->path + len, sizeof search->path - len, "/%s", entry->d_name);
		note_place(search, entry->d_ino);
		search_below(search, root);
		search->path[len] = '\0';
	}
}

void schedulers_read(const struct ctprof_host *host, struct schedulers *ret)
{
	struct search search = {.host = host, .schedulers = ret};

	schedulers_clear(ret);
	if (!add(host, ret, SCHED_EXT_DIRECTORY "/root", 0))
		return;
	visit(host, ret, SCHED_EXT_DIRECTORY "/root", 0);
	search.missing = ret->n - 1;
	/* In a recorded tree the inodes are different. */
	if (search.missing == 0 || !host->live(host))
		return;
	/* In v1 hierarchies the IDs of cgroups are different. */
	AUTO_FD root = file_open_cgroup2(host);
	if (root >= 0)
		search_below(&search, root);
}

/* ---- the scheduler of a cgroup ------------------------------------------------ */

static bool is_below(struct text cgroup, const char *place)
{
	size_t len = strlen(place);

	if (strcmp(place, "/") == 0)
		return true;
	return text_starts(cgroup, place) && (cgroup.len == len || cgroup.p[len] == '/');
}

const struct scheduler *schedulers_nearest(const struct schedulers *schedulers, struct text cgroup)
{
	const struct scheduler *nearest = NULL;

	if (schedulers->is_cut)
		return NULL;
	for (size_t i = 0; i < schedulers->n; i++) {
		const struct scheduler *one = &schedulers->list[i];

		if (!one->place)
			return NULL;
		if (is_below(cgroup, one->place) &&
		    (!nearest || strlen(one->place) > strlen(nearest->place)))
			nearest = one;
	}
	return nearest;
}
