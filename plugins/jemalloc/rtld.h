/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the TLS data of glibc's dynamic linker from a running process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "facts.h"
#include "remote.h"

/* How a thread's copy of an object's TLS block is reached. */
struct tls_place {
	bool dynamic;
	int64_t offset;      /* static: offset of the block from the thread pointer */
	uint64_t module;     /* dynamic: index in the thread's vector */
	uint64_t generation; /* dynamic: a vector of an older generation lacks the module */
};

/* Addresses in the process; 0: unknown. */
struct rtld {
	uint64_t global; /* _rtld_global */
	uint64_t debug;  /* _r_debug */
};

/*
 * Finds the place of the object loaded with this bias, from its link_map: -ENOENT if it is not on
 * the list, -ENOTSUP if glibc does not describe itself, or the errno of the read.
 */
int rtld_find_place(const struct remote *remote, const struct elf_thread_db *db,
		    const struct rtld *rtld, uint16_t machine, uint64_t bias,
		    struct tls_place *ret);

/* Finds the place of a module, given by its number. */
int rtld_module_place(const struct remote *remote, const struct elf_thread_db *db,
		      const struct rtld *rtld, uint64_t module, struct tls_place *ret);

/*
 * Finds the address of the block of the thread with this thread pointer; *ret is 0 if the thread
 * does not have the block yet.  0 or -errno.
 */
int rtld_block_address(const struct remote *remote, const struct tls_place *place, uint16_t machine,
		       uint64_t tp, uint64_t *ret);
