/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process whose list of threads, which glibc keeps in its memory, has N nodes more than it has
 * threads.
 *
 *	biglist N LIBRARY
 *
 * LIBRARY is one with jemalloc.  Prints "ready"; ends with its stdin.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The list's head and nodes: next, prev; and the ID behind them. */
struct node {
	struct node *next, *prev;
	uint64_t tid;
};

/* glibc's description for debuggers: bits, number, offset. */
static uint32_t offset_of(const char *name)
{
	const uint32_t *found = dlsym(RTLD_DEFAULT, name);

	if (!found) {
		printf("%s is unknown\n", name);
		exit(1);
	}
	return found[2];
}

int main(int argc, char **argv)
{
	size_t n = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	char *global = dlsym(RTLD_DEFAULT, "_rtld_global"), c;

	if (n == 0 || !dlopen(argv[2], RTLD_NOW))
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!global || offset_of("_thread_db_list_t_next") != 0 ||
	    offset_of("_thread_db_list_t_prev") != sizeof(void *) ||
	    offset_of("_thread_db_pthread_tid") !=
		    offset_of("_thread_db_pthread_list") + offsetof(struct node, tid)) {
		puts("the structs of this glibc are others");
		return 1;
	}
	struct node *head = (void *)(global + offset_of("_thread_db_rtld_global__dl_stack_user"));
	struct node *nodes = mmap(NULL, n * sizeof *nodes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (nodes == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < n; i++) {
		nodes[i] = (struct node){i + 1 < n ? &nodes[i + 1] : head,
					 i > 0 ? &nodes[i - 1] : head->prev, 0x40000000 + i};
	}
	head->prev->next = &nodes[0];
	head->prev = &nodes[n - 1];
	puts("ready");
	(void)fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	_exit(0);
}
