/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capability.h"

#include "file.h"
#include "text.h"

#define STATUS_BYTES 8192

bool capability_is_held(const struct ctprof_host *host, unsigned number)
{
	char buf[STATUS_BYTES];
	struct text value;
	uint64_t held;

	if (!host->live(host))
		return false;
	ssize_t len = file_read_root(host, CTPROF_ROOT_PROC, "self/status", buf, sizeof buf);
	return len > 0 && text_find((struct text){buf, (size_t)len}, "CapEff", &value) &&
	       text_hex(value, &held) && held >> number & 1;
}
