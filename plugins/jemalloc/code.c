/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jemalloc's src/ctl.c has a struct ctl_named_node_s for every name of mallctl():
 *
 *	{bool named; const char *name; size_t nchildren; const void *children; int (*ctl)();}
 *
 * The functions of "allocatedp" and "deallocatedp" come from one macro: they are the same code,
 * except for the offset that each adds to the address of the thread's struct.
 */
#include "code.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>

#define NAME_TO_FUNCTION 24u
/* The offset comes early in the function; later code is ignored. */
#define CODE_BYTES 192u
#define MAX_FOUND 16u
/* The counters are at most a few words apart. */
#define MAX_APART 64u

struct image {
	Elf *elf;
	const char *data;
	size_t size;
	const struct elf_facts *facts;
};

/* Linked addresses, each once. */
struct found {
	size_t n;
	uint64_t at[MAX_FOUND];
};

static bool has(const struct found *found, uint64_t at)
{
	for (size_t i = 0; i < found->n; i++)
		if (found->at[i] == at)
			return true;
	return false;
}

static void add(struct found *found, uint64_t at)
{
	if (found->n < MAX_FOUND && !has(found, at))
		found->at[found->n++] = at;
}

/* ---- relocations -------------------------------------------------------- */

typedef void relocation_fn(const struct image *image, const GElf_Rela *rela, void *data);

/* Calls take() with all relocations that name no symbol. */
static void each_relocation(const struct image *image, relocation_fn *take, void *to)
{
	GElf_Shdr sh;
	GElf_Rela rela;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA || !(sh.sh_flags & SHF_ALLOC))
			continue;
		Elf_Data *data = elf_getdata(scn, NULL);
		size_t n = data ? data->d_size / sizeof(Elf64_Rela) : 0;
		for (size_t i = 0; i < n && i < INT32_MAX && gelf_getrela(data, (int)i, &rela); i++)
			if (GELF_R_SYM(rela.r_info) == STN_UNDEF)
				take(image, &rela, to);
	}
}

static bool is_relative(const struct image *image, const GElf_Rela *rela)
{
	return GELF_R_TYPE(rela->r_info) ==
	       (image->facts->machine == EM_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE);
}

/* ---- pointers ----------------------------------------------------------- */

struct pointers {
	const struct found *to;
	struct found from;
};

static void take_pointer(const struct image *image, const GElf_Rela *rela, void *data)
{
	struct pointers *pointers = data;

	if (is_relative(image, rela) && has(pointers->to, (uint64_t)rela->r_addend))
		add(&pointers->from, rela->r_offset);
}

/* Returns the size of the part of a segment that is in the file. */
static size_t loaded_bytes(const struct image *image, const struct elf_load *load)
{
	uint64_t there = load->offset < image->size ? image->size - load->offset : 0;

	return (size_t)(load->filesz < there ? load->filesz : there);
}

/* Finds pointers to any of these addresses: in the relocations or, in a program that is not
 * relocated or has packed relocations, in the data itself. */
static void find_pointers(const struct image *image, const struct found *to, struct found *ret)
{
	struct pointers pointers = {.to = to};
	uint64_t word;

	each_relocation(image, take_pointer, &pointers);
	for (size_t i = 0; i < image->facts->n_loads; i++) {
		const struct elf_load *load = &image->facts->loads[i];
		size_t len = loaded_bytes(image, load);

		for (size_t at = -load->vaddr % 8; load->writable && at + 8 <= len; at += 8) {
			memcpy(&word, image->data + load->offset + at, sizeof word);
			if (has(to, word))
				add(&pointers.from, load->vaddr + at);
		}
	}
	*ret = pointers.from;
}

struct target {
	uint64_t at;
	uint64_t value;
};

static void take_target(const struct image *image, const GElf_Rela *rela, void *data)
{
	struct target *target = data;

	if (is_relative(image, rela) && rela->r_offset == target->at)
		target->value = (uint64_t)rela->r_addend;
}

static const void *bytes_at(const struct image *image, uint64_t vaddr, size_t len)
{
	uint64_t offset;

	return facts_file_offset(image->facts, vaddr, len, &offset) && offset <= image->size &&
			       image->size - offset >= len
		       ? image->data + offset
		       : NULL;
}

static uint64_t pointer_at(const struct image *image, uint64_t at)
{
	struct target target = {.at = at};
	const void *word = bytes_at(image, at, sizeof target.value);

	if (word)
		memcpy(&target.value, word, sizeof target.value);
	each_relocation(image, take_target, &target);
	return target.value;
}

/* ---- names -------------------------------------------------------------- */

/* Finds each occurrence of the string, even at the end of another string, as linkers merge them. */
static void find_name(const struct image *image, const char *name, size_t len, struct found *ret)
{
	for (size_t i = 0; i < image->facts->n_loads; i++) {
		const struct elf_load *load = &image->facts->loads[i];
		size_t there = load->writable ? 0 : loaded_bytes(image, load);
		if (there == 0)
			continue;
		const char *start = image->data + load->offset, *at = start;
		const char *end = start + there;

		while (at < end && (at = memmem(at, (size_t)(end - at), name, len))) {
			add(ret, load->vaddr + (uint64_t)(at - start));
			at++;
		}
	}
}

/* Returns the only function that mallctl() calls for this name; NULL if there are none or
 * several. */
static const unsigned char *find_function(const struct image *image, const char *name, size_t len)
{
	struct found names = {0}, nodes, functions = {0};

	find_name(image, name, len, &names);
	find_pointers(image, &names, &nodes);
	for (size_t i = 0; i < nodes.n; i++) {
		uint64_t at = pointer_at(image, nodes.at[i] + NAME_TO_FUNCTION);

		if (bytes_at(image, at, CODE_BYTES))
			add(&functions, at);
	}
	return functions.n == 1 ? bytes_at(image, functions.at[0], CODE_BYTES) : NULL;
}

/* ---- code --------------------------------------------------------------- */

static bool may_be_counters(uint64_t allocated, uint64_t deallocated, struct offsets *ret)
{
	*ret = (struct offsets){allocated, deallocated};
	return deallocated > allocated && deallocated - allocated <= MAX_APART &&
	       allocated % 8 == 0 && deallocated % 8 == 0;
}

/* Returns the size of the constant that begins at code[i] and ends an `add` or `lea`; 0 if there is
 * no such constant. */
static unsigned x86_constant(const unsigned char *code, size_t i)
{
	if (i >= 2 && (code[i - 2] & 0xfe) == 0x48 && code[i - 1] == 0x05)
		return 4; /* add $imm32,%rax */
	if (i < 4)
		return 0;
	unsigned char mode = code[i - 1] & 0xc0, base = code[i - 1] & 7;
	if ((code[i - 3] & 0xfe) == 0x48 && (code[i - 1] & 0xf8) == 0xc0)
		return code[i - 2] == 0x81 ? 4 : code[i - 2] == 0x83 ? 1 : 0;
	if ((code[i - 3] & 0xf8) == 0x48 && code[i - 2] == 0x8d && base != 4)
		return mode == 0x80 ? 4 : mode == 0x40 ? 1 : 0;
	return 0;
}

/* Skips the distance to a call's target or a global, which depends on the address. */
static size_t x86_skip_distance(const unsigned char *code, size_t i)
{
	for (size_t back = 1; back <= 4 && back <= i; back++)
		if (code[i - back] == 0xe8 || (code[i - back] & 0xc7) == 0x05)
			return i - back + 5;
	return 0;
}

static bool x86_compare(const unsigned char *one, const unsigned char *other, size_t len,
			struct offsets *ret)
{
	for (size_t i = 0; i + 4 <= len;) {
		if (one[i] == other[i]) {
			i++;
			continue;
		}
		unsigned bytes = x86_constant(one, i);
		uint32_t a = one[i], b = other[i];
		if (bytes == 4) {
			memcpy(&a, one + i, sizeof a);
			memcpy(&b, other + i, sizeof b);
		}
		if (bytes > 0 && may_be_counters(a, b, ret))
			return true;
		i = x86_skip_distance(one, i);
		if (i == 0)
			return false;
	}
	return false;
}

#define A64_ADD(word) (((word)&0xff800000u) == 0x91000000u)
#define A64_CALL(word) (((word)&0xfc000000u) == 0x94000000u)
#define A64_PAGE(word) (((word)&0x9f000000u) == 0x90000000u)
#define A64_CONSTANT 0x003ffc00u

static uint64_t a64_constant(uint32_t word)
{
	uint64_t constant = (word & A64_CONSTANT) >> 10;

	return word & 0x00400000u ? constant << 12 : constant;
}

static bool a64_compare(const unsigned char *one, const unsigned char *other, size_t len,
			struct offsets *ret)
{
	for (size_t i = 0; i + 4 <= len; i += 4) {
		uint32_t a, b;

		memcpy(&a, one + i, sizeof a);
		memcpy(&b, other + i, sizeof b);
		if (a == b || (A64_CALL(a) && A64_CALL(b)) || (A64_PAGE(a) && A64_PAGE(b)))
			continue;
		return A64_ADD(a) && ((a ^ b) & ~A64_CONSTANT) == 0 &&
		       may_be_counters(a64_constant(a), a64_constant(b), ret);
	}
	return false;
}

bool code_compare(uint16_t machine, const unsigned char *one, const unsigned char *other,
		  size_t len, struct offsets *ret)
{
	return machine == EM_X86_64    ? x86_compare(one, other, len, ret)
	       : machine == EM_AARCH64 ? a64_compare(one, other, len, ret)
				       : false;
}

/* ---- the struct's place ------------------------------------------------- */

/* The offsets of TLS variables in the block that the code shows. */
struct variables {
	struct found at;
	bool unknown; /* some accesses do not show the offset */
};

static void take_variable(const struct image *image, const GElf_Rela *rela, void *data)
{
	struct variables *variables = data;

	switch (GELF_R_TYPE(rela->r_info) | (uint64_t)image->facts->machine << 32) {
	case R_X86_64_TPOFF64 | (uint64_t)EM_X86_64 << 32:
	case R_X86_64_TLSDESC | (uint64_t)EM_X86_64 << 32:
	case R_AARCH64_TLS_TPREL | (uint64_t)EM_AARCH64 << 32:
	case R_AARCH64_TLSDESC | (uint64_t)EM_AARCH64 << 32:
		add(&variables->at, (uint64_t)rela->r_addend);
		break;
	case R_X86_64_DTPMOD64 | (uint64_t)EM_X86_64 << 32:
	case R_AARCH64_TLS_DTPMOD | (uint64_t)EM_AARCH64 << 32:
		variables->unknown = true;
		break;
	default:
		break;
	}
}

/* Finds the only variable that is large enough for both counters. */
static bool find_struct(const struct image *image, const struct offsets *fields, uint64_t *ret)
{
	struct variables variables = {0};
	size_t fitting = 0;

	if (image->facts->has_tsd) {
		*ret = image->facts->tsd_value;
		return true;
	}
	each_relocation(image, take_variable, &variables);
	for (size_t i = 0; i < variables.at.n; i++) {
		uint64_t start = variables.at.at[i], end = image->facts->tls.memsz;

		for (size_t k = 0; k < variables.at.n; k++)
			if (variables.at.at[k] > start && variables.at.at[k] < end)
				end = variables.at.at[k];
		if (start > end || end - start < fields->deallocated + sizeof(uint64_t))
			continue;
		*ret = start;
		fitting++;
	}
	return fitting == 1 && !variables.unknown && variables.at.n < MAX_FOUND;
}

int code_find_offsets(Elf *elf, const char *data, size_t size, const struct elf_facts *facts,
		      struct offsets *ret)
{
	static const char allocated[] = "allocatedp", deallocated[] = "deallocatedp";
	const struct image image = {elf, data, size, facts};
	const unsigned char *one = find_function(&image, allocated, sizeof allocated);
	const unsigned char *other = find_function(&image, deallocated, sizeof deallocated);
	struct offsets fields;
	uint64_t base;

	return one && other && code_compare(facts->machine, one, other, CODE_BYTES, &fields) &&
			       find_struct(&image, &fields, &base) &&
			       facts_place_in_block(facts, base, fields, ret)
		       ? 0
		       : -ENODATA;
}
