/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdint.h>
#include <string.h>

#include "check/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *why;
	ElfView view;

	if (!elf_view_open(data, size, &view, &why))
		return 0;
	for (gsize i = 0; i < view.n_symbols; i++) {
		ElfSymbol symbol;

		/* A name ends within the bytes. */
		if (elf_view_symbol(&view, i, &symbol))
			g_assert_true((const uint8_t *)symbol.name + strlen(symbol.name) <
				      data + size);
	}
	return 0;
}
