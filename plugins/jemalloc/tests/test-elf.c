/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the reading of ELF files, including broken ones. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "debuginfo.h"
#include "elfobj.h"
#include "examine.h"

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

/* A library that has everything. */
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

/* The member names of every generation are known. */
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

static int open_built(const char *name)
{
	g_autofree char *path = g_build_filename(BUILD_DIR, "tests", name, NULL);

	return g_open(path, O_RDONLY | O_CLOEXEC, 0);
}

/* Examines a file as the debug file of an object; returns the result. */
static int ask_debug(const struct elf_facts *object, const char *name, struct offsets *ret)
{
	struct examine_request request = {.question = EXAMINE_DEBUG, .object = *object};
	struct examine_answer answer;
	int fd = open_built(name);

	g_assert_cmpint(fd, >=, 0);
	examine(fd, &request, &answer);
	close(fd);
	*ret = answer.offsets;
	return answer.rc;
}

/* Computes the checksum bit by bit, as it is defined. */
static guint32 crc32_of(const char *data, gsize len)
{
	guint32 crc = G_MAXUINT32;

	for (gsize i = 0; i < len; i++) {
		crc ^= (guchar)data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

/* A stripped library is known by its exports only; its debug file has the rest, and is proved to
 * belong to it by build-id or by checksum. */
static void test_stripped(void)
{
	g_autofree char *data = NULL, *debug_data = NULL, *other = NULL;
	gsize len, debug_len, other_len;
	struct elf_facts facts;
	struct offsets offsets;

	if (!load("libtoy-linked.so", &data, &len) ||
	    !load("libtoy-linked.so.debug", &debug_data, &debug_len) ||
	    !load("jemalloc-worker-plain", &other, &other_len))
		return;
	g_assert_true(parse_bytes(data, len, &facts, &offsets));
	g_assert_true(facts.has_mallctl);
	g_assert_false(facts.has_tsd);
	g_assert_cmpuint(offsets.deallocated, ==, 0);
	g_assert_cmpint(ask_debug(&facts, "libtoy-linked.so.debug", &offsets), ==, 0);
	g_assert_cmpuint(offsets.deallocated - offsets.allocated, ==, 2 * 8);
	g_assert_cmpint(ask_debug(&facts, "jemalloc-worker-plain", &offsets), ==, -ENODATA);
	/* Without a build-id only the checksum counts, which this object does not have. */
	facts.build_id_len = 0;
	g_assert_cmpint(ask_debug(&facts, "libtoy-linked.so.debug", &offsets), ==, -ENODATA);
	g_strlcpy(facts.debuglink, "x.debug", sizeof facts.debuglink);
	g_assert_cmphex(crc32_of("123456789", 9), ==, 0xcbf43926);
	facts.debuglink_crc = crc32_of(debug_data, debug_len);
	g_assert_cmpint(ask_debug(&facts, "libtoy-linked.so.debug", &offsets), ==, 0);
	facts.debuglink_crc ^= 1;
	g_assert_cmpint(ask_debug(&facts, "libtoy-linked.so.debug", &offsets), ==, -ENODATA);
}

static const char *const dirs[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
				   "/lib64", "/usr/lib64", "/usr/lib"};

/* The code of the packaged, stripped library yields the offsets known from gdb. */
static void test_code(void)
{
	struct examine_request request = {.question = EXAMINE_OBJECT};
	struct examine_answer answer;
	struct offsets known;

	for (gsize i = 0; i < G_N_ELEMENTS(dirs); i++) {
		g_autofree char *path = g_build_filename(dirs[i], "libjemalloc.so.2", NULL);
		int fd = g_open(path, O_RDONLY | O_CLOEXEC, 0);
		if (fd < 0)
			continue;
		examine(fd, &request, &answer);
		g_assert_cmpint(answer.rc, ==, 0);
		request =
			(struct examine_request){.question = EXAMINE_CODE, .object = answer.facts};
		examine(fd, &request, &answer);
		close(fd);
		g_assert_cmpint(answer.rc, ==, 0);
		if (!known_by_build_id(request.object.machine, request.object.build_id,
				       request.object.build_id_len, &known))
			continue;
		g_assert_cmpuint(answer.offsets.allocated, ==, known.allocated);
		g_assert_cmpuint(answer.offsets.deallocated, ==, known.deallocated);
		return;
	}
	g_test_skip("no libjemalloc.so.2 of a known package");
}

/* The libc of this system describes its threads; the loader has their lists. */
static void test_libc(void)
{
	struct elf_facts facts;

	for (gsize i = 0; i < G_N_ELEMENTS(dirs); i++) {
		g_autofree char *path = g_build_filename(dirs[i], "libc.so.6", NULL);
		g_autofree char *data = NULL;
		gsize len;

		if (!g_file_get_contents(path, &data, &len, NULL))
			continue;
		g_assert_true(parse_bytes(data, len, &facts, NULL));
		if (!facts_describe_threads(&facts.thread_db)) {
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

	g_assert_true(facts_bias(&facts, 0x400000, 0, &bias));
	g_assert_cmphex(bias, ==, 0);
	g_assert_true(facts_bias(&facts, 0x7f0000400000, 0, &bias));
	g_assert_cmphex(bias, ==, 0x7f0000000000);
	g_assert_true(facts_bias(&facts, 0x7f0000402000, 0x1000, &bias));
	g_assert_cmphex(bias, ==, 0x7f0000000000);
	g_assert_false(facts_bias(&facts, 0x400000, 0x8000, &bias));
}

/* Version and messages are found anywhere, unless the end of the file cuts them off. */
static void test_strings(void)
{
	static const char version[] = "5.3.0-0-g54eaed1d8b56b1aa528be3bdd1877e59c56fa90c";
	const gsize size = 600 << 10;
	const gsize places[] = {0, 100, 500 << 10, size - 100 - sizeof version};

	for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *data = g_malloc0(size);
		struct elf_facts facts = {.n_loads = 1, .loads = {{.filesz = G_MAXUINT64}}};

		memcpy(data + places[i], version, sizeof version);
		memcpy(data + size - 13, "<jemalloc>: x", 13);
		elfobj_scan_strings(data, size, &facts);
		g_assert_true(facts.has_strings);
		g_assert_cmpstr(facts.version, ==, version);
		facts = (struct elf_facts){.n_loads = 1, .loads = {{.filesz = size}}};
		elfobj_scan_strings(data, places[i] + strlen(version) - 1, &facts);
		g_assert_cmpstr(facts.version, ==, "");
	}
}

/* A file that is cut short anywhere, or has changed bytes, gets an answer and never causes a
 * crash. */
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
	/* Everything else depends on the headers. */
	for (gsize at = 0; at < 64 + 56 * 8; at++) {
		char old = data[at];

		data[at] = (char)(old ^ 0xff);
		parse_bytes(data, len, &facts, &offsets);
		data[at] = old;
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	elf_version(EV_CURRENT);
	g_test_add_func("/jemalloc/elf/whole library", test_whole);
	g_test_add_func("/jemalloc/elf/generations", test_generations);
	g_test_add_func("/jemalloc/elf/stripped library", test_stripped);
	g_test_add_func("/jemalloc/elf/code", test_code);
	g_test_add_func("/jemalloc/elf/libc", test_libc);
	g_test_add_func("/jemalloc/elf/bias", test_bias);
	g_test_add_func("/jemalloc/elf/strings", test_strings);
	g_test_add_func("/jemalloc/elf/broken", test_broken);
	return g_test_run();
}
