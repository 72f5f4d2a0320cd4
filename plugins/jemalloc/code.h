/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where jemalloc keeps its counters, out of its own code: nothing is run. */
#pragma once

#include "elfobj.h"

/*
 * Offsets in the TLS block of the ELF file whose size bytes are at data, by what
 * mallctl("thread.allocatedp") would give.  0 or -ENODATA.
 */
int code_find_offsets(Elf *elf, const char *data, size_t size, const struct elf_facts *facts,
		      struct offsets *ret);

/* The constant that two functions, the same but for it, add to an address:
 * allocated of the first, deallocated of the second.  False: there is none. */
bool code_compare(uint16_t machine, const unsigned char *one, const unsigned char *other,
		  size_t len, struct offsets *ret);
