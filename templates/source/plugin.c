/* SPDX-License-Identifier: 0BSD */
/*
 * @NAME@: a ctprof source.  One metric: how soon the kernel would kill a thread's
 * process when memory runs out.  Replace it with your own.
 */
#include <ctprof/source.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Constant once open() has returned, so all workers may read them. */
static const struct ctprof_host *host;
static uint32_t slot;

/* Whether the host has filled(), by the size of its table: 0 with ABI 1.0. */
static int host_has_filled(void)
{
	return host->struct_size >= offsetof(struct ctprof_host, filled) + sizeof host->filled;
}

static int plugin_open(const struct ctprof_host *lent, void **ret_self)
{
	static const struct ctprof_metric metric = {
		.struct_size = sizeof metric,
		.kind = CTPROF_GAUGE, /* decides how a group folds it: choose with care */
		.unit = CTPROF_UNIT_NONE,
		.scope = CTPROF_SCOPE_THREAD,
		.name = "@IDENT@_oom_score",
		.group = "@NAME@",
		.help = "how soon its process is killed when memory runs out",
		.origin = "oom_score; fs/proc/base.c proc_oom_score",
	};

	host = lent;
	*ret_self = &slot;
	if (!host_has_filled())
		host->log(host, CTPROF_LOG_INFO,
			  "this ctprof has ABI 1.%u, not 1.1: values that another source has read "
			  "are read again",
			  (unsigned int)host->abi_minor);
	return host->metric(host, &metric, &slot);
}

static void plugin_close(void *self)
{
	(void)self;
}

/* The reason of absence for an errno. */
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
		return CTPROF_ABSENT_TIMEOUT; /* a limit of this system, not of the kernel */
	default:
		return CTPROF_ABSENT_UNSUPPORTED;
	}
}

/* Reads a small file below a directory.  Returns its length, or -errno. */
static ssize_t read_small(int directory, const char *path, char *buffer, size_t size)
{
	int fd = host->open_file(host, directory, path);
	ssize_t length;

	if (fd < 0)
		return fd;
	do
		length = read(fd, buffer, size);
	while (length < 0 && errno == EINTR);
	if (length < 0)
		length = -errno;
	close(fd);
	return length;
}

/* Accepts "123\n" and nothing else: that is what the kernel promises. */
static int parse_number(const char *text, size_t length, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (length > 0 && text[length - 1] == '\n')
		length--;
	if (length == 0)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		unsigned int digit = (unsigned int)text[i] - '0';

		if (digit > 9 || number > (UINT64_MAX - digit) / 10)
			return -EINVAL;
		number = number * 10 + digit;
	}
	*ret_number = number;
	return 0;
}

static void collect_thread(struct ctprof_batch *batch, uint64_t row)
{
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	char path[32], text[32];
	uint64_t number;

	if (host_has_filled() && host->filled(batch, row, slot))
		return;
	/* Below task_fd, which pins the process: its number may be reused. */
	snprintf(path, sizeof path, "%d/oom_score", (int)target->tid);
	ssize_t length = read_small(target->task_fd, path, text, sizeof text);
	if (length < 0)
		host->put_absent(batch, row, slot, absence_of((int)-length));
	else if (parse_number(text, (size_t)length, &number) < 0)
		host->put_absent(batch, row, slot, CTPROF_ABSENT_INVALID);
	else
		host->put_u64(batch, row, slot, number);
}

static int plugin_collect(void *self, void *context, struct ctprof_batch *batch)
{
	(void)self;
	(void)context;
	for (uint64_t row = 0; row < batch->n; row++)
		collect_thread(batch, row);
	return 0;
}

/* Shown by `ctprof plugins @NAME@` and `ctprof doctor`. */
static const struct ctprof_need needs[] = {
	{.struct_size = sizeof needs[0],
	 .kind = CTPROF_NEED_FILE,
	 .required = 1,
	 .name = "proc/<tgid>/task/<tid>/oom_score",
	 .why = "the one metric"},
};

static const struct ctprof_source_ops ops = {
	.struct_size = sizeof ops,
	.open = plugin_open,
	.close = plugin_close,
	.collect = plugin_collect,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SOURCE,
	.thread_model = CTPROF_THREADS_PER_WORKER, /* shares nothing but constants */
	.cost = CTPROF_COST_CHEAP,
	.n_needs = sizeof needs / sizeof needs[0],
	.name = "@NAME@",
	.version = "0.1",
	.summary = "How soon each thread is killed when memory runs out",
	.needs = needs,
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)
