/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cleanup.h"
#include "list.h"

#define BLOCK 512u

/* ---- a directory's names ----------------------------------------------- */

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Appends the names, each with a NUL; stops at the walk's limit. */
static int read_names(struct walk *walk, struct walk_frame *frame)
{
	size_t used = 0, room = 0;
	struct dirent *entry;

	while (errno = 0, (entry = readdir(frame->dir))) {
		size_t len = strlen(entry->d_name) + 1;

		if (is_dots(entry->d_name))
			continue;
		if (walk->left == 0) {
			walk->truncated = true;
			return 0;
		}
		int r = list_reserve(&frame->names, &room, used + len, SIZE_MAX, 1);
		if (r < 0)
			return r;
		memcpy(frame->names + used, entry->d_name, len);
		used += len;
		walk->left--;
		frame->n++;
	}
	return -errno;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t walk_sort_names(char **names, size_t n)
{
	return list_sort_unique(names, n, sizeof *names, by_name, by_name);
}

static int list(struct walk *walk, struct walk_frame *frame)
{
	int result = read_names(walk, frame);
	char *name = frame->names;

	frame->entries = calloc(frame->n + 1, sizeof *frame->entries);
	if (!frame->entries)
		return -ENOMEM;
	for (size_t i = 0; i < frame->n; i++, name += strlen(name) + 1)
		frame->entries[i] = name;
	frame->n = walk_sort_names(frame->entries, frame->n);
	return result;
}

/* ---- the way down and up ----------------------------------------------- */

static void frame_close(struct walk_frame *frame)
{
	if (frame->dir)
		(void)closedir(frame->dir);
	free(frame->names);
	free(frame->entries);
	*frame = (struct walk_frame){0};
}

/* Opens the directory that was examined; fails if a symlink or another file system has replaced
 * it. */
static DIR *open_directory(int parent, const char *name, const struct stat *seen)
{
	AUTO_FD fd =
		openat(parent, name,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOATIME);
	struct stat now;

	/* Only the owner may use O_NOATIME. */
	if (fd < 0 && errno == EPERM)
		fd = openat(parent, name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &now) < 0 || now.st_dev != seen->st_dev ||
	    now.st_ino != seen->st_ino)
		return NULL;
	DIR *dir = fdopendir(fd);
	if (dir)
		fd = -1;
	return dir;
}

static void enter(struct walk *walk, int parent, const char *name)
{
	struct walk_frame *frame = &walk->frames[walk->depth];

	if (walk->depth == WALK_DEPTH_MAX) {
		walk->unreadable++;
		return;
	}
	*frame = (struct walk_frame){.path_len = walk->path_len};
	frame->dir = open_directory(parent, name, &walk->status);
	if (!frame->dir || list(walk, frame) < 0)
		walk->unreadable++;
	if (!frame->dir || !frame->entries) {
		frame_close(frame);
		return;
	}
	walk->depth++;
}

/* ---- an entry ---------------------------------------------------------- */

static const char *kind_of(mode_t mode)
{
	static const struct {
		mode_t mode;
		const char *kind;
	} kinds[] = {
		{S_IFDIR, "dir"},  {S_IFREG, "file"}, {S_IFLNK, "link"},  {S_IFSOCK, "sock"},
		{S_IFIFO, "fifo"}, {S_IFCHR, "char"}, {S_IFBLK, "block"},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if ((mode & S_IFMT) == kinds[i].mode)
			return kinds[i].kind;
	return "other";
}

static int by_inode(const void *a, const void *b)
{
	return order_u64(*(const ino_t *)a, *(const ino_t *)b);
}

static bool has_names(const struct stat *status)
{
	return status->st_nlink > 1 && !S_ISDIR(status->st_mode);
}

static void remember_inode(struct walk *walk)
{
	const ino_t *inode = &walk->status.st_ino;

	if (!has_names(&walk->status))
		return;
	int result = pool_add_copy(&walk->links, inode, sizeof *inode, by_inode);
	if (result < 0 && result != -EEXIST)
		walk->truncated = true;
}

static bool build_path(struct walk *walk, const struct walk_frame *frame, const char *name)
{
	size_t len = strlen(name);
	size_t used = frame->path_len;

	if (used + 1 + len > WALK_PATH_MAX)
		return false;
	if (walk->path[used - 1] != '/') /* the walk may begin at "/" */
		walk->path[used++] = '/';
	memcpy(walk->path + used, name, len);
	walk->path_len = used + len;
	return true;
}

/* Sends no request to a file system that a user mounted on the entry: its server may be their own
 * program (FUSE), which need not answer. */
static int look_at(int parent, const char *name, struct stat *ret)
{
	return fstatat(parent, name, ret,
		       AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC);
}

/* Whether the entry is on FUSE, which denies access to everyone except its owner, including
 * root. */
static bool is_fuse(int parent, const char *name)
{
	AUTO_FD fd = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct statfs fs;

	return fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == FUSE_SUPER_MAGIC;
}

/* Examines the next entry of the frame; false: nothing to report. */
static bool look(struct walk *walk, const struct walk_frame *frame)
{
	const char *name = frame->entries[frame->next];
	int parent = dirfd(frame->dir);

	if (look_at(parent, name, &walk->status) < 0) {
		/* The entry was deleted meanwhile, or is on another file system. */
		walk->unreadable += errno != ENOENT && (errno != EACCES || !is_fuse(parent, name));
		return false;
	}
	if (walk->status.st_dev != walk->device)
		return false;
	if (!build_path(walk, frame, name)) {
		walk->unreadable++;
		return false;
	}
	return true;
}

static bool find_next(struct walk *walk)
{
	while (walk->depth > 0) {
		struct walk_frame *frame = &walk->frames[walk->depth - 1];

		if (frame->next == frame->n) {
			frame_close(frame);
			walk->depth--;
		} else if (look(walk, frame)) {
			return true;
		} else {
			frame->next++;
		}
	}
	return false;
}

bool walk_at(struct walk *walk, struct walk_entry *ret)
{
	const struct stat *status = &walk->status;

	if (!walk->at_root && !find_next(walk))
		return false;
	bool linked = has_names(status) && pool_find(&walk->links, &status->st_ino, by_inode);
	*ret = (struct walk_entry){
		.path = {walk->path, walk->path_len},
		.kind = walk->at_root ? "mount" : kind_of(status->st_mode),
		.allocated = linked ? 0 : (uint64_t)status->st_blocks * BLOCK,
		.logical = linked ? 0 : (uint64_t)status->st_size,
		.depth = (uint32_t)walk->depth,
		.linked = linked,
	};
	return true;
}

static void leave_root(struct walk *walk)
{
	walk->at_root = false;
	if (S_ISDIR(walk->status.st_mode))
		enter(walk, walk->root_fd, ".");
	cleanup_fd(&walk->root_fd);
	walk->root_fd = -1;
}

void walk_advance(struct walk *walk)
{
	if (walk->at_root) {
		leave_root(walk);
		return;
	}
	struct walk_frame *frame = &walk->frames[walk->depth - 1];
	const char *name = frame->entries[frame->next++];
	remember_inode(walk);
	if (S_ISDIR(walk->status.st_mode))
		enter(walk, dirfd(frame->dir), name);
}

/* ---- the whole --------------------------------------------------------- */

void walk_init(struct walk *ret)
{
	memset(ret, 0, offsetof(struct walk, frames));
	ret->root_fd = -1;
	ret->left = WALK_ENTRIES_MAX;
	ret->links.max = WALK_ENTRIES_MAX;
}

void walk_clear(struct walk *walk)
{
	while (walk->depth > 0)
		frame_close(&walk->frames[--walk->depth]);
	pool_clear(&walk->links, free);
	cleanup_fd(&walk->root_fd);
	walk->root_fd = -1;
	walk->at_root = false;
}

int walk_begin(struct walk *walk, int fd, struct text path)
{
	walk_clear(walk);
	walk->root_fd = fd;
	if (path.len == 0 || path.len > WALK_PATH_MAX)
		return -ENAMETOOLONG;
	if (fstat(fd, &walk->status) < 0)
		return -errno;
	memcpy(walk->path, path.p, path.len);
	walk->path_len = path.len;
	walk->device = walk->status.st_dev;
	walk->at_root = true;
	return 0;
}
