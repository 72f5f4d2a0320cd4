/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "../file-locks.h"
#include "../futex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text text = {(const char *)data, size};
	uint32_t words[FUTEX_WORDS] = {0};
	struct file_lock lock;
	enum lock_kind kind;
	struct wait wait;

	(void)file_lock_parse(text, &lock);
	if (!wait_parse(text, &wait))
		return 0;
	for (size_t i = 0; i < FUTEX_WORDS && i < size; i++)
		words[i] = data[i] & 0x1f;
	if ((lock_holder(&wait, words, &kind) == 0) != (kind == LOCK_OTHER))
		abort();
	return 0;
}
