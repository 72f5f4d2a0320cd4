/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process whose list of threads, which glibc keeps in the process's memory, has N nodes more than
 * there are threads.
 *
 *	biglist N LIBRARY [COPIES [RUNS]]
 *
 * LIBRARY must have jemalloc.  COPIES: the number of processes to run, or fewer if fork() fails;
 * prints how many run.  RUNS: the number of mappings, alternately of two files of its own, so that
 * each mapping must be opened.  Prints "ready"; exits when its stdin ends.
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

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

/* The list's head and nodes: next and prev, followed by the ID. */
struct node {
	struct node *next, *prev;
	uint64_t tid;
};

/* Reads glibc's description for debuggers: bits, number, offset. */
static uint32_t offset_of(const char *name)
{
	const uint32_t *found = dlsym(RTLD_DEFAULT, name);

	if (!found) {
		printf("%s is unknown\n", name);
		exit(1);
	}
	return found[2];
}

static void lengthen(size_t n)
{
	char *global = dlsym(RTLD_DEFAULT, "_rtld_global");

	if (!global || offset_of("_thread_db_list_t_next") != 0 ||
	    offset_of("_thread_db_list_t_prev") != sizeof(void *) ||
	    offset_of("_thread_db_pthread_tid") !=
		    offset_of("_thread_db_pthread_list") + offsetof(struct node, tid)) {
		puts("the structs of this glibc differ");
		exit(1);
	}
	struct node *head = (void *)(global + offset_of("_thread_db_rtld_global__dl_stack_user"));
	struct node *nodes = mmap(NULL, n * sizeof *nodes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (nodes == MAP_FAILED)
		exit(1);
	for (size_t i = 0; i < n; i++) {
		nodes[i] = (struct node){i + 1 < n ? &nodes[i + 1] : head,
					 i > 0 ? &nodes[i - 1] : head->prev, 0x40000000 + i};
	}
	head->prev->next = &nodes[0];
	head->prev = &nodes[n - 1];
}

static int make_file(void)
{
	char path[] = "/var/tmp/ctprof-biglist-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || unlink(path) < 0 || ftruncate(fd, (off_t)PAGE) < 0)
		exit(1);
	return fd;
}

static void map_in_turn(size_t runs)
{
	int files[] = {make_file(), make_file()};
	char *area = mmap(NULL, runs * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < runs; i++)
		if (mmap(area + i * PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			 files[i % 2], 0) == MAP_FAILED)
			exit(1);
}

/* Forks copies of this process; returns the number of processes. */
static size_t multiply(size_t copies)
{
	pid_t first = getpid();
	size_t i = 1;

	for (pid_t pid; i < copies && (pid = fork()) >= 0; i++) {
		if (pid > 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == first)
			pause();
		_exit(0);
	}
	return i;
}

static size_t number(int argc, char **argv, int i)
{
	return i < argc ? strtoul(argv[i], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
	size_t n = number(argc, argv, 1), copies = number(argc, argv, 3);
	char c;

	if (argc < 3 || !dlopen(argv[2], RTLD_NOW))
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (n > 0)
		lengthen(n);
	if (number(argc, argv, 4) > 0)
		map_in_turn(number(argc, argv, 4));
	if (copies > 0)
		printf("%zu\n", multiply(copies));
	puts("ready");
	(void)fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	_exit(0);
}
