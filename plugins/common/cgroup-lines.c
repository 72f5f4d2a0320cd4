/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cgroup-lines.h"

#include <string.h>

/* The last line is that of v2, without controllers. */
enum { SYSTEMD = CGROUP_CONTROLLERS, V2, N_HIERARCHIES };

static const char *const names[V2] = {"cpu", "cpuacct", "memory", "pids", "name=systemd"};

/* Splits a line "ID:CONTROLLERS:PATH"; the path may contain colons, and end with blanks. */
static bool split_cgroup(struct text line, struct text *ret_controllers, struct text *ret_path)
{
	struct text id;

	*ret_path = line;
	return text_take_part(ret_path, ':', &id) &&
	       text_take_part(ret_path, ':', ret_controllers) && text_trim(*ret_path).len > 0;
}

/* Takes a line's path for those of its controllers that have none yet. */
static void take_path(struct text list, struct text path, struct text paths[N_HIERARCHIES])
{
	struct text name;

	if (list.len == 0 && paths[V2].len == 0)
		paths[V2] = path;
	while (text_take_part(&list, ',', &name))
		for (size_t i = 0; i < V2; i++)
			if (paths[i].len == 0 && text_equal(name, names[i]))
				paths[i] = path;
}

/* Finds the paths by hierarchy; no path is empty. */
static void find_paths(struct text text, struct text ret_paths[N_HIERARCHIES])
{
	struct text line, list, path;

	memset(ret_paths, 0, N_HIERARCHIES * sizeof *ret_paths);
	while (text_take_line(&text, &line))
		if (split_cgroup(line, &list, &path))
			take_path(list, path, ret_paths);
}

static bool choose_main(const struct text paths[N_HIERARCHIES], struct text *ret_path)
{
	*ret_path = paths[V2];
	/* In a hierarchy without cgroups, all threads are in the root. */
	for (size_t i = 0; i <= SYSTEMD && paths[V2].len == 0 && ret_path->len <= 1; i++)
		if (paths[i].len > ret_path->len)
			*ret_path = paths[i];
	return ret_path->len > 0;
}

bool cgroup_lines_main(struct text text, struct text *ret_path)
{
	struct text paths[N_HIERARCHIES];

	find_paths(text, paths);
	return choose_main(paths, ret_path);
}

size_t cgroup_lines_v1(struct text text, struct ctprof_map_entry *entries)
{
	struct text paths[N_HIERARCHIES], own;
	size_t n = 0;

	find_paths(text, paths);
	if (!choose_main(paths, &own))
		return 0;
	for (size_t i = 0; i < CGROUP_CONTROLLERS; i++)
		if (paths[i].len > 0 && text_order(paths[i], own) != 0)
			entries[n++] = (struct ctprof_map_entry){
				.key = names[i],
				.key_len = (uint32_t)strlen(names[i]),
				.text = paths[i].p,
				.text_len = (uint32_t)paths[i].len,
			};
	return n;
}

bool cgroup_lines_have_v1(struct text text)
{
	struct text paths[N_HIERARCHIES];

	find_paths(text, paths);
	for (size_t i = 0; i < CGROUP_CONTROLLERS; i++)
		if (paths[i].len > 0)
			return true;
	return false;
}
