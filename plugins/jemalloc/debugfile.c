/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "debugfile.h"

#include <stdio.h>
#include <string.h>

/* Places that do not depend on the build-id: text before and after the object's directory, followed
 * by its debug link, or text around the object's own path. */
static const struct {
	const char *before, *after;
	bool is_link;
} places[] = {
	{"", "/", true},       {"", "/.debug/", true},    {"/usr/lib/debug", "/", true},
	{"", ".debug", false}, {"", ".debuginfo", false},
};

_Static_assert(sizeof places / sizeof places[0] + 1 == DEBUGFILE_CANDIDATES, "and the build-id");

/* Returns the length of the path, as snprintf() does; -1 if there is no build-id. */
static int build_id_path(const struct elf_facts *facts, char *buf, size_t size)
{
	char hex[2 * FACTS_MAX_BUILD_ID + 1];

	if (facts->build_id_len < 3)
		return -1;
	for (size_t i = 0; i < facts->build_id_len; i++)
		snprintf(hex + 2 * i, 3, "%02x", facts->build_id[i]);
	return snprintf(buf, size, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
}

static int place_path(const struct elf_facts *facts, const char *path, size_t place, char *buf,
		      size_t size)
{
	bool is_link = places[place].is_link;

	if (path[0] != '/' || (is_link && facts->debuglink[0] == '\0'))
		return -1;
	size_t len = is_link ? (size_t)(strrchr(path, '/') - path) : strlen(path);
	return snprintf(buf, size, "%s%.*s%s%s", places[place].before, (int)len, path,
			places[place].after, is_link ? facts->debuglink : "");
}

bool debugfile_candidate(const struct elf_facts *facts, const char *path, size_t which, char *buf,
			 size_t size)
{
	if (which >= DEBUGFILE_CANDIDATES)
		return false;
	int len = which == DEBUGFILE_BUILD_ID ? build_id_path(facts, buf, size)
					      : place_path(facts, path, which - 1, buf, size);

	return len >= 0 && (size_t)len < size;
}
