/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads an ELF file in memory, and trusts no byte of it. */
#pragma once

#include <libelf.h>

#include "facts.h"

/* Reads headers, notes, symbols and relocations; 0, -EINVAL if elf is not an ELF executable,
 * library or separate debug file, or -EFBIG if its tables together are larger than those of any
 * real file. */
int elfobj_parse(Elf *elf, struct elf_facts *ret);

/* Looks through the read-only segments of the file for jemalloc's own messages
 * and its version; sets has_strings and version. */
void elfobj_scan_strings(const char *data, size_t size, struct elf_facts *facts);

/* Whether name is jemalloc's thread-local struct: "tsd_tls", or anything that
 * ends in "_tsd_tls". */
bool elfobj_is_tsd_name(const char *name);
