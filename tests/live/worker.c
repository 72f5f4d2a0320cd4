/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose threads behave as a test requests.  It prints one line of
 * JSON with its PIDs, TIDs and what each thread knows about itself, and then
 * waits for the end of standard input.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* TASK_COMM_LEN without its NUL. */
#define NAME_BYTES 15
/* Address space only; an idle thread touches a page of it. */
#define STACK_BYTES 65536
#define COPY_BYTES 4096
#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define PAUSE_US 200
#define MAX_COUNT 100000

/* The attributes and the work of one thread. */
struct plan {
	char name[NAME_BYTES + 1];
	bool named;
	int policy, priority;
	int nice;
	bool pinned;
	unsigned cpu;
	uint64_t burn_ms, read_bytes, write_bytes, faults;
};

/* What the thread knows about itself after its work. */
struct truth {
	pid_t tid;
	uint64_t cpu_ns, calls_read, calls_write;
	struct rusage usage;
};

struct actor {
	struct plan plan;
	struct truth truth;
};

struct order {
	struct actor *actors;
	unsigned n_actors;
	unsigned threads; /* idle ones, beyond the actors */
	unsigned processes, zombies;
	unsigned churn_threads; /* size of the ring of short-lived threads */
	bool leader_exits, churn_processes;
};

static sem_t ready;

static const struct policy {
	const char *name;
	int number;
} policies[] = {
	{"other", SCHED_OTHER}, {"batch", SCHED_BATCH}, {"idle", SCHED_IDLE},
	{"fifo", SCHED_FIFO},   {"rr", SCHED_RR},
};

static uint64_t parse_number(const char *what, const char *text, uint64_t max)
{
	char *end;

	errno = 0;
	uint64_t value = strtoull(text, &end, 10);
	if (errno || end == text || *end || text[0] == '-' || value > max)
		errx(2, "%s: '%s' is no number up to %" PRIu64, what, text, max);
	return value;
}

static int nibble(char digit)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = digit ? strchr(digits, digit) : NULL;

	return at ? (int)(at - digits) : -1;
}

static void set_name(struct plan *plan, const char *hex)
{
	size_t len = strlen(hex) / 2;

	if (strlen(hex) % 2 || len > NAME_BYTES)
		errx(2, "name: '%s' is not 0 to %d bytes in hex", hex, NAME_BYTES);
	for (size_t i = 0; i < len; i++) {
		int high = nibble(hex[2 * i]), low = nibble(hex[2 * i + 1]);

		if (high < 0 || low < 0 || high + low == 0)
			errx(2, "name: '%s': not the hex of bytes other than NUL", hex);
		plan->name[i] = (char)(high << 4 | low);
	}
	plan->named = true;
}

/* Parses "batch" or "fifo:10". */
static void set_policy(struct plan *plan, const char *text)
{
	size_t len = strcspn(text, ":");

	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
		const struct policy *policy = &policies[i];

		if (strlen(policy->name) != len || strncmp(policy->name, text, len) != 0)
			continue;
		plan->policy = policy->number;
		plan->priority = text[len] ? (int)parse_number("policy", text + len + 1, 99) : 0;
		return;
	}
	errx(2, "policy: '%s' is unknown", text);
}

static void set_nice(struct plan *plan, const char *text)
{
	plan->nice = (int)parse_number("nice", text, 19);
}

static void set_cpu(struct plan *plan, const char *text)
{
	plan->cpu = (unsigned)parse_number("cpu", text, CPU_SETSIZE - 1);
	plan->pinned = true;
}

static void set_burn(struct plan *plan, const char *text)
{
	plan->burn_ms = parse_number("burn", text, 60000);
}

static void set_read(struct plan *plan, const char *text)
{
	plan->read_bytes = parse_number("read", text, 1 << 30);
}

static void set_write(struct plan *plan, const char *text)
{
	plan->write_bytes = parse_number("write", text, 1 << 30);
}

static void set_faults(struct plan *plan, const char *text)
{
	plan->faults = parse_number("faults", text, 1 << 20);
}

static const struct setter {
	const char *key;
	void (*set)(struct plan *plan, const char *value);
} setters[] = {
	{"name", set_name}, {"policy", set_policy}, {"nice", set_nice},   {"cpu", set_cpu},
	{"burn", set_burn}, {"read", set_read},     {"write", set_write}, {"faults", set_faults},
};

static void set_item(struct plan *plan, char *item)
{
	char *value = strchr(item, '=');

	if (!value)
		errx(2, "'%s': expected KEY=VALUE", item);
	*value++ = '\0';
	for (size_t i = 0; i < sizeof setters / sizeof *setters; i++)
		if (strcmp(setters[i].key, item) == 0) {
			setters[i].set(plan, value);
			return;
		}
	errx(2, "'%s' is unknown", item);
}

/* Parses "name=6e616d65,policy=batch,burn=20". */
static void add_actor(struct order *order, char *spec)
{
	struct actor *actors =
		reallocarray(order->actors, order->n_actors + 1, sizeof *order->actors);
	char *item;

	if (!actors)
		err(1, "no memory");
	order->actors = actors;
	actors[order->n_actors] = (struct actor){.plan = {.policy = SCHED_OTHER}};
	while ((item = strsep(&spec, ",")))
		set_item(&actors[order->n_actors].plan, item);
	order->n_actors++;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void burn(uint64_t ms)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * NS_PER_MS;

	while (ms && clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		continue;
}

/* Moves bytes between a buffer and a device that never transfers less than asked. */
static uint64_t copy(const char *device, int flags, uint64_t bytes)
{
	char buffer[COPY_BYTES] = {0};
	uint64_t calls = 0;
	int fd = bytes ? open(device, flags | O_CLOEXEC) : -1;

	if (bytes && fd < 0)
		err(1, "%s", device);
	for (; bytes; calls++) {
		size_t size = bytes < sizeof buffer ? (size_t)bytes : sizeof buffer;
		ssize_t moved =
			flags == O_RDONLY ? read(fd, buffer, size) : write(fd, buffer, size);

		if (moved != (ssize_t)size)
			err(1, "%s", device);
		bytes -= size;
	}
	if (fd >= 0)
		close(fd);
	return calls;
}

static void fault(uint64_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (size_t)pages * page;

	if (!pages)
		return;
	char *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		err(1, "mmap");
	/* A huge page would take many faults at once. */
	(void)madvise(area, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += page)
		((volatile char *)area)[at] = 1;
}

static void become(const struct plan *plan)
{
	struct sched_param parameter = {.sched_priority = plan->priority};
	cpu_set_t cpus;

	if (plan->named && prctl(PR_SET_NAME, plan->name))
		err(1, "PR_SET_NAME");
	if (plan->pinned) {
		CPU_ZERO(&cpus);
		CPU_SET(plan->cpu, &cpus);
		if (sched_setaffinity(0, sizeof cpus, &cpus))
			err(1, "sched_setaffinity");
	}
	/* On Linux the nice value is per thread, whatever POSIX says. */
	if (plan->nice && setpriority(PRIO_PROCESS, 0, plan->nice))
		err(1, "setpriority");
	if (plan->policy != SCHED_OTHER && sched_setscheduler(0, plan->policy, &parameter))
		err(1, "sched_setscheduler");
}

static void wait_for_ever(void)
{
	for (;;)
		pause();
}

static void *act(void *argument)
{
	struct actor *actor = argument;
	struct truth *truth = &actor->truth;

	truth->tid = gettid();
	become(&actor->plan);
	burn(actor->plan.burn_ms);
	truth->calls_read = copy("/dev/zero", O_RDONLY, actor->plan.read_bytes);
	truth->calls_write = copy("/dev/null", O_WRONLY, actor->plan.write_bytes);
	fault(actor->plan.faults);
	truth->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	getrusage(RUSAGE_THREAD, &truth->usage);
	sem_post(&ready);
	wait_for_ever();
	return NULL;
}

static void *idle(void *unused)
{
	(void)unused;
	sem_post(&ready);
	wait_for_ever();
	return NULL;
}

static void *wait_for_turn(void *argument)
{
	sem_t *turn = argument;

	while (sem_wait(turn) && errno == EINTR)
		continue;
	return NULL;
}

static pthread_t start(void *(*body)(void *), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	errno = pthread_create(&thread, &attributes, body, argument);
	if (errno)
		err(1, "pthread_create");
	pthread_attr_destroy(&attributes);
	return thread;
}

/*
 * Runs a ring of threads: the oldest exits and a new one is started.  A listing
 * shows threads about to exit before those that live on, which makes it hard
 * to see them all.
 */
static void *churn_threads(void *argument)
{
	const struct order *order = argument;
	struct turn {
		sem_t turn;
		pthread_t thread;
	} *ring = calloc(order->churn_threads, sizeof *ring);

	if (!ring)
		err(1, "no memory");
	for (unsigned i = 0; i < order->churn_threads; i++) {
		if (sem_init(&ring[i].turn, 0, 0))
			err(1, "sem_init");
		ring[i].thread = start(wait_for_turn, &ring[i].turn);
	}
	sem_post(&ready);
	for (unsigned i = 0;; i = (i + 1) % order->churn_threads) {
		sem_post(&ring[i].turn);
		pthread_join(ring[i].thread, NULL);
		ring[i].thread = start(wait_for_turn, &ring[i].turn);
		usleep(PAUSE_US);
	}
	return NULL;
}

static pid_t fork_or_die(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	return pid;
}

static void *churn_processes(void *unused)
{
	for (;;) {
		pid_t pid = fork_or_die();

		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
		usleep(PAUSE_US);
	}
	return unused;
}

static void wait_for_threads(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		while (sem_wait(&ready) && errno == EINTR)
			continue;
}

static void wait_for_end_of_input(void)
{
	char buffer[64];
	ssize_t got;

	do
		got = read(STDIN_FILENO, buffer, sizeof buffer);
	while (got > 0 || (got < 0 && errno == EINTR));
}

/* Runs a process of idle threads; writes a byte to tell when they are ready. */
static void run_child(unsigned threads, int tell)
{
	/* A test that dies must not leave processes. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < threads; i++)
		start(idle, NULL);
	wait_for_threads(threads);
	if (write(tell, "", 1) != 1)
		_exit(1);
	close(tell);
	wait_for_end_of_input();
	_exit(0);
}

static void start_processes(const struct order *order, pid_t *pids)
{
	int told[2];

	if (pipe2(told, O_CLOEXEC))
		err(1, "pipe");
	for (unsigned i = 0; i < order->processes; i++) {
		pids[i] = fork_or_die();
		if (pids[i] == 0) {
			close(told[0]);
			run_child(order->threads, told[1]);
		}
	}
	close(told[1]);
	for (unsigned i = 0; i < order->processes; i++) {
		char byte;

		if (read(told[0], &byte, 1) != 1)
			errx(1, "a child process failed");
	}
	close(told[0]);
}

static void start_zombies(const struct order *order, pid_t *pids)
{
	siginfo_t info;

	for (unsigned i = 0; i < order->zombies; i++) {
		pids[i] = fork_or_die();
		if (pids[i] == 0)
			_exit(0);
		/* Wait until it is dead, without reaping it. */
		if (waitid(P_PID, (id_t)pids[i], &info, WEXITED | WNOWAIT))
			err(1, "waitid");
	}
}

static void print_pids(const char *key, const pid_t *pids, unsigned n)
{
	printf(",\"%s\":[", key);
	for (unsigned i = 0; i < n; i++)
		printf("%s%d", i ? "," : "", pids[i]);
	printf("]");
}

static void print_actor(const struct actor *actor)
{
	const struct truth *truth = &actor->truth;

	printf("{\"tid\":%d,\"name_hex\":", truth->tid);
	printf(actor->plan.named ? "\"" : "null");
	for (const char *p = actor->plan.name; *p; p++)
		printf("%02x", (unsigned char)*p);
	printf(actor->plan.named ? "\"" : "");
	printf(",\"cpu_ns\":%" PRIu64 ",\"minflt\":%ld,\"majflt\":%ld", truth->cpu_ns,
	       truth->usage.ru_minflt, truth->usage.ru_majflt);
	printf(",\"rchar\":%" PRIu64 ",\"syscr\":%" PRIu64, actor->plan.read_bytes,
	       truth->calls_read);
	printf(",\"wchar\":%" PRIu64 ",\"syscw\":%" PRIu64 "}", actor->plan.write_bytes,
	       truth->calls_write);
}

static void print_truth(const struct order *order, const pid_t *processes, const pid_t *zombies)
{
	printf("{\"pid\":%d,\"actors\":[", getpid());
	for (unsigned i = 0; i < order->n_actors; i++) {
		printf("%s", i ? "," : "");
		print_actor(&order->actors[i]);
	}
	printf("]");
	print_pids("processes", processes, order->processes);
	print_pids("zombies", zombies, order->zombies);
	printf("}\n");
	if (fflush(stdout))
		err(1, "standard output");
}

/* Keeps the process alive after its leader has exited. */
static void *keep(void *unused)
{
	wait_for_end_of_input();
	exit(0);
	return unused;
}

static pid_t *new_pids(unsigned n)
{
	pid_t *pids = calloc(n + 1, sizeof *pids);

	if (!pids)
		err(1, "no memory");
	return pids;
}

static void free_pids(pid_t **pids)
{
	free(*pids);
}

static void run(struct order *order)
{
	__attribute__((cleanup(free_pids))) pid_t *processes = new_pids(order->processes);
	__attribute__((cleanup(free_pids))) pid_t *zombies = new_pids(order->zombies);
	unsigned idle_threads = order->processes ? 0 : order->threads;

	start_processes(order, processes);
	start_zombies(order, zombies);
	for (unsigned i = 0; i < order->n_actors; i++)
		start(act, &order->actors[i]);
	for (unsigned i = 0; i < idle_threads; i++)
		start(idle, NULL);
	wait_for_threads(order->n_actors + idle_threads);
	if (order->churn_threads) {
		start(churn_threads, order);
		wait_for_threads(1);
	}
	if (order->churn_processes)
		start(churn_processes, NULL);
	print_truth(order, processes, zombies);
	if (order->leader_exits) {
		start(keep, NULL);
		pthread_exit(NULL);
	}
	wait_for_end_of_input();
}

static const struct option options[] = {
	{"thread", required_argument, NULL, 't'},
	{"threads", required_argument, NULL, 'n'},
	{"processes", required_argument, NULL, 'p'},
	{"zombies", required_argument, NULL, 'z'},
	{"leader-exits", no_argument, NULL, 'l'},
	{"churn-threads", required_argument, NULL, 'c'},
	{"churn-processes", no_argument, NULL, 'f'},
	{NULL, 0, NULL, 0},
};

static void parse(struct order *order, int argc, char **argv)
{
	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (option == 't')
			add_actor(order, optarg);
		else if (option == 'n')
			order->threads = (unsigned)parse_number("threads", optarg, MAX_COUNT);
		else if (option == 'p')
			order->processes = (unsigned)parse_number("processes", optarg, MAX_COUNT);
		else if (option == 'z')
			order->zombies = (unsigned)parse_number("zombies", optarg, MAX_COUNT);
		else if (option == 'l')
			order->leader_exits = true;
		else if (option == 'c')
			order->churn_threads =
				(unsigned)parse_number("churn-threads", optarg, MAX_COUNT);
		else if (option == 'f')
			order->churn_processes = true;
		else
			exit(2);
	}
	if (optind < argc)
		errx(2, "unexpected argument '%s'", argv[optind]);
}

int main(int argc, char **argv)
{
	/* Static, because threads still use it after the leader has left main(). */
	static struct order order;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sem_init(&ready, 0, 0))
		err(1, "sem_init");
	parse(&order, argc, argv);
	run(&order);
	/* Threads still run: end the process without tearing down their data. */
	_exit(0);
}
