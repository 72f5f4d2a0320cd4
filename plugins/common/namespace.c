/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "namespace.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool namespace_is_first(const struct ctprof_host *host, const char *kind)
{
	/* include/linux/proc_ns.h */
	static const char *const first[] = {"cgroup:[4026531835]", "pid:[4026531836]",
					    "user:[4026531837]", "time:[4026531834]"};
	char path[32], name[64];

	(void)snprintf(path, sizeof path, "self/ns/%s", kind);
	ssize_t len = readlinkat(host->root(host, CTPROF_ROOT_PROC), path, name, sizeof name - 1);
	if (len < 0)
		return true;
	name[len] = '\0';
	for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
		if (strcmp(name, first[i]) == 0)
			return true;
	return false;
}
