/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "namespace.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool namespace_is_first(const struct ctprof_host *host, const char *kind)
{
	/* include/linux/proc_ns.h */
	static const struct {
		const char *kind;
		ino_t inode;
	} first[] = {{"user", 0xEFFFFFFDu}, {"pid", 0xEFFFFFFCu}, {"time", 0xEFFFFFFAu}};
	char path[32];
	struct stat st;

	snprintf(path, sizeof path, "self/ns/%s", kind);
	if (fstatat(host->root(host, CTPROF_ROOT_PROC), path, &st, 0) < 0)
		return true;
	for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
		if (strcmp(first[i].kind, kind) == 0)
			return st.st_ino == first[i].inode;
	return false;
}
