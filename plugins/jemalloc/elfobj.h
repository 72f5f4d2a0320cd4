/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one ELF file tells about jemalloc and about glibc's threads. */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tls.h"

static inline void elfobj_end(Elf **elf)
{
	if (*elf)
		elf_end(*elf);
}

#define AUTO_ELF __attribute__((cleanup(elfobj_end))) Elf

#define ELFOBJ_MAX_LOADS 16
#define ELFOBJ_MAX_BUILD_ID 64

struct elf_load {
	uint64_t vaddr;
	uint64_t offset;
	uint64_t filesz;
	bool writable;
};

/* A GOT entry the dynamic linker fills with the place of the object's own TLS
 * block. */
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

/* glibc's description of itself for debuggers (nptl_db/structs.def), as found
 * in libc.so.6 or a static program; offsets in bytes. */
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

	uint8_t build_id[ELFOBJ_MAX_BUILD_ID];
	size_t build_id_len; /* 0: none */
	char debuglink[256]; /* "": none */
	uint32_t debuglink_crc;

	size_t n_loads;
	struct elf_load loads[ELFOBJ_MAX_LOADS];
	bool has_tls;
	struct tls_segment tls;
	struct elf_slot slot;

	bool has_tsd; /* the symbol ..._tsd_tls */
	uint64_t tsd_value;
	uint64_t tsd_size;
	bool has_mallctl;
	char prefix[32];  /* of mallctl and its like: "" or "je_" */
	bool has_strings; /* jemalloc's messages: set by elfobj_scan_strings() */
	char version[64]; /* "": not found */

	/* Addresses as linked; 0: not here. */
	uint64_t rtld_global;
	uint64_t r_debug;
	uint64_t dl_stack_used; /* static glibc: the list itself */
	uint64_t dl_stack_user;
	struct elf_thread_db thread_db;
};

/* Reads headers, notes, symbols and relocations; 0 or -EINVAL when elf is no
 * ELF executable, library or separate debug file.  Trusts no byte of it. */
int elfobj_parse(Elf *elf, struct elf_facts *ret);

/* Looks through the read-only segments for jemalloc's own messages and its
 * version; sets has_strings and version. */
void elfobj_scan_strings(int fd, struct elf_facts *facts);

/* Whether name is jemalloc's thread-local struct: "tsd_tls", or anything that
 * ends in "_tsd_tls". */
bool elfobj_is_tsd_name(const char *name);

/* Whether all that is needed to walk glibc's threads is described. */
bool elfobj_thread_db_usable(const struct elf_thread_db *db);

/* What is added to linked addresses when the mapping of file offset begins at
 * start; false when no segment covers it. */
bool elfobj_bias(const struct elf_facts *facts, uint64_t start, uint64_t offset, uint64_t *ret);
