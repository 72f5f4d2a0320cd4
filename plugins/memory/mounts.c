/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "list.h"
#include "mountinfo.h"

/* ---- options ----------------------------------------------------------- */

/* Returns the power of 1024 that a suffix ("", "k", "KB", ...) stands for, or -1. */
static int suffix_power(struct text suffix)
{
	static const char letters[] = "kmgtp";

	if (suffix.len == 0)
		return 0;
	char letter = suffix.p[0] | 0x20;
	const char *at = letter ? strchr(letters, letter) : NULL;
	bool fits = suffix.len == 1 || (suffix.len == 2 && (suffix.p[1] | 0x20) == 'b');
	return at && fits ? (int)(at - letters) + 1 : -1;
}

bool mounts_parse_size(struct text text, uint64_t *ret_bytes)
{
	uint64_t bytes;

	if (!text_take_u64(&text, &bytes))
		return false;
	int power = suffix_power(text);
	if (power < 0)
		return false;
	for (int i = 0; i < power; i++)
		bytes = amount_product(bytes, 1024);
	*ret_bytes = bytes;
	return true;
}

static struct amount find_limit(struct text options)
{
	struct amount limit = {.absent = CTPROF_ABSENT_UNSUPPORTED};
	struct text option, key, value;

	while (limit.absent && text_take_part(&options, ',', &option))
		if (text_split(option, '=', &key, &value) && text_equal(key, "size") &&
		    mounts_parse_size(value, &limit.bytes))
			limit.absent = 0;
	return limit;
}

/* ---- the file ---------------------------------------------------------- */

static enum mount_kind kind_of_type(struct text type)
{
	static const struct {
		const char *type;
		enum mount_kind kind;
	} kinds[] = {
		{"tmpfs", MOUNT_TMPFS},
		{"ramfs", MOUNT_RAMFS},
		{"hugetlbfs", MOUNT_HUGETLBFS},
		{"devtmpfs", MOUNT_DEVTMPFS},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (text_equal(type, kinds[i].type))
			return kinds[i].kind;
	return MOUNT_OTHER;
}

/* Unescapes the text in place, as the result is not longer. */
static struct text unescape(char *base, struct text text)
{
	char *at = base + (text.p - base);

	return (struct text){at, mountinfo_unescape(text, at)};
}

static void parse_lines(struct mounts *mounts, size_t len)
{
	struct text rest = {mounts->text, len};
	struct mountinfo info;
	struct text line;

	for (uint32_t number = 0; text_take_line(&rest, &line); number++) {
		if (!mountinfo_parse(line.p, line.len, &info) || memchr(line.p, '\0', line.len))
			continue;
		mounts->at[mounts->n++] = (struct mount){
			.major = info.major,
			.minor = info.minor,
			.line = number,
			.kind = kind_of_type(info.type),
			.whole = text_equal(info.root, "/"),
			.limit = find_limit(info.options),
			.point = unescape(mounts->text, info.point),
			.source = unescape(mounts->text, info.source),
		};
	}
}

/* ---- orders ------------------------------------------------------------ */

static int order_devices(const void *a, const void *b)
{
	const struct mount *x = a, *y = b;
	int order = order_u64(x->major, y->major);

	return order ? order : order_u64(x->minor, y->minor);
}

static int by_device(const void *a, const void *b)
{
	const struct mount *x = a, *y = b;
	int order = order_devices(x, y);

	return order ? order : order_u64(x->line, y->line);
}

/* Orders by mount point, the topmost mount first. */
static int by_point(const void *a, const void *b)
{
	const struct mount *x = *(const struct mount *const *)a;
	const struct mount *y = *(const struct mount *const *)b;
	int order = text_order(x->point, y->point);

	return order ? order : order_u64(y->line, x->line);
}

/* Orders by device; the mount that shows the whole file system comes first, then the one with the
 * shortest path. */
static int by_device_and_use(const void *a, const void *b)
{
	const struct mount *x = *(const struct mount *const *)a;
	const struct mount *y = *(const struct mount *const *)b;
	int order = order_devices(x, y);

	if (order == 0)
		order = order_u64(y->whole, x->whole);
	if (order == 0)
		order = order_u64(x->point.len, y->point.len);
	return order ? order : text_order(x->point, y->point);
}

static int same_point(const void *a, const void *b)
{
	const struct mount *x = *(const struct mount *const *)a;
	const struct mount *y = *(const struct mount *const *)b;

	return text_order(x->point, y->point);
}

static int same_device(const void *a, const void *b)
{
	return order_devices(*(const struct mount *const *)a, *(const struct mount *const *)b);
}

static void find_visible(struct mounts *mounts)
{
	for (size_t i = 0; i < mounts->n; i++)
		mounts->visible[i] = &mounts->at[i];
	mounts->n_visible = list_sort_unique(mounts->visible, mounts->n, sizeof *mounts->visible,
					     by_point, same_point);
}

static void find_tmpfs(struct mounts *mounts)
{
	const struct mount **tmpfs = mounts->tmpfs;
	size_t n = 0;

	for (size_t i = 0; i < mounts->n_visible; i++)
		if (mounts->visible[i]->kind == MOUNT_TMPFS)
			tmpfs[n++] = mounts->visible[i];
	n = list_sort_unique(tmpfs, n, sizeof *tmpfs, by_device_and_use, same_device);
	mounts->n_tmpfs = list_sort_unique(tmpfs, n, sizeof *tmpfs, by_point, by_point);
}

/* ---- the whole --------------------------------------------------------- */

int mounts_parse(char *text, size_t len, struct mounts *ret)
{
	__attribute__((cleanup(mounts_clear))) struct mounts mounts = {.text = text};
	size_t room = text_count_lines((struct text){text, len}) + 1;

	mounts.at = calloc(room, sizeof *mounts.at);
	mounts.visible = calloc(room, sizeof *mounts.visible);
	mounts.tmpfs = calloc(room, sizeof *mounts.tmpfs);
	if (!mounts.at || !mounts.visible || !mounts.tmpfs)
		return -ENOMEM;
	parse_lines(&mounts, len);
	if (mounts.n > 0)
		qsort(mounts.at, mounts.n, sizeof *mounts.at, by_device);
	find_visible(&mounts);
	find_tmpfs(&mounts);
	*ret = mounts;
	mounts = (struct mounts){0};
	return 0;
}

int mounts_read(const struct ctprof_host *host, const char *path, struct mounts *ret)
{
	char *text;
	ssize_t got = file_load_records(host, CTPROF_ROOT_PROC, path, MOUNTINFO_BYTES, &text);

	return got < 0 ? (int)got : mounts_parse(text, (size_t)got, ret);
}

void mounts_clear(struct mounts *mounts)
{
	free(mounts->text);
	free(mounts->at);
	free(mounts->visible);
	free(mounts->tmpfs);
	*mounts = (struct mounts){0};
}

/* ---- questions --------------------------------------------------------- */

enum mount_kind mounts_kind_of_device(const struct mounts *mounts, uint32_t major, uint32_t minor)
{
	const struct mount key = {.major = major, .minor = minor};
	const struct mount *found =
		mounts->n > 0 ? bsearch(&key, mounts->at, mounts->n, sizeof key, order_devices)
			      : NULL;

	return found ? found->kind : MOUNT_UNKNOWN;
}

/* Returns the length of the parent of a path's first len bytes; "/" is its own parent. */
static size_t parent_len(struct text path, size_t len)
{
	while (len > 1 && path.p[len - 1] != '/')
		len--;
	return len > 1 ? len - 1 : len;
}

static int path_against_mount(const void *key, const void *mount)
{
	return text_order(*(const struct text *)key, (*(const struct mount *const *)mount)->point);
}

enum mount_kind mounts_kind_of_path(const struct mounts *mounts, struct text path)
{
	if (path.len == 0 || path.p[0] != '/' || mounts->n_visible == 0)
		return MOUNT_UNKNOWN;
	for (size_t len = path.len;; len = parent_len(path, len)) {
		const struct text point = {path.p, len};
		const struct mount *const *found =
			bsearch(&point, mounts->visible, mounts->n_visible, sizeof *mounts->visible,
				path_against_mount);

		if (found)
			return (*found)->kind;
		if (len == 1)
			return MOUNT_UNKNOWN;
	}
}
