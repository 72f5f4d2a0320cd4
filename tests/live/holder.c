/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * holder WHAT=KIB...: a process that holds memory of known kinds and sizes,
 * every page of it written.  It prints what it holds as one line of JSON, and
 * waits for the end of standard input.
 *
 *	anon=64      private, anonymous
 *	shmem=64     shared, anonymous
 *	memfd=64     a memfd called "held"
 *	vmas=64      private, each page a mapping of its own
 *	sysv=64      a System V segment, gone with the process
 *	dir=PATH     the directory for the files that follow
 *	file=64      a file called "file", mapped, with the second name "link"
 *	deleted=64   an unlinked file, mapped
 *	sparse=64    a file of that size without any page, not mapped
 *	open=PATH    all of an existing file, read and not written
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define KIB 1024
#define MAX_KIB (1u << 20)
#define PATH_BYTES 4096

/* One thing held. */
struct piece {
	const char *path; /* "open", "dir" */
	size_t bytes;
	int fd;    /* -1: none */
	int shmid; /* -1: none */
	const volatile char *at;
};

static const char *dir = ".";
static bool printed;

static size_t parse_kib(const char *what, const char *text)
{
	char *end;

	errno = 0;
	unsigned long kib = strtoul(text, &end, 10);
	if (errno || end == text || *end || kib == 0 || kib > MAX_KIB)
		errx(2, "%s: '%s' is no number of KiB up to %u", what, text, MAX_KIB);
	return kib * KIB;
}

static void map(struct piece *piece, int flags, const char *what)
{
	void *at = mmap(NULL, piece->bytes, PROT_READ | PROT_WRITE, flags, piece->fd, 0);

	if (at == MAP_FAILED)
		err(1, "%s", what);
	memset(at, 'h', piece->bytes);
	piece->at = at;
}

/* Maps it between guard pages, so that the kernel does not merge it with its neighbour. */
static void hold_anon(struct piece *piece)
{
	size_t wall = (size_t)sysconf(_SC_PAGESIZE);
	char *at =
		mmap(NULL, piece->bytes + 2 * wall, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at + wall, piece->bytes, PROT_READ | PROT_WRITE) < 0)
		err(1, "anon");
	memset(at + wall, 'h', piece->bytes);
	piece->at = at + wall;
}

/* Makes every other page read-only: adjacent pages with equal rights would be one mapping. */
static void hold_vmas(struct piece *piece)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	map(piece, MAP_PRIVATE | MAP_ANONYMOUS, "vmas");
	char *at = (char *)(uintptr_t)piece->at;
	for (size_t i = 0; i < piece->bytes; i += 2 * page)
		if (mprotect(at + i, page, PROT_READ) < 0)
			err(1, "vmas");
}

static void hold_shmem(struct piece *piece)
{
	map(piece, MAP_SHARED | MAP_ANONYMOUS, "shmem");
}

static void hold_open_fd(struct piece *piece, const char *what)
{
	if (piece->fd < 0 || ftruncate(piece->fd, (off_t)piece->bytes) < 0)
		err(1, "%s", what);
	map(piece, MAP_SHARED, what);
}

static void hold_memfd(struct piece *piece)
{
	piece->fd = memfd_create("held", MFD_CLOEXEC);
	hold_open_fd(piece, "memfd");
}

static void hold_sysv(struct piece *piece)
{
	piece->shmid = shmget(IPC_PRIVATE, piece->bytes, IPC_CREAT | 0600);
	void *at = piece->shmid < 0 ? (void *)-1 : shmat(piece->shmid, NULL, 0);

	if (piece->shmid < 0 || shmctl(piece->shmid, IPC_RMID, NULL) < 0 || at == (void *)-1)
		err(1, "sysv");
	memset(at, 'h', piece->bytes);
	piece->at = at;
}

static void path_of(const char *name, char path[PATH_BYTES])
{
	if (snprintf(path, PATH_BYTES, "%s/%s", dir, name) >= PATH_BYTES)
		errx(2, "dir: too long");
}

static int create(const char *name)
{
	char path[PATH_BYTES];

	path_of(name, path);
	return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static void hold_file(struct piece *piece)
{
	char path[PATH_BYTES], second[PATH_BYTES];

	piece->fd = create("file");
	hold_open_fd(piece, "file");
	path_of("file", path);
	path_of("link", second);
	if (link(path, second) < 0)
		err(1, "link");
}

static void hold_deleted(struct piece *piece)
{
	char path[PATH_BYTES];

	piece->fd = create("deleted");
	hold_open_fd(piece, "deleted");
	path_of("deleted", path);
	if (unlink(path) < 0)
		err(1, "deleted");
}

static void hold_sparse(struct piece *piece)
{
	piece->fd = create("sparse");
	if (piece->fd < 0 || ftruncate(piece->fd, (off_t)piece->bytes) < 0)
		err(1, "sparse");
}

static void hold_open(struct piece *piece)
{
	struct stat stat;

	piece->fd = open(piece->path, O_RDONLY | O_CLOEXEC);
	if (piece->fd < 0 || fstat(piece->fd, &stat) < 0)
		err(1, "%s", piece->path);
	piece->bytes = (size_t)stat.st_size;
	piece->at = mmap(NULL, piece->bytes, PROT_READ, MAP_SHARED, piece->fd, 0);
	if (piece->at == MAP_FAILED)
		err(1, "%s", piece->path);
	for (size_t i = 0; i < piece->bytes; i += KIB)
		(void)piece->at[i];
}

static void change_dir(struct piece *piece)
{
	dir = piece->path;
}

static const struct kind {
	const char *name;
	bool sized;
	void (*hold)(struct piece *piece);
} kinds[] = {
	{"anon", true, hold_anon},   {"vmas", true, hold_vmas},       {"shmem", true, hold_shmem},
	{"memfd", true, hold_memfd}, {"sysv", true, hold_sysv},       {"dir", false, change_dir},
	{"file", true, hold_file},   {"deleted", true, hold_deleted}, {"sparse", true, hold_sparse},
	{"open", false, hold_open},
};

static void print_piece(const char *kind, const struct piece *piece)
{
	struct stat stat;

	printf("%s{\"kind\":\"%s\",\"bytes\":%zu,\"at\":%" PRIuPTR, printed ? "," : "", kind,
	       piece->bytes, (uintptr_t)piece->at);
	if (piece->shmid >= 0)
		printf(",\"shmid\":%d", piece->shmid);
	if (piece->fd >= 0 && fstat(piece->fd, &stat) == 0)
		printf(",\"fd\":%d,\"device\":\"%u:%u\",\"inode\":%ju", piece->fd,
		       major(stat.st_dev), minor(stat.st_dev), (uintmax_t)stat.st_ino);
	printf("}");
	printed = true;
}

static void hold(const char *argument)
{
	size_t len = strcspn(argument, "=");
	struct piece piece = {.fd = -1, .shmid = -1};

	if (!argument[len])
		errx(2, "expected WHAT=KIB, not '%s'", argument);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const char *name = kinds[i].name;

		if (strlen(name) != len || strncmp(name, argument, len) != 0)
			continue;
		piece.path = argument + len + 1;
		if (kinds[i].sized)
			piece.bytes = parse_kib(name, piece.path);
		kinds[i].hold(&piece);
		if (piece.bytes > 0)
			print_piece(name, &piece);
		return;
	}
	errx(2, "unknown: '%s'", argument);
}

int main(int argc, char **argv)
{
	char byte;

	/* Allocate single pages as they are written, not 512 at a time. */
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) < 0)
		err(1, "huge pages");
	printf("{\"pid\":%d,\"pieces\":[", getpid());
	for (int i = 1; i < argc; i++)
		hold(argv[i]);
	printf("]}\n");
	if (fflush(stdout) != 0)
		err(1, "standard output");
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
