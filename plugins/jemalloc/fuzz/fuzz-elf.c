/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses any bytes as an ELF file. */
#include <stdlib.h>
#include <string.h>

#include "../elfobj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_facts facts;
	char *copy = malloc(size + 1);
	uint64_t bias;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory(copy, size);
	if (elf && elfobj_parse(elf, &facts) == 0) {
		facts_bias(&facts, 0x1000, 0, &bias);
		if (facts.n_loads > FACTS_MAX_LOADS || facts.build_id_len > FACTS_MAX_BUILD_ID ||
		    strnlen(facts.debuglink, sizeof facts.debuglink) == sizeof facts.debuglink)
			abort();
	}
	elf_end(elf);
	free(copy); /* lint: allow bare-free: libelf has to be done with it first */
	return 0;
}
