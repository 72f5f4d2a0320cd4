/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts CPUs, cores, packages and nodes, and reads the CPUs' governors. */
#include <errno.h>
#include <stdio.h>

#include "items.h"

#define CPUS "devices/system/cpu/"

/* Reads a list file into cpus; returns the number of CPUs, or -errno. */
static ssize_t read_list(struct host_run *run, const char *path, uint32_t *cpus)
{
	struct text value;
	int result = host_run_read_value(run, CTPROF_ROOT_SYS, path, &value);

	if (result < 0)
		return result;
	size_t n = text_cpu_list(value, cpus, HOST_MAX_CPUS);
	return n > 0 ? (ssize_t)n : -EINVAL;
}

int host_collect_count(struct host_run *run, const struct host_item *item)
{
	ssize_t n = read_list(run, item->path, run->cpus);

	return n < 0 ? (int)n : host_run_put_u64(run, item->first, (uint64_t)n);
}

/* Returns the lowest CPU that shares a core or package with this one, or -errno. */
static int64_t first_sibling(struct host_run *run, uint32_t cpu, const char *name)
{
	char path[128];

	snprintf(path, sizeof path, CPUS "cpu%u/topology/%s", cpu, name);
	ssize_t n = read_list(run, path, run->siblings);
	return n < 0 ? n : run->siblings[0];
}

/* Counts cores, or packages: each has exactly one CPU that is the first of its siblings. */
int host_collect_first_siblings(struct host_run *run, const struct host_item *item)
{
	ssize_t n = read_list(run, CPUS "online", run->cpus);
	int64_t error = n < 0 ? n : 0;
	uint64_t firsts = 0;

	for (ssize_t i = 0; i < n && error == 0; i++) {
		int64_t first = first_sibling(run, run->cpus[i], item->path);

		if (first == -ENOENT)
			first = first_sibling(run, run->cpus[i], item->other);
		if (first < 0)
			error = first;
		firsts += first == run->cpus[i];
	}
	if (error < 0)
		return (int)error;
	return firsts == 0 ? -EINVAL : host_run_put_u64(run, item->first, firsts);
}

static int add_governor(struct host_run *run, uint32_t cpu, const char *name)
{
	char path[128], key[16];
	struct text value;

	snprintf(path, sizeof path, CPUS "cpu%u/%s", cpu, name);
	int result = host_run_read_value(run, CTPROF_ROOT_SYS, path, &value);
	if (result < 0)
		return result;
	snprintf(key, sizeof key, "%u", cpu);
	return host_run_add(run, key, value);
}

/* Puts the governors.  CPUs without cpufreq are left out; without any, the value is absent. */
int host_collect_governors(struct host_run *run, const struct host_item *item)
{
	ssize_t n = read_list(run, CPUS "online", run->cpus);
	int error = n < 0 ? (int)n : -ENOENT;

	host_run_begin_map(run);
	for (ssize_t i = 0; i < n && error != -EFBIG; i++) {
		int result = add_governor(run, run->cpus[i], item->path);

		if (result < 0)
			error = result;
	}
	return run->n_entries == 0 || error == -EFBIG ? error : host_run_put_map(run, item->first);
}
