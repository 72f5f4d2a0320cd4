/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "elf.h"

#include <link.h>
#include <string.h>

/* A plugin has dozens of sections and hundreds of symbols. */
#define MAX_SECTIONS 4096
#define MAX_DYNAMICS 4096

static gboolean take(const ElfView *view, gsize offset, void *ret, gsize size)
{
	if (offset > view->len || size > view->len - offset)
		return FALSE;
	memcpy(ret, view->bytes + offset, size);
	return TRUE;
}

static gboolean is_inside(const ElfView *view, guint64 offset, guint64 size)
{
	return offset <= view->len && size <= view->len - offset;
}

static gboolean refuse(const char **ret_why, const char *why)
{
	*ret_why = why;
	return FALSE;
}

static gboolean take_section(const ElfView *view, const ElfW(Ehdr) * header, guint i,
			     ElfW(Shdr) * ret)
{
	guint64 offset = (guint64)i * sizeof *ret;

	return header->e_shoff <= view->len && offset <= view->len &&
	       take(view, (gsize)header->e_shoff + (gsize)offset, ret, sizeof *ret) &&
	       (ret->sh_type == SHT_NOBITS || is_inside(view, ret->sh_offset, ret->sh_size));
}

static void read_dynamic(ElfView *view, const ElfW(Shdr) * section)
{
	guint64 n = MIN(section->sh_size / sizeof(ElfW(Dyn)), MAX_DYNAMICS);

	for (guint64 i = 0; i < n; i++) {
		ElfW(Dyn) entry;

		if (!take(view, (gsize)(section->sh_offset + i * sizeof entry), &entry,
			  sizeof entry) ||
		    entry.d_tag == DT_NULL)
			return;
		view->binds_now |= entry.d_tag == DT_BIND_NOW ||
				   (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_BIND_NOW)) ||
				   (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NOW));
	}
}

static void read_segments(ElfView *view, const ElfW(Ehdr) * header)
{
	for (guint i = 0; i < header->e_phnum; i++) {
		ElfW(Phdr) segment;

		if (header->e_phoff > view->len ||
		    !take(view, (gsize)header->e_phoff + (gsize)i * sizeof segment, &segment,
			  sizeof segment))
			return;
		view->has_relro |= segment.p_type == PT_GNU_RELRO;
	}
}

/* The symbols' names are in the section that this one is linked to. */
static gboolean read_symbols(ElfView *view, const ElfW(Ehdr) * header, const ElfW(Shdr) * section)
{
	ElfW(Shdr) strings;

	if (section->sh_entsize != sizeof(ElfW(Sym)) ||
	    !take_section(view, header, section->sh_link, &strings) ||
	    strings.sh_type != SHT_STRTAB)
		return FALSE;
	view->symbols = (gsize)section->sh_offset;
	view->n_symbols = (gsize)(section->sh_size / sizeof(ElfW(Sym)));
	view->strings = (gsize)strings.sh_offset;
	view->strings_len = (gsize)strings.sh_size;
	return TRUE;
}

static gboolean read_sections(ElfView *view, const ElfW(Ehdr) * header)
{
	gboolean found = FALSE;

	for (guint i = 0; i < MIN(header->e_shnum, MAX_SECTIONS); i++) {
		ElfW(Shdr) section;

		if (!take_section(view, header, i, &section))
			return FALSE;
		if (section.sh_type == SHT_DYNAMIC)
			read_dynamic(view, &section);
		if (section.sh_type == SHT_DYNSYM)
			found = read_symbols(view, header, &section);
	}
	return found;
}

gboolean elf_view_open(const guint8 *bytes, gsize len, ElfView *ret_view, const char **ret_why)
{
	ElfView view = {.bytes = bytes, .len = len};
	ElfW(Ehdr) header;

	if (!take(&view, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return refuse(ret_why, "it is not an ELF file");
	if (header.e_ident[EI_CLASS] != (sizeof(gpointer) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    header.e_ident[EI_DATA] !=
		    (G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
		return refuse(ret_why, "it is built for another machine");
	if (header.e_type != ET_DYN)
		return refuse(ret_why, "it is not a shared object");
	if ((header.e_shnum && header.e_shentsize != sizeof(ElfW(Shdr))) ||
	    (header.e_phnum && header.e_phentsize != sizeof(ElfW(Phdr))))
		return refuse(ret_why, "its headers have an unknown size");
	read_segments(&view, &header);
	if (!read_sections(&view, &header))
		return refuse(ret_why, "its dynamic symbol table cannot be found");
	*ret_view = view;
	return TRUE;
}

gboolean elf_view_symbol(const ElfView *view, gsize i, ElfSymbol *ret_symbol)
{
	ElfW(Sym) symbol;

	if (i >= view->n_symbols ||
	    !take(view, view->symbols + i * sizeof symbol, &symbol, sizeof symbol) ||
	    symbol.st_name == 0 || symbol.st_name >= view->strings_len)
		return FALSE;
	const char *name = (const char *)view->bytes + view->strings + symbol.st_name;
	guint bind = ELF64_ST_BIND(symbol.st_info); /* equal in both classes */
	guint visible = ELF64_ST_VISIBILITY(symbol.st_other);
	if (!memchr(name, '\0', view->strings_len - symbol.st_name) || bind == STB_LOCAL ||
	    visible == STV_HIDDEN || visible == STV_INTERNAL)
		return FALSE;
	*ret_symbol = (ElfSymbol){name, symbol.st_shndx != SHN_UNDEF};
	return TRUE;
}
