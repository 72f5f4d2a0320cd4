/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wchan: a source by a third party, who has only the installed files.  Reports
 * where each thread sleeps, and how many files each process has open.
 */
#include <ctprof/source.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More than any process has unless fs.nr_open was raised: counting ends here. */
#define MAX_FILES (1u << 20)

static const struct ctprof_host *host;

enum { WCHAN, OPEN_FDS, N_METRICS };

static const struct ctprof_metric metrics[N_METRICS] = {
	[WCHAN] = {.struct_size = sizeof metrics[0],
		   .kind = CTPROF_CATEGORY,
		   .unit = CTPROF_UNIT_TEXT,
		   .scope = CTPROF_SCOPE_THREAD,
		   .name = "wchan",
		   .group = "wchan",
		   .gates = "KALLSYMS",
		   .help = "kernel function the thread sleeps in, or running",
		   .origin = "wchan; fs/proc/base.c proc_pid_wchan"},
	[OPEN_FDS] = {.struct_size = sizeof metrics[0],
		      .kind = CTPROF_LEVEL,
		      .unit = CTPROF_UNIT_NONE,
		      .scope = CTPROF_SCOPE_PROCESS,
		      .name = "open_fds",
		      .group = "wchan",
		      .help = "file descriptors the process has open",
		      .origin = "entries of fd; fs/proc/fd.c proc_readfd_common"},
};

static uint32_t slots[N_METRICS];
static int wanted[N_METRICS];

static int wchan_open(const struct ctprof_host *lent, void **ret_self)
{
	host = lent;
	*ret_self = slots;
	for (uint32_t i = 0; i < N_METRICS; i++) {
		int result = host->metric(host, &metrics[i], &slots[i]);

		if (result < 0)
			return result;
	}
	return 0;
}

static void wchan_close(void *self)
{
	(void)self;
}

static int wchan_start(void *self)
{
	(void)self;
	for (uint32_t i = 0; i < N_METRICS; i++)
		wanted[i] = host->wanted(host, slots[i]);
	return 0;
}

static uint32_t absence_of(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return CTPROF_ABSENT_DENIED;
	case ESRCH:
		return CTPROF_ABSENT_VANISHED;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return CTPROF_ABSENT_TIMEOUT;
	default:
		return CTPROF_ABSENT_UNSUPPORTED;
	}
}

/* Opens a file of the target's thread; returns a descriptor or -errno. */
static int open_of(const struct ctprof_target *target, const char *file)
{
	char path[48];

	snprintf(path, sizeof path, "%d/%s", (int)target->tid, file);
	return host->open_file(host, target->task_fd, path);
}

/* Reads the first size - 1 bytes of a file as a string; returns their number or -errno. */
static ssize_t read_of(const struct ctprof_target *target, const char *file, char *text,
		       size_t size)
{
	int fd = open_of(target, file);
	ssize_t length;

	if (fd < 0)
		return fd;
	do
		length = read(fd, text, size - 1);
	while (length < 0 && errno == EINTR);
	if (length < 0)
		length = -errno;
	close(fd);
	if (length >= 0)
		text[length] = '\0';
	return length;
}

/* The state letter follows the name, which may contain any byte. */
static int is_running(const struct ctprof_target *target)
{
	char text[256];

	if (read_of(target, "stat", text, sizeof text) <= 0)
		return 0;
	const char *end = strrchr(text, ')');
	return end && strncmp(end, ") R", 3) == 0;
}

/*
 * For a sleeping thread, "0" is also what the kernel shows to users who must
 * not read it.  By the same check, they cannot open environ either.
 */
static uint32_t why_nowhere(const struct ctprof_target *target)
{
	int fd = open_of(target, "environ");

	if (fd < 0)
		return absence_of(-fd);
	close(fd);
	return CTPROF_ABSENT_UNSUPPORTED;
}

static int is_symbol(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return 0;
	return length > 0;
}

static void collect_wchan(struct ctprof_batch *batch, uint64_t row)
{
	static const char running[] = "running";
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	char text[256];
	ssize_t length = read_of(target, "wchan", text, sizeof text);

	if (length < 0)
		host->put_absent(batch, row, slots[WCHAN], absence_of((int)-length));
	else if (!is_symbol(text, (size_t)length))
		host->put_absent(batch, row, slots[WCHAN], CTPROF_ABSENT_INVALID);
	else if (strcmp(text, "0") != 0)
		host->put_text(batch, row, slots[WCHAN], text, (size_t)length);
	else if (is_running(target))
		host->put_text(batch, row, slots[WCHAN], running, sizeof running - 1);
	else
		host->put_absent(batch, row, slots[WCHAN], why_nowhere(target));
}

/* Counts the entries except "." and ".."; 0 or -errno. */
static int count_entries(DIR *dir, uint64_t *ret_n)
{
	const struct dirent *entry;
	uint64_t n = 0;

	errno = 0;
	while ((entry = readdir(dir)) && n <= MAX_FILES)
		n += entry->d_name[0] != '.';
	if (errno != 0)
		return -errno;
	*ret_n = n;
	return 0;
}

/* 0 or -errno; takes fd over. */
static int count_files(int fd, uint64_t *ret_n)
{
	DIR *dir = fdopendir(fd);

	if (!dir) {
		int error = errno;

		close(fd);
		return -error;
	}
	int result = count_entries(dir, ret_n);
	closedir(dir);
	return result;
}

static void collect_open_fds(struct ctprof_batch *batch, uint64_t row)
{
	uint64_t n = 0;
	int fd = open_of(ctprof_batch_target(batch, row), "fd");
	int result = fd < 0 ? fd : count_files(fd, &n);

	if (result < 0)
		host->put_absent(batch, row, slots[OPEN_FDS], absence_of(-result));
	else if (n > MAX_FILES)
		host->put_absent(batch, row, slots[OPEN_FDS], CTPROF_ABSENT_TIMEOUT);
	else
		host->put_u64(batch, row, slots[OPEN_FDS], n);
}

static int wchan_collect(void *self, void *context, struct ctprof_batch *batch)
{
	(void)self;
	(void)context;
	for (uint64_t row = 0; row < batch->n; row++) {
		const struct ctprof_target *target = ctprof_batch_target(batch, row);

		if (wanted[WCHAN])
			collect_wchan(batch, row);
		if (wanted[OPEN_FDS] && (target->flags & CTPROF_TARGET_LEADER))
			collect_open_fds(batch, row);
	}
	return 0;
}

#define NEED(what, must, of, gives)                                                                \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_need), .kind = (what), .required = (must),     \
		.name = (of), .why = (gives)                                                       \
	}

static const struct ctprof_need needs[] = {
	NEED(CTPROF_NEED_FILE, 0, "proc/<tgid>/task/<tid>/wchan", "where a thread sleeps"),
	NEED(CTPROF_NEED_FILE, 0, "proc/<tgid>/task/<tid>/stat", "whether it runs"),
	NEED(CTPROF_NEED_FILE, 0, "proc/<tgid>/task/<tid>/environ", "whether it may be known"),
	NEED(CTPROF_NEED_FILE, 0, "proc/<tgid>/task/<tid>/fd", "open files of a process"),
	NEED(CTPROF_NEED_KCONFIG, 0, "CONFIG_KALLSYMS", "names of kernel functions"),
	NEED(CTPROF_NEED_CAPABILITY, 0, "CAP_SYS_PTRACE", "other users' threads"),
	NEED(CTPROF_NEED_CAPABILITY, 0, "CAP_DAC_READ_SEARCH", "other users' open files"),
};

static const struct ctprof_source_ops ops = {
	.struct_size = sizeof ops,
	.open = wchan_open,
	.close = wchan_close,
	.start = wchan_start,
	.collect = wchan_collect,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SOURCE,
	.thread_model = CTPROF_THREADS_PER_WORKER,
	.cost = CTPROF_COST_MODERATE,
	.n_needs = sizeof needs / sizeof needs[0],
	.name = "wchan",
	.version = "0.1",
	.summary = "Where threads sleep, and how many files processes have open",
	.needs = needs,
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
