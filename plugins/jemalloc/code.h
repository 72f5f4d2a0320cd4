/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds jemalloc's counters by examining its code, without running it. */
#pragma once

#include "elfobj.h"

/*
 * Finds the pointers that mallctl("thread.allocatedp") and its counterpart would return, as offsets
 * in the TLS block of the ELF file whose size bytes are at data.  0 or -ENODATA.
 */
int code_find_offsets(Elf *elf, const char *data, size_t size, const struct elf_facts *facts,
		      struct offsets *ret);

/* Finds the constant that two otherwise equal functions add to an address: allocated in the first,
 * deallocated in the second.  False if there is no such constant. */
bool code_compare(uint16_t machine, const unsigned char *one, const unsigned char *other,
		  size_t len, struct offsets *ret);
