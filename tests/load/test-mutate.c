/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests CTPROF_MUTATIONS snapshots with an error in the text or in the file:
 * each is read, or gives an error of one line.  Another run uses the same ones.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "kit.h"

#define DEFAULT_MUTATIONS 4000
#define MAX_SEEDS 32
#define MAX_SIZE 32768

typedef struct mutant {
	GRand *random;
	GByteArray *bytes;
	char *seeds[MAX_SEEDS];
	gsize sizes[MAX_SEEDS];
	guint n_seeds;
} Mutant;

static guint below(Mutant *m, guint n)
{
	return n > 0 ? (guint)g_rand_int_range(m->random, 0, (gint32)n) : 0;
}

static void insert(Mutant *m, guint at, const void *data, guint n)
{
	guint old = m->bytes->len;

	if (n == 0 || old + n > MAX_SIZE)
		return;
	g_byte_array_set_size(m->bytes, old + n);
	memmove(m->bytes->data + at + n, m->bytes->data + at, old - at);
	memcpy(m->bytes->data + at, data, n);
}

static void flip_bit(Mutant *m)
{
	if (m->bytes->len > 0)
		m->bytes->data[below(m, m->bytes->len)] ^= (guint8)(1u << below(m, 8));
}

static void set_byte(Mutant *m)
{
	static const char odd[] = "\0\"\\{}[]:,-+.eE019truefalsn \n\x1f\x7f\x80\xc3\xff";

	if (m->bytes->len > 0)
		m->bytes->data[below(m, m->bytes->len)] = (guint8)odd[below(m, sizeof odd - 1)];
}

static void truncate_end(Mutant *m)
{
	g_byte_array_set_size(m->bytes, below(m, m->bytes->len + 1));
}

static void remove_piece(Mutant *m)
{
	guint at = below(m, m->bytes->len), n = below(m, 200);

	n = MIN(n, m->bytes->len - at);
	if (n > 0)
		g_byte_array_remove_range(m->bytes, at, n);
}

static void repeat_piece(Mutant *m)
{
	guint from = below(m, m->bytes->len), n = below(m, MIN(m->bytes->len - from, 500));
	g_autofree guint8 *piece = g_memdup2(m->bytes->data + from, n);

	insert(m, below(m, m->bytes->len), piece, n);
}

static void insert_number(Mutant *m)
{
	static const char *const numbers[] = {
		"18446744073709551616",
		"-9223372036854775809",
		"4294967296",
		"-1",
		"1e400",
		"00",
		"9999999999999999999",
		"-0",
		"1.0",
	};
	const char *number = numbers[below(m, G_N_ELEMENTS(numbers))];

	insert(m, below(m, m->bytes->len), number, (guint)strlen(number));
}

/* Inserts nesting deeper than the limit. */
static void insert_nest(Mutant *m)
{
	char nest[400];
	gboolean objects = below(m, 2) == 0;

	for (gsize i = 0; i + 5 <= sizeof nest; i += 5)
		memcpy(nest + i, objects ? "{\"a\":" : "[[[[[", 5);
	insert(m, below(m, m->bytes->len), nest, below(m, sizeof nest));
}

/* Duplicates a piece in place: from a quote up to the next comma. */
static void repeat_member(Mutant *m)
{
	guint from = below(m, m->bytes->len);
	const guint8 *begin = memchr(m->bytes->data + from, '"', m->bytes->len - from);
	const guint8 *end =
		begin ? memchr(begin, ',', (gsize)(m->bytes->data + m->bytes->len - begin)) : NULL;

	if (!end || end - begin > 500)
		return;
	guint n = (guint)(end - begin) + 1;
	g_autofree guint8 *piece = g_memdup2(begin, n);
	insert(m, (guint)(begin - m->bytes->data), piece, n);
}

static void insert_other(Mutant *m)
{
	guint seed = below(m, m->n_seeds);
	guint from = below(m, (guint)m->sizes[seed]);
	guint n = below(m, MIN((guint)m->sizes[seed] - from, 500));

	insert(m, below(m, m->bytes->len), m->seeds[seed] + from, n);
}

static void mutate(Mutant *m, guint rounds)
{
	static void (*const ways[])(Mutant *) = {
		flip_bit,    set_byte,      truncate_end, remove_piece,  repeat_piece,
		insert_nest, insert_number, insert_other, repeat_member, repeat_member,
	};

	/* Most mutants keep their end: nothing after an earlier end would be read. */
	for (guint i = 0; i < rounds; i++) {
		guint way = below(m, G_N_ELEMENTS(ways));

		if (ways[way] != truncate_end || below(m, 4) == 0)
			ways[way](m);
	}
}

/* Makes an error in the text of a valid file, or in the file itself. */
static void write_mutant(Mutant *m, Kit *kit)
{
	guint seed = below(m, m->n_seeds);
	gboolean file = below(m, 4) == 0;

	g_byte_array_set_size(m->bytes, 0);
	g_byte_array_append(m->bytes, (const guint8 *)m->seeds[seed], (guint)m->sizes[seed]);
	if (!file)
		mutate(m, 1 + below(m, 4));
	g_autoptr(GBytes) bytes = kit_compress((const char *)m->bytes->data, m->bytes->len);
	if (file) {
		g_byte_array_set_size(m->bytes, 0);
		g_byte_array_append(m->bytes, g_bytes_get_data(bytes, NULL),
				    (guint)g_bytes_get_size(bytes));
		mutate(m, 1 + below(m, 2));
		kit_write_bytes(kit, m->bytes->data, m->bytes->len);
		return;
	}
	kit_write_bytes(kit, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

static void load_seeds(Mutant *m)
{
	g_autofree char *folder = g_build_filename(g_getenv("CTPROF_SOURCE"), "tests", "fuzz",
						   "corpus", "snapshot-read", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(GDir) dir = g_dir_open(folder, 0, &error);
	const char *name;

	g_assert_no_error(error);
	while ((name = g_dir_read_name(dir)) && m->n_seeds < MAX_SEEDS) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_assert_true(g_file_get_contents(path, &m->seeds[m->n_seeds],
						  &m->sizes[m->n_seeds], NULL));
		m->n_seeds++;
	}
	g_assert_cmpuint(m->n_seeds, >, 0);
}

static void test_mutants(void)
{
	const char *wish = g_getenv("CTPROF_MUTATIONS");
	guint64 n = wish ? g_ascii_strtoull(wish, NULL, 10) : DEFAULT_MUTATIONS, answers = 0;
	g_autoptr(Kit) kit = kit_new();
	if (!g_getenv("CTPROF_SOURCE")) {
		g_test_skip("CTPROF_SOURCE does not name the source tree");
		return;
	}
	Mutant m = {.random = g_rand_new_with_seed(4), .bytes = g_byte_array_new()};

	load_seeds(&m);
	for (guint64 i = 0; i < n; i++) {
		g_autoptr(GError) error = NULL;

		write_mutant(&m, kit);
		g_autofree char *rows = kit_load(kit, NULL, &error);
		g_assert_true((rows != NULL) == (error == NULL));
		answers += rows ? 1 : 0;
		if (!error)
			continue;
		g_assert_true(g_str_has_prefix(error->message, kit_path(kit)));
		g_assert_null(strchr(error->message, '\n'));
		/* The sink keeps the rules of the plugin interface whatever it reads. */
		g_assert_null(strstr(error->message, "plugin "));
	}
	g_test_message("%" G_GUINT64_FORMAT " files, %" G_GUINT64_FORMAT " answers", n, answers);
	/* Both results must occur, otherwise the test proves nothing. */
	g_assert_cmpuint(answers, >, n / 50);
	g_assert_cmpuint(answers, <, n / 2);
	for (guint i = 0; i < m.n_seeds; i++)
		g_free(m.seeds[i]);
	g_byte_array_unref(m.bytes);
	g_rand_free(m.random);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/load/mutants", test_mutants);
	return g_test_run();
}
