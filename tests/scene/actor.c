/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One load of the scene: actor NAME KIND [N].  It calls itself NAME and works until standard input
 * ends; its work is read from outside, from /proc.
 *
 *	jvm N     N threads that want a little CPU now and then, too much in all
 *	spin N    N processes that want a CPU each
 *	disk      writes a file and reads it back, bypassing the page cache
 *	hog N     touches N MiB per second
 *	storm N   N threads that start children, which end at once
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES 65536
#define BLOCK (1u << 20)
#define FILE_BLOCKS 64
#define MIB (1u << 20)
#define STEPS_A_SECOND 20
#define MOST_MIB 2048

static void work(long us)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

/* Held until all threads exist: the first ones would starve the one that creates the others. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *be_starved(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	for (;;) {
		work(100);
		usleep(20000);
	}
	return NULL;
}

static void begin_threads(long n, void *(*be)(void *))
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_mutex_lock(&gate);
	while (n-- > 0)
		if (pthread_create(&thread, &attributes, be, NULL) != 0)
			errx(1, "no more threads");
	pthread_mutex_unlock(&gate);
}

static void spin(long n)
{
	while (--n > 0)
		if (fork() == 0)
			break;
	prctl(PR_SET_PDEATHSIG, n > 0 ? SIGKILL : 0);
	for (;;)
		work(1000000);
}

static void use_disk(void)
{
	char path[] = "/var/tmp/ctprof-scene-XXXXXX";
	int fd = mkostemp(path, O_DIRECT);
	char *block;

	if (fd < 0)
		err(1, "%s", path);
	unlink(path);
	block = aligned_alloc(4096, BLOCK);
	if (!block)
		err(1, "memory");
	memset(block, 1, BLOCK);
	for (;;)
		for (int i = 0; i < 2 * FILE_BLOCKS; i++) {
			off_t at = (off_t)(i % FILE_BLOCKS) * BLOCK;

			if ((i < FILE_BLOCKS ? pwrite(fd, block, BLOCK, at)
					     : pread(fd, block, BLOCK, at)) != BLOCK)
				err(1, "disk");
			usleep(5000);
		}
}

static void take_memory(long mib_a_second)
{
	for (long taken = 0; taken < MOST_MIB; taken += mib_a_second / STEPS_A_SECOND) {
		size_t size = (size_t)(mib_a_second / STEPS_A_SECOND) * MIB;
		char *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

		if (area == MAP_FAILED)
			err(1, "memory");
		memset(area, 1, size);
		usleep(1000000 / STEPS_A_SECOND);
	}
	pause();
}

/* Each thread waits for a CPU as long as its child does, so a single one makes no storm. */
static void *be_stormy(void *unused)
{
	(void)unused;
	for (;;) {
		pid_t pid = fork();

		if (pid == 0) {
			work(1000);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return NULL;
}

static void *play(void *arguments)
{
	char **argv = arguments;
	const char *kind = argv[2];
	long n = argv[3] ? strtol(argv[3], NULL, 10) : 1;

	if (strcmp(kind, "jvm") == 0)
		begin_threads(n, be_starved);
	else if (strcmp(kind, "spin") == 0)
		spin(n);
	else if (strcmp(kind, "disk") == 0)
		use_disk();
	else if (strcmp(kind, "hog") == 0)
		take_memory(n);
	else if (strcmp(kind, "storm") == 0)
		begin_threads(n, be_stormy);
	return NULL;
}

int main(int argc, char **argv)
{
	struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN};
	pthread_t thread;
	char byte;

	if (argc < 3)
		errx(2, "usage: actor NAME KIND [N]");
	prctl(PR_SET_NAME, argv[1]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&thread, NULL, play, argv) != 0)
		errx(1, "no thread");
	while (poll(&end, 1, -1) < 0 || read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	kill(0, SIGKILL);
	return 0;
}
