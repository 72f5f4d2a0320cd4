/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "../parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct slots_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i].why != CTPROF_PRESENT && values[i].why != CTPROF_ABSENT_UNSUPPORTED &&
		    values[i].why != CTPROF_ABSENT_INVALID)
			abort();
}

static void check_name(struct text name)
{
	if (name.len == 0 || name.len > 255 || memchr(name.p, '\0', name.len))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		system_take *take;
		size_t n; /* values */
		bool devices;
	} files[] = {
		{system_take_stat, SYSTEM_LOAD - SYSTEM_STAT, false},
		{system_take_load, SYSTEM_VMSTAT - SYSTEM_LOAD, false},
		{system_take_vmstat, SYSTEM_MEMORY - SYSTEM_VMSTAT, false},
		{system_take_memory, SYSTEM_DISK - SYSTEM_MEMORY, false},
		{system_take_disk, SYSTEM_NET - SYSTEM_DISK, true},
		{system_take_net, SYSTEM_N_METRICS - SYSTEM_NET, true},
	};

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct system_rows rows = {.rest = {(const char *)data, size}};
		struct slots_value values[SYSTEM_N_METRICS];

		while (files[i].take(&rows, values)) {
			check(values, files[i].n);
			if (files[i].devices)
				check_name(rows.name);
			else if (rows.rest.len > 0)
				abort();
		}
	}
	return 0;
}
