/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "known.h"

#include <elf.h>
#include <string.h>

struct build_row {
	uint16_t machine;
	const char *build_id; /* lower-case hex */
	struct offsets offsets;
};

/* Offsets found through the counters' pointers (mallctl thread.allocatedp) with the package's file,
 * in gdb and in qemu-aarch64. */
static const struct build_row builds[] = {
	/* Debian 12, libjemalloc2 5.3.0-1 amd64 */
	{EM_X86_64, "1d5163c246dc9cd2b4d339f2ac42efd95c6e0ae1", {824, 840}},
	/* the same, arm64 */
	{EM_AARCH64, "6de2f67281be05e21eacaf53174dc78e153a9d4f", {888, 904}},
};

struct version_row {
	uint16_t machine;
	const char *version;
	uint64_t tsd_size; /* 0: any size, as the counters precede everything whose size varies */
	struct offsets offsets;
};

static const struct version_row versions[] = {
	/* 5.1 and 5.2: tcache_enabled, arenas_tdata_bypass, reentrancy_level and
	 * narenas_tdata (5.2: offset_state too) fill the first 16 bytes. */
	{EM_X86_64, "5.1.0", 0, {16, 24}},
	{EM_X86_64, "5.2.0", 0, {16, 24}},
	{EM_X86_64, "5.2.1", 0, {16, 24}},
	/* 5.3.0 with profiling, pages of 4 KiB: Debian's packages. */
	{EM_X86_64, "5.3.0", 2632, {824, 840}},
};

static bool hex_equal(const char *hex, const uint8_t *id, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	if (strlen(hex) != len * 2)
		return false;
	for (size_t i = 0; i < len; i++)
		if (hex[2 * i] != digits[id[i] >> 4] || hex[2 * i + 1] != digits[id[i] & 15])
			return false;
	return true;
}

bool known_by_build_id(uint16_t machine, const uint8_t *id, size_t len, struct offsets *ret)
{
	for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
		if (builds[i].machine != machine || !hex_equal(builds[i].build_id, id, len))
			continue;
		*ret = builds[i].offsets;
		return true;
	}
	return false;
}

bool known_by_version(uint16_t machine, const char *version, uint64_t tsd_size, bool any_size,
		      struct offsets *ret)
{
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		const struct version_row *row = &versions[i];
		size_t len = strlen(row->version);

		if (row->machine != machine || strncmp(version, row->version, len) != 0 ||
		    version[len] != '-' || (row->tsd_size ? row->tsd_size != tsd_size : !any_size))
			continue;
		*ret = row->offsets;
		return true;
	}
	return false;
}
