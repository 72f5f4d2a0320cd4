/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests files that are damaged or too large, and what is not a regular file. */
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../sinks/snapshot/seek.h"
#include "kit.h"

#define HEAD                                                                                       \
	"{\"format\":{\"name\":\"ctprof\",\"version\":1},\"threads\":[{\"tid\":1,\"tgid\":1},"     \
	"{\"tid\":2,\"tgid\":1,\"a\":[[[]]],\"b\":\"12345678\"}]"
#define START "{\"format\":{\"name\":\"ctprof\",\"version\":1},\"captured_at_unix_ns\":1,"
#define SPLIT_HEAD START "\"threads\":[{\"tid\":1,\"tgid\":1},{\"tid\":2,\"tgid\":1,\"a\":[[[]]]}]"
#define TAIL ",\"metrics\":[]}"
#define TEXT HEAD TAIL
#define CUT_OFF "expected the rest of a zstd frame, found the end of the file (was it cut off?)"
#define ROWS "thread 1/1* \nthread 1/2 \n"

static void assert_error(Kit *kit, const LoadLimits *limits, const char *expected)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *rows = kit_load(kit, limits, &error);
	g_autofree char *whole = g_strdup_printf("%s: %s", kit_path(kit), expected);

	g_assert_null(rows);
	g_assert_nonnull(error);
	g_assert_cmpstr(error->message, ==, whole);
}

/* ---- damage ----------------------------------------------------------- */

static void test_no_frame(void)
{
	g_autoptr(Kit) kit = kit_new();

	kit_write_bytes(kit, "", 0);
	assert_error(kit, NULL, NO_SNAPSHOT "the file is empty");
	kit_write_bytes(kit, "\x28\xb5", 2);
	assert_error(kit, NULL, NO_SNAPSHOT "it is another kind of file");
	kit_write_bytes(kit, TEXT, strlen(TEXT));
	assert_error(kit, NULL, NO_SNAPSHOT "it is JSON that is not compressed: run zstd on it");
	kit_write_bytes(kit, "\x1f\x8b\x08\0", 4);
	assert_error(kit, NULL, NO_SNAPSHOT "it is compressed by gzip: run gunzip on it");
	/* ctprof does not write skippable frames. */
	kit_write_bytes(kit, "\x50\x2a\x4d\x18\0\0\0\0", 8);
	assert_error(kit, NULL, NO_SNAPSHOT "it is another kind of file");
}

/* A file truncated anywhere is reported as such. */
static void test_truncated(void)
{
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GBytes) bytes = kit_compress(TEXT, strlen(TEXT));
	gsize size;
	const char *data = g_bytes_get_data(bytes, &size);

	for (gsize n = 4; n < size; n++) {
		g_autofree char *expected = g_strdup_printf("compressed byte %zu: " CUT_OFF, n);

		kit_write_bytes(kit, data, n);
		assert_error(kit, NULL, expected);
	}
}

/* Returns a snapshot of two frames. */
static GBytes *split(const char *head, const char *tail)
{
	g_autoptr(GBytes) first = kit_compress(head, strlen(head));
	g_autoptr(GBytes) second = kit_compress(tail, strlen(tail));
	GByteArray *file = g_byte_array_new();

	g_byte_array_append(file, g_bytes_get_data(first, NULL), (guint)g_bytes_get_size(first));
	g_byte_array_append(file, (const guint8 *)SPLIT_MARK, SPLIT_MARK_BYTES);
	g_byte_array_append(file, g_bytes_get_data(second, NULL), (guint)g_bytes_get_size(second));
	return g_byte_array_free_to_bytes(file);
}

static void write_split(Kit *kit, const char *head, const char *tail)
{
	g_autoptr(GBytes) bytes = split(head, tail);

	kit_write_bytes(kit, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

/* Whatever is missing of a second frame, no row comes of the first. */
static void test_split_truncated(void)
{
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GBytes) first = kit_compress(SPLIT_HEAD, strlen(SPLIT_HEAD));
	g_autoptr(GBytes) bytes = split(SPLIT_HEAD, TAIL);
	gsize size, begin = g_bytes_get_size(first);
	const char *data = g_bytes_get_data(bytes, &size);

	kit_write_bytes(kit, data, begin);
	assert_error(kit, NULL, "byte 124: expected ',' or '}' in the snapshot, found end of data");
	for (gsize n = begin + 1; n < size; n++) {
		g_autofree char *expected = g_strdup_printf("compressed byte %zu: " CUT_OFF, n);

		kit_write_bytes(kit, data, n);
		assert_error(kit, NULL, expected);
	}
}

/* A second frame is read first; the document must still be valid, with each key at its place. */
static const struct lie {
	const char *what, *head, *tail, *error;
} lies[] = {
	{"metrics-twice", SPLIT_HEAD ",\"metrics\":[]", TAIL,
	 "byte 148: expected each key once in the snapshot, found a second metrics"},
	{"threads-twice", SPLIT_HEAD, ",\"metrics\":[],\"threads\":[]}",
	 "byte 148: expected each key once in the snapshot, found a second threads"},
	{"sets-in-front", SPLIT_HEAD ",\"presence_sets\":[{}]", TAIL,
	 "byte 141: expected no member of the second in the first of two frames, found "
	 "presence_sets"},
	{"no-metrics", SPLIT_HEAD, ",\"plugins\":[]}",
	 "second frame: expected metrics, found none"},
	{"other-document", SPLIT_HEAD, "{\"metrics\":[]}",
	 "second frame, byte 0: expected ',' or '}' in the snapshot, found '{'"},
	{"too-deep", SPLIT_HEAD, TAIL "}",
	 "second frame, byte 14: expected nothing more in the snapshot, found '}'"},
	{"in-an-object", SPLIT_HEAD ",\"x\":{\"y\":1", TAIL,
	 "byte 149: expected ',' or '}' in the snapshot, found end of data"},
	{"in-a-string", SPLIT_HEAD ",\"x\":\"", TAIL,
	 "byte 132: expected ',' or '}' in the snapshot, found 'm'"},
	{"unknown-set", START "\"threads\":[{\"tid\":1,\"tgid\":1,\"presence\":7}]",
	 ",\"metrics\":[],\"presence_sets\":[{}]}",
	 "byte 104: expected a presence below 1 in a thread record, found 7"},
	{"sets-first", SPLIT_HEAD, ",\"presence_sets\":[{}],\"metrics\":[]}", NULL},
	{"whole", SPLIT_HEAD, TAIL, NULL},
};

static void test_lie(gconstpointer data)
{
	const struct lie *lie = data;
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GError) error = NULL;

	write_split(kit, lie->head, lie->tail);
	if (lie->error) {
		assert_error(kit, NULL, lie->error);
		return;
	}
	g_autofree char *rows = kit_load(kit, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(rows, ==, ROWS);
}

/* One changed bit anywhere gives an error of one line, and never rows. */
static void test_flipped(gconstpointer data_of_two)
{
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GBytes) bytes =
		data_of_two ? split(SPLIT_HEAD, TAIL) : kit_compress(TEXT, strlen(TEXT));
	gsize size;
	const char *data = g_bytes_get_data(bytes, &size);
	g_autofree char *copy = g_malloc(size);
	guint checksums = 0;

	for (gsize bit = 0; bit < size * 8; bit++) {
		g_autoptr(GError) error = NULL;

		memcpy(copy, data, size);
		copy[bit / 8] ^= (char)(1 << bit % 8);
		kit_write_bytes(kit, copy, size);
		g_autofree char *rows = kit_load(kit, NULL, &error);
		/* The frame has bits that mean nothing: its header's unused one, the
		 * block size bits that are told twice. */
		if (rows) {
			g_assert_cmpstr(rows, ==, ROWS);
			continue;
		}
		g_assert_null(strchr(error->message, '\n'));
		checksums += strstr(error->message, "expected a valid zstd frame, found damage (")
				     ? 1
				     : 0;
	}
	g_assert_cmpuint(checksums, >, size * 7);
}

static void test_trailing(void)
{
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GBytes) bytes = kit_compress(TEXT, strlen(TEXT));
	g_autoptr(GByteArray) file = g_bytes_unref_to_array(g_bytes_ref(bytes));
	gsize size = g_bytes_get_size(bytes);
	g_autofree char *expected = g_strdup_printf("compressed byte %zu: expected the end of the "
						    "file, found data after the zstd frame",
						    size);

	g_byte_array_append(file, (const guint8 *)"x", 1);
	kit_write_bytes(kit, file->data, file->len);
	assert_error(kit, NULL, expected);
	/* Nothing may follow, not even another snapshot. */
	g_byte_array_set_size(file, (guint)size);
	g_byte_array_append(file, g_bytes_get_data(bytes, NULL), (guint)size);
	kit_write_bytes(kit, file->data, file->len);
	assert_error(kit, NULL, expected);
	/* No third frame either. */
	g_autoptr(GBytes) two = split(SPLIT_HEAD, TAIL);
	g_autofree char *after_two =
		g_strdup_printf("compressed byte %zu: expected the end of the file, found data "
				"after the zstd frame",
				g_bytes_get_size(two));
	g_byte_array_set_size(file, 0);
	g_byte_array_append(file, g_bytes_get_data(two, NULL), (guint)g_bytes_get_size(two));
	g_byte_array_append(file, (const guint8 *)SPLIT_MARK, SPLIT_MARK_BYTES);
	kit_write_bytes(kit, file->data, file->len);
	assert_error(kit, NULL, after_two);
}

/* ---- limits ----------------------------------------------------------- */

static const struct limit_case {
	const char *what;
	LoadLimits enough, little;
	const char *error;
} limit_cases[] = {
	{"text",
	 {.max_bytes = sizeof TEXT - 1},
	 {.max_bytes = sizeof TEXT - 2},
	 "byte 128: expected at most 128 bytes, found more"},
	{"threads",
	 {.max_threads = 2},
	 {.max_threads = 1},
	 "byte 70: expected at most 1 records in threads, found more"},
	{"nesting",
	 {.max_depth = 6},
	 {.max_depth = 5},
	 "byte 94: expected at most 5 levels of nesting in a thread record, found more"},
	{"strings",
	 {.max_string = 8},
	 {.max_string = 7},
	 "byte 112: expected at most 7 bytes of a string in a thread record, found more"},
};

static void test_limit(gconstpointer data)
{
	const struct limit_case *c = data;
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GError) error = NULL;

	kit_write_text(kit, TEXT);
	g_autofree char *rows = kit_load(kit, &c->enough, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(rows, ==, ROWS);
	assert_error(kit, &c->little, c->error);
}

/* The distance that a frame looks back takes memory, whatever the frame contains. */
static void test_window(void)
{
	static const LoadLimits enough = {.max_window_log = 20}, little = {.max_window_log = 19};
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GError) error = NULL;
	g_autofree char *text = g_strdup_printf("%s%1000000s", TEXT, "");

	kit_write_text(kit, text);
	g_autofree char *rows = kit_load(kit, &enough, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(rows, ==, ROWS);
	assert_error(kit, &little,
		     "compressed byte 0: expected a zstd frame that looks back at most 2^19 bytes, "
		     "found one that needs more");
}

/* A few bytes that decompress to many: reading a bomb stops at the limit, and takes no memory. */
static void test_bomb(gconstpointer open)
{
	static const LoadLimits limits = {.max_bytes = 32 << 20};
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GError) error = NULL;
	g_autofree char *text = g_malloc(64 << 20);

	memset(text, *(const char *)open, 64 << 20);
	g_autoptr(GBytes) bytes = kit_compress(text, 64 << 20);
	kit_write_bytes(kit, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	g_autofree char *rows = kit_load(kit, &limits, &error);
	g_assert_null(rows);
	g_assert_null(strchr(error->message, '\n'));
}

/* ---- what is no regular file ------------------------------------------ */

static void test_no_file(void)
{
	g_autoptr(Kit) kit = kit_new();
	g_autofree char *missing = g_strconcat(kit_path(kit), "x", NULL);
	g_autofree char *dir = g_path_get_dirname(kit_path(kit));
	g_autoptr(GError) none = NULL, folder = NULL;
	g_autofree char *none_message = g_strconcat(missing, ": No such file or directory", NULL);
	g_autofree char *folder_message = g_strconcat(dir, ": Is a directory", NULL);

	g_assert_null(load_file(kit_sink(kit), missing, NULL, NULL, &none));
	g_assert_cmpstr(none->message, ==, none_message);
	g_assert_null(load_file(kit_sink(kit), dir, NULL, NULL, &folder));
	g_assert_cmpstr(folder->message, ==, folder_message);
}

static gpointer feed(gpointer data)
{
	g_autoptr(GBytes) bytes = kit_compress(TEXT, strlen(TEXT));
	const char *p = g_bytes_get_data(bytes, NULL);
	int fd = GPOINTER_TO_INT(data);

	for (gsize i = 0; i < g_bytes_get_size(bytes); i++)
		g_assert_cmpint(write(fd, p + i, 1), ==, 1);
	close(fd);
	return NULL;
}

static gboolean count_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			   GError **error)
{
	(void)registry;
	(void)error;
	*(guint64 *)data += rows->n;
	return TRUE;
}

/* A pipe cannot be read twice, and comes in pieces. */
static void test_stdin(void)
{
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GError) error = NULL;
	guint64 rows = 0;
	int ends[2], own = dup(STDIN_FILENO);

	g_assert_cmpint(pipe(ends), ==, 0);
	g_assert_cmpint(dup2(ends[0], STDIN_FILENO), ==, STDIN_FILENO);
	close(ends[0]);
	GThread *thread = g_thread_new("feed", feed, GINT_TO_POINTER(ends[1]));
	g_autoptr(Loaded) loaded = load_file(kit_sink(kit), "-", count_rows, &rows, &error);
	g_thread_join(thread);
	dup2(own, STDIN_FILENO);
	close(own);
	g_assert_no_error(error);
	g_assert_nonnull(loaded);
	g_assert_cmpuint(rows, ==, 2);
}

static gboolean refuse(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		       GError **error)
{
	(void)data;
	(void)registry;
	(void)rows;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "enough");
	return FALSE;
}

/* The receiver of the rows may end the reading, with an error of its own. */
static void test_refused(void)
{
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GError) error = NULL;

	kit_write_text(kit, TEXT);
	g_assert_null(load_file(kit_sink(kit), kit_path(kit), refuse, NULL, &error));
	g_assert_cmpstr(error->message, ==, "enough");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/load/damage/no-frame", test_no_frame);
	g_test_add_func("/load/damage/truncated", test_truncated);
	g_test_add_data_func("/load/damage/flipped", NULL, test_flipped);
	g_test_add_data_func("/load/split/flipped", TAIL, test_flipped);
	g_test_add_func("/load/split/truncated", test_split_truncated);
	for (gsize i = 0; i < G_N_ELEMENTS(lies); i++) {
		g_autofree char *name = g_strdup_printf("/load/split/lie/%s", lies[i].what);

		g_test_add_data_func(name, &lies[i], test_lie);
	}
	g_test_add_func("/load/damage/trailing", test_trailing);
	for (gsize i = 0; i < G_N_ELEMENTS(limit_cases); i++) {
		g_autofree char *name = g_strconcat("/load/limit/", limit_cases[i].what, NULL);

		g_test_add_data_func(name, &limit_cases[i], test_limit);
	}
	g_test_add_func("/load/limit/window", test_window);
	g_test_add_data_func("/load/limit/bomb/arrays", "[", test_bomb);
	g_test_add_data_func("/load/limit/bomb/blanks", " ", test_bomb);
	g_test_add_data_func("/load/limit/bomb/string", "\"", test_bomb);
	g_test_add_func("/load/no-file", test_no_file);
	g_test_add_func("/load/stdin", test_stdin);
	g_test_add_func("/load/refused", test_refused);
	return g_test_run();
}
