/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The facts about jemalloc and glibc's threads in an ELF file.  A separate process (examine.h)
 * reads them and answers in this form. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "known.h"
#include "tls.h"

#define FACTS_MAX_LOADS 16
#define FACTS_MAX_BUILD_ID 64

struct elf_load {
	uint64_t vaddr;
	uint64_t offset;
	uint64_t filesz;
	bool writable;
};

/* A GOT entry that the dynamic linker fills with the location of the object's
 * own TLS block. */
enum elf_slot_kind {
	ELF_SLOT_NONE = 0,
	ELF_SLOT_TPOFF,  /* holds (thread pointer to block) + addend */
	ELF_SLOT_MODULE, /* holds the module number */
};

struct elf_slot {
	enum elf_slot_kind kind;
	uint64_t vaddr;
	uint64_t addend;
};

/* glibc's description of itself for debuggers (nptl_db/structs.def), as found in libc.so.6 or a
 * static program; offsets in bytes. */
struct elf_thread_db {
	uint32_t pthread_list;
	uint32_t pthread_tid;
	uint32_t sizeof_pthread;
	uint32_t list_next;
	uint32_t list_prev;
	uint32_t dl_stack_used; /* in _rtld_global */
	uint32_t dl_stack_user;
	uint32_t dl_slotinfo;
	uint32_t link_map_tls_offset;
	uint32_t link_map_tls_modid;
	uint32_t found; /* bit per member above */
};

struct elf_facts {
	uint16_t machine;
	bool is_64;
	bool has_interpreter;
	bool has_symtab;
	bool defines_malloc;

	uint8_t build_id[FACTS_MAX_BUILD_ID];
	size_t build_id_len; /* 0: none */
	char debuglink[256]; /* "": none */
	uint32_t debuglink_crc;

	size_t n_loads;
	struct elf_load loads[FACTS_MAX_LOADS];
	bool has_tls;
	struct tls_segment tls;
	struct elf_slot slot;

	bool has_tsd; /* the symbol ..._tsd_tls */
	uint64_t tsd_value;
	uint64_t tsd_size;
	bool has_mallctl;
	char prefix[32];  /* of mallctl and similar functions: "" or "je_" */
	bool has_strings; /* jemalloc's messages; only searched if worthwhile */
	char version[64]; /* "": not found */

	/* Addresses as linked; 0: not in this file. */
	uint64_t rtld_global;
	uint64_t r_debug;
	uint64_t dl_stack_used; /* static glibc: the list itself */
	uint64_t dl_stack_user;
	struct elf_thread_db thread_db;
};

/* Whether the facts are valid: indices within their arrays, strings terminated.
 * Addresses may be anything. */
bool facts_are_sound(const struct elf_facts *facts);

/* Whether the description has everything needed to walk glibc's threads. */
bool facts_describe_threads(const struct elf_thread_db *db);

/* The difference between addresses in the process and linked ones, if the mapping of file offset
 * begins at start; false if no segment covers it. */
bool facts_bias(const struct elf_facts *facts, uint64_t start, uint64_t offset, uint64_t *ret);

/* Returns the offset in the file of the len bytes at a linked address. */
bool facts_file_offset(const struct elf_facts *facts, uint64_t vaddr, uint64_t len, uint64_t *ret);

/* Converts offsets in the struct at base to offsets in its block; false unless both counters are
 * 8-byte numbers inside the block. */
bool facts_place_in_block(const struct elf_facts *facts, uint64_t base, struct offsets fields,
			  struct offsets *ret);
