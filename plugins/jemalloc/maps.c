/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "maps.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "cleanup.h"
#include "clock.h"
#include "list.h"

#define MAPS_CHUNK 65536u
#define MAPS_MAX_BYTES (UINT64_C(64) << 20)
#define MAPS_MAX_FILES 8192u
#define MAPS_MAX_SECONDS 2
/* After this much text, query the rest: most of such a long list is memory without a file. */
#define MAPS_TEXT_BYTES (256u << 10)
#define QUERIES_A_LOOK 256

/* <linux/fs.h>, from Linux 6.11 on. */
struct procmap_query {
	uint64_t size, query_flags, query_addr;
	uint64_t vma_start, vma_end, vma_flags, vma_page_size, vma_offset, inode;
	uint32_t dev_major, dev_minor, vma_name_size, build_id_size;
	uint64_t vma_name_addr, build_id_addr;
};
#define PROCMAP_QUERY _IOWR('f', 17, struct procmap_query)
#define PROCMAP_EXECUTABLE 0x04
#define PROCMAP_COVERING_OR_NEXT 0x10
#define PROCMAP_FILE_BACKED 0x20

static const char deleted_suffix[] = " (deleted)";

bool maps_parse_line(struct text line, struct vma_header *ret)
{
	return vma_parse_header(line, ret) && ret->end > ret->start;
}

/* The state of maps_read() between two lines. */
struct maps_state {
	struct maps *maps;
	struct maps_file run; /* adjacent mappings of one file */
	bool in_run;
	bool run_executable;
	uint64_t end; /* of the last line */
	uint64_t deadline_ns;
	char run_path[4096 + 1];
};

static int finish_run(struct maps_state *state)
{
	struct maps *maps = state->maps;

	if (!state->in_run)
		return 0;
	state->in_run = false;
	if (!state->run_executable || maps->n >= MAPS_MAX_FILES)
		return 0;
	int rc = list_reserve(&maps->files, &maps->room, maps->n + 1, MAPS_MAX_FILES,
			      sizeof *maps->files);
	if (rc < 0)
		return rc;
	struct maps_file file = state->run;
	size_t len = strlen(state->run_path);
	size_t suffix = sizeof deleted_suffix - 1;

	file.deleted = len > suffix && strcmp(state->run_path + len - suffix, deleted_suffix) == 0;
	file.path = strndup(state->run_path, file.deleted ? len - suffix : len);
	if (!file.path)
		return -ENOMEM;
	maps->files[maps->n++] = file;
	return 0;
}

static int add_line(struct maps_state *state, const struct vma_header *line)
{
	uint64_t dev = (uint64_t)line->major << 32 | line->minor;

	/* Anonymous memory between the segments of a file (its .bss, a gap) does
	 * not end the file's run. */
	if (line->inode == 0 || line->path.len == 0 || line->path.p[0] != '/' ||
	    line->path.len >= sizeof state->run_path)
		return 0;
	if (!state->in_run || state->run.dev != dev || state->run.ino != line->inode) {
		int rc = finish_run(state);

		if (rc < 0)
			return rc;
		state->run = (struct maps_file){
			.start = line->start,
			.end = line->end,
			.offset = line->offset,
			.dev = dev,
			.ino = line->inode,
		};
		memcpy(state->run_path, line->path.p, line->path.len);
		state->run_path[line->path.len] = '\0';
		state->in_run = true;
		state->run_executable = false;
	}
	state->run_executable = state->run_executable || line->permissions[2] == 'x';
	return 0;
}

/* Takes the complete lines of buf; returns their length in bytes, or -errno. */
static ssize_t add_lines(struct maps_state *state, const char *buf, size_t len)
{
	const char *end = memrchr(buf, '\n', len);

	if (!end)
		return 0;
	struct text rest = {buf, (size_t)(end - buf) + 1}, line;
	struct vma_header parsed;

	while (text_take_line(&rest, &line)) {
		if (!maps_parse_line(line, &parsed))
			return -EINVAL;
		int rc = add_line(state, &parsed);
		if (rc < 0)
			return rc;
		state->end = parsed.end;
	}
	return end - buf + 1;
}

static bool is_late(const struct maps_state *state)
{
	return clock_now() > state->deadline_ns;
}

/* Queries the next mapping of a file, and its name; "" if that is too long. */
static int query_next(int fd, uint64_t from, char *name, size_t size, struct procmap_query *ret)
{
	struct procmap_query query = {
		.size = sizeof query,
		.query_flags = PROCMAP_COVERING_OR_NEXT | PROCMAP_FILE_BACKED,
		.query_addr = from,
		.vma_name_size = (uint32_t)size,
		.vma_name_addr = (uintptr_t)name,
	};

	*ret = query;
	if (ioctl(fd, PROCMAP_QUERY, ret) == 0)
		return 0;
	if (errno != ENAMETOOLONG)
		return -errno;
	*ret = query;
	ret->vma_name_size = 0;
	ret->vma_name_addr = 0;
	name[0] = '\0';
	return ioctl(fd, PROCMAP_QUERY, ret) == 0 ? 0 : -errno;
}

/* Adds the files mapped after the last line, without listing the memory between them.  -ENOTTY:
 * this kernel does not have the query. */
static int query_rest(int fd, struct maps_state *state)
{
	char name[sizeof state->run_path];

	for (unsigned n = 1;; n++) {
		struct procmap_query query;
		int rc = query_next(fd, state->end, name, sizeof name, &query);

		if (rc < 0)
			return rc == -ENOENT ? finish_run(state) : rc;
		const struct vma_header line = {
			.start = query.vma_start,
			.end = query.vma_end,
			.permissions[2] = query.vma_flags & PROCMAP_EXECUTABLE ? 'x' : '-',
			.offset = query.vma_offset,
			.major = query.dev_major,
			.minor = query.dev_minor,
			.inode = query.inode,
			.path = {name, strnlen(name, sizeof name)},
		};
		rc = add_line(state, &line);
		if (rc < 0)
			return rc;
		if (query.vma_end <= state->end)
			return -EINVAL;
		state->end = query.vma_end;
		if (n % QUERIES_A_LOOK == 0 && is_late(state))
			return -ETIMEDOUT;
	}
}

static int read_all(int fd, struct maps_state *state, char *buf)
{
	uint64_t total = 0;
	size_t held = 0;
	bool may_ask = true;

	state->deadline_ns = clock_now() + MAPS_MAX_SECONDS * NS_PER_S;
	for (;;) {
		ssize_t got = read(fd, buf + held, MAPS_CHUNK - held);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return held == 0 ? finish_run(state) : -EINVAL;
		total += (uint64_t)got;
		held += (size_t)got;
		ssize_t used = add_lines(state, buf, held);
		if (used < 0)
			return (int)used;
		if (used == 0 && held == MAPS_CHUNK)
			return -EINVAL;
		held -= (size_t)used;
		memmove(buf, buf + used, held);
		if (total > MAPS_MAX_BYTES || is_late(state))
			return total > MAPS_MAX_BYTES ? -EFBIG : -ETIMEDOUT;
		if (!may_ask || total <= MAPS_TEXT_BYTES)
			continue;
		int rc = query_rest(fd, state);
		if (rc != -ENOTTY)
			return rc;
		may_ask = false;
	}
}

int maps_read(const struct ctprof_host *host, int dirfd, const char *path, struct maps *ret)
{
	AUTO_FREE char *buf = malloc(MAPS_CHUNK);
	AUTO_FREE struct maps_state *state = calloc(1, sizeof *state);

	*ret = (struct maps){0};
	if (!buf || !state)
		return -ENOMEM;
	AUTO_FD fd = host->open_file(host, dirfd, path);
	if (fd < 0)
		return fd;
	state->maps = ret;
	return read_all(fd, state, buf);
}

void maps_clear(struct maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		free(maps->files[i].path);
	free(maps->files);
	*maps = (struct maps){0};
}
