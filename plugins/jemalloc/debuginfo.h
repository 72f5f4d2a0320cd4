/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counters' place in jemalloc's per-thread struct, from DWARF. */
#pragma once

#include <libelf.h>

#include "known.h"

/*
 * Offsets in struct tsd_s.  0, or -ENODATA (no usable debug information or no
 * such struct) or -EFBIG (compressed, and inflated it would pass the limit).
 * Its duration is not bounded: a file can make it slow.
 */
int debuginfo_find_offsets(Elf *elf, struct offsets *ret);
