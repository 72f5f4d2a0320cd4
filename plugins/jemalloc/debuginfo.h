/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the counters in jemalloc's per-thread struct, using DWARF. */
#pragma once

#include <libelf.h>

#include "known.h"

/*
 * Finds offsets in struct tsd_s.  0, -ENODATA (no usable debug information, or no such struct) or
 * -EFBIG (inflating compressed sections would exceed the limit).  The duration is not bounded: a
 * file can make it slow.
 */
int debuginfo_find_offsets(Elf *elf, struct offsets *ret);
