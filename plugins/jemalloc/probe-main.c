/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ctprof-jemalloc-probe: loads one jemalloc library, given as descriptor 3, and
 * prints where in its thread-local block the two counters are.
 *
 *	load PREFIX     gives up every privilege, then runs itself again with the
 *	                library preloaded (a static TLS block of its size can only
 *	                be had at program start)
 *	measure PREFIX  asks PREFIXmallctl and prints "ALLOCATED DEALLOCATED MEMSZ"
 *
 * A preloaded library runs code before main(): that is why it takes two steps.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534u
#define LIBRARY_FD 3

static int limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit both = {value, value};

	return setrlimit(resource, &both);
}

static int give_up_privileges(void)
{
	/* Before the user changes: root may lower and raise, nobody not. */
	if (limit(RLIMIT_CORE, 0) != 0 || limit(RLIMIT_CPU, 2) != 0 ||
	    limit(RLIMIT_FSIZE, 0) != 0 || limit(RLIMIT_NOFILE, 32) != 0 ||
	    limit(RLIMIT_AS, (rlim_t)1 << 32) != 0)
		return -1;
	if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
			       setresuid(NOBODY, NOBODY, NOBODY) != 0))
		return -1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static int load(char *prefix)
{
	char name[] = "ctprof-jemalloc-probe", mode[] = "measure";
	char preload[] = "LD_PRELOAD=/dev/fd/3";
	char *argv[] = {name, mode, prefix, NULL}, *envp[] = {preload, NULL};
	const char *self = (const char *)(uintptr_t)getauxval(AT_EXECFN);

	syscall(SYS_close_range, LIBRARY_FD + 1, ~0u, 0);
	/* Nobody may not be let into the directory it lies in. */
	int fd = self ? open(self, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0 || give_up_privileges() != 0)
		return 1;
	fexecve(fd, argv, envp);
	return 1;
}

/* Which object's code an address is in, and its TLS block in this thread. */
struct block {
	uintptr_t code;
	uintptr_t start; /* 0: not found, or without TLS */
	uint64_t size;
};

static int find_block(struct dl_phdr_info *info, size_t size, void *data)
{
	struct block *block = data;
	int inside = 0;
	uint64_t memsz = 0;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD &&
		    block->code - info->dlpi_addr - ph->p_vaddr < ph->p_memsz)
			inside = 1;
		if (ph->p_type == PT_TLS)
			memsz = ph->p_memsz;
	}
	if (!inside)
		return 0;
	block->start = (uintptr_t)info->dlpi_tls_data;
	block->size = memsz;
	return 1;
}

typedef int (*mallctl_fn)(const char *name, void *old, size_t *old_len, void *new, size_t new_len);

/* Offset of what name points to; 1 when it lies outside the block. */
static int ask(mallctl_fn mallctl, const struct block *block, const char *name, uint64_t *ret)
{
	uint64_t *counter = NULL;
	size_t len = sizeof counter;

	/* The pointer's own address, as mallctl() takes everything. */
	if (mallctl(name, (void *)&counter, &len, NULL, 0) != 0 || len != sizeof counter)
		return 1;
	uint64_t offset = (uint64_t)((uintptr_t)counter - block->start);
	if (offset > block->size || block->size - offset < sizeof *counter)
		return 1;
	*ret = offset;
	return 0;
}

static int measure(const char *prefix)
{
	char name[64];
	mallctl_fn mallctl;
	uint64_t allocated, deallocated;
	int len = snprintf(name, sizeof name, "%smallctl", prefix);

	if (len < 0 || (size_t)len >= sizeof name)
		return 1;
	void *symbol = dlsym(RTLD_DEFAULT, name);
	if (!symbol)
		return 1;
	memcpy(&mallctl, &symbol, sizeof mallctl);
	struct block block = {.code = (uintptr_t)symbol};
	dl_iterate_phdr(find_block, &block);
	if (block.start == 0 || ask(mallctl, &block, "thread.allocatedp", &allocated) != 0 ||
	    ask(mallctl, &block, "thread.deallocatedp", &deallocated) != 0)
		return 1;
	dprintf(STDOUT_FILENO, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", allocated, deallocated,
		block.size);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "load") == 0)
		return load(argv[2]);
	if (argc == 3 && strcmp(argv[1], "measure") == 0)
		return measure(argv[2]);
	return 2;
}
