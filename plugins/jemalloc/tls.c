/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tls.h"

#include <elf.h>

/* sizeof(tcbhead_t) of glibc on aarch64, and musl's GAP_ABOVE_TP there. */
#define AARCH64_TCB 16u
/* An upper bound for real segments and alignments. */
#define TLS_MAX (UINT64_C(1) << 30)
/* The two counters are neighbours in every jemalloc; a page is more than enough. */
#define SPAN_MAX 4096u

bool tls_exe_offset(uint16_t machine, const struct tls_segment *segment, int64_t *ret_offset)
{
	uint64_t align = segment->align ? segment->align : 1;

	if ((align & (align - 1)) != 0 || align > TLS_MAX || segment->memsz > TLS_MAX)
		return false;
	uint64_t mask = align - 1;
	switch (machine) {
	case EM_X86_64:
		/* The smallest distance >= memsz that keeps the block congruent to
		 * p_vaddr: what _dl_determine_tlsoffset gives to module 1. */
		*ret_offset =
			-(int64_t)(segment->memsz + ((0 - segment->vaddr - segment->memsz) & mask));
		return true;
	case EM_AARCH64:
		*ret_offset = (int64_t)(AARCH64_TCB + ((segment->vaddr - AARCH64_TCB) & mask));
		return true;
	default:
		return false;
	}
}

bool tls_are_neighbours(uint64_t allocated, uint64_t deallocated)
{
	return deallocated >= allocated && deallocated - allocated >= sizeof(uint64_t) &&
	       deallocated - allocated <= SPAN_MAX;
}

uint64_t tls_dtv_pointer(uint16_t machine, uint64_t tp)
{
	/* tcbhead_t.dtv: second word on x86_64, first on aarch64. */
	return machine == EM_X86_64 ? tp + 8 : tp;
}

uint64_t tls_thread_pointer(uint16_t machine, uint64_t pthread, uint32_t sizeof_pthread)
{
	/* x86_64: struct pthread begins with the TCB; aarch64: it ends there. */
	return machine == EM_X86_64 ? pthread : pthread + sizeof_pthread;
}

uint16_t tls_native_machine(void)
{
#if defined(__x86_64__) && defined(__LP64__)
	return EM_X86_64;
#elif defined(__aarch64__) && defined(__LP64__)
	return EM_AARCH64;
#else
	return 0;
#endif
}
