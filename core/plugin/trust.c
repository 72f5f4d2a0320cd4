/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "trust.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/root.h"

/* How a file of an unmapped owner looks from inside a user namespace. */
#define OVERFLOW_UID 65534

gboolean trust_is_needed(void)
{
	return geteuid() == 0 || getauxval(AT_SECURE) != 0;
}

static gboolean is_root(uid_t uid)
{
	return uid == 0 || (uid == OVERFLOW_UID && root_in_user_namespace());
}

static gboolean refuse(GError **error, const char *path, const char *why)
{
	return error_set_failed(
		error,
		"refused: '%s' %s, so users other than root could change code that runs "
		"as root",
		path, why);
}

static gboolean check_one(const char *path, GError **error)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return error_set_errno(error, errno, "'%s'", path);
	if (!is_root(st.st_uid))
		return refuse(error, path, "does not belong to root");
	gboolean sticky = S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX);
	if ((st.st_mode & S_IWOTH) && !sticky)
		return refuse(error, path, "is writable by everyone");
	if ((st.st_mode & S_IWGRP) && st.st_gid != 0 && !sticky)
		return refuse(error, path, "is writable by a group");
	return TRUE;
}

gboolean trust_check_file(const char *path, GError **error)
{
	/* Resolved first: what the links on the way point to is what counts, and
	 * a link is as safe as the directory that holds it. */
	g_autofree char *real = realpath(path, NULL);

	if (!real)
		return error_set_errno(error, errno, "'%s'", path);
	for (;;) {
		if (!check_one(real, error))
			return FALSE;
		if (strcmp(real, "/") == 0)
			return TRUE;
		char *slash = strrchr(real, '/');
		slash[slash == real ? 1 : 0] = '\0';
	}
}
