/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the files that a process maps, read as text and by queries. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "maps.h"

#define MANY_PAGES 16384

static int open_file(const struct ctprof_host *host, int dirfd, const char *path)
{
	(void)host;
	return openat(dirfd, path, O_RDONLY | O_CLOEXEC);
}

/* If the kernel can be queried for files, the text is not read to the end; the files must be those
 * of the whole text, which is read from a copy. */
static void test_many_mappings(void)
{
	const struct ctprof_host host = {.open_file = open_file};
	g_autofree char *copy = g_build_filename(g_get_tmp_dir(), "ctprof-maps-XXXXXX", NULL);
	gsize page = (gsize)sysconf(_SC_PAGESIZE);
	struct maps told, read;
	g_autofree char *text = NULL;
	gsize length;

	char *memory = mmap(NULL, MANY_PAGES * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	g_assert_true(memory != MAP_FAILED);
	for (gsize i = 0; i < MANY_PAGES; i += 2)
		g_assert_cmpint(mprotect(memory + i * page, page, PROT_READ), ==, 0);
	g_assert_cmpint(maps_read(&host, AT_FDCWD, "/proc/self/maps", &told), ==, 0);
	int fd = g_mkstemp(copy);
	g_assert_cmpint(fd, >=, 0);
	g_assert_true(g_file_get_contents("/proc/self/maps", &text, &length, NULL));
	g_assert_cmpuint(length, >, 500000);
	g_assert_true(g_file_set_contents(copy, text, (gssize)length, NULL));
	g_assert_cmpint(maps_read(&host, AT_FDCWD, copy, &read), ==, 0);
	unlink(copy);
	close(fd);
	munmap(memory, MANY_PAGES * page);
	g_assert_cmpuint(told.n, >, 3);
	g_assert_cmpuint(told.n, ==, read.n);
	for (gsize i = 0; i < told.n; i++) {
		const struct maps_file *a = &told.files[i], *b = &read.files[i];

		g_assert_cmpstr(a->path, ==, b->path);
		g_assert_cmphex(a->start, ==, b->start);
		g_assert_cmphex(a->end, ==, b->end);
		g_assert_cmphex(a->offset, ==, b->offset);
		g_assert_cmphex(a->dev, ==, b->dev);
		g_assert_cmpuint(a->ino, ==, b->ino);
		g_assert_cmpint(a->deleted, ==, b->deleted);
	}
	maps_clear(&told);
	maps_clear(&read);
}

static void test_maps_line(void)
{
	static const struct {
		const char *line;
		gboolean ok;
		guint64 start, offset, dev, ino;
		gboolean executable;
		const char *path;
	} cases[] = {
		{"7f0000001000-7f0000002000 r-xp 00001000 fd:01 42         /usr/lib/a.so", TRUE,
		 0x7f0000001000, 0x1000, (G_GUINT64_CONSTANT(0xfd) << 32) | 1, 42, TRUE,
		 "/usr/lib/a.so"},
		{"00400000-00401000 r--p 00000000 08:02 7 /a b (deleted)", TRUE, 0x400000, 0,
		 (G_GUINT64_CONSTANT(8) << 32) | 2, 7, FALSE, "/a b (deleted)"},
		{"7ffe0000-7fff0000 rw-p 00000000 00:00 0          [stack]", TRUE, 0x7ffe0000, 0, 0,
		 0, FALSE, "[stack]"},
		{"7ffe0000-7fff0000 rw-p 00000000 00:00 0 ", TRUE, 0x7ffe0000, 0, 0, 0, FALSE, ""},
		{"7ffe0000-7fff0000 rw-p 00000000 00:00 0", TRUE, 0x7ffe0000, 0, 0, 0, FALSE, ""},
		{.line = ""},
		{.line = "7fff0000-7ffe0000 rw-p 00000000 00:00 0"},
		{.line = "1-2"},
		{.line = "1-2 r-xp"},
		{.line = "1-2 r-xp 0 0:0 "},
		{.line = "1-2 r-xp 0 0:0 x /a"},
		{.line = "g-2 r-xp 0 0:0 1 /a"},
		{.line = "11111111111111111-2 r-xp 0 0:0 1 /a"},
		{.line = "1-2 r-xp 0 100000000:0 1 /a"},
		{.line = "1-2 r-xp 0 0:0 99999999999999999999 /a"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct text line = {cases[i].line, strlen(cases[i].line)};
		struct vma_header got;

		g_assert_cmpint(maps_parse_line(line, &got), ==, cases[i].ok);
		if (!cases[i].ok)
			continue;
		g_assert_cmphex(got.start, ==, cases[i].start);
		g_assert_cmphex(got.offset, ==, cases[i].offset);
		g_assert_cmphex((guint64)got.major << 32 | got.minor, ==, cases[i].dev);
		g_assert_cmpuint(got.inode, ==, cases[i].ino);
		g_assert_cmpint(got.permissions[2] == 'x', ==, cases[i].executable);
		g_assert_true(text_equal(got.path, cases[i].path));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/jemalloc/maps/line", test_maps_line);
	g_test_add_func("/jemalloc/maps/of many mappings", test_many_mappings);
	return g_test_run();
}
