/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "facts.h"

#include <string.h>

#define PAGE_MASK UINT64_C(0xfff)
/* Every walk needs the first five descriptors of elfobj.c's table. */
#define WALK_DESCRIPTORS 0x1fu

static bool ends(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

bool facts_are_sound(const struct elf_facts *facts)
{
	return facts->n_loads <= FACTS_MAX_LOADS && facts->build_id_len <= FACTS_MAX_BUILD_ID &&
	       ends(facts->debuglink, sizeof facts->debuglink) &&
	       ends(facts->prefix, sizeof facts->prefix) &&
	       ends(facts->version, sizeof facts->version) && strchr(facts->debuglink, '/') == NULL;
}

bool facts_describe_threads(const struct elf_thread_db *db)
{
	return (db->found & WALK_DESCRIPTORS) == WALK_DESCRIPTORS;
}

bool facts_bias(const struct elf_facts *facts, uint64_t start, uint64_t offset, uint64_t *ret)
{
	for (size_t i = 0; i < facts->n_loads; i++) {
		const struct elf_load *load = &facts->loads[i];

		if (offset < (load->offset & ~PAGE_MASK) ||
		    offset - (load->offset & ~PAGE_MASK) >=
			    load->filesz + (load->offset & PAGE_MASK))
			continue;
		*ret = start - (load->vaddr - load->offset + offset);
		return true;
	}
	return false;
}

bool facts_file_offset(const struct elf_facts *facts, uint64_t vaddr, uint64_t len, uint64_t *ret)
{
	for (size_t i = 0; i < facts->n_loads; i++) {
		const struct elf_load *load = &facts->loads[i];

		if (vaddr < load->vaddr || vaddr - load->vaddr > load->filesz ||
		    load->filesz - (vaddr - load->vaddr) < len)
			continue;
		return !__builtin_add_overflow(load->offset, vaddr - load->vaddr, ret);
	}
	return false;
}

bool facts_place_in_block(const struct elf_facts *facts, uint64_t base, struct offsets fields,
			  struct offsets *ret)
{
	struct offsets out;
	uint64_t end;

	if (__builtin_add_overflow(base, fields.allocated, &out.allocated) ||
	    __builtin_add_overflow(base, fields.deallocated, &out.deallocated) ||
	    __builtin_add_overflow(out.deallocated, sizeof(uint64_t), &end) ||
	    !tls_are_neighbours(out.allocated, out.deallocated) || end > facts->tls.memsz ||
	    out.allocated % sizeof(uint64_t) != 0 || out.deallocated % sizeof(uint64_t) != 0)
		return false;
	*ret = out;
	return true;
}
