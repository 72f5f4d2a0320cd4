/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the parts that need no process: arithmetic, parsers, tables, and walks of memory that a
 * test makes up. */
#include <elf.h>
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "code.h"
#include "ctprof/plugin.h"
#include "debugfile.h"
#include "elfobj.h"
#include "known.h"
#include "remote.h"
#include "rtld.h"
#include "tally.h"
#include "threads.h"
#include "tls.h"

/* ---- TLS arithmetic ----------------------------------------------------- */

struct tls_case {
	guint16 machine;
	guint64 tp, memsz, align, vaddr, field;
	gboolean ok;
	guint64 address;
};

/* Tests where a field of the executable's block is, below (x86_64) or above (aarch64)
 * the thread pointer. */
static void test_tls_exe(void)
{
	static const struct tls_case cases[] = {
		{EM_X86_64, 0x10000, 0x100, 1, 0, 0x18, TRUE, 0xff18},
		{EM_X86_64, 0x100, 0x200, 1, 0, 0, FALSE, 0},
		{EM_X86_64, 4096, 4096, 1, 0, 0, TRUE, 0},
		{EM_X86_64, 0x10000, 0xf1, 16, 0, 0, TRUE, 0xff00},
		{EM_X86_64, 0x10000, 0xf1, 16, 8, 0, TRUE, 0xff08},
		{EM_X86_64, 0x10000, 0xf9, 16, 8, 0, TRUE, 0xfef8},
		{EM_X86_64, 0x10000, 8, 3, 0, 0, FALSE, 0},
		{EM_X86_64, 0x10000, G_MAXUINT64, 8, 0, 0, FALSE, 0},
		{EM_AARCH64, 0x7f1234567000, 0, 16, 0, 0x100 + 264, TRUE, 0x7f1234567218},
		{EM_AARCH64, 0x1000, 0, 64, 0, 0, TRUE, 0x1040},
		{EM_AARCH64, 0x1000, 0, 8, 0, 0, TRUE, 0x1010},
		{EM_AARCH64, 0x1000, 0, 0, 0, 0, TRUE, 0x1010},
		{EM_AARCH64, 0x1000, 0, 64, 24, 0, TRUE, 0x1018},
		{EM_AARCH64, G_MAXUINT64, 0, 8, 0, 0, FALSE, 0},
		{EM_386, 0x1000, 0, 8, 0, 0, FALSE, 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct tls_case *c = &cases[i];
		struct tls_segment segment = {c->vaddr, c->memsz, c->align};
		struct tls_place place = {.dynamic = false};
		guint64 block;
		gboolean ok = tls_exe_offset(c->machine, &segment, &place.offset) &&
			      rtld_block_address(NULL, &place, c->machine, c->tp, &block) == 0;

		g_assert_cmpint(ok, ==, c->ok);
		if (ok)
			g_assert_cmphex(block + c->field, ==, c->address);
	}
}

static void test_tls_small(void)
{
	static const struct {
		guint64 allocated, deallocated;
		gboolean ok;
	} pairs[] = {{64, 16, FALSE}, {16, 16, FALSE},  {16, 32, TRUE},     {100, 108, TRUE},
		     {16, 20, FALSE}, {824, 840, TRUE}, {0, 1 << 20, FALSE}};

	for (gsize i = 0; i < G_N_ELEMENTS(pairs); i++)
		g_assert_cmpint(tls_are_neighbours(pairs[i].allocated, pairs[i].deallocated), ==,
				pairs[i].ok);
}

/* ---- tables ------------------------------------------------------------- */

static void test_symbol_names(void)
{
	static const char *const yes[] = {"tsd_tls", "je_tsd_tls", "_rjem_je_tsd_tls",
					  "jemalloc_je_tsd_tls", "custom_prefix_tsd_tls"};
	static const char *const no[] = {"mytsd_tls", "tsd_tls_v2", "je_tsd_tls_extra", "_tsd_tls",
					 ""};

	for (gsize i = 0; i < G_N_ELEMENTS(yes); i++)
		g_assert_true(elfobj_is_tsd_name(yes[i]));
	for (gsize i = 0; i < G_N_ELEMENTS(no); i++)
		g_assert_false(elfobj_is_tsd_name(no[i]));
}

static void test_known(void)
{
	/* The two builds of Debian 12: amd64, arm64. */
	static const guint8 debian[2][20] = {
		{0x1d, 0x51, 0x63, 0xc2, 0x46, 0xdc, 0x9c, 0xd2, 0xb4, 0xd3,
		 0x39, 0xf2, 0xac, 0x42, 0xef, 0xd9, 0x5c, 0x6e, 0x0a, 0xe1},
		{0x6d, 0xe2, 0xf6, 0x72, 0x81, 0xbe, 0x05, 0xe2, 0x1e, 0xac,
		 0xaf, 0x53, 0x17, 0x4d, 0xc7, 0x8e, 0x15, 0x3a, 0x9d, 0x4f}};
	struct offsets got = {0};

	g_assert_true(known_by_build_id(EM_X86_64, debian[0], sizeof debian[0], &got));
	g_assert_cmpuint(got.allocated, ==, 824);
	g_assert_cmpuint(got.deallocated, ==, 840);
	g_assert_true(known_by_build_id(EM_AARCH64, debian[1], sizeof debian[1], &got));
	g_assert_cmpuint(got.allocated, ==, 888);
	g_assert_cmpuint(got.deallocated, ==, 904);
	g_assert_false(known_by_build_id(EM_AARCH64, debian[0], sizeof debian[0], &got));
	g_assert_false(known_by_build_id(EM_X86_64, debian[0], sizeof debian[0] - 1, &got));

	g_assert_true(known_by_version(EM_X86_64, "5.3.0-0-gabc", 2632, FALSE, &got));
	g_assert_cmpuint(got.allocated, ==, 824);
	g_assert_false(known_by_version(EM_X86_64, "5.3.0-0-gabc", 2640, TRUE, &got));
	g_assert_false(known_by_version(EM_X86_64, "5.3.0", 2632, TRUE, &got));
	g_assert_false(known_by_version(EM_X86_64, "5.3.01-0-g", 2632, TRUE, &got));
	g_assert_false(known_by_version(EM_X86_64, "", 2632, TRUE, &got));
	g_assert_true(known_by_version(EM_X86_64, "5.2.1-0-gabc", 999, TRUE, &got));
	g_assert_cmpuint(got.allocated, ==, 16);
	g_assert_false(known_by_version(EM_X86_64, "5.2.1-0-gabc", 999, FALSE, &got));
}

/* Candidates come in order of likelihood; those that need a debug link are left out without one. */
static void test_debug_paths(void)
{
	struct elf_facts facts = {
		.build_id = {0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89},
		.build_id_len = 8,
		.debuglink = "example.debug",
	};
	static const char *const want[DEBUGFILE_CANDIDATES] = {
		"/usr/lib/debug/.build-id/ab/cdef0123456789.debug",
		"/usr/bin/example.debug",
		"/usr/bin/.debug/example.debug",
		"/usr/lib/debug/usr/bin/example.debug",
		"/usr/bin/example.debug",
		"/usr/bin/example.debuginfo",
	};
	char path[256];

	for (gsize i = 0; i < DEBUGFILE_CANDIDATES; i++) {
		g_assert_true(
			debugfile_candidate(&facts, "/usr/bin/example", i, path, sizeof path));
		g_assert_cmpstr(path, ==, want[i]);
	}
	g_assert_false(debugfile_candidate(&facts, "/usr/bin/example", DEBUGFILE_CANDIDATES, path,
					   sizeof path));
	g_assert_false(debugfile_candidate(&facts, "/usr/bin/example", 1, path, 10));
	g_assert_false(debugfile_candidate(&facts, "example", 3, path, sizeof path));
	facts.debuglink[0] = '\0';
	facts.build_id_len = 0;
	for (gsize i = 0; i < 4; i++)
		g_assert_false(
			debugfile_candidate(&facts, "/usr/bin/example", i, path, sizeof path));
}

/* ---- code --------------------------------------------------------------- */

struct code_case {
	const char *name;
	guint16 machine;
	const char *one, *other;
	guint64 allocated, deallocated; /* 0: not found */
};

/* Pairs of functions, in instructions as compilers write them. */
static const struct code_case code_cases[] = {
	{"add imm32", EM_X86_64, "90909090 4881c738030000 c3", "90909090 4881c748030000 c3", 824,
	 840},
	{"add imm8", EM_X86_64, "90909090 4883c310 c3000000", "90909090 4883c318 c3000000", 16, 24},
	{"lea disp32", EM_X86_64, "9090 488d8738030000 c3", "9090 488d8748030000 c3", 824, 840},
	{"lea disp8", EM_X86_64, "9090 4c8d4f10 c3000000", "9090 4c8d4f18 c3000000", 16, 24},
	{"add to rax", EM_X86_64, "90909090 480538030000", "90909090 480548030000", 824, 840},
	{"after a call", EM_X86_64, "9090e811223344 4881c738030000",
	 "9090e815263748 4881c748030000", 824, 840},
	{"after a global", EM_X86_64, "488b0511223344 4881c738030000",
	 "488b0519223344 4881c748030000", 824, 840},
	{"the same", EM_X86_64, "90909090 4881c738030000", "90909090 4881c738030000", 0, 0},
	{"the wrong way round", EM_X86_64, "90909090 4881c748030000", "90909090 4881c738030000", 0,
	 0},
	{"too far apart", EM_X86_64, "90909090 4881c738030000", "90909090 4881c738040000", 0, 0},
	{"no number of words", EM_X86_64, "90909090 4881c739030000", "90909090 4881c741030000", 0,
	 0},
	{"sub", EM_X86_64, "90909090 4881ef38030000", "90909090 4881ef48030000", 0, 0},
	{"another machine", EM_386, "90909090 4881c738030000", "90909090 4881c748030000", 0, 0},
	{"a64 add", EM_AARCH64, "1f2003d5 40e00d91", "1f2003d5 40200e91", 888, 904},
	{"a64 add, 4 KiB", EM_AARCH64, "1f2003d5 40044091", "1f2003d5 40084091", 0, 0},
	{"a64 after a call and a page", EM_AARCH64, "11000094 01000090 40e00d91",
	 "12000094 01000091 40200e91", 0, 0},
	{"a64 after a call", EM_AARCH64, "11000094 010000b0 40e00d91", "12000094 010000d0 40200e91",
	 888, 904},
	{"a64 other registers", EM_AARCH64, "40e00d91", "41200e91", 0, 0},
};

/* Converts hexadecimal digits, with blanks, to bytes. */
static gsize parse_hex(const char *text, guchar *ret, gsize size)
{
	gsize n = 0;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		g_assert_cmpuint(n, <, size);
		ret[n++] = (guchar)(g_ascii_xdigit_value(text[0]) << 4 |
				    g_ascii_xdigit_value(text[1]));
		text++;
	}
	return n;
}

static void test_code(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(code_cases); i++) {
		const struct code_case *c = &code_cases[i];
		guchar one[32], other[32];
		gsize len = parse_hex(c->one, one, sizeof one);
		struct offsets got = {0};

		g_test_message("%s", c->name);
		g_assert_cmpuint(parse_hex(c->other, other, sizeof other), ==, len);
		gboolean found = code_compare(c->machine, one, other, len, &got);
		g_assert_cmpint(found, ==, c->allocated > 0);
		if (found) {
			g_assert_cmpuint(got.allocated, ==, c->allocated);
			g_assert_cmpuint(got.deallocated, ==, c->deallocated);
		}
	}
}

/* ---- the tally ---------------------------------------------------------- */

struct tally_case {
	guint counts[TAG_COUNT];
	guint64 failed;
	enum tag dominant;
	gboolean privilege;
};

static void test_tally(void)
{
	static const struct tally_case cases[] = {
		{{0}, 0, TAG_OK, FALSE},
		{{[TAG_JEMALLOC_NOT_FOUND] = 100, [TAG_PTRACE_SEIZE] = 1},
		 1,
		 TAG_PTRACE_SEIZE,
		 TRUE},
		{{[TAG_PTRACE_SEIZE] = 2, [TAG_DWARF_PARSE_FAILURE] = 2},
		 4,
		 TAG_DWARF_PARSE_FAILURE,
		 TRUE},
		{{[TAG_PTRACE_SEIZE] = 3, [TAG_WAITPID] = 3}, 6, TAG_PTRACE_SEIZE, TRUE},
		{{[TAG_PTRACE_SEIZE] = 2, [TAG_WAITPID] = 4}, 6, TAG_WAITPID, FALSE},
		{{[TAG_PTRACE_SEIZE] = 1, [TAG_MEMORY_DENIED] = 1, [TAG_WAITPID] = 2},
		 4,
		 TAG_WAITPID,
		 TRUE},
		{{[TAG_READLINK_FAILURE] = 9, [TAG_THREAD_EXITED] = 9}, 0, TAG_OK, FALSE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct tally tally = {0};

		for (enum tag tag = TAG_OK + 1; tag < TAG_COUNT; tag++)
			for (guint n = 0; n < cases[i].counts[tag]; n++)
				tally_process(&tally, tag);
		struct tally_summary got = tally_summarise(&tally);
		g_assert_cmpuint(got.failed, ==, cases[i].failed);
		g_assert_cmpint(got.dominant, ==, cases[i].dominant);
		g_assert_cmpint(got.by_privilege, ==, cases[i].privilege);
		g_assert_cmpuint(got.detected, ==, 0);
	}
}

/* Every tag has a name of its own, and a reason for the values that it makes absent. */
static void test_tags(void)
{
	for (enum tag tag = TAG_OK + 1; tag < TAG_COUNT; tag++) {
		g_assert_nonnull(tag_rows[tag].name);
		g_assert_cmpuint(tag_rows[tag].absence, !=, CTPROF_PRESENT);
		g_assert_false(tag_rows[tag].privilege && !tag_rows[tag].actionable);
		for (enum tag other = TAG_OK; other < tag; other++)
			g_assert_cmpstr(tag_rows[tag].name, !=, tag_rows[other].name);
	}
}

/* ---- made-up memory ----------------------------------------------------- */

/* The memory of the process under test consists of words from BASE on. */
#define BASE G_GUINT64_CONSTANT(0x10000)
static guint64 memory[4096];
static gssize refuse; /* an errno for every read */
static guint reads;

static ssize_t fake_reader(pid_t pid, const struct iovec *local, unsigned long n_local,
			   const struct iovec *source, unsigned long n_source, unsigned long flags)
{
	ssize_t total = 0;

	g_assert_cmpint(pid, ==, 7);
	g_assert_cmpuint(n_local, ==, n_source);
	g_assert_cmpuint(flags, ==, 0);
	reads++;
	if (refuse) {
		errno = (int)refuse;
		return -1;
	}
	for (unsigned long i = 0; i < n_source; i++) {
		guint64 at = (guint64)(guintptr)source[i].iov_base - BASE;

		if (at + source[i].iov_len > sizeof memory) {
			errno = EFAULT;
			return total > 0 ? total : -1;
		}
		memcpy(local[i].iov_base, (char *)memory + at, source[i].iov_len);
		total += (ssize_t)source[i].iov_len;
	}
	return total;
}

static const struct remote fake_remote = {7, -1, fake_reader};

static void set_word(guint64 address, guint64 value)
{
	memory[(address - BASE) / 8] = value;
}

static void reset_memory(void)
{
	memset(memory, 0, sizeof memory);
	refuse = 0;
	reads = 0;
}

/* A piece that is not mapped does not affect the others, at any position. */
static void test_remote(void)
{
	static const gboolean mapped[] = {TRUE, FALSE, TRUE, FALSE, FALSE, TRUE};
	guint64 got[G_N_ELEMENTS(mapped)] = {0};
	struct remote_piece pieces[G_N_ELEMENTS(mapped)];

	reset_memory();
	for (gsize i = 0; i < G_N_ELEMENTS(mapped); i++) {
		set_word(BASE + 8 * i, 100 + i);
		pieces[i] = (struct remote_piece){mapped[i] ? BASE + 8 * i
						  : i == 1  ? 0
							    : 0x900000,
						  &got[i], 8, 1};
	}
	g_assert_cmpint(remote_read_many(&fake_remote, pieces, G_N_ELEMENTS(pieces)), ==, 0);
	for (gsize i = 0; i < G_N_ELEMENTS(mapped); i++) {
		g_assert_cmpint(pieces[i].rc, ==, mapped[i] ? 0 : -EFAULT);
		g_assert_cmpuint(got[i], ==, mapped[i] ? 100 + i : 0);
	}
	refuse = EPERM;
	g_assert_cmpint(remote_read_many(&fake_remote, pieces, G_N_ELEMENTS(pieces)), ==, -EPERM);
	g_assert_cmpint(pieces[5].rc, ==, -EPERM);
	g_assert_cmpint(remote_read_u64(&fake_remote, G_MAXUINT64, &got[0]), ==, -EFAULT);
}

/* struct pthread of the made-up libc: list at 16, tid at 32. */
static const struct elf_thread_db fake_db = {
	.pthread_list = 16,
	.pthread_tid = 32,
	.list_next = 0,
	.list_prev = 8,
	.dl_slotinfo = 0x40,
	.link_map_tls_offset = 0x28,
	.link_map_tls_modid = 0x30,
	.found = 0x3ff,
};

#define USED (BASE + 0x100)
#define USER (BASE + 0x110)
#define MANY 200
#define PTHREAD(i) (BASE + 0x200 + 0x40 * (guint64)(i))

/* Links pthreads first..last (none if last < first) after head. */
static void link_list(guint64 head, int first, int last)
{
	guint64 from = head;

	for (int i = first; i <= last; i++) {
		guint64 node = PTHREAD(i) + 16;

		set_word(from, node);
		set_word(node + 8, from);
		set_word(PTHREAD(i) + 32, (guint64)(100 - i));
		from = node;
	}
	set_word(from, head);
	set_word(head + 8, from);
}

static void test_threads(void)
{
	const struct thread_lists lists = {USED, USER};
	struct threads threads = {0};

	reset_memory();
	link_list(USED, 0, 4);
	link_list(USER, 5, 5);
	set_word(PTHREAD(2) + 32, 0); /* just created: no TID yet */
	g_assert_cmpint(threads_walk(&fake_remote, &fake_db, &lists, 64, &threads), ==, 0);
	g_assert_cmpuint(threads.n, ==, 5);
	g_assert_cmphex(threads_find(&threads, 100)->pthread, ==, PTHREAD(0));
	g_assert_cmphex(threads_find(&threads, 95)->pthread, ==, PTHREAD(5));
	g_assert_null(threads_find(&threads, 98));

	g_assert_false(threads.settled);
	set_word(PTHREAD(2) + 32, 98);
	g_assert_cmpint(threads_walk(&fake_remote, &fake_db, &lists, 64, &threads), ==, 0);
	g_assert_true(threads.settled);
	g_assert_nonnull(threads_find(&threads, 98));

	/* A cycle that leaves out the head, or a link to nowhere, ends the walk; what was reached
	 * before, starting from the end of the list, is kept. */
	set_word(PTHREAD(1) + 24, PTHREAD(3) + 16);
	g_assert_cmpint(threads_walk(&fake_remote, &fake_db, &lists, 64, &threads), ==, 0);
	g_assert_false(threads.settled);
	g_assert_nonnull(threads_find(&threads, 99));
	g_assert_nonnull(threads_find(&threads, 95));
	g_assert_null(threads_find(&threads, 100));
	set_word(PTHREAD(4) + 24, 0xdead0000);
	g_assert_cmpint(threads_walk(&fake_remote, &fake_db, &lists, 64, &threads), ==, 0);
	g_assert_cmpuint(threads.n, ==, 2);
	g_assert_cmpuint(reads, <, 100);

	/* A list as long as its owner likes costs no more than the threads do. */
	link_list(USED, 0, 4);
	reads = 0;
	g_assert_cmpint(threads_walk(&fake_remote, &fake_db, &lists, 4, &threads), ==, -E2BIG);
	g_assert_cmpuint(reads, <=, 5);
	g_assert_cmpint(threads_walk(&fake_remote, &fake_db, &lists, 5, &threads), ==, 0);

	refuse = EPERM;
	g_assert_cmpint(threads_walk(&fake_remote, &fake_db, &lists, 64, &threads), ==, -EPERM);
	threads_clear(&threads);
}

/* Threads whose stacks are at equal distances are read many at once; a thread whose stack is
 * elsewhere is found all the same. */
static void test_many_threads(void)
{
	const struct thread_lists lists = {USED, USER};
	struct threads threads = {0};

	reset_memory();
	link_list(USER, 1, 0);
	link_list(USED, 0, MANY);
	set_word(PTHREAD(70) + 16, PTHREAD(72) + 16); /* 71 has ended */
	set_word(PTHREAD(72) + 24, PTHREAD(70) + 16);
	for (int i = 0; i <= MANY; i++)
		set_word(PTHREAD(i) + 32, 1000 + (guint64)i);
	g_assert_cmpint(threads_walk(&fake_remote, &fake_db, &lists, 1000, &threads), ==, 0);
	g_assert_true(threads.settled);
	g_assert_cmpuint(threads.n, ==, MANY);
	for (int i = 0; i <= MANY; i++)
		g_assert_true(!threads_find(&threads, 1000 + i) == (i == 71));
	g_assert_cmpuint(reads, <, MANY / 4);
	threads_clear(&threads);
}

/* Two objects: one with a static block, one with a dynamic module 3. */
static void test_rtld(void)
{
	const struct rtld rtld = {.global = BASE, .debug = BASE + 0x80};
	const guint64 maps = BASE + 0x400, tp = BASE + 0x800, dtv = BASE + 0x900;
	struct tls_place place;
	guint64 block;

	reset_memory();
	set_word(rtld.debug + 8, maps);
	set_word(maps, 0x1111000);
	set_word(maps + 24, maps + 0x80);
	set_word(maps + 0x28, 2656);
	set_word(maps + 0x80, 0x2222000);
	set_word(maps + 0x80 + 0x28, G_MAXUINT64);
	set_word(maps + 0x80 + 0x30, 3);
	set_word(BASE + 0x40, BASE + 0x600);
	set_word(BASE + 0x600, 64);
	set_word(BASE + 0x600 + 16 + 3 * 16, 5); /* module 3 was added in generation 5 */

	g_assert_cmpint(
		rtld_find_place(&fake_remote, &fake_db, &rtld, EM_X86_64, 0x1111000, &place), ==,
		0);
	g_assert_false(place.dynamic);
	g_assert_cmpint(place.offset, ==, -2656);
	g_assert_cmpint(
		rtld_find_place(&fake_remote, &fake_db, &rtld, EM_X86_64, 0x3333000, &place), ==,
		-ENOENT);
	g_assert_cmpint(
		rtld_find_place(&fake_remote, &fake_db, &rtld, EM_X86_64, 0x2222000, &place), ==,
		0);
	g_assert_true(place.dynamic);

	set_word(tp + 8, dtv);
	set_word(dtv - 16, 10);
	set_word(dtv, 5);
	set_word(dtv + 3 * 16, 0xabc000);
	g_assert_cmpint(rtld_block_address(&fake_remote, &place, EM_X86_64, tp, &block), ==, 0);
	g_assert_cmphex(block, ==, 0xabc000);
	/* The block is not allocated yet; a vector older than the module; a vector that is too
	 * short. */
	set_word(dtv + 3 * 16, G_MAXUINT64);
	g_assert_cmpint(rtld_block_address(&fake_remote, &place, EM_X86_64, tp, &block), ==, 0);
	g_assert_cmphex(block, ==, 0);
	set_word(dtv + 3 * 16, 0xabc000);
	set_word(dtv, 4);
	g_assert_cmpint(rtld_block_address(&fake_remote, &place, EM_X86_64, tp, &block), ==, 0);
	g_assert_cmphex(block, ==, 0);
	set_word(dtv, 5);
	set_word(dtv - 16, 2);
	g_assert_cmpint(rtld_block_address(&fake_remote, &place, EM_X86_64, tp, &block), ==, 0);
	g_assert_cmphex(block, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/jemalloc/tls/executable", test_tls_exe);
	g_test_add_func("/jemalloc/tls/rounding and spans", test_tls_small);
	g_test_add_func("/jemalloc/symbol names", test_symbol_names);
	g_test_add_func("/jemalloc/known builds", test_known);
	g_test_add_func("/jemalloc/debug paths", test_debug_paths);
	g_test_add_func("/jemalloc/code", test_code);
	g_test_add_func("/jemalloc/tally", test_tally);
	g_test_add_func("/jemalloc/tags", test_tags);
	g_test_add_func("/jemalloc/remote", test_remote);
	g_test_add_func("/jemalloc/threads", test_threads);
	g_test_add_func("/jemalloc/many threads", test_many_threads);
	g_test_add_func("/jemalloc/rtld", test_rtld);
	return g_test_run();
}
