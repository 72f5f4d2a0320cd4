/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests parsing stat, status and cmdline, with tables of texts. */
#include <glib.h>
#include <string.h>

#include "../cmdline.h"
#include "../status.h"

#define INVALID CTPROF_ABSENT_INVALID
#define UNSUPPORTED CTPROF_ABSENT_UNSUPPORTED

/* Returns a copy without a NUL at its end, so that a sanitizer detects reads beyond it. */
static struct text copy_text(const char *text, char **ret_copy)
{
	gsize len = strlen(text);

	*ret_copy = g_memdup2(text, len);
	return (struct text){*ret_copy, len};
}

static void assert_bytes(const char *bytes, gsize len, const char *expect)
{
	g_assert_cmpuint(len, ==, strlen(expect));
	g_assert_true(len == 0 || memcmp(bytes, expect, len) == 0);
}

static void test_status_lines(void)
{
	static const struct {
		const char *text;
		enum status_key key;
		guint32 why;
		guint64 number;
	} cases[] = {
		{"VmRSS:\t     100 kB\n", STATUS_VM_RSS, 0, 102400},
		{"VmHWM:\t     101 kB\n", STATUS_VM_HWM, 0, 103424},
		{"RssAnon:\t      70 kB\n", STATUS_RSS_ANON, 0, 71680},
		{"RssFile:\t      20 kB\n", STATUS_RSS_FILE, 0, 20480},
		{"RssShmem:\t      10 kB\n", STATUS_RSS_SHMEM, 0, 10240},
		{"VmSwap:\t       5 kB\n", STATUS_VM_SWAP, 0, 5120},
		{"VmRSS:\t0 kB\n", STATUS_VM_RSS, 0, 0},
		{"VmRSS: 4", STATUS_VM_RSS, 0, 4096},
		{"PPid:\t0\n", STATUS_PPID, 0, 0},
		{"Uid:\t1000\t0\t0\t0\n", STATUS_UID, 0, 1000},
		{"Threads:\t7\n", STATUS_THREADS, 0, 7},
		{"State:\tS (sleeping)\n", STATUS_STATE, 0, 'S'},
		/* An absent value is not 0. */
		{"", STATUS_VM_RSS, UNSUPPORTED, 0},
		{"VmRSS:\n", STATUS_VM_RSS, UNSUPPORTED, 0},
		{"VmRSS 4 kB\n", STATUS_VM_RSS, UNSUPPORTED, 0},
		{"VmRSSx: 4 kB\nvmrss: 4 kB\n", STATUS_VM_RSS, UNSUPPORTED, 0},
		{"VmRSS: x kB\n", STATUS_VM_RSS, INVALID, 0},
		{"VmRSS: -4 kB\n", STATUS_VM_RSS, INVALID, 0},
		{"VmRSS: 18014398509481983 kB\n", STATUS_VM_RSS, 0, 18446744073709550592u},
		{"VmRSS: 18014398509481984 kB\n", STATUS_VM_RSS, INVALID, 0},
		{"Uid:\t4294967295\n", STATUS_UID, 0, 4294967295},
		/* Only the first line with a key is the kernel's own. */
		{"VmRSS: 1 kB\nVmRSS: 2 kB\n", STATUS_VM_RSS, 0, 1024},
		{"VmRSS: x kB\nVmRSS: 2 kB\n", STATUS_VM_RSS, INVALID, 0},
		{"Name:\ta: b\nVmRSS: 1 kB\n", STATUS_VM_RSS, 0, 1024},
		{"\xff\xfe: 1\n:\n::\nVmRSS: 1 kB", STATUS_VM_RSS, 0, 1024},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *copy = NULL;
		struct status status;

		status_parse(copy_text(cases[i].text, &copy), &status);
		g_assert_cmpuint(status.at[cases[i].key].why, ==, cases[i].why);
		if (!cases[i].why)
			g_assert_cmpuint(status.at[cases[i].key].number, ==, cases[i].number);
	}
}

/* Without VmRSS it is a kernel thread or a zombie.  A malformed VmRSS still means memory. */
static void test_status_has_mm(void)
{
	static const struct {
		const char *text;
		bool has_mm;
	} cases[] = {
		{"Name:\tkthreadd\nState:\tS (sleeping)\nThreads:\t1\n", false},
		{"VmRSS:\t0 kB\n", true},
		{"VmRSS:\tx kB\n", true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *copy = NULL;
		struct status status;

		status_parse(copy_text(cases[i].text, &copy), &status);
		g_assert_cmpint(status_has_mm(&status), ==, cases[i].has_mm);
	}
}

static void test_stat(void)
{
	static const struct {
		const char *text;
		bool valid;
		const char *name;
		char state;
		bool kernel_thread;
	} cases[] = {
		{"123 (a) S 2 3 4 5 6 4194560 8 9 10 11 12 13 14 15 16 17 18 19 4242 21\n", true,
		 "a", 'S', false},
		/* vector 30 */
		{"123 (worker ) with spaces) S 1 2 3 4 5 0 7 8 9 10 11 12 13 14 15 16 17 18 4242",
		 true, "worker ) with spaces", 'S', false},
		{"2 (k) I 2 3 4 5 6 2129984 8 9 10 11 12 13 14 15 16 17 18 19 4242 21", true, "k",
		 'I', true},
		{"9 (\n) R (a) Z 2 3 4 5 6 0 8 9 10 11 12 13 14 15 16 17 18 19 4242 21", true,
		 "\n) R (a", 'Z', false},
		{"9 () S 2 3 4 5 6 0 8 9 10 11 12 13 14 15 16 17 18 19 4242", true, "", 'S', false},
		/* vector 31 */
		{"123 malformed", false, NULL, 0, false},
		{"", false, NULL, 0, false},
		{")(", false, NULL, 0, false},
		{"1 (a) S 0 0 0 0 -1", false, NULL, 0, false},
		{"1 (a) S 0 0 0 0 -1 x", false, NULL, 0, false},
		{"1 (a) S 2 3 4 5 6 0 8 9 10 11 12 13 14 15 16 17 18 19", false, NULL, 0, false},
		{"1 (a) S 2 3 4 5 6 x 8 9 10 11 12 13 14 15 16 17 18 19 4242", false, NULL, 0,
		 false},
		{"1 (a) S 2 3 4 5 6 0 8 9 10 11 12 13 14 15 16 17 18 19 -1", false, NULL, 0, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *copy = NULL;
		struct stat_line line;

		bool valid = stat_line_parse(copy_text(cases[i].text, &copy), &line);
		g_assert_cmpint(valid, ==, cases[i].valid);
		if (!valid)
			continue;
		g_assert_cmpuint(line.start_ticks, ==, 4242);
		assert_bytes(line.name, line.name_len, cases[i].name);
		g_assert_cmpint(line.state, ==, cases[i].state);
		g_assert_cmpint(line.kernel_thread, ==, cases[i].kernel_thread);
	}
}

static void test_stat_long_name(void)
{
	g_autofree char *name = g_strnfill(1000, 'x');
	g_autofree char *text =
		g_strdup_printf("1 (%s) S 1 2 3 4 5 0 7 8 9 10 11 12 13 14 15 16 17 18 4242", name);
	struct stat_line line;

	g_assert_true(stat_line_parse((struct text){text, strlen(text)}, &line));
	g_assert_cmpuint(line.name_len, ==, sizeof line.name);
}

#define BYTES(text) text, sizeof(text) - 1

/* The non-empty arguments are joined by one blank, wherever the pieces end. */
static void test_cmdline(void)
{
	static const struct {
		const char *bytes;
		gsize len;
		const char *expect;
	} cases[] = {
		{BYTES("a\0b\0"), "a b"},
		{BYTES("a\0\0\0b\0\0"), "a b"},
		{BYTES("\0a\0"), "a"},
		{BYTES("a b\0c"), "a b c"},
		{BYTES("\0\0"), ""},
		{BYTES(""), ""},
		{BYTES("\xff\n\0\x1b[0m\0"), "\xff\n \x1b[0m"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (gsize piece = 1; piece <= cases[i].len; piece++) {
			struct cmdline cmdline = {0};

			for (gsize at = 0; at < cases[i].len; at += piece)
				cmdline_take(&cmdline, cases[i].bytes + at,
					     MIN(piece, cases[i].len - at), false);
			assert_bytes(cmdline.text, cmdline.len, cases[i].expect);
		}
}

/* A command line that does not fit a text value is cut; after a reset the struct is empty again. */
static void test_cmdline_limit(void)
{
	g_autofree char *much = g_strnfill(100000, 'x');
	struct cmdline cmdline = {0};

	for (guint i = 0; i < 3; i++)
		cmdline_take(&cmdline, much, 100000, false);
	g_assert_cmpuint(cmdline.len, ==, CMDLINE_MAX);
	cmdline.len = 0;
	cmdline_take(&cmdline, "a", 1, true);
	assert_bytes(cmdline.text, cmdline.len, "a");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/status/lines", test_status_lines);
	g_test_add_func("/memory/status/has-mm", test_status_has_mm);
	g_test_add_func("/memory/stat/lines", test_stat);
	g_test_add_func("/memory/stat/long-name", test_stat_long_name);
	g_test_add_func("/memory/cmdline/parts", test_cmdline);
	g_test_add_func("/memory/cmdline/limit", test_cmdline_limit);
	return g_test_run();
}
