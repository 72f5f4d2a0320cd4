/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A load of short-lived processes: churner HOW N [PARALLEL [PROGRAM]] runs N children, PARALLEL
 * at a time.  Each does what HOW says and exits:
 *	exit	nothing
 *	touch	touches 4 MiB
 *	exec	becomes a program that does nothing (PROGRAM; /bin/true)
 *	burn	uses 5 ms of CPU
 *	thread	starts a thread that ends before the child does
 * Prints what the parent knows of the children, as one line of JSON.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TOUCHED ((size_t)4 << 20)
#define PAGE 4096
#define BURN_NS 5000000
#define NS_PER_S 1000000000L

static long long now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (long long)now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void do_exit(void)
{
}

static void do_touch(void)
{
	volatile char *memory =
		mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	for (size_t at = 0; at < TOUCHED; at += PAGE)
		memory[at] = 1;
}

static const char *program = "/bin/true";

static void do_exec(void)
{
	execl(program, "true", (char *)NULL);
	_exit(1);
}

static void do_burn(void)
{
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < BURN_NS)
		;
}

static void *end_at_once(void *unused)
{
	return unused;
}

static void do_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
		pthread_join(thread, NULL);
}

static const struct life {
	const char *name;
	void (*live)(void);
} lives[] = {
	{"exit", do_exit}, {"touch", do_touch},   {"exec", do_exec},
	{"burn", do_burn}, {"thread", do_thread}, {NULL, NULL},
};

static void start_one(const struct life *life)
{
	pid_t pid = fork();

	if (pid == 0) {
		life->live();
		_exit(0);
	}
	if (pid < 0) {
		perror("churner: fork");
		exit(1);
	}
}

static void end_one(void)
{
	int status;

	if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "churner: a child failed\n");
		exit(1);
	}
}

static long long us_of(struct timeval time)
{
	return (long long)time.tv_sec * 1000000 + time.tv_usec;
}

static void print_facts(long n, long long wall_ns)
{
	struct rusage children, own;

	getrusage(RUSAGE_CHILDREN, &children);
	getrusage(RUSAGE_SELF, &own);
	printf("{\"n\":%ld,\"wall_us\":%lld,\"children_user_us\":%lld,\"children_system_us\":%lld,"
	       "\"own_user_us\":%lld,\"own_system_us\":%lld,\"children_minflt\":%ld}\n",
	       n, wall_ns / 1000, us_of(children.ru_utime), us_of(children.ru_stime),
	       us_of(own.ru_utime), us_of(own.ru_stime), children.ru_minflt);
}

int main(int argc, char **argv)
{
	const struct life *life = lives;
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	long parallel = argc > 3 ? strtol(argv[3], NULL, 10) : 1;

	if (argc > 4)
		program = argv[4];
	while (life->name && (argc < 2 || strcmp(life->name, argv[1]) != 0))
		life++;
	if (!life->name || n < 1 || parallel < 1) {
		fprintf(stderr,
			"usage: churner exit|touch|exec|burn|thread N [PARALLEL [PROGRAM]]\n");
		return 2;
	}
	long long began = now_ns(CLOCK_MONOTONIC);
	for (long i = 0; i < n; i++) {
		if (i >= parallel)
			end_one();
		start_one(life);
	}
	for (long i = n < parallel ? n : parallel; i > 0; i--)
		end_one();
	print_facts(n, now_ns(CLOCK_MONOTONIC) - began);
	return 0;
}
