/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the whole plugin with a fake kernel that loses, delays, forges and garbles answers. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "fakehost.h"
#include "kernel.h"
#include "replay.h"

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

typedef struct {
	FakeHost *host;
	char *proc;
	const struct ctprof_source_ops *ops;
	void *self, *worker;
} Fixture;

/* Sets up; sysctl: contents of kernel.task_delayacct; NULL: it does not exist. */
static void setup(Fixture *f, const char *sysctl, gboolean live)
{
	g_autofree char *dir = NULL, *file = NULL;

	f->proc = g_dir_make_tmp("ctprof-taskstats-XXXXXX", NULL);
	dir = g_build_filename(f->proc, "sys", "kernel", NULL);
	file = g_build_filename(dir, "task_delayacct", NULL);
	g_assert_cmpint(g_mkdir_with_parents(dir, 0700), ==, 0);
	if (sysctl)
		g_assert_true(g_file_set_contents(file, sysctl, -1, NULL));
	replay_reset();
	f->host = fake_host_new(f->proc, NULL, NULL, live);
	f->ops = ctprof_plugin_entry_v1()->ops;
	g_assert_cmpint(f->ops->open(fake_host_table(f->host), &f->self), ==, 0);
}

static void setup_worker(Fixture *f, const char *sysctl)
{
	setup(f, sysctl, TRUE);
	g_assert_cmpint(f->ops->start(f->self), ==, 0);
	g_assert_cmpint(f->ops->worker_open(f->self, 0, &f->worker), ==, 0);
	g_array_set_size(kernel.sends, 0);
}

/* Returns the log, including the last line. */
static char *teardown(Fixture *f)
{
	g_autofree char *dir = g_build_filename(f->proc, "sys", "kernel", NULL);
	g_autofree char *file = g_build_filename(dir, "task_delayacct", NULL);
	g_autofree char *sys = g_build_filename(f->proc, "sys", NULL);

	if (f->worker)
		f->ops->worker_close(f->self, f->worker);
	f->ops->close(f->self);
	char *log = g_strdup(fake_host_log(f->host));
	fake_host_free(f->host);
	replay_clear();
	g_unlink(file);
	g_rmdir(dir);
	g_rmdir(sys);
	g_rmdir(f->proc);
	g_free(f->proc);
	return log;
}

static gint collect(Fixture *f, gint32 first, guint n)
{
	for (guint i = 0; i < n; i++)
		fake_host_add_thread(f->host, first, first + (gint32)i);
	return f->ops->collect(f->self, f->worker, fake_host_batch(f->host, CTPROF_SCOPE_THREAD));
}

/* Returns "ok eperm esrch other" of the capture. */
static char *tallies(Fixture *f)
{
	g_assert_cmpint(
		f->ops->collect(f->self, NULL, fake_host_batch(f->host, CTPROF_SCOPE_CAPTURE)), ==,
		0);
	return g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
			       " %" G_GUINT64_FORMAT,
			       fake_host_u64(f->host, 0, "taskstats_summary.ok_count"),
			       fake_host_u64(f->host, 0, "taskstats_summary.eperm_count"),
			       fake_host_u64(f->host, 0, "taskstats_summary.esrch_count"),
			       fake_host_u64(f->host, 0, "taskstats_summary.other_err_count"));
}

/* ---- one thread of three in trouble ------------------------------------ */

#define FIRST 5000001 /* not a TID of this system: above PID_MAX_LIMIT */
#define TROUBLED (FIRST + 1)

static void troubled_lost_once(guint round, const struct taskstats_request *r)
{
	if (round > 0)
		replay_answer_truly(r);
}

static void troubled_lost(guint round, const struct taskstats_request *r)
{
	(void)round;
	(void)r;
}

/* The first round's answer comes in the second round, before the right one. */
static void troubled_late(guint round, const struct taskstats_request *r)
{
	static guint32 first_seq;

	if (round == 0) {
		first_seq = r->nl.nlmsg_seq;
		return;
	}
	replay_queue(replay_answer(first_seq, TROUBLED, 666), 0);
	replay_answer_truly(r);
}

static void troubled_always_late(guint round, const struct taskstats_request *r)
{
	(void)round;
	replay_queue(replay_answer(r->nl.nlmsg_seq - 1000, TROUBLED, 666), 0);
}

static void troubled_overrun(guint round, const struct taskstats_request *r)
{
	if (round > 0)
		replay_answer_truly(r);
	else
		replay_queue_errno(ENOBUFS);
}

static void troubled_interrupted(guint round, const struct taskstats_request *r)
{
	(void)round;
	replay_queue_errno(EINTR);
	replay_answer_truly(r);
}

static void troubled_wrong_pid(guint round, const struct taskstats_request *r)
{
	(void)round;
	replay_queue(replay_answer(r->nl.nlmsg_seq, TROUBLED + 77, 666), 0);
}

static void troubled_cut(guint round, const struct taskstats_request *r)
{
	(void)round;
	replay_queue(g_byte_array_set_size(replay_answer(r->nl.nlmsg_seq, TROUBLED, 666), 100), 0);
}

static void troubled_short_struct(guint round, const struct taskstats_request *r)
{
	g_autoptr(GByteArray) stats = kernel_stats(16, 100);

	(void)round;
	replay_queue(kernel_reply(FAMILY, r->nl.nlmsg_seq, TROUBLED, stats), 0);
}

static void troubled_ancient(guint round, const struct taskstats_request *r)
{
	g_autoptr(GByteArray) stats = kernel_stats(7, 560);

	(void)round;
	replay_queue(kernel_reply(FAMILY, r->nl.nlmsg_seq, TROUBLED, stats), 0);
}

static void troubled_empty(guint round, const struct taskstats_request *r)
{
	(void)round;
	replay_queue(g_byte_array_new(), 0);
	replay_answer_truly(r);
}

static void troubled_forged(guint round, const struct taskstats_request *r)
{
	(void)round;
	replay_queue(replay_answer(r->nl.nlmsg_seq, TROUBLED, 666), 4711);
	replay_answer_truly(r);
}

static void troubled_twice(guint round, const struct taskstats_request *r)
{
	(void)round;
	replay_answer_truly(r);
	replay_queue(replay_answer(r->nl.nlmsg_seq, TROUBLED, 666), 0);
}

#define TROUBLED_ERROR(name, wire)                                                                 \
	static void troubled_##name(guint round, const struct taskstats_request *r)                \
	{                                                                                          \
		(void)round;                                                                       \
		replay_queue(kernel_error(r->nl.nlmsg_seq, wire), 0);                              \
	}

TROUBLED_ERROR(eperm, -EPERM)
TROUBLED_ERROR(esrch, -ESRCH)
TROUBLED_ERROR(einval, -EINVAL)
TROUBLED_ERROR(eopnotsupp, -EOPNOTSUPP)
TROUBLED_ERROR(acked, 0)

static const struct trouble {
	const char *name;
	void (*answer)(guint round, const struct taskstats_request *request);
	guint32 state;
	const char *tallies;
	guint sends, waits;
} troubles[] = {
	{"none", NULL, CTPROF_PRESENT, "3 0 0 0", 1, 0},
	{"lost once", troubled_lost_once, CTPROF_PRESENT, "3 0 0 0", 2, 1},
	{"lost", troubled_lost, CTPROF_ABSENT_TIMEOUT, "2 0 0 1", 3, 3},
	{"late", troubled_late, CTPROF_PRESENT, "3 0 0 0", 2, 1},
	{"always late", troubled_always_late, CTPROF_ABSENT_TIMEOUT, "2 0 0 1", 3, 3},
	{"overrun", troubled_overrun, CTPROF_PRESENT, "3 0 0 0", 2, 0},
	{"interrupted", troubled_interrupted, CTPROF_PRESENT, "3 0 0 0", 1, 0},
	{"wrong pid", troubled_wrong_pid, CTPROF_ABSENT_INVALID, "2 0 0 1", 1, 0},
	{"cut", troubled_cut, CTPROF_ABSENT_INVALID, "2 0 0 1", 1, 0},
	{"short struct", troubled_short_struct, CTPROF_ABSENT_INVALID, "2 0 0 1", 1, 0},
	{"ancient", troubled_ancient, CTPROF_ABSENT_INVALID, "2 0 0 1", 1, 0},
	{"empty datagram", troubled_empty, CTPROF_PRESENT, "3 0 0 0", 1, 0},
	{"forged", troubled_forged, CTPROF_PRESENT, "3 0 0 0", 1, 0},
	{"twice", troubled_twice, CTPROF_PRESENT, "3 0 0 0", 1, 0},
	{"EPERM", troubled_eperm, CTPROF_ABSENT_DENIED, "2 1 0 0", 1, 0},
	{"ESRCH", troubled_esrch, CTPROF_ABSENT_VANISHED, "2 0 1 0", 1, 0},
	{"EINVAL", troubled_einval, CTPROF_ABSENT_INVALID, "2 0 0 1", 1, 0},
	{"EOPNOTSUPP", troubled_eopnotsupp, CTPROF_ABSENT_UNSUPPORTED, "2 0 0 1", 1, 0},
	{"ACK", troubled_acked, CTPROF_ABSENT_INVALID, "2 0 0 1", 1, 0},
};

static const struct trouble *current;

static void answer_with_trouble(guint round, const struct taskstats_request *request)
{
	if (request->tid == TROUBLED && current->answer)
		current->answer(round, request);
	else
		replay_answer_truly(request);
}

/* Checks that thread `row` is read, or that all values of an answer are absent for that reason. */
static void check_row(FakeHost *host, guint64 row, guint32 state)
{
	static const char *const names[] = {"cpu_delay_count",    "blkio_delay_min_ns",
					    "hiwater_vm_bytes",   "cpu_delay_active",
					    "delay_block_active", "xacct_active"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		g_assert_cmpuint(fake_host_state(host, row, names[i]), ==, state);
	g_assert_cmpuint(fake_host_u64(host, row, "taskstats_measured"), ==,
			 state == CTPROF_PRESENT);
	g_assert_false(fake_host_row_vanished(host, row));
	if (state == CTPROF_PRESENT)
		g_assert_cmpuint(fake_host_u64(host, row, "cpu_delay_count"), ==, FIRST + row);
}

/* A problem with one answer affects one row, with that reason; only missing answers are requested
 * again. */
static void test_troubles(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(troubles); i++) {
		Fixture f = {0};

		setup_worker(&f, "1\n");
		current = &troubles[i];
		g_test_message("%s", current->name);
		kernel.answer = answer_with_trouble;
		g_assert_cmpint(collect(&f, FIRST, 3), ==, 0);
		for (guint64 row = 0; row < 3; row++)
			check_row(f.host, row, row == 1 ? current->state : CTPROF_PRESENT);
		g_assert_cmpuint(kernel.sends->len, ==, current->sends);
		for (guint round = 1; round < current->sends; round++)
			g_assert_cmpuint(g_array_index(kernel.sends, guint, round), ==, 1);
		g_assert_cmpuint(kernel.waits, ==, current->waits);
		g_autofree char *counted = tallies(&f);
		g_assert_cmpstr(counted, ==, current->tallies);
		g_free(teardown(&f));
	}
}

/* An answer that comes after the end of its round is not taken for one of the next batch, on the
 * same socket. */
static void test_late_for_batch(void)
{
	Fixture f = {0};

	setup_worker(&f, "1\n");
	current = &troubles[2];
	g_assert_cmpstr(current->name, ==, "lost");
	kernel.answer = answer_with_trouble;
	g_assert_cmpint(collect(&f, FIRST, 3), ==, 0);
	/* Five requests were sent so far: three threads, one of them twice more. */
	for (guint32 seq = 0; seq < 5; seq++)
		replay_queue(replay_answer(seq, TROUBLED, 666), 0);
	kernel.answer = NULL;
	g_assert_cmpint(collect(&f, FIRST, 3), ==, 0);
	for (guint64 row = 0; row < 3; row++)
		check_row(f.host, row, CTPROF_PRESENT);
	g_free(teardown(&f));
}

/* A kernel that answers nothing, even while others keep sending, or a socket that fails, is an
 * error of the batch, and nothing more is requested. */
static void test_silence(void)
{
	static const struct {
		gint send_err, receive_err;
		gboolean flood;
		gint result;
		guint32 state;
		guint sends;
	} cases[] = {
		{0, 0, FALSE, -ETIMEDOUT, CTPROF_ABSENT_TIMEOUT, 3},
		{0, 0, TRUE, -ETIMEDOUT, CTPROF_ABSENT_TIMEOUT, 3},
		{ECONNREFUSED, 0, FALSE, -ECONNREFUSED, CTPROF_ABSENT_INVALID, 0},
		{0, ENOTCONN, FALSE, -ENOTCONN, CTPROF_ABSENT_INVALID, 1},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		Fixture f = {0};

		setup_worker(&f, "1\n");
		kernel.send_err = cases[i].send_err;
		kernel.flood = cases[i].flood;
		kernel.answer = troubled_lost;
		if (cases[i].receive_err)
			replay_queue_errno(cases[i].receive_err);
		g_assert_cmpint(collect(&f, FIRST, 200), ==, cases[i].result);
		g_assert_cmpstr(fake_host_error(f.host), !=, "");
		g_assert_cmpuint(kernel.sends->len, ==, cases[i].sends);
		g_assert_cmpuint(fake_host_state(f.host, 0, "cpu_delay_count"), ==, cases[i].state);
		g_autofree char *counted = tallies(&f);
		g_assert_cmpstr(counted, ==, "0 0 0 128");
		g_free(teardown(&f));
	}
}

/* 300 threads are requested in three sends, and each gets its own values. */
static void test_large_batch(void)
{
	static const guint sizes[] = {128, 128, 44};
	Fixture f = {0};

	setup_worker(&f, "1\n");
	g_assert_cmpint(collect(&f, FIRST, 300), ==, 0);
	for (guint64 row = 0; row < 300; row++)
		check_row(f.host, row, CTPROF_PRESENT);
	g_assert_cmpuint(kernel.sends->len, ==, G_N_ELEMENTS(sizes));
	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
		g_assert_cmpuint(g_array_index(kernel.sends, guint, i), ==, sizes[i]);
	g_autofree char *log = teardown(&f);
	g_assert_nonnull(strstr(log, "20 300 threads requested: 300 read, 0 refused, 0 gone, "
				     "0 failed otherwise\n"));
}

/* ---- the kernel's accounting ------------------------------------------- */

/* Delays that are not counted are absent, not 0, which one warning reports; the labels show
 * which. */
static void test_switched_off(void)
{
	static const struct {
		const char *sysctl;
		guint64 own_cpu_count, own_hiwater_vm;
		guint cpu, block, xacct;
		const char *warning; /* NULL: none */
	} cases[] = {
		{"1\n", 1, 1, 1, 1, 1, NULL},
		{"0\n", 1, 1, 1, 0, 1, "sysctl kernel.task_delayacct=1"},
		{NULL, 0, 1, 0, 0, 1, "CONFIG_TASK_DELAY_ACCT"},
		{"1\n", 1, 0, 1, 1, 0, "CONFIG_TASK_XACCT"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		Fixture f = {0};
		const struct {
			const char *value, *label;
			guint on;
		} metrics[] = {
			{"cpu_delay_total_ns", "cpu_delay_active", cases[i].cpu},
			{"irq_delay_total_ns", "delay_block_active", cases[i].block},
			{"hiwater_rss_bytes", "xacct_active", cases[i].xacct},
		};

		setup(&f, cases[i].sysctl, TRUE);
		kernel.own_cpu_count = cases[i].own_cpu_count;
		kernel.own_hiwater_vm = cases[i].own_hiwater_vm;
		g_assert_cmpint(f.ops->start(f.self), ==, 0);
		g_assert_cmpint(f.ops->worker_open(f.self, 0, &f.worker), ==, 0);
		g_assert_cmpint(collect(&f, FIRST, 1), ==, 0);
		for (guint m = 0; m < G_N_ELEMENTS(metrics); m++) {
			g_assert_cmpuint(fake_host_state(f.host, 0, metrics[m].value), ==,
					 metrics[m].on ? CTPROF_PRESENT
						       : CTPROF_ABSENT_UNSUPPORTED);
			g_assert_cmpuint(fake_host_u64(f.host, 0, metrics[m].label), ==,
					 metrics[m].on);
		}
		g_auto(GStrv) lines = g_strsplit(fake_host_log(f.host), "\n", -1);
		g_assert_cmpuint(g_strv_length(lines), ==, cases[i].warning ? 2 : 0);
		if (cases[i].warning)
			g_assert_nonnull(strstr(lines[0], cases[i].warning));
		g_free(teardown(&f));
	}
}

static void answer_without_mm(guint round, const struct taskstats_request *request)
{
	g_autoptr(GByteArray) stats = kernel_stats(16, 560);

	(void)round;
	kernel_stats_set(stats, 200, 0);
	kernel_stats_set(stats, 208, 0);
	replay_queue(kernel_reply(FAMILY, request->nl.nlmsg_seq, (gint32)request->tid, stats), 0);
}

/* A kernel thread has no address space, so its peaks are absent, not 0 bytes. */
static void test_kernel_thread(void)
{
	Fixture f = {0};

	setup_worker(&f, "1\n");
	kernel.answer = answer_without_mm;
	g_assert_cmpint(collect(&f, FIRST, 1), ==, 0);
	g_assert_cmpuint(fake_host_state(f.host, 0, "hiwater_rss_bytes"), ==,
			 CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(fake_host_state(f.host, 0, "hiwater_vm_bytes"), ==,
			 CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(fake_host_state(f.host, 0, "irq_delay_count"), ==, CTPROF_PRESENT);
	g_assert_cmpuint(fake_host_u64(f.host, 0, "xacct_active"), ==, 1);
	g_free(teardown(&f));
}

/* Only wanted values are put, and there are no warnings about unwanted ones. */
static void test_demand(void)
{
	static const struct {
		const char *wanted;
		const char *sysctl;
		guint64 own_cpu_count;
		guint32 cpu, blkio;  /* states of the counts */
		const char *warning; /* NULL: none */
	} cases[] = {
		{"cpu_delay_count", "0\n", 1, CTPROF_PRESENT, CTPROF_ABSENT_UNSUPPORTED, NULL},
		{"blkio_delay_count", "1\n", 1, CTPROF_ABSENT_UNSUPPORTED, CTPROF_PRESENT, NULL},
		{"blkio_delay_count", "0\n", 1, CTPROF_ABSENT_UNSUPPORTED,
		 CTPROF_ABSENT_UNSUPPORTED, "kernel.task_delayacct=0"},
		{"blkio_delay_count", NULL, 0, CTPROF_ABSENT_UNSUPPORTED, CTPROF_ABSENT_UNSUPPORTED,
		 "CONFIG_TASK_DELAY_ACCT is not set, or nodelayacct is"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		Fixture f = {0};

		setup(&f, cases[i].sysctl, TRUE);
		kernel.own_cpu_count = cases[i].own_cpu_count;
		fake_host_want(f.host, cases[i].wanted);
		g_assert_cmpint(f.ops->start(f.self), ==, 0);
		g_assert_cmpint(f.ops->worker_open(f.self, 0, &f.worker), ==, 0);
		g_assert_cmpint(collect(&f, FIRST, 1), ==, 0);
		g_test_message("demand %u", i);
		if (cases[i].warning)
			g_assert_nonnull(strstr(fake_host_log(f.host), cases[i].warning));
		else
			g_assert_cmpstr(fake_host_log(f.host), ==, "");
		g_assert_cmpuint(fake_host_state(f.host, 0, "cpu_delay_count"), ==, cases[i].cpu);
		g_assert_cmpuint(fake_host_state(f.host, 0, "blkio_delay_count"), ==,
				 cases[i].blkio);
		g_free(teardown(&f));
	}
}

/* If nothing works, start() reports why and the remedy; probe() reports the same, and also what
 * works in part. */
static void test_conditions(void)
{
	static const struct {
		gboolean live;
		gint resolve_err, open_err, own_err;
		guint16 version;
		const char *sysctl;
		gint result;
		const char *error;   /* of start() */
		const char *finding; /* of probe() */
	} cases[] = {
		{TRUE, 0, 0, 0, 16, "1\n", 0, "", "delay 10 |\n"},
		{TRUE, 0, 0, 0, 16, "0\n", 0, "",
		 "delay 20 kernel.task_delayacct=0: all delays but cpu are absent|`sysctl "
		 "kernel.task_delayacct=1`, for threads started afterwards; or boot with "
		 "delayacct\n"},
		{FALSE, 0, 0, 0, 16, "1\n", -EOPNOTSUPP, "recorded root: no netlink",
		 "delay 30 recorded root: no netlink|\n"},
		{TRUE, ENOENT, 0, 0, 16, "1\n", -EOPNOTSUPP, "CONFIG_TASKSTATS is not set",
		 "delay 30 CONFIG_TASKSTATS is not set|a kernel with CONFIG_TASKSTATS=y\n"},
		{TRUE, 0, 0, EPERM, 16, "1\n", -EPERM,
		 "needs CAP_NET_ADMIN in the initial user namespace (run as root, or setcap "
		 "cap_net_admin+ep)",
		 "delay 30 needs CAP_NET_ADMIN in the initial user namespace|run as root, or "
		 "setcap cap_net_admin+ep\n"},
		{TRUE, 0, 0, 0, 7, "1\n", -EBADMSG, "malformed or too old", "delay 30 the "},
		{TRUE, EIO, 0, 0, 16, "1\n", -EIO, "netlink cannot be used", "delay 30 generic"},
		{TRUE, 0, EAFNOSUPPORT, 0, 16, "1\n", -EIO, "not supported", "delay 30 generic"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		Fixture f = {0};

		setup(&f, cases[i].sysctl, cases[i].live);
		kernel.resolve_err = cases[i].resolve_err;
		kernel.open_err = cases[i].open_err;
		kernel.own_err = cases[i].own_err;
		kernel.own_version = cases[i].version;
		g_test_message("condition %u", i);
		g_assert_cmpint(f.ops->probe(f.self), ==, 0);
		g_assert_nonnull(strstr(fake_host_findings(f.host), cases[i].finding));
		g_assert_cmpint(f.ops->start(f.self), ==, cases[i].result);
		g_assert_nonnull(strstr(fake_host_error(f.host), cases[i].error));
		g_free(teardown(&f));
	}
}

/* ---- when the longest was ---------------------------------------------- */

static void answer_of_17(guint round, const struct taskstats_request *r)
{
	g_autoptr(GByteArray) stats = kernel_stats(17, kernel_stats_size(17));

	(void)round;
	kernel_stats_set(stats, 560, 1795210143);
	kernel_stats_set(stats, 568, 7);
	kernel_stats_set(stats, 576, 0);
	kernel_stats_set(stats, 584, 0);
	replay_queue(kernel_reply(FAMILY, r->nl.nlmsg_seq, (gint32)r->tid, stats), 0);
}

/* Since version 17 there is a time, except for a delay that never occurred; before, it is
 * unknown. */
static void test_max_at(void)
{
	Fixture f = {0};

	setup_worker(&f, "1\n");
	g_assert_cmpint(collect(&f, FIRST, 1), ==, 0);
	g_assert_cmpuint(fake_host_state(f.host, 0, "cpu_delay_max_at"), ==,
			 CTPROF_ABSENT_UNSUPPORTED);
	kernel.answer = answer_of_17;
	g_assert_cmpint(collect(&f, FIRST, 1), ==, 0);
	g_assert_cmpuint(fake_host_u64(f.host, 0, "cpu_delay_max_at"), ==,
			 1795210143 * G_GUINT64_CONSTANT(1000000000) + 7);
	g_assert_cmpuint(fake_host_state(f.host, 0, "blkio_delay_max_at"), ==,
			 CTPROF_ABSENT_INAPPLICABLE);
	g_free(teardown(&f));
}

/* ---- totals of processes ------------------------------------------------ */

/* Only a leader has sums; switches only if the sum includes those of ended threads. */
static void test_totals(void)
{
	static const struct {
		guint64 forgets;
		guint32 state;
	} cases[] = {{0, CTPROF_PRESENT}, {1, CTPROF_ABSENT_UNSUPPORTED}};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		Fixture f = {0};

		setup(&f, "0\n", TRUE);
		kernel.forgets = cases[i].forgets;
		g_assert_cmpint(f.ops->start(f.self), ==, 0);
		g_assert_cmpint(f.ops->worker_open(f.self, 0, &f.worker), ==, 0);
		kernel.forgets = 0;
		g_assert_cmpint(collect(&f, FIRST, 2), ==, 0);
		g_assert_cmpuint(fake_host_u64(f.host, 0, "process_run_time_ns"), ==, FIRST);
		g_assert_cmpuint(fake_host_state(f.host, 0, "process_voluntary_csw"), ==,
				 cases[i].state);
		g_assert_cmpuint(fake_host_state(f.host, 0, "process_blkio_delay_count"), ==,
				 CTPROF_ABSENT_UNSUPPORTED);
		g_assert_cmpuint(fake_host_state(f.host, 1, "process_run_time_ns"), ==,
				 CTPROF_ABSENT_UNSUPPORTED);
		/* The threads' own values are still requested. */
		g_assert_cmpuint(fake_host_u64(f.host, 1, "cpu_delay_count"), ==, FIRST + 1);
		g_free(teardown(&f));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/taskstats/troubles", test_troubles);
	g_test_add_func("/taskstats/late-for-batch", test_late_for_batch);
	g_test_add_func("/taskstats/silence", test_silence);
	g_test_add_func("/taskstats/large-batch", test_large_batch);
	g_test_add_func("/taskstats/switched-off", test_switched_off);
	g_test_add_func("/taskstats/kernel-thread", test_kernel_thread);
	g_test_add_func("/taskstats/demand", test_demand);
	g_test_add_func("/taskstats/conditions", test_conditions);
	g_test_add_func("/taskstats/max-at", test_max_at);
	g_test_add_func("/taskstats/totals", test_totals);
	return g_test_run();
}
