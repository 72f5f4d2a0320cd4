/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures looks at 10 000 threads, in pairs with an iterator whose program only writes 8 bytes
 * for each thread: the first look, and later ones, while the threads still sleep. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <glib.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "clock.h"
#include "fakehost.h"
#include "list.h"
#include "looks.h"

#include "../kinds.h"

#define THREADS 10000u
#define ROUNDS 31u

static int line[2];
static atomic_uint n_begun;

/* Half of the threads wait for a descriptor, whose kind is then read, too. */
static void *wait_for_ever(void *number)
{
	char byte;

	atomic_fetch_add(&n_begun, 1);
	if (GPOINTER_TO_UINT(number) % 2)
		(void)!read(line[0], &byte, 1);
	while (pause() < 0)
		continue;
	return NULL;
}

static gboolean plant(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	gboolean ok = TRUE;

	g_assert_cmpint(pipe(line), ==, 0);
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, 64 * 1024);
	for (guint i = 0; ok && i < THREADS; i++)
		ok = pthread_create(&thread, &attr, wait_for_ever, GUINT_TO_POINTER(i)) == 0;
	(void)pthread_attr_destroy(&attr);
	while (ok && atomic_load(&n_begun) < THREADS)
		g_usleep(1000);
	g_usleep(G_USEC_PER_SEC / 2);
	return ok;
}

#define LOAD(to, from)                                                                             \
	{                                                                                          \
		.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (from)             \
	}
#define SET(to, value)                                                                             \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (value)               \
	}

/* Returns the link of an iterator whose program writes 8 bytes for each thread: -errno if that
 * fails. */
static int open_bare(void)
{
	static const struct bpf_insn instructions[] = {
		LOAD(BPF_REG_1, BPF_REG_1), /* ctx->meta */
		LOAD(BPF_REG_1, BPF_REG_1), /* meta->seq */
		{.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8},
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -8},
		SET(BPF_REG_3, 8),
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_seq_write},
		SET(BPF_REG_0, 0),
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options);
	int id = libbpf_find_vmlinux_btf_id("task", BPF_TRACE_ITER);

	if (id < 0)
		return id;
	options.expected_attach_type = BPF_TRACE_ITER;
	options.attach_btf_id = (guint32)id;
	int program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "bare", "GPL", instructions,
				    G_N_ELEMENTS(instructions), &options);
	return program < 0 ? -errno : bpf_link_create(program, 0, BPF_TRACE_ITER, NULL);
}

static void walk_bare(int link)
{
	static char bytes[1 << 16];
	int fd = bpf_iter_create(link);

	g_assert_cmpint(fd, >=, 0);
	while (read(fd, bytes, sizeof bytes) > 0)
		continue;
	(void)close(fd);
}

static int compare(const void *a, const void *b)
{
	return order_u64(*(const guint64 *)a, *(const guint64 *)b);
}

static guint64 median(guint64 values[ROUNDS])
{
	qsort(values, ROUNDS, sizeof values[0], compare);
	return values[ROUNDS / 2];
}

static int open_look(const guint64 *calls, struct sweep **ret)
{
	g_autoptr(FakeHost) fake = fake_host_new("/proc", "/sys", NULL, TRUE);

	return sweep_open(fake_host_table(fake), calls, ret);
}

/* Returns the CPU time of a look as a multiple of the bare iterator's, by medians.  is_first: at
 * threads that were never seen before. */
static double ratio_of_look(int link, gboolean is_first)
{
	guint64 bare[ROUNDS], whole[ROUNDS];
	struct looks looks = {.at = NULL};
	struct sweep *sweep = NULL;
	guint64 calls[SWEEP_CALLS / 64];

	kind_calls_with_descriptor(kind_machine(), calls);
	for (guint i = 0; i < ROUNDS; i++) {
		if (is_first)
			g_clear_pointer(&sweep, sweep_free);
		if (!sweep)
			g_assert_cmpint(open_look(calls, &sweep), ==, 0);
		guint64 begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		walk_bare(link);
		bare[i] = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
		begin += bare[i];
		g_assert_cmpint(looks_read_sweep(sweep, &looks), ==, 0);
		whole[i] = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	}
	g_assert_cmpuint(looks.n, >=, THREADS);
	double n = (double)looks.n, ratio = (double)median(whole) / (double)median(bare);
	g_test_message("%.0f threads: bare %.3f, a %s look %.3f us a thread: %.2f times", n,
		       (double)median(bare) / n / 1e3, is_first ? "first" : "later",
		       (double)median(whole) / n / 1e3, ratio);
	sweep_free(sweep);
	looks_clear(&looks);
	return ratio;
}

static void test_look(void)
{
	struct sweep *sweep = NULL;
	int link = open_bare();

	if (link < 0 || open_look(NULL, &sweep) < 0) {
		g_test_skip("needs BPF");
		return;
	}
	sweep_free(sweep);
	if (!plant()) {
		g_test_skip("needs 10 000 threads");
		return;
	}
	g_assert_cmpfloat(ratio_of_look(link, FALSE), <=, 2);
	/* Near 2. */
	g_assert_cmpfloat(ratio_of_look(link, TRUE), <=, 3);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/states/cost", test_look);
	return g_test_run();
}
