/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One beast of the zoo: beast NAME KIND [N [M]].  It calls itself NAME, and runs until standard
 * input ends.  The process started prints the PID of the beast, its child; "shrink" also says
 * "ready" once it holds its memory.  The kinds are in the table at the end of this file.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES 65536
#define MIB ((size_t)1 << 20)
#define BLOCK MIB
#define FILE_BLOCKS 64
#define STEPS_A_SECOND 20

static char **words; /* NAME KIND N M */
static long n = 1, m;

static void work(long us)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

static void spin_for_ever(void)
{
	for (;;)
		work(1000000);
}

static void begin_threads(long count, void *(*be)(void *))
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (long i = 0; i < count; i++)
		if (pthread_create(&thread, &attributes, be, (void *)i) != 0)
			errx(1, "no more threads");
}

/* Makes count processes in all, including this one; returns the number of each in its own
 * process. */
static long begin_processes(long count)
{
	for (long i = 1; i < count; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			return i;
		}
	return 0;
}

static int scratch_file(int flags)
{
	char path[] = "/var/tmp/ctprof-zoo-XXXXXX";
	int fd = mkostemp(path, flags);

	if (fd < 0)
		err(1, "%s", path);
	unlink(path);
	return fd;
}

static char *block_of(int byte)
{
	char *block = aligned_alloc(4096, BLOCK);

	if (!block)
		err(1, "memory");
	return memset(block, byte, BLOCK);
}

static void transfer(int fd, char *block, int i, int is_write)
{
	off_t at = (off_t)(i % FILE_BLOCKS) * (off_t)BLOCK;
	ssize_t done = is_write ? pwrite(fd, block, BLOCK, at) : pread(fd, block, BLOCK, at);

	if (done != (ssize_t)BLOCK)
		err(1, "disk");
}

/* ---- CPU ------------------------------------------------------------------- */

static void *spin_thread(void *unused)
{
	(void)unused;
	spin_for_ever();
	return NULL;
}

static void spin(void)
{
	begin_processes(n);
	spin_for_ever();
}

static void spin_threads(void)
{
	begin_threads(n, spin_thread);
	pause();
}

/* Only one of the n threads works: the one named hot-compactor. */
static void *hot_thread(void *number)
{
	if (number) {
		pause();
	} else {
		prctl(PR_SET_NAME, "hot-compactor");
		spin_for_ever();
	}
	return NULL;
}

static void hot(void)
{
	begin_threads(n, hot_thread);
	pause();
}

static void hot_process(void)
{
	if (begin_processes(n) == 1)
		spin_for_ever();
	pause();
}

/* Uses m % of a CPU, in turns of 5 ms. */
static void part(void)
{
	for (;;) {
		work(m * 50);
		usleep((useconds_t)(100 - m) * 50);
	}
}

static void in_kernel(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	char *block = block_of(0);

	for (;;)
		if (read(fd, block, BLOCK) < 0)
			err(1, "read");
}

static void datagrams(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof to;
	int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	char byte = 0;

	if (bind(in, (struct sockaddr *)&to, sizeof to) < 0 ||
	    getsockname(in, (struct sockaddr *)&to, &length) < 0)
		err(1, "socket");
	for (;;)
		sendto(out, &byte, 1, 0, (struct sockaddr *)&to, sizeof to);
}

/* Each of m processes wakes up n times a second, and uses almost no CPU. */
static void timer(void)
{
	begin_processes(m ? m : 1);
	for (;;)
		usleep((useconds_t)(1000000 / n));
}

static void ping_pong(void)
{
	int there[2], back[2];
	char byte = 0;

	if (pipe(there) < 0 || pipe(back) < 0)
		err(1, "pipe");
	if (begin_processes(2) == 1)
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			continue;
	while (write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1)
		continue;
}

/* ---- processes that end ------------------------------------------------------ */

/* Runs jobs one after the other, each with n us of work; m: how many such threads there are. */
static void *jobs_thread(void *unused)
{
	(void)unused;
	for (;;) {
		pid_t pid = fork();

		if (pid == 0) {
			work(n);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return NULL;
}

static void jobs(void)
{
	begin_threads(m ? m : 1, jobs_thread);
	pause();
}

/* Works for n s, and ends; only the parent remains, which sleeps. */
static void ending(void)
{
	if (fork() == 0) {
		work(n * 1000000);
		_exit(0);
	}
	pause();
}

/* ---- memory ------------------------------------------------------------------- */

static void take(size_t bytes)
{
	char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		err(1, "memory");
	memset(area, 1, bytes);
}

/* Takes n MiB per second. */
static void leak_on(void)
{
	size_t step = (size_t)n * MIB / STEPS_A_SECOND;

	for (size_t taken = 0; taken < 2048 * MIB; taken += step) {
		take(step);
		usleep(1000000 / STEPS_A_SECOND);
	}
	pause();
}

static void leak(void)
{
	leak_on();
}

/* One of m processes leaks. */
static void leak_one(void)
{
	if (begin_processes(m) == 1)
		leak_on();
	pause();
}

/* Starts a child of n MiB every 60 s, and ends the previous one. */
static void newborn(void)
{
	for (;;) {
		pid_t pid = fork();

		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			take((size_t)n * MIB);
			pause();
		}
		sleep(60);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* Holds n MiB and gives them back, m MiB per second. */
static void shrink(void)
{
	size_t size = (size_t)n * MIB, step = (size_t)m * MIB / STEPS_A_SECOND;
	char *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(area, 1, size);
	puts("ready");
	fflush(stdout);
	for (size_t at = 0; at + step <= size; at += step) {
		madvise(area + at, step, MADV_DONTNEED);
		usleep(1000000 / STEPS_A_SECOND);
	}
	pause();
}

/* Reads a file of n MiB again and again: more than its cgroup may have. */
static void working_set(void)
{
	int fd = scratch_file(0);
	char *block = block_of(1);

	for (long i = 0; i < n; i++)
		if (write(fd, block, BLOCK) != (ssize_t)BLOCK)
			err(1, "disk");
	fdatasync(fd);
	for (;;)
		for (long i = 0; i < n; i++)
			if (pread(fd, block, BLOCK, (off_t)i * (off_t)BLOCK) < 0)
				err(1, "disk");
}

/* ---- files ---------------------------------------------------------------------- */

static void into_cache(void)
{
	int fd = scratch_file(0);
	char *block = block_of(1);

	for (int i = 0;; i++)
		transfer(fd, block, i, 1);
}

static void out_of_cache(void)
{
	int fd = scratch_file(0);
	char *block = block_of(1);

	for (int i = 0; i < FILE_BLOCKS; i++)
		transfer(fd, block, i, 1);
	fdatasync(fd);
	for (int i = 0;; i++)
		transfer(fd, block, i, 0);
}

static void read_direct(void)
{
	int fd = scratch_file(O_DIRECT);
	char *block = block_of(1);

	for (int i = 0; i < FILE_BLOCKS; i++)
		transfer(fd, block, i, 1);
	for (int i = 0;; i++)
		transfer(fd, block, i, 0);
}

/* Starts so many readers that the disk has more to do than it can. */
static void read_crowd(void)
{
	begin_processes(n);
	read_direct();
}

/* One of n processes reads. */
static void read_one(void)
{
	if (begin_processes(n) == 1)
		read_direct();
	pause();
}

static void sync_loop(void)
{
	int fd = scratch_file(0);
	char *block = block_of(1);

	for (int i = 0;; i++) {
		if (pwrite(fd, block, 4096, (off_t)(i % 64) * 4096) < 0 || fdatasync(fd) < 0)
			err(1, "disk");
	}
}

/* ---- waiting ---------------------------------------------------------------------- */

/* Waits for a child of vfork() that does not end, which keeps the caller in state D. */
static void *vfork_thread(void *unused)
{
	(void)unused;
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return NULL;
}

static void stuck(void)
{
	long number = begin_processes(n);

	(void)number;
	vfork_thread(NULL);
	pause();
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Each thread sleeps for 5 ms with the lock held. */
static void *convoy_thread(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&lock);
		usleep(5000);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void convoy(void)
{
	begin_threads(n, convoy_thread);
	pause();
}

static pthread_mutex_t ring[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				  PTHREAD_MUTEX_INITIALIZER};

static void *deadlock_thread(void *number)
{
	long i = (long)number;

	pthread_mutex_lock(&ring[i]);
	usleep(100000);
	pthread_mutex_lock(&ring[(i + 1) % 3]);
	return NULL;
}

static void deadlock(void)
{
	begin_threads(3, deadlock_thread);
	pause();
}

/* The reader takes 4 KiB every 50 ms; the writer would write all the time. */
static void pipe_stall(void)
{
	int ends[2];
	char *block = block_of(0);

	if (pipe(ends) < 0)
		err(1, "pipe");
	if (begin_processes(2) == 1) {
		prctl(PR_SET_NAME, "zoo-reader");
		while (read(ends[0], block, 4096) > 0)
			usleep(50000);
	}
	while (write(ends[1], block, 4096) > 0)
		continue;
}

static void slow_peer(void)
{
	int ends[2];
	char byte = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		err(1, "socket");
	if (begin_processes(2) == 1) {
		prctl(PR_SET_NAME, "zoo-server");
		while (read(ends[1], &byte, 1) == 1 && usleep(50000) == 0)
			if (write(ends[1], &byte, 1) != 1)
				break;
	}
	while (write(ends[0], &byte, 1) == 1 && read(ends[0], &byte, 1) == 1)
		continue;
}

static void *epoll_thread(void *unused)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	(void)unused;
	while (epoll_wait(fd, &event, 1, -1) <= 0)
		continue;
	return NULL;
}

static void epoll_idle(void)
{
	begin_threads(n, epoll_thread);
	pause();
}

static void *sleep_thread(void *unused)
{
	(void)unused;
	for (;;)
		sleep(1);
	return NULL;
}

static void sleepers(void)
{
	begin_threads(n, sleep_thread);
	pause();
}

/* ---- the kinds -------------------------------------------------------------------- */

static const struct kind {
	const char *name;
	void (*be)(void);
} kinds[] = {
	{"spin", spin},
	{"spin-threads", spin_threads},
	{"hot", hot},
	{"hot-process", hot_process},
	{"part", part},
	{"in-kernel", in_kernel},
	{"datagrams", datagrams},
	{"timer", timer},
	{"ping-pong", ping_pong},
	{"jobs", jobs},
	{"ending", ending},
	{"leak", leak},
	{"leak-one", leak_one},
	{"newborn", newborn},
	{"shrink", shrink},
	{"working-set", working_set},
	{"into-cache", into_cache},
	{"out-of-cache", out_of_cache},
	{"read-crowd", read_crowd},
	{"read-direct", read_direct},
	{"read-one", read_one},
	{"sync-loop", sync_loop},
	{"stuck", stuck},
	{"convoy", convoy},
	{"deadlock", deadlock},
	{"pipe-stall", pipe_stall},
	{"slow-peer", slow_peer},
	{"epoll-idle", epoll_idle},
	{"sleepers", sleepers},
};

static void be(void)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strcmp(kinds[i].name, words[2]) == 0)
			kinds[i].be();
	errx(2, "%s: there is no such kind", words[2]);
}

/* This process ends the beast, so it must not wait for a CPU that the beast never releases: of two
 * threads with one SCHED_FIFO priority, the kernel lets the first run on. */
static void leave_policy(void)
{
	struct sched_param normal = {.sched_priority = 0};
	cpu_set_t all;

	memset(&all, 0xff, sizeof all);
	sched_setaffinity(0, sizeof all, &all);
	sched_setscheduler(0, SCHED_OTHER, &normal);
}

/* The beast is a child, so that its pool's numbers include nothing of this process. */
int main(int argc, char **argv)
{
	struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN};
	char byte;

	if (argc < 3)
		errx(2, "usage: beast NAME KIND [N [M]]");
	words = argv;
	n = argc > 3 ? strtol(argv[3], NULL, 10) : 1;
	m = argc > 4 ? strtol(argv[4], NULL, 10) : 0;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pid_t keeper = getpid(), pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NAME, argv[1]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != keeper)
			_exit(1);
		be();
	}
	leave_policy();
	printf("%d\n", (int)pid);
	fflush(stdout);
	while (poll(&end, 1, -1) < 0 || read(STDIN_FILENO, &byte, 1) > 0)
		continue;
	kill(0, SIGKILL);
	return 0;
}
