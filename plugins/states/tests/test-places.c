/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the plugin on trees that the test writes: what each file means, and what happens without
 * it. */
#include <errno.h>
#include <string.h>

#include "../../common/tests/run.h"
#include "../places-parse.h"

/* State, flags, start_code and wait channel of a stat file, as do_task_stat() prints them. */
#define STAT(state, flags, start_code, channel)                                                    \
	"7 (a) S (b) " state " 1 1 1 0 -1 " flags                                                  \
	" 0 0 0 0 0 0 0 0 20 0 1 0 100 4096 5 9 " start_code " 94 140 0 0 0 0 0 0 " channel        \
	" 0 0 17 0 0 0\n"
#define USER "4194304"
#define KERNEL "2097152"
#define POLL "[<0>] do_poll.constprop.0+0x1a/0x30\n[<0>] do_sys_poll+0x1/0x2\n"

/* A thread's files (NULL: missing), and the expected value: text, or "!" and the reason. */
static const struct {
	const char *stat, *wchan, *stack;
	const char *wait_channel, *wait_stack;
} cases[] = {
	{STAT("S", USER, "94", "1"), "do_poll", POLL "[<0>] x+0x1/0x2\n[<0>] y+0x1/0x2\n",
	 "do_poll", "do_poll.constprop.0 < do_sys_poll < x"},
	{STAT("D", USER, "94", "1"), "io_schedule\n", "[<0>] io_schedule+0x1/0x2 [ext4]\n",
	 "io_schedule", "io_schedule"},
	{STAT("D", KERNEL, "0", "1"), "kthreadd", "[<ffff8100>] kthreadd+0x1/0x2\n", "kthreadd",
	 "kthreadd"},
	/* The end of a stack before 4.20. */
	{STAT("S", USER, "94", "1"), "a", "[<81>] a+0x1/0x2\n[<ffffffffffffffff>] 0xffffffffffff\n",
	 "a", "a"},
	{STAT("R", USER, "94", "0"), "0", "", "!70", "!70"},
	{STAT("Z", USER, "0", "0"), "0", "", "!70", "!70"},
	{STAT("T", USER, "94", "1"), "do_signal_stop", POLL, "!70", "!70"},
	{STAT("I", KERNEL, "0", "1"), "worker_thread", POLL, "!70", "!70"},
	{STAT("S", USER, "1", "0"), "0", NULL, "!20", "!10"},
	{STAT("S", KERNEL, "0", "0"), "0", NULL, "!20", "!10"},
	{STAT("S", USER, "94", "1"), "0", "", "!10", "!10"},
	{STAT("S", USER, "94", "1"), NULL, NULL, "!10", "!10"},
	{STAT("S", USER, "94", "1"), "a b", "nonsense\n[<0>] b c+0x1/0x2\n", "!50", "!10"},
	{"7 (a S 1\n", "do_poll", POLL, "!50", "!50"},
	{NULL, "do_poll", POLL, "!30", "!30"},
};

static char *describe(FakeHost *fake, guint row, const char *metric)
{
	guint32 state = fake_host_state(fake, row, metric);

	return state == CTPROF_PRESENT ? g_strdup(fake_host_string(fake, row, metric))
				       : g_strdup_printf("!%u", state);
}

static void write_file(struct run *run, int tid, const char *file, const char *text)
{
	if (text)
		run_write_thread(run, 1000, tid, file, "%s", text);
}

static void begin(struct run *run)
{
	g_assert_cmpint(run->ops->open(&run->table, &run->self), ==, 0);
}

static void test_threads(void)
{
	RUN run = {0};

	run_init_tree(&run);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		int tid = 1000 + (int)i;

		write_file(&run, tid, "stat", cases[i].stat);
		write_file(&run, tid, "wchan", cases[i].wchan);
		write_file(&run, tid, "stack", cases[i].stack);
		fake_host_add_thread(run.fake, 1000, tid);
	}
	begin(&run);
	run_threads(&run);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *channel = describe(run.fake, i, "wait_channel");
		g_autofree char *stack = describe(run.fake, i, "wait_stack");

		g_test_message("thread %u", i);
		g_assert_cmpstr(channel, ==, cases[i].wait_channel);
		g_assert_cmpstr(stack, ==, cases[i].wait_stack);
	}
}

/* Files that are refused, or not wanted. */
static void test_refused(void)
{
	RUN run = {0};

	run_init_tree(&run);
	write_file(&run, 1000, "stat", cases[0].stat);
	write_file(&run, 1000, "wchan", cases[0].wchan);
	write_file(&run, 1000, "stack", cases[0].stack);
	fake_host_add_thread(run.fake, 1000, 1000);
	begin(&run);
	run_inject("/stack", EACCES);
	run_threads(&run);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "wait_channel"), ==, "do_poll");
	g_assert_cmpuint(fake_host_state(run.fake, 0, "wait_stack"), ==, CTPROF_ABSENT_DENIED);
	fake_host_want(run.fake, "wait_channel");
	fake_host_add_thread(run.fake, 1000, 1000);
	guint opened = fake_host_opens(run.fake, "/stack");
	run_threads(&run);
	g_assert_cmpuint(fake_host_opens(run.fake, "/stack"), ==, opened);
}

/* A name of any length and any bytes stays within its place. */
static void test_long_names(void)
{
	g_autofree char *longest = g_strnfill(WAIT_SYMBOL_MAX - 1, 'x');
	g_autofree char *line = g_strdup_printf("[<0>] %s+0x1/0x2\n", longest);
	g_autofree char *text = g_strconcat("[<0>] y", line + 6, line, line, line, line, NULL);
	char place[WAIT_PLACE_MAX];
	gsize len = wait_stack_parse(text_of(text), place);

	/* The first is one byte too long. */
	g_assert_cmpuint(len, ==, 3 * (WAIT_SYMBOL_MAX - 1) + 2 * strlen(" < "));
	g_assert_cmpuint(wait_stack_parse(text_of("[<0>] a\tb+0x1\n[<0>]\n"), place), ==, 0);
}

static void test_probe(void)
{
	static const struct {
		const char *wchan, *stack;
		int err;
		const char *says;
	} hosts[] = {
		{NULL, NULL, 0, "wait 30 no wchan: the kernel is built without it"},
		{"0", NULL, 0, "wait 20 no kernel stacks: the kernel is built without them"},
		{"0", "", EACCES, "wait 20 no kernel stacks: they need CAP_SYS_ADMIN"},
		{"0", "", 0, "wait 20 only for the user's own threads"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(hosts); i++) {
		RUN run = {0};

		run_init_tree(&run);
		if (hosts[i].wchan)
			run_write(&run, "self/wchan", hosts[i].wchan);
		if (hosts[i].stack)
			run_write(&run, "self/stack", hosts[i].stack);
		begin(&run);
		if (hosts[i].err)
			run_inject("/stack", hosts[i].err);
		g_assert_cmpint(run.ops->probe(run.self), ==, 0);
		g_test_message("%s", fake_host_findings(run.fake));
		g_assert_nonnull(strstr(fake_host_findings(run.fake), hosts[i].says));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/places/threads", test_threads);
	g_test_add_func("/places/refused", test_refused);
	g_test_add_func("/places/long-names", test_long_names);
	g_test_add_func("/places/probe", test_probe);
	return g_test_run();
}
