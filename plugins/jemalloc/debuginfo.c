/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

/* libdw inflates all compressed sections at once, in memory. */
#define MAX_INFLATED_BYTES (UINT64_C(192) << 20)
#define MAX_UNITS 1000000u
#define MAX_MEMBERS 4096u

/* The prefix of "thread_allocated" in the member's name, by generation. */
static const char *const member_prefixes[] = {
	"cant_access_tsd_items_directly_use_a_getter_or_setter_", /* 5.2 on */
	"use_a_getter_or_setter_instead_",                        /* 5.0, 5.1 */
	"",                                                       /* 4.x */
};

static void end_dwarf(Dwarf **dwarf)
{
	if (*dwarf)
		dwarf_end(*dwarf);
}

static bool is_member(const char *name, const char *base)
{
	for (size_t i = 0; i < sizeof member_prefixes / sizeof member_prefixes[0]; i++) {
		size_t len = strlen(member_prefixes[i]);

		if (strncmp(name, member_prefixes[i], len) == 0 && strcmp(name + len, base) == 0)
			return true;
	}
	return false;
}

/* Returns the offset if it is a constant: the struct has neither bit fields nor virtual bases. */
static bool member_offset(Dwarf_Die *member, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(member, DW_AT_data_member_location, &attr) ||
	    dwarf_formudata(&attr, &value) != 0)
		return false;
	*ret = value;
	return true;
}

/* Moves to the next sibling; false for a backward reference, which a malicious file may have. */
static bool step(Dwarf_Die *die)
{
	const void *before = die->addr;

	return dwarf_siblingof(die, die) == 0 && (uintptr_t)die->addr > (uintptr_t)before;
}

static bool struct_offsets(Dwarf_Die *type, struct offsets *ret)
{
	bool has_allocated = false, has_deallocated = false;
	struct offsets out = {0};
	Dwarf_Die member;

	if (dwarf_child(type, &member) != 0)
		return false;
	for (size_t n = 0; n < MAX_MEMBERS; n++) {
		const char *name =
			dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;

		if (name && is_member(name, "thread_allocated"))
			has_allocated = member_offset(&member, &out.allocated);
		else if (name && is_member(name, "thread_deallocated"))
			has_deallocated = member_offset(&member, &out.deallocated);
		if (!step(&member))
			break;
	}
	if (!has_allocated || !has_deallocated)
		return false;
	*ret = out;
	return true;
}

/* Whether the unit is in C, as jemalloc is; a unit without a language (created by dwz) may contain
 * it, too. */
static bool is_c_unit(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case -1:
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

static bool unit_offsets(Dwarf_Die *unit, struct offsets *ret)
{
	Dwarf_Die die;

	if (!is_c_unit(unit) || dwarf_child(unit, &die) != 0)
		return false;
	for (;;) {
		const char *name =
			dwarf_tag(&die) == DW_TAG_structure_type ? dwarf_diename(&die) : NULL;

		if (name && strcmp(name, "tsd_s") == 0 && struct_offsets(&die, ret))
			return true;
		if (!step(&die))
			return false;
	}
}

/* Returns the size of a section once it is inflated; 0 if it is used in place. */
static uint64_t inflated_size(Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	static const char magic[] = {'Z', 'L', 'I', 'B'};
	uint64_t size = 0;
	GElf_Chdr ch;

	if (sh->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &ch) ? ch.ch_size : 0;
	if (strncmp(name, ".zdebug", 7) != 0)
		return 0;
	/* The old GNU format: the magic, then the size as a big-endian
	 * number. */
	Elf_Data *data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size < sizeof magic + sizeof size ||
	    memcmp(data->d_buf, magic, sizeof magic) != 0)
		return 0;
	memcpy(&size, (const char *)data->d_buf + sizeof magic, sizeof size);
	return be64toh(size);
}

/* Checks sections of any name, as libdw also reads those of .gnu.debuglto_. */
static int check_size(Elf *elf)
{
	uint64_t left = MAX_INFLATED_BYTES;
	bool is_there = false;
	size_t names;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return -ENODATA;
	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh)) {
		const char *name = elf_strptr(elf, names, sh.sh_name);

		if (!name)
			continue;
		uint64_t size = inflated_size(scn, &sh, name);
		if (size > left)
			return -EFBIG;
		left -= size;
		is_there = is_there || strncmp(name, ".debug", 6) == 0 ||
			   strncmp(name, ".zdebug", 7) == 0;
	}
	return is_there ? 0 : -ENODATA;
}

int debuginfo_find_offsets(Elf *elf, struct offsets *ret)
{
	int rc = check_size(elf);

	if (rc < 0)
		return rc;
	__attribute__((cleanup(end_dwarf))) Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!dwarf)
		return -ENODATA;
	Dwarf_Off offset = 0, next;
	size_t header;

	for (size_t n = 0; n < MAX_UNITS; n++, offset = next) {
		Dwarf_Die unit;

		if (dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) != 0)
			return -ENODATA;
		if (dwarf_offdie(dwarf, offset + header, &unit) && unit_offsets(&unit, ret))
			return 0;
	}
	return -ENODATA;
}
