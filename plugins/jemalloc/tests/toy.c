/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library that looks like jemalloc from outside: the thread-local struct and its two members have
 * their names, and there is a mallctl() to call.  Built in ways in which no distribution builds
 * jemalloc, to reach the less common paths.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

/* The prefix that each generation of jemalloc gives its members. */
#ifndef PREFIX
#define PREFIX cant_access_tsd_items_directly_use_a_getter_or_setter_
#endif
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#ifndef BEFORE
#define BEFORE 7
#endif

struct tsd_s {
	uint64_t before[BEFORE];
	uint64_t PASTE(PREFIX, thread_allocated);
	uint64_t event;
	uint64_t PASTE(PREFIX, thread_deallocated);
	uint64_t after[3];
};

static __thread uint64_t neighbour = 3;
static __thread struct tsd_s je_tsd_tls = {.event = 1};

#define ALLOCATED je_tsd_tls.PASTE(PREFIX, thread_allocated)
#define DEALLOCATED je_tsd_tls.PASTE(PREFIX, thread_deallocated)

/* The nodes that the names of mallctl() lead to, as in src/ctl.c. */
struct node {
	_Bool named;
	const char *name;
	size_t n_children;
	const void *children;
	int (*ctl)(struct tsd_s *tsd, const size_t *mib, size_t mib_len, void *old, size_t *old_len,
		   void *new, size_t new_len);
};

#define CTL(function, member)                                                                      \
	static int function(struct tsd_s *tsd, const size_t *mib, size_t mib_len, void *old,       \
			    size_t *old_len, void *new, size_t new_len)                            \
	{                                                                                          \
		uint64_t *counter = &tsd->PASTE(PREFIX, member);                                   \
		(void)mib;                                                                         \
		(void)mib_len;                                                                     \
		if (new || new_len)                                                                \
			return 1;                                                                  \
		if (old && old_len && *old_len == sizeof counter)                                  \
			memcpy(old, (const void *)&counter, sizeof counter);                       \
		return 0;                                                                          \
	}

CTL(allocatedp_ctl, thread_allocated)
CTL(deallocatedp_ctl, thread_deallocated)

VISIBLE const struct node toy_nodes[] = {
	{1, "arena", 0, NULL, NULL},
	{1, "allocatedp", 0, NULL, allocatedp_ctl},
	{1, "deallocatedp", 0, NULL, deallocatedp_ctl},
};

VISIBLE void toy_work(uint64_t bytes);
VISIBLE int mallctl(const char *name, void *old, size_t *old_len, void *new, size_t new_len);
VISIBLE int mallctlnametomib(const char *name, size_t *mib, size_t *len);

void toy_work(uint64_t bytes)
{
	neighbour++;
	ALLOCATED += bytes;
	DEALLOCATED += bytes / 3;
}

int mallctl(const char *name, void *old, size_t *old_len, void *new, size_t new_len)
{
	uint64_t *counter = strcmp(name, "thread.allocatedp") == 0 ? &ALLOCATED : &DEALLOCATED;

	(void)new;
	(void)new_len;
	if (*old_len != sizeof counter)
		return 1;
	memcpy(old, (const void *)&counter, sizeof counter);
	return 0;
}

int mallctlnametomib(const char *name, size_t *mib, size_t *len)
{
	(void)name;
	(void)mib;
	(void)len;
	return 1;
}
