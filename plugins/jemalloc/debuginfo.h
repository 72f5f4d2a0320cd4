/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counters' place in jemalloc's per-thread struct, from DWARF. */
#pragma once

#include <libelf.h>

#include "known.h"

/*
 * Offsets in struct tsd_s.  0, or -ENODATA (no usable debug information or no
 * such struct), -EFBIG (more debug information than 512 MiB), -ETIMEDOUT (not
 * found within two seconds).
 */
int debuginfo_find_offsets(Elf *elf, struct offsets *ret);
