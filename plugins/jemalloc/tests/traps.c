/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "traps.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB (G_GUINT64_CONSTANT(1) << 20)
/* The offset of the symbols in the file, after all of the program. */
#define SYMBOLS (4 * MIB)

#define LONG_NAME MIB
#define MANY_SYMBOLS (64 * MIB)

/* ---- files beside the program ------------------------------------------- */

/* Writes an ELF file of 1 GiB without contents. */
static void lay_debug_file(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	hostile_write(path, NULL, 1024 * MIB - 4096, NULL, NULL, 0);
}

static void lay_debug_files(const char *folder)
{
	g_autofree char *inner = g_build_filename(folder, ".debug", NULL);

	g_assert_cmpint(g_mkdir(inner, 0700), ==, 0);
	lay_debug_file(folder, "y.debug");
	lay_debug_file(folder, ".debug/y.debug");
	lay_debug_file(folder, "program.debug");
	lay_debug_file(folder, "program.debuginfo");
}

static void lay_fifo(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, "y.debug", NULL);
	g_autofree char *fifo = g_build_filename(folder, "fifo", NULL);

	g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
	g_assert_cmpint(symlink("fifo", path), ==, 0);
}

static void lay_device(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, "y.debug", NULL);

	g_assert_cmpint(symlink("/dev/zero", path), ==, 0);
}

const struct trap traps[] = {
	{"symbol tables over a hole", "object-unparsed", NULL, 16, 256 * MIB, FALSE},
	{"sparse debug files", "dwarf-parse-failure", lay_debug_files, 0, 0, FALSE},
	{"a link to a FIFO", "dwarf-parse-failure", lay_fifo, 0, 0, FALSE},
	{"a link to a device", "dwarf-parse-failure", lay_device, 0, 0, FALSE},
	{"millions of long names", NULL, NULL, 0, 0, TRUE},
};
const gsize n_traps = G_N_ELEMENTS(traps);

/* ---- the program -------------------------------------------------------- */

static const Elf64_Sym tsd_symbol = {
	.st_name = 1, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_TLS), .st_shndx = 1, .st_size = 2632};

/* Makes the program's symbols: the one of jemalloc, or millions of copies of it. */
static gpointer make_symbols(const struct trap *trap, gsize *ret_size)
{
	*ret_size = trap->is_endless ? MANY_SYMBOLS : 2 * sizeof tsd_symbol;
	Elf64_Sym *symbols = g_malloc0(*ret_size);

	for (gsize i = 1; i < *ret_size / sizeof *symbols; i++)
		symbols[i] = tsd_symbol;
	return symbols;
}

static gpointer make_names(const struct trap *trap, gsize *ret_size)
{
	static const char name[] = "\0je_tsd_tls";

	*ret_size = trap->is_endless ? LONG_NAME : sizeof name;
	char *names = g_malloc0(*ret_size);
	if (trap->is_endless)
		memset(names + 1, 'n', *ret_size - 2);
	else
		memcpy(names, name, sizeof name);
	return names;
}

/* Writes `sleep`, with jemalloc's symbol and a debug link, but without a build-id. */
static void lay_program(const struct trap *trap, const char *path)
{
	static const char link[16] = "y.debug";
	gsize symbols_size, names_size;
	g_autofree gpointer symbols = make_symbols(trap, &symbols_size);
	g_autofree gpointer names = make_names(trap, &names_size);
	guint64 names_at = SYMBOLS + MAX(symbols_size, 4096), link_at = names_at + LONG_NAME;
	const struct hostile_piece pieces[] = {{SYMBOLS, symbols, symbols_size},
					       {names_at, names, names_size},
					       {link_at, link, sizeof link},
					       {0, NULL, 0}};
	struct hostile_section sections[3 + 16] = {
		{.name = ".symtab",
		 .type = SHT_SYMTAB,
		 .offset = SYMBOLS,
		 .size = symbols_size,
		 .entsize = sizeof tsd_symbol,
		 .link = 2},
		{.name = ".strtab", .type = SHT_STRTAB, .offset = names_at, .size = names_size},
		{.name = ".gnu_debuglink",
		 .type = SHT_PROGBITS,
		 .offset = link_at,
		 .size = sizeof link},
	};

	for (guint i = 0; i < trap->n_tables; i++) {
		sections[3 + i] = sections[0];
		sections[3 + i].size = trap->table_size;
	}
	g_autofree char *sleep = g_find_program_in_path("sleep");
	hostile_write(path, sleep, MAX(link_at + 4096, SYMBOLS + trap->table_size), pieces,
		      sections, 3 + trap->n_tables);
}

void trap_lay(const struct trap *trap, const char *folder)
{
	g_autofree char *path = g_build_filename(folder, TRAP_PROGRAM, NULL);

	lay_program(trap, path);
	if (trap->lay)
		trap->lay(folder);
}
