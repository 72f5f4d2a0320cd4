/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cgroup-lines.h"

#include <string.h>

#define SYSTEMD "name=systemd" /* a hierarchy without controllers */

static const char *const controllers[CGROUP_CONTROLLERS + 1] = {"cpu", "cpuacct", "memory", "pids",
								SYSTEMD};

/* Splits a line "ID:CONTROLLERS:PATH"; the path may contain colons, and end with blanks. */
static bool split_cgroup(struct text line, struct text *ret_controllers, struct text *ret_path)
{
	struct text id;

	*ret_path = line;
	return text_take_part(ret_path, ':', &id) &&
	       text_take_part(ret_path, ':', ret_controllers) && text_trim(*ret_path).len > 0;
}

static bool has_controller(struct text list, const char *name)
{
	struct text part;

	while (text_take_part(&list, ',', &part))
		if (text_equal(part, name))
			return true;
	return false;
}

/* Finds the path in the hierarchy of a controller; "" is v2. */
static bool find_cgroup(struct text text, const char *controller, struct text *ret_path)
{
	struct text line, list;

	while (text_take_line(&text, &line))
		if (split_cgroup(line, &list, ret_path) &&
		    (*controller ? has_controller(list, controller) : list.len == 0))
			return true;
	return false;
}

bool cgroup_lines_main(struct text text, struct text *ret_path)
{
	struct text path;
	bool found = false;

	if (find_cgroup(text, "", ret_path))
		return true;
	/* In a hierarchy without cgroups, all threads are in the root. */
	for (size_t i = 0; i <= CGROUP_CONTROLLERS && !(found && ret_path->len > 1); i++)
		if (find_cgroup(text, controllers[i], &path) && (!found || path.len > 1)) {
			found = true;
			*ret_path = path;
		}
	return found;
}

size_t cgroup_lines_v1(struct text text, struct ctprof_map_entry *entries)
{
	struct text own, path;
	size_t n = 0;

	if (!cgroup_lines_main(text, &own))
		return 0;
	for (size_t i = 0; i < CGROUP_CONTROLLERS; i++)
		if (find_cgroup(text, controllers[i], &path) && text_order(path, own) != 0)
			entries[n++] = (struct ctprof_map_entry){
				.key = controllers[i],
				.key_len = (uint32_t)strlen(controllers[i]),
				.text = path.p,
				.text_len = (uint32_t)path.len,
			};
	return n;
}

bool cgroup_lines_have_v1(struct text text)
{
	struct text path;

	for (size_t i = 0; i < CGROUP_CONTROLLERS; i++)
		if (find_cgroup(text, controllers[i], &path))
			return true;
	return false;
}
