/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "../mounts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first line is read as mountinfo, the whole input as a cgroup's path: no path may lead out of
 * the mount. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char prefix[] = "mount";
	static char roots[][8] = {"/", "/a", "/.."};
	struct text rest = {(const char *)data, size};
	struct text line;
	struct cgroup_mountinfo info;
	char path[512];

	while (text_take_line(&rest, &line))
		(void)cgroup_parse_mountinfo(line.p, line.len, &info);
	for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
		const struct cgroup_mount mount = {0, prefix, roots[i]};

		if (cgroup_mount_path(&mount, (const char *)data, size, path, sizeof path) < 0)
			continue;
		if (strncmp(path, prefix, sizeof prefix - 1) != 0 || strstr(path, "/../"))
			abort();
	}
	return 0;
}
