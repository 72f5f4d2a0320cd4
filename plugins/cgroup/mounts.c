/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "file.h"
#include "mountinfo.h"

/* v1 controllers, as spelled in mount options and in the usual directory names. */
static const char *const controllers[CGROUP_N_HIERARCHIES] = {
	[CGROUP_V1_CPU] = "cpu",
	[CGROUP_V1_CPUACCT] = "cpuacct",
	[CGROUP_V1_MEMORY] = "memory",
	[CGROUP_V1_PIDS] = "pids",
};

static void clear_mount(struct cgroup_mount *mount)
{
	free(mount->prefix);
	free(mount->root);
	*mount = (struct cgroup_mount){0};
}

/* ---- mountinfo --------------------------------------------------------- */

static uint32_t controller_bits(struct text options)
{
	struct text option;
	uint32_t bits = 0;

	while (text_take_part(&options, ',', &option))
		for (uint32_t i = 0; i < CGROUP_N_HIERARCHIES; i++)
			if (controllers[i] && text_equal(option, controllers[i]))
				bits |= 1u << i;
	return bits;
}

bool cgroup_parse_mountinfo(const char *line, size_t len, struct cgroup_mountinfo *ret)
{
	struct mountinfo info;

	if (!mountinfo_parse(line, len, &info))
		return false;
	uint32_t bits = text_equal(info.type, "cgroup2")  ? 1u << CGROUP_UNIFIED
			: text_equal(info.type, "cgroup") ? controller_bits(info.options)
							  : 0;
	if (bits == 0)
		return false;
	*ret = (struct cgroup_mountinfo){info.root, info.point, bits};
	return true;
}

/* Returns prefix + text without escapes; NULL: out of memory. */
static char *unescape(const char *prefix, struct text text)
{
	size_t used = strlen(prefix);
	char *plain = malloc(used + text.len + 1);

	if (!plain)
		return NULL;
	memcpy(plain, prefix, used);
	used += mountinfo_unescape(text, plain + used);
	plain[used] = '\0';
	return plain;
}

/* Stores copies of both texts.  If there are several mounts, the one that shows more of the
 * hierarchy is kept; if they show the same, the later one, which may hide the other. */
static int keep_mount(struct cgroup_mount *mount, int base, const char *above, struct text point,
		      struct text shown)
{
	AUTO_FREE char *prefix = unescape(above, point);
	AUTO_FREE char *root = unescape("", shown);

	if (!prefix || !root)
		return -ENOMEM;
	if (mount->prefix && strlen(root) > strlen(mount->root))
		return 0;
	clear_mount(mount);
	*mount = (struct cgroup_mount){base, prefix, root};
	prefix = NULL;
	root = NULL;
	return 0;
}

/*
 * Mount points in self/mountinfo are relative to this process's root directory: below self/root
 * they are found anywhere, even if nothing is mounted in the usual place and the host has no cgroup
 * root.
 */
static int find_mounted(const struct ctprof_host *host, struct cgroup_mounts *mounts)
{
	AUTO_FREE char *buf = NULL;
	ssize_t got =
		file_load_records(host, CTPROF_ROOT_PROC, "self/mountinfo", MOUNTINFO_BYTES, &buf);
	struct text rest = {buf, got > 0 ? (size_t)got : 0};
	struct text line;
	struct cgroup_mountinfo info;
	int proc = host->root(host, CTPROF_ROOT_PROC);
	int result = got == -ENOMEM ? -ENOMEM : 0;

	while (result == 0 && text_take_line(&rest, &line)) {
		if (!cgroup_parse_mountinfo(line.p, line.len, &info))
			continue;
		for (uint32_t i = 0; i < CGROUP_N_HIERARCHIES && result == 0; i++)
			if (info.hierarchies & 1u << i)
				result = keep_mount(&mounts->at[i], proc, "self/root", info.point,
						    info.root);
	}
	return result;
}

/* ---- recorded roots ---------------------------------------------------- */

/* The usual places below the cgroup root; the first that exists is used.  If the root itself is a
 * hierarchy, directories below it are cgroups, whatever their names. */
static const struct usual {
	enum cgroup_hierarchy hierarchy;
	const char *directory;
	const char *sign; /* file that must exist */
	bool alone;
} usual_places[] = {
	{CGROUP_UNIFIED, ".", "cgroup.controllers", true},
	{CGROUP_UNIFIED, "unified", "unified/cgroup.controllers", false},
	{CGROUP_V1_CPU, "cpu", "cpu", false},
	{CGROUP_V1_CPU, "cpu,cpuacct", "cpu,cpuacct", false},
	{CGROUP_V1_CPUACCT, "cpuacct", "cpuacct", false},
	{CGROUP_V1_CPUACCT, "cpu,cpuacct", "cpu,cpuacct", false},
	{CGROUP_V1_MEMORY, "memory", "memory", false},
	{CGROUP_V1_PIDS, "pids", "pids", false},
};

#define N_USUAL_PLACES (sizeof usual_places / sizeof usual_places[0])

static int find_usual(const struct ctprof_host *host, struct cgroup_mounts *mounts)
{
	int cgroup = host->root(host, CTPROF_ROOT_CGROUP);
	int result = 0;
	bool alone = false;

	for (size_t i = 0; i < N_USUAL_PLACES && result == 0 && !alone; i++) {
		const struct usual *place = &usual_places[i];
		struct cgroup_mount *mount = &mounts->at[place->hierarchy];

		if (mount->prefix || file_check_root(host, CTPROF_ROOT_CGROUP, place->sign) < 0)
			continue;
		result = keep_mount(mount, cgroup, "", text_of(place->directory), text_of("/"));
		alone = place->alone;
	}
	return result;
}

/* ---- both -------------------------------------------------------------- */

bool cgroup_mounts_has(const struct cgroup_mounts *mounts, enum cgroup_hierarchy first)
{
	for (size_t i = first; i < CGROUP_N_HIERARCHIES; i++)
		if (mounts->at[i].prefix)
			return true;
	return false;
}

int cgroup_mounts_find(const struct ctprof_host *host, struct cgroup_mounts *ret)
{
	struct cgroup_mounts found = {0};
	int result = host->live(host) ? find_mounted(host, &found) : 0;

	if (result == 0 && !cgroup_mounts_has(&found, 0))
		result = find_usual(host, &found);
	if (result == 0 && !cgroup_mounts_has(&found, 0))
		result = -EOPNOTSUPP;
	if (result < 0) {
		cgroup_mounts_clear(&found);
		return result;
	}
	cgroup_mounts_clear(ret);
	*ret = found;
	return 0;
}

void cgroup_mounts_clear(struct cgroup_mounts *mounts)
{
	for (size_t i = 0; i < CGROUP_N_HIERARCHIES; i++)
		clear_mount(&mounts->at[i]);
}

static bool has_parent_component(struct text path)
{
	struct text component;

	while (text_take_part(&path, '/', &component))
		if (text_equal(component, ".."))
			return true;
	return false;
}

int cgroup_mount_path(const struct cgroup_mount *mount, const char *path, size_t len,
		      char *ret_path, size_t size)
{
	size_t root = strlen(mount->root);

	if (len == 0 || path[0] != '/' || memchr(path, '\0', len))
		return -EINVAL;
	if (len >= size)
		return -ENAMETOOLONG;
	if (root == 1)
		root = 0; /* "/": nothing to remove */
	if (len < root || memcmp(path, mount->root, root) != 0 || (len > root && path[root] != '/'))
		return -EXDEV;
	struct text below = {path + root, len - root};
	/* The path is above the namespace's root.  It must not be followed: ".." leads out of a
	 * mount point, too. */
	if (has_parent_component(below))
		return -EXDEV;
	int used = snprintf(ret_path, size, "%s%.*s", mount->prefix, (int)below.len, below.p);
	return used >= 0 && (size_t)used < size ? 0 : -ENAMETOOLONG;
}
