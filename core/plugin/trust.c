/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "trust.h"

#include <errno.h>
#include <glib.h>
#include <linux/magic.h>
#include <linux/posix_acl_xattr.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/root.h"

/* The owner that a file appears to have in a user namespace that does not map its owner. */
#define OVERFLOW_UID 65534
#define ACL_NAME "system.posix_acl_access"
/* Size of an access control list; more than any file system can store. */
#define MAX_ACL_BYTES 65536
/* Tags of entries of an access control list, and the write bit; the kernel's headers lack them. */
#define TAG_USER 0x02
#define TAG_GROUP 0x08
#define TAG_MASK 0x10
#define RIGHT_TO_WRITE 2

gboolean trust_is_needed(void)
{
	return geteuid() == 0 || getauxval(AT_SECURE) != 0;
}

/* Whether all files come from outside the user namespace, as in 'unshare -Ur': the
 * unmapped owner then counts as root.  In a container, only mounts from outside do. */
static gboolean is_world_foreign(void)
{
	struct stat st;

	return stat("/", &st) == 0 && st.st_uid == OVERFLOW_UID && !root_maps_user(OVERFLOW_UID);
}

static gboolean is_root(uid_t uid)
{
	return uid == 0 || (uid == OVERFLOW_UID && is_world_foreign());
}

/* Whether an access control list lets another user or group write. */
static gboolean acl_admits(const char *acl, gsize size)
{
	const struct posix_acl_xattr_entry *entries =
		(const void *)(acl + sizeof(struct posix_acl_xattr_header));
	gsize n = (size - sizeof(struct posix_acl_xattr_header)) / sizeof *entries;
	guint granted = 0, mask = RIGHT_TO_WRITE;

	for (gsize i = 0; i < n; i++) {
		guint tag = GUINT16_FROM_LE(entries[i].e_tag);
		guint rights = GUINT16_FROM_LE(entries[i].e_perm);

		if ((tag == TAG_USER || tag == TAG_GROUP) && GUINT32_FROM_LE(entries[i].e_id) != 0)
			granted |= rights;
		else if (tag == TAG_MASK)
			mask = rights;
	}
	return granted & mask & RIGHT_TO_WRITE;
}

/* Whether the file has a list that lets others write; assumed if the list cannot be read. */
static gboolean has_weak_acl(const char *path)
{
	g_autofree char *acl = g_malloc(MAX_ACL_BYTES);
	ssize_t size = lgetxattr(path, ACL_NAME, acl, MAX_ACL_BYTES);

	if (size < 0)
		return errno != ENODATA && errno != EOPNOTSUPP;
	return (gsize)size < sizeof(struct posix_acl_xattr_header) || acl_admits(acl, (gsize)size);
}

/* Whether a user's process provides the contents and owners of files there (FUSE).  If that is also
 * true of /, it must be trusted. */
static gboolean is_made_up(const char *path)
{
	struct statfs fs, top;

	return statfs(path, &fs) < 0 || (fs.f_type == FUSE_SUPER_MAGIC &&
					 (statfs("/", &top) < 0 || top.f_type != FUSE_SUPER_MAGIC));
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

	if (is_made_up(path))
		return refuse(error, path, "is on a FUSE file system");
	if (lstat(path, &st) < 0)
		return error_set_errno(error, errno, "'%s'", path);
	if (!is_root(st.st_uid))
		return refuse(error, path, "does not belong to root");
	gboolean sticky = S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX);
	if ((st.st_mode & S_IWOTH) && !sticky)
		return refuse(error, path, "is writable by everyone");
	if ((st.st_mode & S_IWGRP) && st.st_gid != 0 && !sticky)
		return refuse(error, path, "is writable by a group");
	if (!sticky && has_weak_acl(path))
		return refuse(error, path, "is writable through an access control list");
	return TRUE;
}

gboolean trust_check_file(const char *path, GError **error)
{
	/* Resolved first: only the targets of links count, and a link is as safe
	 * as the directory that contains it. */
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
