/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "debugfile.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"

#define CRC_CHUNK 65536u
#define CRC_MAX_BYTES (UINT64_C(1) << 30)

static bool fits(int len, size_t size)
{
	return len >= 0 && (size_t)len < size;
}

static bool build_id_path(const struct elf_facts *facts, const char *path, char *buf, size_t size)
{
	static const char prefix[] = "/usr/lib/debug/.build-id/";
	char hex[2 * ELFOBJ_MAX_BUILD_ID + 1];

	(void)path;
	if (facts->build_id_len < 3)
		return false;
	for (size_t i = 0; i < facts->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", facts->build_id[i]);
	return fits(snprintf(buf, size, "%s%.2s/%s.debug", prefix, hex, hex + 2), size);
}

/* before, the object's directory, between, the debug link. */
static bool link_path(const struct elf_facts *facts, const char *path, const char *before,
		      const char *between, char *buf, size_t size)
{
	const char *slash = strrchr(path, '/');

	if (facts->debuglink[0] == '\0' || path[0] != '/' || !slash)
		return false;
	return fits(snprintf(buf, size, "%s%.*s%s%s", before, (int)(slash - path), path, between,
			     facts->debuglink),
		    size);
}

static bool link_beside(const struct elf_facts *facts, const char *path, char *buf, size_t size)
{
	return link_path(facts, path, "", "/", buf, size);
}

static bool link_in_debug(const struct elf_facts *facts, const char *path, char *buf, size_t size)
{
	return link_path(facts, path, "", "/.debug/", buf, size);
}

static bool link_in_tree(const struct elf_facts *facts, const char *path, char *buf, size_t size)
{
	return link_path(facts, path, "/usr/lib/debug", "/", buf, size);
}

static bool suffix_debug(const struct elf_facts *facts, const char *path, char *buf, size_t size)
{
	(void)facts;
	return path[0] == '/' && fits(snprintf(buf, size, "%s.debug", path), size);
}

static bool suffix_debuginfo(const struct elf_facts *facts, const char *path, char *buf,
			     size_t size)
{
	(void)facts;
	return path[0] == '/' && fits(snprintf(buf, size, "%s.debuginfo", path), size);
}

bool debugfile_candidate(const struct elf_facts *facts, const char *path, size_t which, char *buf,
			 size_t size)
{
	static bool (*const makers[DEBUGFILE_CANDIDATES])(const struct elf_facts *, const char *,
							  char *, size_t) = {
		build_id_path, link_beside,  link_in_debug,
		link_in_tree,  suffix_debug, suffix_debuginfo,
	};

	return which < DEBUGFILE_CANDIDATES && makers[which](facts, path, buf, size);
}

/* CRC-32 as .gnu_debuglink has it (the one of zlib). */
static uint32_t crc_update(uint32_t crc, const unsigned char *buf, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		crc ^= buf[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return crc;
}

static bool crc_of_file(int fd, uint32_t *ret)
{
	AUTO_FREE unsigned char *buf = malloc(CRC_CHUNK);
	uint32_t crc = UINT32_MAX;
	uint64_t at = 0;

	while (buf && at <= CRC_MAX_BYTES) {
		ssize_t got = pread(fd, buf, CRC_CHUNK, (off_t)at);

		if (got < 0)
			return false;
		if (got == 0) {
			*ret = ~crc;
			return true;
		}
		crc = crc_update(crc, buf, (size_t)got);
		at += (uint64_t)got;
	}
	return false;
}

bool debugfile_belongs(const struct elf_facts *object, const struct elf_facts *debug, int fd)
{
	uint32_t crc;

	if (object->machine != debug->machine || object->is_64 != debug->is_64)
		return false;
	if (object->build_id_len > 0)
		return object->build_id_len == debug->build_id_len &&
		       memcmp(object->build_id, debug->build_id, object->build_id_len) == 0;
	return object->debuglink[0] != '\0' && crc_of_file(fd, &crc) &&
	       crc == object->debuglink_crc;
}
