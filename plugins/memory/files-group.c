/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups memory-tmpfs (mounts) and memory-files (the files in them). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objects.h"
#include "tmpfs.h"

/* ---- mounts ------------------------------------------------------------ */

#define TMPFS "memory-tmpfs"
#define TMPFS_METRIC(kind, unit, flags, name, help, origin)                                        \
	OBJECT_METRIC(TMPFS, CTPROF_METRIC_ON_DEMAND | (flags), kind, unit, name, help, origin)

enum {
	TMPFS_USED,
	TMPFS_LIMIT,
	TMPFS_DEVICE,
	TMPFS_FILES,
	TMPFS_SOURCE,
};

static const struct ctprof_metric tmpfs_metrics[] = {
	[TMPFS_USED] = TMPFS_METRIC(LEVEL, BYTES, 0, "tmpfs_used_bytes",
				    "used by its files, in memory and swapped out",
				    "statvfs (shmem_statfs)"),
	[TMPFS_LIMIT] =
		TMPFS_METRIC(GAUGE, BYTES, CTPROF_METRIC_UNLIMITED, "tmpfs_limit_bytes",
			     "maximum it may use", "statvfs (shmem_statfs), else mountinfo size="),
	[TMPFS_DEVICE] = TMPFS_METRIC(LABEL, TEXT, 0, "tmpfs_device", "device, major:minor",
				      "mountinfo (show_mountinfo)"),
	[TMPFS_FILES] = TMPFS_METRIC(LEVEL, NONE, 0, "tmpfs_files", "inodes in use",
				     "statvfs (shmem_statfs)"),
	[TMPFS_SOURCE] = TMPFS_METRIC(LABEL, TEXT, 0, "tmpfs_source", "name of the mounted source",
				      "mountinfo (show_mountinfo)"),
};

static void put_mount(const struct objects *objects, const struct mount *mount,
		      const struct object_row *row)
{
	struct tmpfs_usage usage;

	tmpfs_measure(mount, objects->host->live(objects->host), &usage);
	object_row_put_amount(row, TMPFS_USED, usage.used);
	object_row_put_amount(row, TMPFS_LIMIT, usage.limit);
	object_row_put_amount(row, TMPFS_FILES, usage.files);
	object_row_put_device(row, TMPFS_DEVICE, mount->major, mount->minor);
	object_row_put_text(row, TMPFS_SOURCE, mount->source);
}

static int emit_tmpfs(struct objects *objects, struct ctprof_batch *batch)
{
	for (; objects->next < objects->mounts.n_tmpfs; objects->next++) {
		const struct mount *mount = objects->mounts.tmpfs[objects->next];
		struct object_row row;

		if (mount->point.len > WALK_PATH_MAX)
			continue;
		int result = object_row_add(objects, GROUP_TMPFS, batch, mount->point, &row);
		if (result < 0)
			return result;
		put_mount(objects, mount, &row);
	}
	return 0;
}

const struct object_group tmpfs_group = {
	.name = TMPFS,
	OBJECT_GROUP_METRICS(tmpfs_metrics),
	.emit = emit_tmpfs,
};

/* ---- files ------------------------------------------------------------- */

#define FILES "memory-files"
#define FILE_METRIC(kind, unit, name, help, origin)                                                \
	OBJECT_METRIC(FILES, CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET, kind, unit, name,      \
		      help, origin)

enum {
	FILE_MOUNT,
	FILE_KIND,
	FILE_ALLOCATED,
	FILE_LOGICAL,
	FILE_DEPTH,
	FILE_LINKED,
	FILE_UNREADABLE,
};

static const struct ctprof_metric file_metrics[] = {
	[FILE_MOUNT] = FILE_METRIC(LABEL, TEXT, "file_mount", "where its tmpfs is mounted",
				   "mountinfo (show_mountinfo)"),
	[FILE_KIND] = FILE_METRIC(CATEGORY, TEXT, "file_kind",
				  "mount, dir, file, link, sock, fifo, char, block or other",
				  "fstatat st_mode"),
	[FILE_ALLOCATED] = FILE_METRIC(LEVEL, BYTES, "file_allocated_bytes",
				       "memory it takes, in RAM and swapped out",
				       "fstatat st_blocks (shmem_getattr)"),
	[FILE_LOGICAL] =
		FILE_METRIC(LEVEL, BYTES, "file_logical_bytes", "its length", "fstatat st_size"),
	[FILE_DEPTH] = FILE_METRIC(LABEL, NONE, "file_depth", "directories above it in its tmpfs",
				   "ctprof"),
	[FILE_LINKED] =
		FILE_METRIC(LABEL, BOOL, "file_linked",
			    "1: a later hard link; the first one has the bytes", "fstatat st_ino"),
	[FILE_UNREADABLE] = FILE_METRIC(
		LEVEL, NONE, "files_unreadable",
		"only in the row named *: files and directories that could not be read", "ctprof"),
};

static void put_entry(const struct object_row *row, const struct mount *mount,
		      const struct walk_entry *entry)
{
	object_row_put_text(row, FILE_MOUNT, mount->point);
	object_row_put_word(row, FILE_KIND, entry->kind);
	object_row_put(row, FILE_ALLOCATED, entry->allocated);
	object_row_put(row, FILE_LOGICAL, entry->logical);
	object_row_put(row, FILE_DEPTH, entry->depth);
	object_row_put(row, FILE_LINKED, entry->linked);
}

/* Begins the walk of mount number objects->next. */
static void begin_mount(struct objects *objects)
{
	const struct mount *mount = objects->mounts.tmpfs[objects->next];
	int fd = tmpfs_open(mount);

	/* A mount hidden by another one is not unreadable, just not visible. */
	if (fd < 0 || walk_begin(objects->walk, fd, mount->point) < 0)
		objects->walk->unreadable += fd != -ESTALE && fd != -ENOENT;
}

static int start_walk(struct objects *objects)
{
	objects->walk = malloc(sizeof *objects->walk);
	if (!objects->walk) {
		objects->host->error(objects->host, "out of memory");
		return -ENOMEM;
	}
	walk_init(objects->walk);
	if (objects->mounts.n_tmpfs > 0)
		begin_mount(objects);
	return 0;
}

static int emit_walk(struct objects *objects, struct ctprof_batch *batch)
{
	const struct mount *mount = objects->mounts.tmpfs[objects->next];
	struct walk_entry entry;
	struct object_row row;

	while (walk_at(objects->walk, &entry)) {
		int result = object_row_add(objects, GROUP_FILES, batch, entry.path, &row);

		if (result < 0)
			return result;
		put_entry(&row, mount, &entry);
		walk_advance(objects->walk);
	}
	return 0;
}

/* Adds a last row for the unreadable files, so that the listing does not look complete. */
static int emit_unreadable(struct objects *objects, struct ctprof_batch *batch)
{
	struct object_row row;

	if (objects->walk->unreadable == 0 || objects->next > objects->mounts.n_tmpfs)
		return 0;
	int result = object_row_add(objects, GROUP_FILES, batch, text_of("*"), &row);
	if (result < 0)
		return result;
	object_row_put(&row, FILE_UNREADABLE, objects->walk->unreadable);
	objects->next++;
	return 0;
}

static int emit_files(struct objects *objects, struct ctprof_batch *batch)
{
	int result = 0;

	/* The directories are those of the running kernel, not of the recorded tree. */
	if (!objects->host->live(objects->host))
		return 0;
	if (!objects->walk)
		result = start_walk(objects);
	while (result == 0 && objects->next < objects->mounts.n_tmpfs) {
		result = emit_walk(objects, batch);
		if (result == 0 && ++objects->next < objects->mounts.n_tmpfs)
			begin_mount(objects);
	}
	return result == 0 ? emit_unreadable(objects, batch) : result;
}

static void end_files(struct objects *objects)
{
	const struct ctprof_host *host = objects->host;

	if (!objects->walk)
		return;
	if (objects->walk->unreadable > 0)
		host->log(host, CTPROF_LOG_WARNING,
			  "%" PRIu64 " files or directories of tmpfs could not be read: "
			  "they are missing (run as root, or with CAP_DAC_READ_SEARCH)",
			  objects->walk->unreadable);
	if (objects->walk->truncated)
		host->log(host, CTPROF_LOG_WARNING,
			  "tmpfs holds more than %u files: the others are missing",
			  WALK_ENTRIES_MAX);
}

const struct object_group files_group = {
	.name = FILES,
	OBJECT_GROUP_METRICS(file_metrics),
	.emit = emit_files,
	.end = end_files,
};
