/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capability.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "text.h"

#define STATUS_BYTES 8192

/* The set in hexadecimal, 16 digits; 0 if it is missing. */
static uint64_t parse_effective(struct text status)
{
	struct text value;
	char hex[17] = "";

	if (text_find(status, "CapEff", &value) && value.len < sizeof hex)
		memcpy(hex, value.p, value.len);
	return strtoull(hex, NULL, 16);
}

bool capability_is_held(const struct ctprof_host *host, unsigned number)
{
	char buf[STATUS_BYTES];

	if (!host->live(host))
		return false;
	ssize_t len = file_read_at(host, host->root(host, CTPROF_ROOT_PROC), "self/status", buf,
				   sizeof buf);
	return len > 0 && parse_effective((struct text){buf, (size_t)len}) >> number & 1;
}
