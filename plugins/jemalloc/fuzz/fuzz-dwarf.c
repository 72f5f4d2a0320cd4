/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The input is a plan of DWARF: abbreviations that fit the entries made with them, so that every
 * input reaches structs and their members, whose references, sizes and places may be anything.
 */
#include <dwarf.h>
#include <elf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../debuginfo.h"
#include "plan.h"

#define MAX_ABBREVS 12u
#define MAX_ATTRIBUTES 5u
#define MAX_DEPTH 24u
#define SECTION_BYTES (8u << 10)
#define N_SECTIONS 5u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char section_names[] = "\0.shstrtab\0.debug_abbrev\0.debug_info\0.debug_str";
static const char words[] =
	"tsd_s\0cant_access_tsd_items_directly_use_a_getter_or_setter_thread_allocated\0"
	"cant_access_tsd_items_directly_use_a_getter_or_setter_thread_deallocated\0"
	"thread_allocated\0je_tsd_s\0x";

struct abbrev {
	uint8_t n;
	uint8_t forms[MAX_ATTRIBUTES];
};

/* A section being written; data that no longer fits is dropped. */
struct part {
	uint8_t bytes[SECTION_BYTES];
	size_t n;
};

static void put(struct part *part, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n && part->n < sizeof part->bytes; i++, value >>= 8)
		part->bytes[part->n++] = (uint8_t)value;
}

static void put_leb(struct part *part, uint64_t value)
{
	do {
		put(part, (value & 0x7f) | (value > 0x7f ? 0x80 : 0), 1);
	} while (value >>= 7);
}

static uint64_t next_word(struct plan *plan)
{
	uint8_t n = next(plan) % 8;
	size_t at = 0;

	/* Occasionally, use any offset. */
	if (n == 7)
		return next_number(plan);
	for (; n > 0 && at < sizeof words; n--)
		at += strlen(words + at) + 1;
	return at < sizeof words ? at : 0;
}

/* ---- abbreviations ---------------------------------------------------------- */

static void put_abbrevs(struct plan *plan, struct part *part, struct abbrev *abbrevs)
{
	static const uint8_t tags[] = {
		DW_TAG_compile_unit,  DW_TAG_structure_type, DW_TAG_member,
		DW_TAG_base_type,     DW_TAG_typedef,        DW_TAG_union_type,
		DW_TAG_array_type,    DW_TAG_subrange_type,  DW_TAG_partial_unit,
		DW_TAG_imported_unit, DW_TAG_pointer_type,   DW_TAG_variable};
	static const uint8_t names[] = {
		DW_AT_name,      DW_AT_type,         DW_AT_data_member_location,
		DW_AT_byte_size, DW_AT_sibling,      DW_AT_abstract_origin,
		DW_AT_language,  DW_AT_specification};
	static const uint8_t forms[] = {DW_FORM_strp,     DW_FORM_ref4,      DW_FORM_data1,
					DW_FORM_data8,    DW_FORM_udata,     DW_FORM_exprloc,
					DW_FORM_ref_addr, DW_FORM_ref_udata, DW_FORM_sec_offset,
					DW_FORM_string,   DW_FORM_block1,    DW_FORM_indirect};

	for (unsigned i = 0; i < MAX_ABBREVS; i++) {
		struct abbrev *abbrev = &abbrevs[i];

		abbrev->n = next(plan) % (MAX_ATTRIBUTES + 1);
		put_leb(part, i + 1);
		put_leb(part, i == 0 ? DW_TAG_compile_unit : tags[next(plan) % sizeof tags]);
		put(part, i == 0 || next(plan) % 2, 1);
		for (unsigned k = 0; k < abbrev->n; k++) {
			put_leb(part, names[next(plan) % sizeof names]);
			abbrev->forms[k] = forms[next(plan) % sizeof forms];
			put_leb(part, abbrev->forms[k]);
		}
		put(part, 0, 2);
	}
	put(part, 0, 1);
}

/* ---- entries ------------------------------------------------------------------ */

static void put_value(struct plan *plan, struct part *part, uint8_t form)
{
	uint8_t len;

	switch (form) {
	case DW_FORM_strp:
		put(part, next_word(plan), 4);
		break;
	case DW_FORM_ref4:
	case DW_FORM_ref_addr:
	case DW_FORM_sec_offset:
		put(part, next_number(plan), 4);
		break;
	case DW_FORM_data1:
		put(part, next(plan), 1);
		break;
	case DW_FORM_data8:
		put(part, next_number(plan), 8);
		break;
	case DW_FORM_string:
		put(part, 0, 1);
		break;
	case DW_FORM_exprloc:
	case DW_FORM_block1:
		len = next(plan) % 8;
		put(part, len, 1);
		for (; len > 0; len--)
			put(part, next(plan), 1);
		break;
	case DW_FORM_indirect:
		put_leb(part, next(plan));
		break;
	default:
		put_leb(part, next_number(plan));
	}
}

static void put_unit(struct plan *plan, struct part *part, const struct abbrev *abbrevs)
{
	size_t start = part->n;
	uint8_t version = 2 + next(plan) % 4, n = next(plan);
	uint32_t length;

	put(part, 0, 4);
	put(part, version, 2);
	if (version == 5)
		put(part, DW_UT_compile | 8 << 8, 2);
	put(part, next(plan) % 16 == 0 ? next_number(plan) : 0, 4);
	if (version < 5)
		put(part, 8, 1);
	for (unsigned i = 0; i < n && plan->left > 0; i++) {
		unsigned code = i == 0 ? 1 : next(plan) % (MAX_ABBREVS + 1);

		put_leb(part, code);
		for (unsigned k = 0; code > 0 && k < abbrevs[code - 1].n; k++)
			put_value(plan, part, abbrevs[code - 1].forms[k]);
	}
	/* End all open entries. */
	put(part, 0, 8);
	put(part, 0, MAX_DEPTH - 8);
	length = (uint32_t)(part->n - start - 4);
	if (part->n - start >= 4)
		memcpy(part->bytes + start, &length, sizeof length);
}

/* ---- the file ------------------------------------------------------------------- */

static void put_section(uint8_t *image, unsigned i, const void *bytes, size_t n)
{
	static const uint8_t names[N_SECTIONS] = {0, 1, 11, 25, 37};
	Elf64_Shdr sh = {
		.sh_name = names[i],
		.sh_type = i == 1 ? SHT_STRTAB : SHT_PROGBITS,
		.sh_offset = sizeof(Elf64_Ehdr) + N_SECTIONS * sizeof sh + (i - 1) * SECTION_BYTES,
		.sh_size = n,
		.sh_addralign = 1,
	};

	memcpy(image + sh.sh_offset, bytes, n);
	memcpy(image + sizeof(Elf64_Ehdr) + i * sizeof sh, &sh, sizeof sh);
}

static void build(struct plan *plan, uint8_t *image)
{
	static struct part abbrev, info;
	struct abbrev abbrevs[MAX_ABBREVS];
	const Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof eh,
		.e_ehsize = sizeof eh,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = N_SECTIONS,
		.e_shstrndx = 1,
	};

	abbrev.n = info.n = 0;
	put_abbrevs(plan, &abbrev, abbrevs);
	for (unsigned units = 1 + next(plan) % 4; units > 0; units--)
		put_unit(plan, &info, abbrevs);
	memcpy(image, &eh, sizeof eh);
	put_section(image, 1, section_names, sizeof section_names);
	put_section(image, 2, abbrev.bytes, abbrev.n);
	put_section(image, 3, info.bytes, info.n);
	put_section(image, 4, words, sizeof words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char image[FILE_BYTES];
	struct plan plan = {data, size};
	struct offsets offsets = {0};

	memset(image, 0, sizeof image);
	build(&plan, (uint8_t *)image);
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory(image, sizeof image);
	if (!elf)
		abort();
	(void)debuginfo_find_offsets(elf, &offsets);
	elf_end(elf);
	return 0;
}
