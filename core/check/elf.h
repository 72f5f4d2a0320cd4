/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The exports and imports of a shared object of this machine, read from its bytes. */
#pragma once

#include <glib.h>

typedef struct elf_view {
	const guint8 *bytes;
	gsize len;
	gsize symbols, n_symbols; /* offset of the dynamic symbol table; entries */
	gsize strings, strings_len;
	gboolean binds_now; /* -z now */
	gboolean has_relro; /* -z relro */
} ElfView;

typedef struct elf_symbol {
	const char *name;
	gboolean defined; /* exported; else imported */
} ElfSymbol;

/* FALSE: ret_why (static text) says what is wrong with the file. */
gboolean elf_view_open(const guint8 *bytes, gsize len, ElfView *ret_view, const char **ret_why);
/* FALSE if symbol i, i < n_symbols, is neither exported nor imported. */
gboolean elf_view_symbol(const ElfView *view, gsize i, ElfSymbol *ret_symbol);
