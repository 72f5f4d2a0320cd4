/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "../classify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every mount is found by its device, and every visible one by its mount point, which must be valid
 * as an object's name. */
static void check(const struct mounts *mounts)
{
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts_kind_of_device(mounts, mounts->at[i].major, mounts->at[i].minor) ==
		    MOUNT_UNKNOWN)
			abort();
	for (size_t i = 0; i < mounts->n_visible; i++)
		if (mounts_kind_of_path(mounts, mounts->visible[i]->point) !=
			    mounts->visible[i]->kind ||
		    memchr(mounts->visible[i]->point.p, '\0', mounts->visible[i]->point.len))
			abort();
	for (size_t i = 0; i < mounts->n_tmpfs; i++)
		if (mounts->tmpfs[i]->kind != MOUNT_TMPFS || mounts->tmpfs[i]->point.p[0] != '/')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text whole = {(const char *)data, size};
	char *text = malloc(size + 1);
	struct mounts mounts;
	uint64_t bytes;

	if (!text)
		return 0;
	memcpy(text, data, size);
	if (mounts_parse(text, size, &mounts) < 0)
		return 0;
	check(&mounts);
	for (uint32_t minor = 0; minor < 3; minor++)
		(void)classify_mapping(&mounts, mounts_kind_of_device(&mounts, 0, minor), whole);
	(void)mounts_parse_size(whole, &bytes);
	mounts_clear(&mounts);
	return 0;
}
