/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "elsewhere.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hold.h"

/* Identifies a mount namespace by the text of its link: "mnt:[4026531841]". */
struct mount_ns {
	char name[64];
};

struct device {
	uint32_t major, minor;
	enum mount_kind kind;
};

static int by_name(const void *a, const void *b)
{
	const struct mount_ns *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_number(const void *a, const void *b)
{
	const struct device *x = a, *y = b;
	int order = order_u64(x->major, y->major);

	return order ? order : order_u64(x->minor, y->minor);
}

/* Reads the mount namespace of a process: "self", or a number. */
static bool read_namespace(const struct ctprof_host *host, const char *process,
			   struct mount_ns *ret)
{
	char path[32];

	*ret = (struct mount_ns){.name = ""};
	(void)snprintf(path, sizeof path, "%s/ns/mnt", process);
	return readlinkat(host->root(host, CTPROF_ROOT_PROC), path, ret->name,
			  sizeof ret->name - 1) > 0;
}

void elsewhere_init(struct elsewhere *ret, const struct ctprof_host *host)
{
	struct mount_ns own;

	*ret = (struct elsewhere){
		.host = host,
		.namespaces.max = ELSEWHERE_NAMESPACES_MAX,
		.devices.max = ELSEWHERE_DEVICES_MAX,
	};
	(void)pthread_mutex_init(&ret->lock, NULL);
	if (host && read_namespace(host, "self", &own))
		(void)pool_add_copy(&ret->namespaces, &own, sizeof own, by_name);
}

void elsewhere_clear(struct elsewhere *elsewhere)
{
	pool_clear(&elsewhere->namespaces, free);
	pool_clear(&elsewhere->devices, free);
	(void)pthread_mutex_destroy(&elsewhere->lock);
}

void elsewhere_learn(struct elsewhere *elsewhere, int32_t pid)
{
	char process[16], path[32];
	struct mount_ns ns;
	__attribute__((cleanup(mounts_clear))) struct mounts mounts = {.n = 0};

	(void)snprintf(process, sizeof process, "%" PRId32, pid);
	(void)snprintf(path, sizeof path, "%s/mountinfo", process);
	if (!elsewhere->host || !read_namespace(elsewhere->host, process, &ns))
		return;
	HOLD(&elsewhere->lock);
	if (pool_add_copy(&elsewhere->namespaces, &ns, sizeof ns, by_name) < 0 ||
	    mounts_read(elsewhere->host, path, &mounts) < 0)
		return;
	for (size_t i = 0; i < mounts.n; i++) {
		const struct mount *mount = &mounts.at[i];
		const struct device device = {mount->major, mount->minor, mount->kind};

		(void)pool_add_copy(&elsewhere->devices, &device, sizeof device, by_number);
	}
}

bool elsewhere_is_own_ns(const struct elsewhere *elsewhere, int32_t pid)
{
	struct mount_ns own, its;
	char process[16];

	(void)snprintf(process, sizeof process, "%" PRId32, pid);
	return elsewhere->host && read_namespace(elsewhere->host, "self", &own) &&
	       read_namespace(elsewhere->host, process, &its) && by_name(&own, &its) == 0;
}

enum mount_kind elsewhere_kind_of_device(struct elsewhere *elsewhere, uint32_t major,
					 uint32_t minor)
{
	const struct device key = {.major = major, .minor = minor};

	HOLD(&elsewhere->lock);
	const struct device *found = pool_find(&elsewhere->devices, &key, by_number);
	return found ? found->kind : MOUNT_UNKNOWN;
}
