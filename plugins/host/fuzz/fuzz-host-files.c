/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct text value;
	uint64_t amount;

	if (host_parse_colon(text, size, "MemTotal", false, &value))
		(void)host_parse_amount(value, "kB", &amount);
	if (host_parse_colon(text, size, "model name", true, &value))
		(void)host_parse_amount(value, NULL, &amount);
	if (host_parse_word(text, size, 2, &value))
		(void)host_parse_is_since(value, 5, 14);
	(void)host_parse_config(text, size, "CONFIG_TASK_XACCT");
	return 0;
}
