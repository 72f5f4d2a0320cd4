/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process with jemalloc that reports its true counters.
 *
 *	worker quiet N [LIBRARY]  N threads allocate different amounts and sleep;
 *	                          prints "TID ALLOCATED DEALLOCATED" of each and of
 *	                          the main thread, then "ready"
 *	worker headless N         the same, but the main thread ends first
 *	worker stuck N            the same, but the main thread cannot be stopped:
 *	                          it waits for a vfork()ed child
 *	worker churn N            N threads start short-lived threads without end,
 *	                          each of which allocates at most CHURN_BYTES;
 *	                          prints the TID of each, the main thread and "ready"
 *	worker busy N             N threads allocate without end; prints "ready";
 *	                          at the end of stdin "THREAD ROUNDS LONGEST_NS" each
 *
 * Exits when its stdin ends.  LIBRARY is opened at run time and must have toy_work().
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 2000
#define CHURN_BYTES 100000
#define OWN_STACK (256u << 10)

typedef int (*mallctl_fn)(const char *name, void *old, size_t *old_len, void *new, size_t new_len);
typedef void (*work_fn)(uint64_t bytes);

extern int mallctl(const char *name, void *old, size_t *old_len, void *new, size_t new_len)
	__attribute__((weak));

struct slot {
	pthread_t thread;
	int number;
	int tid;
	uint64_t allocated;
	uint64_t deallocated;
	uint64_t rounds;
	uint64_t longest;
};

static mallctl_fn ask;
static work_fn work;
static atomic_bool ending;
static pthread_barrier_t barrier;
static struct slot *slots;
static char table[128 << 10];

#ifdef OWN_TLS
/* Makes the program's TLS block larger than jemalloc's struct. */
static __thread volatile uint64_t own_tls[5];
#endif

static void real_work(uint64_t bytes)
{
	void *kept = malloc((size_t)bytes);
	void *freed = malloc((size_t)bytes / 2 + 1);

	if (!kept || !freed)
		abort();
	memset(kept, 1, (size_t)bytes);
	memset(freed, 1, (size_t)bytes / 2 + 1);
	/* lint: allow bare-free: the frees are what is counted */
	free(freed);
	if (bytes % 3 == 0)
		free(kept); /* lint: allow bare-free: likewise */
}

static uint64_t counter(const char *name)
{
	uint64_t *pointer = NULL;
	size_t len = sizeof pointer;

	if (ask(name, (void *)&pointer, &len, NULL, 0) != 0)
		abort();
	return *pointer;
}

static void record(struct slot *slot)
{
	slot->tid = (int)syscall(SYS_gettid);
	/* The first call may itself allocate, so read the numbers after it. */
	counter("thread.allocatedp");
	slot->allocated = counter("thread.allocatedp");
	slot->deallocated = counter("thread.deallocatedp");
}

static void *be_quiet(void *data)
{
	struct slot *slot = data;

#ifdef OWN_TLS
	own_tls[0] = (uint64_t)slot->number;
#endif
	for (int i = 0; i <= slot->number % 50; i++)
		work(1000 + 17 * (uint64_t)(slot->number + i));
	record(slot);
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	return NULL;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *be_busy(void *data)
{
	struct slot *slot = data;
	uint64_t last;

	slot->tid = (int)syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	last = now_ns();
	while (!ending) {
		void *block = malloc(100 + slot->rounds % 1000);

		if (!block)
			abort();
		*(volatile char *)block = 1;
		free(block); /* lint: allow bare-free: likewise */
		uint64_t now = now_ns();
		if (now - last > slot->longest)
			slot->longest = now - last;
		last = now;
		slot->rounds++;
	}
	return NULL;
}

static void *be_short(void *data)
{
	(void)data;
	for (uint64_t i = 0; i < 10; i++)
		work(CHURN_BYTES / 20);
	return NULL;
}

static void *be_churning(void *data)
{
	struct slot *slot = data;
	pthread_t thread;

	slot->tid = (int)syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	for (;;)
		if (pthread_create(&thread, NULL, be_short, NULL) == 0)
			pthread_join(thread, NULL);
	return NULL;
}

/* Every other thread gets a stack allocated by the program: glibc keeps such threads on another
 * list. */
static void start(struct slot *slot, void *(*main_of_thread)(void *))
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, OWN_STACK);
	if (slot->number % 2 == 1) {
		void *stack = mmap(NULL, OWN_STACK, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

		if (stack == MAP_FAILED)
			abort();
		pthread_attr_setstack(&attr, stack, OWN_STACK);
	}
	if (pthread_create(&slot->thread, &attr, main_of_thread, slot) != 0)
		abort();
	pthread_attr_destroy(&attr);
}

static void find_jemalloc(const char *library)
{
	void *handle = library ? dlopen(library, RTLD_NOW) : RTLD_DEFAULT;
	void *symbol = dlsym(handle, "mallctl");

	ask = mallctl;
	work = real_work;
	if (symbol)
		memcpy(&ask, &symbol, sizeof ask);
	if (library) {
		symbol = dlsym(handle, "toy_work");
		if (!symbol)
			abort();
		memcpy(&work, &symbol, sizeof work);
	}
	if (!ask)
		abort();
}

/* Writes at once: nothing may be allocated after the numbers were read. */
static void say(size_t used)
{
	while (used > 0) {
		ssize_t wrote = write(STDOUT_FILENO, table, used);

		if (wrote <= 0)
			abort();
		memmove(table, table + wrote, used - (size_t)wrote);
		used -= (size_t)wrote;
	}
}

static void print_truth(int n)
{
	size_t used = 0;

	for (int i = 0; i <= n; i++)
		used += (size_t)snprintf(table + used, sizeof table - used,
					 "%d %" PRIu64 " %" PRIu64 "\n", slots[i].tid,
					 slots[i].allocated, slots[i].deallocated);
	used += (size_t)snprintf(table + used, sizeof table - used, "ready\n");
	say(used);
}

static void print_progress(int n)
{
	size_t used = 0;

	for (int i = 0; i < n; i++)
		used += (size_t)snprintf(table + used, sizeof table - used,
					 "%d %" PRIu64 " %" PRIu64 "\n", slots[i].number,
					 slots[i].rounds, slots[i].longest);
	say(used);
}

static void wait_for_end(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) > 0)
		;
}

struct mode {
	const char *name;
	void *(*thread)(void *slot);
};

static const struct mode modes[] = {
	{"quiet", be_quiet}, {"headless", be_quiet}, {"stuck", be_quiet},
	{"busy", be_busy},   {"churn", be_churning},
};

static const struct mode *find_mode(const char *name)
{
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (strcmp(name, modes[i].name) == 0)
			return &modes[i];
	return NULL;
}

static void start_all(int n, const struct mode *mode)
{
	slots = calloc((size_t)n + 1, sizeof *slots);
	if (!slots || pthread_barrier_init(&barrier, NULL, (unsigned)n + 1) != 0)
		abort();
	for (int i = 0; i < n; i++) {
		slots[i].number = i;
		start(&slots[i], mode->thread);
	}
	pthread_barrier_wait(&barrier);
}

int main(int argc, char **argv)
{
	int n = argc >= 3 ? (int)strtol(argv[2], NULL, 10) : 0;
	const struct mode *mode = argc >= 3 ? find_mode(argv[1]) : NULL;

	if (!mode || n < 1 || n > MAX_THREADS)
		return 2;
	/* No worker stays running, however the test ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	find_jemalloc(argc >= 4 ? argv[3] : NULL);
	start_all(n, mode);
	if (mode->thread != be_busy)
		record(&slots[n]);
	print_truth(mode->thread != be_busy ? n : -1);
	if (strcmp(mode->name, "headless") == 0)
		pthread_exit(NULL);
	if (strcmp(mode->name, "stuck") == 0 && vfork() == 0) {
		wait_for_end();
		_exit(0);
	}
	wait_for_end();
	ending = true;
	for (int i = 0; i < n && mode->thread == be_busy; i++)
		pthread_join(slots[i].thread, NULL);
	if (mode->thread == be_busy)
		print_progress(n);
	return 0;
}
