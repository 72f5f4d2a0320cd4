/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses any bytes as a maps file, line by line. */
#include <stdlib.h>

#include "../maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text rest = {(const char *)data, size}, line;
	struct vma_header parsed;

	while (text_take_line(&rest, &line))
		if (maps_parse_line(line, &parsed) &&
		    (parsed.end <= parsed.start ||
		     (parsed.path.len > 0 && parsed.path.p + parsed.path.len > line.p + line.len)))
			abort();
	return 0;
}
