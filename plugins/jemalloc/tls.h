/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thread-local storage arithmetic: pure, checked, for both layouts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* PT_TLS of an object; vaddr matters because the block starts at an address
 * congruent to it modulo align. */
struct tls_segment {
	uint64_t vaddr;
	uint64_t memsz;
	uint64_t align;
};

/*
 * Computes where the executable's block starts, relative to the thread pointer.  machine: EM_X86_64
 * (block below the thread pointer) or EM_AARCH64 (above, after a 16-byte TCB).  False for other
 * machines, absurd alignments, or overflow.
 */
bool tls_exe_offset(uint16_t machine, const struct tls_segment *segment, int64_t *ret_offset);

/* Whether the second counter is wholly after the first and within one page of it. */
bool tls_are_neighbours(uint64_t allocated, uint64_t deallocated);

/* Return the address at which glibc keeps the pointer to the dynamic thread vector, given the
 * thread pointer; and the thread pointer, given the address of struct pthread. */
uint64_t tls_dtv_pointer(uint16_t machine, uint64_t tp);
uint64_t tls_thread_pointer(uint16_t machine, uint64_t pthread, uint32_t sizeof_pthread);

/* Returns the e_machine that this was compiled for; 0: unknown. */
uint16_t tls_native_machine(void);
