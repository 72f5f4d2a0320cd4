/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sets.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "hold.h"
#include "thread-file.h"

void sets_init(struct sets *sets)
{
	*sets = (struct sets){.n = 0};
	(void)pthread_mutex_init(&sets->lock, NULL);
}

void sets_clear(struct sets *sets)
{
	for (size_t i = 0; i < sets->n; i++)
		free(sets->sets[i].text);
	free(sets->sets);
	(void)pthread_mutex_destroy(&sets->lock);
}

/* Returns the index at which an address is, or would be inserted. */
static size_t place_of(const struct sets *sets, uint64_t address)
{
	size_t low = 0, high = sets->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sets->sets[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether the file still shows the cgroup that BPF read for the thread. */
static bool is_of(struct text text, const char *path)
{
	struct text main_path;

	return cgroup_lines_main(text, &main_path) && text_equal(main_path, path);
}

static bool add(struct sets *sets, size_t at, uint64_t address, struct text text)
{
	AUTO_FREE char *copy = malloc(text.len + 1);

	if (!copy || sets->n == SETS_MAX)
		return false;
	if (!sets->sets && !(sets->sets = calloc(SETS_MAX, sizeof *sets->sets)))
		return false;
	memcpy(copy, text.p, text.len);
	memmove(&sets->sets[at + 1], &sets->sets[at], (sets->n - at) * sizeof *sets->sets);
	struct set *set = &sets->sets[at];
	*set = (struct set){.address = address, .text = copy};
	set->n = cgroup_lines_v1((struct text){copy, text.len}, set->entries);
	copy = NULL;
	sets->n++;
	return true;
}

/* Whether the thread has begun to end: its cgroup file then shows "/" for v1. */
static bool is_exiting(const struct ctprof_host *host, const struct ctprof_target *target)
{
	struct stat_line stat;

	return stat_line_read(host, target->task_fd, target->tid, &stat) < 0 || stat.exiting;
}

static bool ask(struct sets *sets, const struct ctprof_host *host,
		const struct ctprof_target *target, size_t at, uint64_t address, const char *path)
{
	char text[CGROUP_LINES_BYTES];
	ssize_t got =
		thread_file_read(host, target->task_fd, target->tid, "cgroup", text, sizeof text);

	return got > 0 && is_of((struct text){text, (size_t)got}, path) &&
	       !is_exiting(host, target) &&
	       add(sets, at, address, (struct text){text, (size_t)got});
}

bool sets_find(struct sets *sets, const struct ctprof_host *host,
	       const struct ctprof_target *target, uint64_t address, const char *path,
	       struct set *ret)
{
	if (address == 0 || !path)
		return false;
	HOLD(&sets->lock);
	size_t at = place_of(sets, address);
	bool found = (at < sets->n && sets->sets[at].address == address) ||
		     ask(sets, host, target, at, address, path);
	if (found)
		*ret = sets->sets[at];
	return found;
}
