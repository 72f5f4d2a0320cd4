/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "classify.h"

#include <string.h>

#define DELETED " (deleted)"

static const char *const kind_names[OBJECT_N_KINDS] = {
	[OBJECT_ANONYMOUS] = "anon", [OBJECT_SHMEM] = "shmem", [OBJECT_HEAP] = "heap",
	[OBJECT_STACK] = "stack",    [OBJECT_FILE] = "file",   [OBJECT_TMPFS] = "tmpfs",
	[OBJECT_MEMFD] = "memfd",    [OBJECT_SYSV] = "sysv",   [OBJECT_HUGETLB] = "hugetlb",
	[OBJECT_VDSO] = "vdso",      [OBJECT_VVAR] = "vvar",   [OBJECT_VSYSCALL] = "vsyscall",
	[OBJECT_PSEUDO] = "pseudo",
};

/* A row matches a path that equals the text or, with prefix, begins with it. */
struct rule {
	const char *text;
	bool prefix;
	enum object_kind kind;
};

/* Names that the kernel prints in brackets; no file's path begins with one. */
static const struct rule bracketed[] = {
	{"[heap]", false, OBJECT_HEAP},     {"[vdso]", false, OBJECT_VDSO},
	{"[vvar]", false, OBJECT_VVAR},     {"[vsyscall]", false, OBJECT_VSYSCALL},
	{"[stack", true, OBJECT_STACK},     {"[anon_shmem:", true, OBJECT_SHMEM},
	{"[anon:", true, OBJECT_ANONYMOUS}, {"[", true, OBJECT_PSEUDO},
};

/* Files of the kernel's internal mounts, which are not in mountinfo; always shown as deleted. */
static const struct rule unmounted[] = {
	{"/SYSV", true, OBJECT_SYSV},
	{"/memfd:", true, OBJECT_MEMFD},
	{"/dev/zero" DELETED, false, OBJECT_SHMEM}, /* shmem_kernel_file_setup() */
	{"/anon_hugepage" DELETED, false, OBJECT_HUGETLB},
};

static const enum object_kind mounted[] = {
	[MOUNT_UNKNOWN] = OBJECT_FILE,
	[MOUNT_OTHER] = OBJECT_FILE,
	[MOUNT_TMPFS] = OBJECT_TMPFS,
	[MOUNT_RAMFS] = OBJECT_TMPFS,
	[MOUNT_HUGETLBFS] = OBJECT_HUGETLB,
	[MOUNT_DEVTMPFS] = OBJECT_FILE, /* devices: their mapped memory belongs to the driver */
};

const char *classify_kind_name(enum object_kind kind)
{
	return kind_names[kind];
}

struct text classify_label(struct text path)
{
	static const char anonymous[] = "<anonymous>";

	return path.len > 0 ? path : (struct text){anonymous, sizeof anonymous - 1};
}

static bool apply_rules(const struct rule *rules, size_t n, struct text path, enum object_kind *ret)
{
	for (size_t i = 0; i < n; i++)
		if (rules[i].prefix ? text_starts(path, rules[i].text)
				    : text_equal(path, rules[i].text)) {
			*ret = rules[i].kind;
			return true;
		}
	return false;
}

static struct text without_deleted(struct text path)
{
	size_t suffix = strlen(DELETED);

	if (path.len > suffix && memcmp(path.p + path.len - suffix, DELETED, suffix) == 0)
		path.len -= suffix;
	return path;
}

enum object_kind classify_mapping(const struct mounts *mounts, enum mount_kind device,
				  struct text path)
{
	enum object_kind kind;

	if (path.len == 0)
		return OBJECT_ANONYMOUS;
	if (path.p[path.len - 1] == ']' &&
	    apply_rules(bracketed, sizeof bracketed / sizeof bracketed[0], path, &kind))
		return kind;
	/* Paths are chosen by their owners, so the device takes precedence. */
	if (device == MOUNT_UNKNOWN &&
	    apply_rules(unmounted, sizeof unmounted / sizeof unmounted[0], path, &kind))
		return kind;
	/* The file system is no longer mounted, or its device differs from that in mountinfo
	 * (btrfs): the file system mounted at that path is the best guess. */
	if (device == MOUNT_UNKNOWN)
		device = mounts_kind_of_path(mounts, without_deleted(path));
	return mounted[device];
}
