/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is read out of ELF files, and out of broken ones. */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calibrate.h"
#include "debugfile.h"
#include "debuginfo.h"
#include "elfobj.h"

/* Parses a copy of the bytes. */
static gboolean parse_bytes(const char *data, gsize len, struct elf_facts *ret,
			    struct offsets *ret_offsets)
{
	g_autofree char *copy = g_memdup2(data, len);
	Elf *elf = elf_memory(copy, len);
	gboolean ok = elf && elfobj_parse(elf, ret) == 0;

	if (ok && ret_offsets && debuginfo_find_offsets(elf, ret_offsets) != 0)
		*ret_offsets = (struct offsets){0};
	elf_end(elf);
	return ok;
}

static gboolean load(const char *name, char **ret_data, gsize *ret_len)
{
	g_autofree char *path = g_build_filename(BUILD_DIR, "tests", name, NULL);

	if (g_file_get_contents(path, ret_data, ret_len, NULL))
		return TRUE;
	g_autofree char *message = g_strdup_printf("%s was not built", name);
	g_test_skip(message);
	return FALSE;
}

/* A library with everything in it. */
static void test_whole(void)
{
	g_autofree char *data = NULL;
	gsize len;
	struct elf_facts facts;
	struct offsets offsets;

	if (!load("libtoy-tsd.so", &data, &len))
		return;
	g_assert_true(parse_bytes(data, len, &facts, &offsets));
	g_assert_true(facts.is_64 && facts.has_tls && facts.has_tsd && facts.has_mallctl);
	g_assert_true(facts.has_symtab);
	g_assert_false(facts.has_interpreter);
	g_assert_cmpstr(facts.prefix, ==, "");
	g_assert_cmpuint(facts.build_id_len, >=, 8);
	g_assert_cmpuint(facts.tsd_size, ==, 13 * 8);
	g_assert_cmpuint(facts.tls.memsz, >=, facts.tsd_value + facts.tsd_size);
	g_assert_cmpint(facts.slot.kind, ==, ELF_SLOT_MODULE);
	g_assert_cmpuint(offsets.allocated, ==, 7 * 8);
	g_assert_cmpuint(offsets.deallocated, ==, 9 * 8);
}

/* The members' names of every generation are known. */
static void test_generations(void)
{
	static const char *const names[] = {"libtoy-tsd.so", "libtoy-50.so", "libtoy-4.so"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *data = NULL;
		gsize len;
		struct elf_facts facts;
		struct offsets offsets;

		if (!load(names[i], &data, &len))
			return;
		g_assert_true(parse_bytes(data, len, &facts, &offsets));
		g_assert_cmpuint(offsets.allocated, ==, 7 * 8);
		g_assert_cmpuint(offsets.deallocated, ==, 9 * 8);
	}
}

/* Stripped: known by its exports only; its debug file has the rest, and proves
 * to be its own. */
static void test_stripped(void)
{
	g_autofree char *data = NULL, *debug_data = NULL, *other = NULL;
	gsize len, debug_len, other_len;
	struct elf_facts facts, debug, foreign;
	struct offsets offsets;

	if (!load("libtoy-linked.so", &data, &len) ||
	    !load("libtoy-linked.so.debug", &debug_data, &debug_len) ||
	    !load("jemalloc-worker-plain", &other, &other_len))
		return;
	g_assert_true(parse_bytes(data, len, &facts, &offsets));
	g_assert_true(facts.has_mallctl);
	g_assert_false(facts.has_tsd);
	g_assert_cmpuint(offsets.deallocated, ==, 0);
	g_assert_true(parse_bytes(debug_data, debug_len, &debug, &offsets));
	g_assert_true(debug.has_tsd);
	g_assert_cmpuint(offsets.deallocated, ==, 9 * 8);
	g_assert_true(debugfile_belongs(&facts, &debug, -1));
	g_assert_true(parse_bytes(other, other_len, &foreign, NULL));
	g_assert_false(debugfile_belongs(&facts, &foreign, -1));
	/* Without a build-id only the checksum counts, and there is none. */
	facts.build_id_len = 0;
	g_assert_false(debugfile_belongs(&facts, &debug, -1));
}

/* The checksum of .gnu_debuglink is zlib's CRC-32: "123456789" has cbf43926. */
static void test_debuglink_checksum(void)
{
	g_autofree char *path = NULL;
	int fd = g_file_open_tmp("ctprof-crc-XXXXXX", &path, NULL);
	struct elf_facts object = {.debuglink = "x.debug", .debuglink_crc = 0xcbf43926};
	struct elf_facts debug = {0};

	g_assert_cmpint(write(fd, "123456789", 9), ==, 9);
	g_assert_true(debugfile_belongs(&object, &debug, fd));
	object.debuglink_crc ^= 1;
	g_assert_false(debugfile_belongs(&object, &debug, fd));
	close(fd);
	g_unlink(path);
}

/* The libc this runs on describes its threads; the loader has their lists. */
static void test_libc(void)
{
	static const char *const dirs[] = {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
					   "/lib64", "/usr/lib64", "/usr/lib"};
	struct elf_facts facts;

	for (gsize i = 0; i < G_N_ELEMENTS(dirs); i++) {
		g_autofree char *path = g_build_filename(dirs[i], "libc.so.6", NULL);
		g_autofree char *data = NULL;
		gsize len;

		if (!g_file_get_contents(path, &data, &len, NULL))
			continue;
		g_assert_true(parse_bytes(data, len, &facts, NULL));
		if (!elfobj_thread_db_usable(&facts.thread_db)) {
			g_test_skip("this libc does not describe its threads (glibc before 2.34)");
			return;
		}
		g_assert_cmpuint(facts.thread_db.pthread_tid, <, facts.thread_db.sizeof_pthread);
		g_assert_cmpuint(facts.thread_db.pthread_list, <, facts.thread_db.sizeof_pthread);
		g_assert_cmpuint(facts.thread_db.dl_stack_used, !=, facts.thread_db.dl_stack_user);
		return;
	}
	g_test_skip("no libc.so.6 of glibc");
}

static void test_bias(void)
{
	const struct elf_facts facts = {
		.n_loads = 2,
		.loads = {{.vaddr = 0x400000, .offset = 0, .filesz = 0x900},
			  {.vaddr = 0x402f00, .offset = 0x1f00, .filesz = 0x400}},
	};
	guint64 bias;

	g_assert_true(elfobj_bias(&facts, 0x400000, 0, &bias));
	g_assert_cmphex(bias, ==, 0);
	g_assert_true(elfobj_bias(&facts, 0x7f0000400000, 0, &bias));
	g_assert_cmphex(bias, ==, 0x7f0000000000);
	g_assert_true(elfobj_bias(&facts, 0x7f0000402000, 0x1000, &bias));
	g_assert_cmphex(bias, ==, 0x7f0000000000);
	g_assert_false(elfobj_bias(&facts, 0x400000, 0x8000, &bias));
}

/* Version and messages are found wherever they lie, also across a chunk's end. */
static void test_strings(void)
{
	static const char version[] = "5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c";
	const gsize size = 600 << 10;
	const gsize places[] = {100, (256 << 10) - 20, (256 << 10) - 1, 500 << 10};

	for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *path = NULL, *data = g_malloc0(size);
		int fd = g_file_open_tmp("ctprof-strings-XXXXXX", &path, NULL);
		struct elf_facts facts = {.n_loads = 1, .loads = {{.filesz = size}}};

		memcpy(data + places[i], version, sizeof version);
		memcpy(data + size - 100, "<jemalloc>: x", 13);
		g_assert_cmpint(write(fd, data, size), ==, (gssize)size);
		elfobj_scan_strings(fd, &facts);
		g_assert_true(facts.has_strings);
		g_assert_cmpstr(facts.version, ==, version);
		close(fd);
		g_unlink(path);
	}
}

/* Cut short anywhere, or with bytes turned over: an answer, never a crash. */
static void test_broken(void)
{
	g_autofree char *data = NULL;
	gsize len;
	struct elf_facts facts;
	struct offsets offsets;

	if (!load("libtoy-tsd.so", &data, &len))
		return;
	for (gsize cut = 0; cut < len; cut += 1 + cut / 16)
		parse_bytes(data, cut, &facts, &offsets);
	for (int i = 0; i < 3000; i++) {
		gsize at = (gsize)g_test_rand_int_range(0, (gint32)len);
		char old = data[at];

		data[at] = (char)g_test_rand_int_range(0, 256);
		parse_bytes(data, len, &facts, i % 10 == 0 ? &offsets : NULL);
		data[at] = old;
	}
	/* The headers hold what everything else hangs on. */
	for (gsize at = 0; at < 64 + 56 * 8; at++) {
		char old = data[at];

		data[at] = (char)(old ^ 0xff);
		parse_bytes(data, len, &facts, &offsets);
		data[at] = old;
	}
}

/* The helper answers for a library, and only for one with mallctl(). */
static void test_helper(void)
{
	g_autofree char *helper = g_build_filename(BUILD_DIR, "ctprof-jemalloc-probe", NULL);
	g_autofree char *path = g_build_filename(BUILD_DIR, "tests", "libtoy-tsd.so", NULL);
	g_autofree char *data = NULL;
	gsize len;
	struct elf_facts facts;
	struct offsets offsets = {0};

	if (!load("libtoy-tsd.so", &data, &len))
		return;
	g_assert_true(parse_bytes(data, len, &facts, NULL));
	int fd = g_open(path, O_RDONLY | O_CLOEXEC, 0);
	g_assert_true(calibrate_run(helper, fd, &facts, &offsets));
	g_assert_cmpuint(offsets.allocated, ==, facts.tsd_value + 7 * 8);
	g_assert_cmpuint(offsets.deallocated, ==, facts.tsd_value + 9 * 8);
	facts.tls.memsz++;
	g_assert_false(calibrate_run(helper, fd, &facts, &offsets));
	facts.tls.memsz--;
	g_strlcpy(facts.prefix, "no_such_", sizeof facts.prefix);
	g_assert_false(calibrate_run(helper, fd, &facts, &offsets));
	g_assert_false(calibrate_run("/nonexistent", fd, &facts, &offsets));
	close(fd);
	/* No child is left behind. */
	g_assert_cmpint(waitpid(-1, NULL, WNOHANG), ==, -1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	elf_version(EV_CURRENT);
	g_test_add_func("/jemalloc/elf/whole library", test_whole);
	g_test_add_func("/jemalloc/elf/generations", test_generations);
	g_test_add_func("/jemalloc/elf/stripped library", test_stripped);
	g_test_add_func("/jemalloc/elf/debug link checksum", test_debuglink_checksum);
	g_test_add_func("/jemalloc/elf/libc", test_libc);
	g_test_add_func("/jemalloc/elf/bias", test_bias);
	g_test_add_func("/jemalloc/elf/strings", test_strings);
	g_test_add_func("/jemalloc/elf/broken", test_broken);
	g_test_add_func("/jemalloc/elf/helper", test_helper);
	return g_test_run();
}
