/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the plugin on the running kernel with a second reader of the same answer, the kernel's
 * schedstat file and the thread's own rusage. */
#include <errno.h>
#include <glib.h>
#include <linux/taskstats.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fakehost.h"

#define NOBODY 65534
#define TOUCHED ((gsize)32 << 20)

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

typedef struct {
	FakeHost *host;
	char *proc;
	const struct ctprof_source_ops *ops;
	void *self, *worker;
} Fixture;

/* Returns FALSE, after skipping the test, if this kernel or user does not permit requests. */
static gboolean setup(Fixture *f)
{
	f->proc = g_build_filename(G_DIR_SEPARATOR_S, "proc", NULL);
	f->host = fake_host_new(f->proc, NULL, NULL, TRUE);
	f->ops = ctprof_plugin_entry_v1()->ops;
	g_assert_cmpint(f->ops->open(fake_host_table(f->host), &f->self), ==, 0);
	gint r = f->ops->start(f->self);
	if (r == -EPERM || r == -EOPNOTSUPP) {
		g_test_skip(fake_host_error(f->host));
		return FALSE;
	}
	g_assert_cmpint(r, ==, 0);
	return TRUE;
}

static void teardown(Fixture *f)
{
	if (f->worker)
		f->ops->worker_close(f->self, f->worker);
	f->ops->close(f->self);
	fake_host_free(f->host);
	g_free(f->proc);
}

static void collect(Fixture *f, gint32 tgid, gint32 tid)
{
	fake_host_add_thread(f->host, tgid, tid);
	g_assert_cmpint(
		f->ops->collect(f->self, f->worker, fake_host_batch(f->host, CTPROF_SCOPE_THREAD)),
		==, 0);
}

/* ---- a thread in a known state ------------------------------------------ */

typedef struct {
	pthread_t thread;
	sem_t ready, release;
	gint32 tid;
	struct rusage usage;
} Subject;

/* Sleeps 20 times, touches 32 MiB, and waits to be released. */
static void *subject_run(void *data)
{
	Subject *subject = data;
	char *memory =
		mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	g_assert_true(memory != MAP_FAILED);
	memset(memory, 1, TOUCHED);
	for (guint i = 0; i < 20; i++)
		g_usleep(1000);
	subject->tid = gettid();
	g_assert_cmpint(getrusage(RUSAGE_THREAD, &subject->usage), ==, 0);
	sem_post(&subject->ready);
	while (sem_wait(&subject->release) < 0)
		;
	munmap(memory, TOUCHED);
	return NULL;
}

/* Whether the thread sleeps.  On a busy machine it may still wait for a CPU, and its counters will
 * change. */
static gboolean is_asleep(gint32 tid)
{
	g_autofree char *path = g_strdup_printf("/proc/self/task/%d/stat", tid);
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	return strstr(text, ") S ") != NULL;
}

static void subject_start(Subject *subject)
{
	sem_init(&subject->ready, 0, 0);
	sem_init(&subject->release, 0, 0);
	g_assert_cmpint(pthread_create(&subject->thread, NULL, subject_run, subject), ==, 0);
	while (sem_wait(&subject->ready) < 0)
		;
	while (!is_asleep(subject->tid))
		g_usleep(1000);
}

static void subject_stop(Subject *subject)
{
	sem_post(&subject->release);
	pthread_join(subject->thread, NULL);
	sem_destroy(&subject->ready);
	sem_destroy(&subject->release);
}

/* ---- the second reader: libnl and the system's own struct ---------------- */

/* The metrics in the system's header, in any version. */
static const struct {
	const char *metric;
	gsize offset;
	guint64 unit;
} known[] = {
	{"cpu_delay_count", offsetof(struct taskstats, cpu_count), 1},
	{"cpu_delay_total_ns", offsetof(struct taskstats, cpu_delay_total), 1},
	{"blkio_delay_count", offsetof(struct taskstats, blkio_count), 1},
	{"blkio_delay_total_ns", offsetof(struct taskstats, blkio_delay_total), 1},
	{"swapin_delay_count", offsetof(struct taskstats, swapin_count), 1},
	{"swapin_delay_total_ns", offsetof(struct taskstats, swapin_delay_total), 1},
	{"freepages_delay_count", offsetof(struct taskstats, freepages_count), 1},
	{"freepages_delay_total_ns", offsetof(struct taskstats, freepages_delay_total), 1},
	{"hiwater_rss_bytes", offsetof(struct taskstats, hiwater_rss), 1024},
	{"hiwater_vm_bytes", offsetof(struct taskstats, hiwater_vm), 1024},
};

typedef struct {
	guint16 version;
	guint64 values[G_N_ELEMENTS(known)];
} Reading;

static int take_reading(struct nl_msg *msg, void *data)
{
	struct nlattr *outer[TASKSTATS_TYPE_MAX + 1], *inner[TASKSTATS_TYPE_MAX + 1];
	struct taskstats stats = {0};
	Reading *reading = data;

	g_assert_cmpint(genlmsg_parse(nlmsg_hdr(msg), 0, outer, TASKSTATS_TYPE_MAX, NULL), ==, 0);
	g_assert_nonnull(outer[TASKSTATS_TYPE_AGGR_PID]);
	g_assert_cmpint(
		nla_parse_nested(inner, TASKSTATS_TYPE_MAX, outer[TASKSTATS_TYPE_AGGR_PID], NULL),
		==, 0);
	g_assert_nonnull(inner[TASKSTATS_TYPE_STATS]);
	g_assert_cmpint(nla_memcpy(&stats, inner[TASKSTATS_TYPE_STATS], sizeof stats), >, 0);
	reading->version = stats.version;
	for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
		guint64 value;

		memcpy(&value, (const char *)&stats + known[i].offset, sizeof value);
		reading->values[i] = value * known[i].unit;
	}
	return NL_OK;
}

static Reading read_again(gint32 tid)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct nl_msg *msg = nlmsg_alloc();
	Reading reading = {0};

	g_assert_cmpint(genl_connect(sock), ==, 0);
	nl_socket_disable_auto_ack(sock);
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, take_reading, &reading);
	gint family = genl_ctrl_resolve(sock, TASKSTATS_GENL_NAME);
	g_assert_nonnull(genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, NLM_F_REQUEST,
				     TASKSTATS_CMD_GET, TASKSTATS_GENL_VERSION));
	g_assert_cmpint(nla_put_u32(msg, TASKSTATS_CMD_ATTR_PID, (guint32)tid), ==, 0);
	g_assert_cmpint(nl_send_auto(sock, msg), >, 0);
	g_assert_cmpint(nl_recvmsgs_default(sock), ==, 0);
	nlmsg_free(msg);
	nl_socket_free(sock);
	return reading;
}

/* Collects the subject until the readings before and after agree, so that it has not changed. */
static Reading collect_still(Fixture *f, gint32 tid)
{
	Reading before, after;
	guint tries = 0;

	do {
		g_assert_cmpuint(tries++, <, 1000);
		before = read_again(tid);
		collect(f, getpid(), tid);
		after = read_again(tid);
	} while (memcmp(&before, &after, sizeof before) != 0);
	return after;
}

static void check_against_reading(FakeHost *host, const Reading *reading)
{
	for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
		g_test_message("%s", known[i].metric);
		if (fake_host_state(host, 0, known[i].metric) == CTPROF_PRESENT)
			g_assert_cmpuint(fake_host_u64(host, 0, known[i].metric), ==,
					 reading->values[i]);
	}
}

/* schedstat shows run_delay and pcount of sched_info, which the CPU delay comes from. */
static void check_against_schedstat(Fixture *f, gint32 tid)
{
	g_autofree char *path = g_strdup_printf("%s/%d/task/%d/schedstat", f->proc, getpid(), tid);
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_auto(GStrv) words = g_strsplit(g_strchomp(text), " ", -1);
	g_assert_cmpuint(g_strv_length(words), ==, 3);
	g_assert_cmpuint(fake_host_u64(f->host, 0, "cpu_delay_total_ns"), ==,
			 g_ascii_strtoull(words[1], NULL, 10));
	g_assert_cmpuint(fake_host_u64(f->host, 0, "cpu_delay_count"), ==,
			 g_ascii_strtoull(words[2], NULL, 10));
}

/* Delays are present or not according to the sysctl; min <= max <= total. */
static void check_delays(Fixture *f, guint16 version)
{
	static const char *const delays[] = {"cpu",       "blkio",   "swapin", "freepages",
					     "thrashing", "compact", "wpcopy", "irq"};
	gboolean on = fake_host_u64(f->host, 0, "delay_block_active") == 1;
	g_autofree char *path = g_build_filename(f->proc, "sys", "kernel", "task_delayacct", NULL);
	g_autofree char *text = NULL;

	if (g_file_get_contents(path, &text, NULL, NULL))
		g_assert_cmpint(on, ==, text[0] == '1');
	for (guint i = 0; i < G_N_ELEMENTS(delays) && version >= 15; i++) {
		const char *ends[] = {"count", "total_ns", "max_ns", "min_ns"};
		guint64 values[4];

		for (guint e = 0; e < 4; e++) {
			g_autofree char *name = g_strdup_printf("%s_delay_%s", delays[i], ends[e]);

			g_test_message("%s", name);
			if (i == 0 || on)
				values[e] = fake_host_u64(f->host, 0, name);
			else
				g_assert_cmpuint(fake_host_state(f->host, 0, name), ==,
						 CTPROF_ABSENT_UNSUPPORTED);
		}
		if (i > 0 && !on)
			continue;
		g_assert_cmpuint(values[3], <=, values[2]);
		g_assert_cmpuint(values[2], <=, values[1]);
	}
}

/* A thread that does not change has the same values for every other reader. */
static void test_known_thread(void)
{
	Fixture f = {0};
	Subject subject;

	if (!setup(&f)) {
		teardown(&f);
		return;
	}
	subject_start(&subject);
	g_assert_cmpint(f.ops->worker_open(f.self, 0, &f.worker), ==, 0);
	Reading reading = collect_still(&f, subject.tid);
	g_test_message("struct taskstats version %u", reading.version);
	g_assert_cmpuint(fake_host_u64(f.host, 0, "taskstats_measured"), ==, 1);
	/* Version 15 has a layout that no system's header has. */
	if (reading.version != 15)
		check_against_reading(f.host, &reading);
	if (fake_host_u64(f.host, 0, "cpu_delay_active")) {
		guint64 switches = (guint64)subject.usage.ru_nvcsw;

		check_against_schedstat(&f, subject.tid);
		/* Every thread that went to sleep was scheduled again. */
		g_assert_cmpuint(switches, >=, 20);
		g_assert_cmpuint(fake_host_u64(f.host, 0, "cpu_delay_count"), >=, switches);
	}
	if (fake_host_u64(f.host, 0, "xacct_active")) {
		/* The kernel's counter of pages lags by up to a batch per CPU. */
		g_assert_cmpuint(fake_host_u64(f.host, 0, "hiwater_rss_bytes"), >=, TOUCHED / 2);
		g_assert_cmpuint(fake_host_u64(f.host, 0, "hiwater_vm_bytes"), >=,
				 fake_host_u64(f.host, 0, "hiwater_rss_bytes"));
	}
	check_delays(&f, reading.version);
	subject_stop(&subject);
	teardown(&f);
}

/* A thread that has exited is absent as vanished, and its row stays. */
static void test_gone(void)
{
	Fixture f = {0};

	if (!setup(&f)) {
		teardown(&f);
		return;
	}
	g_assert_cmpint(f.ops->worker_open(f.self, 0, &f.worker), ==, 0);
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	collect(&f, pid, pid);
	g_assert_cmpuint(fake_host_u64(f.host, 0, "taskstats_measured"), ==, 0);
	g_assert_cmpuint(fake_host_state(f.host, 0, "cpu_delay_count"), ==, CTPROF_ABSENT_VANISHED);
	g_assert_false(fake_host_row_vanished(f.host, 0));
	teardown(&f);
}

/* More threads than one send requests, many of which have exited: each is answered, and the receive
 * buffer has room for the answers. */
static void test_many(void)
{
	Fixture f = {0};

	if (!setup(&f)) {
		teardown(&f);
		return;
	}
	g_assert_cmpint(f.ops->worker_open(f.self, 0, &f.worker), ==, 0);
	for (guint i = 0; i < 1000; i++)
		fake_host_add_thread(f.host, getpid(), i % 4 == 3 ? INT32_MAX : getpid());
	g_assert_cmpint(
		f.ops->collect(f.self, f.worker, fake_host_batch(f.host, CTPROF_SCOPE_THREAD)), ==,
		0);
	for (guint64 row = 0; row < 1000; row++)
		g_assert_cmpuint(fake_host_state(f.host, row, "cpu_delay_active"), ==,
				 row % 4 == 3 ? CTPROF_ABSENT_VANISHED : CTPROF_PRESENT);
	teardown(&f);
}

/* Runs in a child without privileges; returns 0, or the number of the failed check. */
static int run_as_nobody(Fixture *f)
{
	void *other;

	if (setuid(NOBODY) < 0)
		return 1;
	if (f->ops->worker_open(f->self, 0, &f->worker) < 0)
		return 2;
	collect(f, getpid(), getpid());
	if (fake_host_state(f->host, 0, "cpu_delay_count") != CTPROF_ABSENT_DENIED ||
	    fake_host_u64(f->host, 0, "taskstats_measured") != 0)
		return 3;
	/* A second instance, started without privileges, reports what it needs. */
	FakeHost *host = fake_host_new(f->proc, NULL, NULL, TRUE);
	if (f->ops->open(fake_host_table(host), &other) < 0)
		return 4;
	if (f->ops->start(other) != -EPERM || !strstr(fake_host_error(host), "CAP_NET_ADMIN"))
		return 5;
	return 0;
}

/* Without CAP_NET_ADMIN values are denied, not 0, and start() names the capability. */
static void test_nobody(void)
{
	Fixture f = {0};
	int status;

	if (!setup(&f)) {
		teardown(&f);
		return;
	}
	pid_t pid = fork();
	if (pid == 0)
		_exit(run_as_nobody(&f));
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFEXITED(status));
	g_assert_cmpint(WEXITSTATUS(status), ==, 0);
	teardown(&f);
}

/* ---- a process whose threads have ended --------------------------------- */

#define ENDED 4
#define BURNT_NS 30000000

static void *burn(void *data)
{
	struct timespec now = {0};

	while (now.tv_sec == 0 && now.tv_nsec < BURNT_NS)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	g_usleep(1000);
	return data;
}

/* Returns a stopped process whose other threads have ended; its last call was getrusage(). */
static pid_t fork_spent(struct rusage *shared)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		pthread_t threads[ENDED];

		for (gsize i = 0; i < ENDED; i++)
			pthread_create(&threads[i], NULL, burn, NULL);
		for (gsize i = 0; i < ENDED; i++)
			pthread_join(threads[i], NULL);
		getrusage(RUSAGE_SELF, shared);
		raise(SIGSTOP);
		_exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, WUNTRACED), ==, pid);
	g_assert_true(WIFSTOPPED(status));
	return pid;
}

static guint64 ns_of(struct timeval time)
{
	return ((guint64)time.tv_sec * 1000000 + (guint64)time.tv_usec) * 1000;
}

/* The sum is that of getrusage(), except for what each thread ran after its record. */
static void check_spent(FakeHost *host, const struct rusage *usage)
{
	guint64 ran = ns_of(usage->ru_utime) + ns_of(usage->ru_stime);
	guint64 switches = (guint64)usage->ru_nvcsw, told;

	g_assert_cmpuint(ran, >=, ENDED * (guint64)BURNT_NS);
	if (fake_host_state(host, 0, "process_run_time_ns") == CTPROF_PRESENT) {
		told = fake_host_u64(host, 0, "process_run_time_ns");
		g_test_message("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " ns", told, ran);
		g_assert_cmpuint(told, >=, ran / 10 * 9);
		g_assert_cmpuint(told, <=, ran / 10 * 11);
		g_assert_cmpuint(fake_host_u64(host, 0, "process_cpu_delay_count"), >, ENDED);
	}
	if (fake_host_state(host, 0, "process_voluntary_csw") == CTPROF_PRESENT) {
		told = fake_host_u64(host, 0, "process_voluntary_csw");
		/* At most one more, for being stopped. */
		g_assert_cmpuint(told, >=, switches);
		g_assert_cmpuint(told, <=, switches + 1);
		g_assert_cmpuint(switches, >=, ENDED);
	}
}

static void test_totals(void)
{
	Fixture f = {0};
	struct rusage *usage = mmap(NULL, sizeof *usage, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	g_assert_true(usage != MAP_FAILED);
	if (setup(&f)) {
		g_assert_cmpint(f.ops->worker_open(f.self, 0, &f.worker), ==, 0);
		pid_t pid = fork_spent(usage);
		collect(&f, pid, pid);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		check_spent(f.host, usage);
	}
	munmap(usage, sizeof *usage);
	teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/taskstats/live/known-thread", test_known_thread);
	g_test_add_func("/taskstats/live/gone", test_gone);
	g_test_add_func("/taskstats/live/many", test_many);
	g_test_add_func("/taskstats/live/nobody", test_nobody);
	g_test_add_func("/taskstats/live/totals", test_totals);
	return g_test_run();
}
