/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turns that the test plants, and the kernel's own account of them. */
#include <bpf/bpf.h>
#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../probe.h"
#include "ctprof/histogram.h"
#include "planted.h"

#define PLANTED_MS 400

/* ---- the probe -------------------------------------------------------------- */

static guint64 sum_counts(const struct turn_record *record, enum turn_histogram which)
{
	guint64 counts[TURN_COUNTS], n = 0;

	probe_histograms(record, counts);
	for (guint i = 0; i < TURN_BUCKETS; i++)
		n += counts[which * TURN_BUCKETS + i];
	return n;
}

/* The sum of the times lies between those of the bounds of their buckets. */
static void check_buckets(const guint64 *counts, guint64 sum_ns)
{
	guint64 least = 0, most = 0;

	for (guint i = 0; i < TURN_BUCKETS; i++) {
		least += counts[i] * ctprof_bucket_least(i);
		most += counts[i] * ctprof_bucket_most(i);
	}
	g_assert_cmpuint(least, <=, sum_ns);
	g_assert_cmpuint(most, >=, sum_ns);
}

static const struct turn_record *record_of(const struct probe *probe, pid_t pid)
{
	const struct turn_record *record = probe_find(probe, pid, pid);

	g_assert_nonnull(record);
	return record;
}

static void check_closed(struct probe *probe, pid_t pid)
{
	const struct account account = account_of(pid);
	const struct turn_record *record = record_of(probe, pid);
	const struct turns *turns = &record->turns;
	guint64 counts[TURN_COUNTS], woken = sum_counts(record, TURN_WOKEN);

	g_assert_cmpuint(turns->wait_ns + turns->slept_ns, ==, account.wait_ns);
	g_assert_cmpuint(turns->slice_ns, ==, account.run_ns);
	g_assert_cmpuint(record->switches, ==, account.switches);
	g_assert_cmpuint(turns->switches + turns->merged, ==, account.switches);
	/* A wait that is sleep in part is in no histogram. */
	if (turns->slept_ns == 0)
		g_assert_cmpuint(woken + sum_counts(record, TURN_PREEMPTED) + turns->merged, ==,
				 account.turns);
	g_assert_cmpuint(sum_counts(record, TURN_SLICE), ==, turns->switches);
	probe_histograms(record, counts);
	check_buckets(&counts[TURN_SLICE * TURN_BUCKETS], turns->slice_ns);
	for (guint i = 0; i < TURN_BUCKETS; i++)
		counts[i] += counts[TURN_PREEMPTED * TURN_BUCKETS + i];
	check_buckets(counts, turns->wait_ns);
}

/* Nothing is missing for processes that the probe saw from their start to their stop. */
static void test_closes(void)
{
	static void (*const works[])(void) = {spin, spin, sleep_often, sleep_long};
	pid_t pids[G_N_ELEMENTS(works)];
	struct probe *probe = attach_probe();

	if (!probe)
		return;
	for (guint i = 0; i < G_N_ELEMENTS(works); i++)
		pids[i] = plant(works[i]);
	g_usleep(PLANTED_MS * 1000);
	for (guint i = 0; i < G_N_ELEMENTS(works); i++)
		stop(pids[i]);
	g_assert_cmpint(probe_pass(probe, PASS_READ), ==, 0);
	for (guint i = 0; i < G_N_ELEMENTS(works); i++) {
		check_closed(probe, pids[i]);
		end(pids[i]);
	}
	probe_free(probe);
}

/* Two processes that spin on one CPU preempt each other. */
static void test_preempted(void)
{
	struct probe *probe = attach_probe();
	guint64 n = 0;

	if (!probe)
		return;
	pid_t pids[] = {plant(spin), plant(spin)};
	/* On a busy host they get few turns. */
	for (guint i = 0; i < 60 && n <= 10; i++) {
		g_usleep(PLANTED_MS * 1000);
		g_assert_cmpint(probe_pass(probe, PASS_READ), ==, 0);
		n = sum_counts(record_of(probe, pids[0]), TURN_PREEMPTED);
	}
	g_assert_cmpuint(n, >, 10);
	end(pids[0]);
	end(pids[1]);
	probe_free(probe);
}

/* A thread that sleeps has waits that begin with a wakeup. */
static void test_woken(void)
{
	struct probe *probe = attach_probe();

	if (!probe)
		return;
	pid_t pid = plant(sleep_often);
	g_usleep(PLANTED_MS * 1000);
	stop(pid);
	g_assert_cmpint(probe_pass(probe, PASS_READ), ==, 0);
	guint64 woken = sum_counts(record_of(probe, pid), TURN_WOKEN);
	g_assert_cmpuint(woken, >, 10);
	g_assert_cmpuint(woken, >, sum_counts(record_of(probe, pid), TURN_PREEMPTED));
	end(pid);
	probe_free(probe);
}

/* A thread that was not switched out has a short record, without histograms. */
static void test_quiet(void)
{
	pid_t quiet = plant(sleep_long);

	stop(quiet);
	struct probe *probe = attach_probe();
	if (probe) {
		pid_t busy = plant(sleep_often);

		g_usleep(PLANTED_MS * 1000);
		g_assert_cmpint(probe_pass(probe, PASS_READ), ==, 0);
		g_assert_cmpuint(record_of(probe, busy)->turns.used, !=, 0);
		g_assert_cmpuint(record_of(probe, quiet)->turns.used, ==, 0);
		g_assert_cmpuint(record_of(probe, quiet)->switches, ==, 0);
		g_assert_cmpuint(record_of(probe, quiet)->turns.state, ==, TURNS_BASED);
		end(busy);
		probe_free(probe);
	}
	end(quiet);
}

/* A second probe neither disturbs the first one nor counts anything from before it was attached. */
static void test_two(void)
{
	struct probe *first = attach_probe(), *second;

	if (!first)
		return;
	pid_t pid = plant(sleep_often);
	g_usleep(PLANTED_MS * 1000);
	second = attach_probe();
	g_assert_nonnull(second);
	g_usleep(PLANTED_MS * 1000);
	stop(pid);
	g_assert_cmpint(probe_pass(first, PASS_READ), ==, 0);
	g_assert_cmpint(probe_pass(second, PASS_READ), ==, 0);
	check_closed(first, pid);
	g_assert_cmpuint(record_of(second, pid)->turns.switches, <,
			 record_of(first, pid)->turns.switches);
	end(pid);
	probe_free(first);
	probe_free(second);
}

/* ---- nothing stays attached ------------------------------------------------- */

/* The programs that a process holds, as its descriptors show. */
static GArray *programs_of(pid_t pid)
{
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(guint32));

	for (int fd = 0; fd < 64; fd++) {
		g_autofree char *path = g_strdup_printf(
			G_DIR_SEPARATOR_S "proc" G_DIR_SEPARATOR_S "%d/fdinfo/%d", (int)pid, fd);
		g_autofree char *text = NULL;

		const char *at = g_file_get_contents(path, &text, NULL, NULL)
					 ? strstr(text, "prog_id:")
					 : NULL;
		if (!at)
			continue;
		guint32 id = (guint32)g_ascii_strtoull(at + strlen("prog_id:"), NULL, 10);
		g_array_append_val(ids, id);
	}
	return ids;
}

/* Loads all programs, counts, and reads, until it is killed in one of these phases. */
static void load_and_read(void)
{
	struct probe *probe = NULL;
	struct matrix *matrix = g_new(struct matrix, 1);

	if (probe_load(PROBE_TURNS | PROBE_WAITS | PROBE_WAKEUPS, 0, &probe) < 0)
		return;
	while (probe_pass(probe, PASS_READ) == 0)
		probe_matrix(probe, matrix);
}

/* A busy host may take long to load the first one. */
static void await_programs(pid_t pid)
{
	for (guint i = 0; i < 600; i++) {
		g_autoptr(GArray) ids = programs_of(pid);

		if (ids->len > 0)
			return;
		g_usleep(100000);
	}
}

static gboolean has_ended(guint32 id)
{
	for (guint i = 0; i < 500; i++) {
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			return TRUE;
		close(fd);
		g_usleep(10000);
	}
	return FALSE;
}

static void test_killed(void)
{
	static const guint after_us[] = {5000, 20000, 50000, 100000, 300000, 1000000};
	struct probe *probe = attach_probe();
	guint n = 0;

	if (!probe)
		return;
	probe_free(probe);
	for (guint i = 0; i < G_N_ELEMENTS(after_us); i++) {
		pid_t pid = plant(load_and_read);

		g_usleep(after_us[i]);
		if (i + 1 == G_N_ELEMENTS(after_us))
			await_programs(pid);
		(void)kill(pid, SIGSTOP);
		g_autoptr(GArray) ids = programs_of(pid);
		end(pid);
		for (guint k = 0; k < ids->len; k++)
			g_assert_true(has_ended(g_array_index(ids, guint32, k)));
		n += ids->len;
	}
	g_assert_cmpuint(n, >, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/latency/closes", test_closes);
	g_test_add_func("/latency/preempted", test_preempted);
	g_test_add_func("/latency/woken", test_woken);
	g_test_add_func("/latency/quiet", test_quiet);
	g_test_add_func("/latency/two", test_two);
	g_test_add_func("/latency/killed", test_killed);
	return g_test_run();
}
