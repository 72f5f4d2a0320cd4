/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "peek.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"
#include "thread-file.h"
#include "vma-header.h"

#define ANSWER_MS 500
/* The number of children that may be lost; after that, nothing more is read. */
#define MOST_LOST 8u
/* The peeks of 10 000 threads. */
#define MAPS_BYTES (2u << 20)
#define MAPS_AT_ONCE (64u * 1024)
#define MOST_RANGES 8u
#define STATUS_BYTES 8192u
/* Documentation/admin-guide/mm/pagemap.rst */
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_OF_FILE (UINT64_C(1) << 61)

struct request {
	int32_t pid;
	uint32_t n;
	bool is_new; /* another process than in the last request: its maps must be read */
	struct peek peeks[PEEKS_AT_ONCE];
};

/* The C library of this process: its file, and the range of its function syscall(). */
struct library {
	uint64_t dev, ino;
	uint64_t begin, end; /* offsets in the file of syscall() */
};

struct peeker {
	const struct ctprof_host *host;
	struct library library;
	int line; /* -1: no child is running */
	pid_t child;
	unsigned n_lost;
	struct request request;
};

/* ---- the child, which may be lost; takes no lock, and no memory but its stack ---- */

/* Each read() returns whole lines. */
static unsigned read_ranges(int fd, const struct library *library,
			    struct vma_header ret[MOST_RANGES])
{
	static char buffer[MAPS_AT_ONCE]; /* the child's copy */
	struct vma_header header;
	struct text maps, line;
	unsigned n = 0;
	ssize_t got;

	for (size_t used = 0; used < MAPS_BYTES && (got = read(fd, buffer, sizeof buffer)) > 0;
	     used += (size_t)got) {
		maps = (struct text){buffer, (size_t)got};
		while (n < MOST_RANGES && text_take_line(&maps, &line))
			if (vma_parse_header(line, &header) && header.inode == library->ino &&
			    makedev(header.major, header.minor) == library->dev)
				ret[n++] = header;
	}
	return n;
}

static bool is_in_library(uint64_t pc, const struct vma_header *ranges, unsigned n,
			  const struct library *library)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t offset = pc - ranges[i].start + ranges[i].offset;

		if (pc >= ranges[i].start && pc < ranges[i].end)
			return offset < library->begin || offset >= library->end;
	}
	return false;
}

struct pages {
	int pagemap;
	uint64_t size, safe; /* safe: the last page found to be safe */
};

/* Whether the words are in pages that are present and anonymous. */
static bool is_safe(struct pages *pages, const struct peek *peek)
{
	uint64_t last = (peek->address + sizeof peek->words - 1) / pages->size, entry = 0;

	for (uint64_t page = peek->address / pages->size; page <= last; page++) {
		if (page == pages->safe)
			continue;
		if (pread(pages->pagemap, &entry, sizeof entry, (off_t)(page * sizeof entry)) !=
			    (ssize_t)sizeof entry ||
		    !(entry & PAGE_PRESENT) || entry & PAGE_OF_FILE)
			return false;
		pages->safe = page;
	}
	return true;
}

/* A call stops at the first words that cannot be read. */
static void read_words(pid_t pid, struct peek *const *peeks, unsigned n)
{
	struct iovec local[PEEKS_AT_ONCE], remote[PEEKS_AT_ONCE];
	const size_t size = sizeof peeks[0]->words;

	for (unsigned i = 0; i < n; i++) {
		local[i] = (struct iovec){peeks[i]->words, size};
		remote[i] = (struct iovec){(void *)(uintptr_t)peeks[i]->address, size};
	}
	for (unsigned i = 0; i < n; i++) {
		ssize_t got = process_vm_readv(pid, &local[i], n - i, &remote[i], n - i, 0);

		for (size_t whole = got > 0 ? (size_t)got / size : 0; whole > 0; whole--)
			peeks[i++]->is_read = true;
	}
}

static void answer(const struct library *library, struct request *request, const int fds[2])
{
	static struct vma_header ranges[MOST_RANGES]; /* the child's copy */
	static unsigned n_ranges;
	struct pages pages = {fds[1], (uint64_t)sysconf(_SC_PAGESIZE), UINT64_MAX};
	struct peek *sought[PEEKS_AT_ONCE];
	const struct peek *last = NULL;
	unsigned n = 0;

	if (request->is_new)
		n_ranges = read_ranges(fds[0], library, ranges);
	for (uint32_t i = 0; i < request->n; i++) {
		struct peek *peek = &request->peeks[i];

		peek->is_glibc = is_in_library(peek->pc, ranges, n_ranges, library);
		peek->is_read = false;
		if (peek->is_glibc && (n == 0 || sought[n - 1]->address != peek->address) &&
		    is_safe(&pages, peek))
			sought[n++] = peek;
	}
	read_words(request->pid, sought, n);
	for (uint32_t i = 0; i < request->n; i++) {
		struct peek *peek = &request->peeks[i];

		if (peek->is_glibc && !peek->is_read && last && last->address == peek->address) {
			memcpy(peek->words, last->words, sizeof peek->words);
			peek->is_read = true;
		}
		if (peek->is_read)
			last = peek;
	}
}

static void serve(const struct library *library, int line, struct request *request)
{
	int fds[2];

	/* The child closes all other descriptors, so that it cannot keep them open if it outlives
	 * us.  It ends when the other end of the line is closed. */
	(void)dup2(line, 0);
	if (syscall(SYS_close_range, 1u, ~0u, 0u) < 0)
		for (int fd = 1; fd < 4096; fd++)
			(void)close(fd);
	while (message_receive(0, request, sizeof *request, fds, 2)) {
		answer(library, request, fds);
		(void)close(fds[0]);
		(void)close(fds[1]);
		if (send(0, request, sizeof *request, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

/* ---- the parent --------------------------------------------------------------------- */

/* Finds this process's own syscall(). */
static bool find_library(struct library *ret)
{
	const void *function = dlsym(RTLD_DEFAULT, "syscall");
	void *found = NULL;
	struct stat st;
	Dl_info info;

	if (!function || !dladdr1(function, &info, &found, RTLD_DL_SYMENT) || !found ||
	    stat(info.dli_fname, &st) < 0)
		return false;
	uint64_t begin = (uint64_t)((const char *)function - (const char *)info.dli_fbase);
	*ret = (struct library){st.st_dev, st.st_ino, begin,
				begin + ((const ElfW(Sym) *)found)->st_size};
	return true;
}

static int start(struct peeker *peeker)
{
	int line[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) < 0)
		return -errno;
	/* Skips the handlers that fork() runs: the child uses nothing that other threads may
	 * hold. */
	peeker->child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (peeker->child == 0)
		serve(&peeker->library, line[1], &peeker->request);
	int r = peeker->child < 0 ? -errno : 0;
	(void)close(line[1]);
	peeker->line = r < 0 ? -1 : line[0];
	if (r < 0)
		(void)close(line[0]);
	return r;
}

static void stop(struct peeker *peeker)
{
	if (peeker->line < 0)
		return;
	(void)close(peeker->line);
	peeker->line = -1;
	(void)kill(peeker->child, SIGKILL);
}

int peeker_new(const struct ctprof_host *host, struct peeker **ret)
{
	struct library library;
	struct peeker *made;

	if (!find_library(&library))
		return -EOPNOTSUPP;
	made = calloc(1, sizeof *made);
	if (!made)
		return -ENOMEM;
	made->host = host;
	made->line = -1;
	made->library = library;
	*ret = made;
	return 0;
}

void peeker_free(struct peeker *peeker)
{
	if (!peeker)
		return;
	bool has_child = peeker->line >= 0;

	stop(peeker);
	if (has_child)
		(void)waitpid(peeker->child, NULL, 0);
	free(peeker);
}

static int abandon_thread(struct peeker *peeker)
{
	stop(peeker);
	(void)waitpid(peeker->child, NULL, WNOHANG);
	peeker->n_lost++;
	return -ETIMEDOUT;
}

/* Whether the child lacks only a CPU, and so must be waited for. */
static bool is_runnable(const struct peeker *peeker)
{
	char text[STATUS_BYTES];
	ssize_t got = thread_file_read_root(peeker->host, peeker->child, peeker->child, "status",
					    text, sizeof text);
	struct text state;

	return got > 0 && text_find((struct text){text, (size_t)got}, "State", &state) &&
	       state.len > 0 && state.p[0] == 'R';
}

int peeker_ask(struct peeker *peeker, int32_t pid, bool is_new, const int fds[2],
	       struct peek *peeks, unsigned n)
{
	struct pollfd line;

	if (peeker->n_lost == MOST_LOST)
		return -EAGAIN;
	int r = peeker->line < 0 ? start(peeker) : 0;
	if (r < 0)
		return r;
	peeker->request.pid = pid;
	peeker->request.n = n;
	peeker->request.is_new = is_new;
	memcpy(peeker->request.peeks, peeks, n * sizeof *peeks);
	r = message_send(peeker->line, &peeker->request, sizeof peeker->request, fds, 2);
	line = (struct pollfd){.fd = peeker->line, .events = POLLIN};
	if (r < 0)
		return abandon_thread(peeker);
	do
		r = poll(&line, 1, ANSWER_MS);
	while (r == 0 && is_runnable(peeker));
	if (r <= 0)
		return abandon_thread(peeker);
	if (recv(peeker->line, &peeker->request, sizeof peeker->request, MSG_DONTWAIT) !=
	    (ssize_t)sizeof peeker->request)
		return abandon_thread(peeker);
	memcpy(peeks, peeker->request.peeks, n * sizeof *peeks);
	return 0;
}
