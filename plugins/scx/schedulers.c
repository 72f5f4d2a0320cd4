/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "schedulers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup-paths.h"
#include "file.h"

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

static void find_places(const struct ctprof_host *host, struct schedulers *schedulers)
{
	/* In v1 hierarchies the IDs of cgroups are different. */
	struct cgroups *cgroups = cgroups_walk(host);

	for (size_t i = 0; cgroups && i < schedulers->n; i++) {
		struct scheduler *one = &schedulers->list[i];
		const char *path = one->place ? NULL : cgroups_find(cgroups, one->cgroup);

		if (path)
			one->place = strdup(path);
	}
	cgroups_free(cgroups);
}

void schedulers_read(const struct ctprof_host *host, struct schedulers *ret)
{
	schedulers_clear(ret);
	if (!add(host, ret, SCHED_EXT_DIRECTORY "/root", 0))
		return;
	visit(host, ret, SCHED_EXT_DIRECTORY "/root", 0);
	/* In a recorded tree the inodes are different. */
	if (ret->n > 1 && host->live(host))
		find_places(host, ret);
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
