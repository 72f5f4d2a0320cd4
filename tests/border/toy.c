/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A source with one fault, named by the environment variable TOY_FAULT: a row
 * of the table below or of the one in trouble.h.  Without the variable it is
 * sound.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctprof/source.h"
#include "trouble.h"

static const struct ctprof_host *host;
static uint32_t count_slot, word_slot, host_slot, capture_slot;

/* ---- the structs of a sound source, with members of a newer ctprof ------- */

struct newer_metric {
	struct ctprof_metric known;
	uint64_t unknown[4];
};

static struct newer_metric metrics[] = {
	{.known = {.kind = CTPROF_COUNTER,
		   .unit = CTPROF_UNIT_NONE,
		   .scope = CTPROF_SCOPE_THREAD,
		   .name = "toy_count",
		   .group = "toy",
		   .help = "the tid",
		   .origin = "the target"}},
	{.known = {.kind = CTPROF_LABEL,
		   .unit = CTPROF_UNIT_TEXT,
		   .scope = CTPROF_SCOPE_THREAD,
		   .name = TOY_WORD,
		   .group = "toy",
		   .help = "whether the thread's directory could be opened",
		   .origin = "open_file"}},
	{.known = {.kind = CTPROF_COUNTER,
		   .unit = CTPROF_UNIT_NONE,
		   .scope = CTPROF_SCOPE_HOST,
		   .name = "toy_host",
		   .group = "toy",
		   .help = "seven",
		   .origin = "nowhere"}},
	{.known = {.kind = CTPROF_COUNTER,
		   .unit = CTPROF_UNIT_NONE,
		   .scope = CTPROF_SCOPE_CAPTURE,
		   .name = "toy_capture",
		   .group = "toy",
		   .help = "eight",
		   .origin = "nowhere"}},
};

static uint32_t *const slots[] = {&count_slot, &word_slot, &host_slot, &capture_slot};

static struct newer_need {
	struct ctprof_need known;
	uint64_t unknown;
} needs[2];

static const struct ctprof_option_word words[] = {
	{.struct_size = sizeof words[0], .name = "often", .help = "every day"},
	{.struct_size = sizeof words[0], .name = "seldom"},
};

static struct newer_option {
	struct ctprof_option known;
	uint64_t unknown[4];
} options[] = {
	{.known = {.type = CTPROF_OPTION_WORD,
		   .n_words = sizeof words / sizeof words[0],
		   .name = "when",
		   .long_name = "toy-when",
		   .placeholder = "WHEN",
		   .default_value = "often",
		   .help = "When to play",
		   .words = words}},
	{.known = {.type = CTPROF_OPTION_TIME,
		   .name = "long",
		   .long_name = "toy-long",
		   .help = "How long to play"}},
};

static int toy_open(const struct ctprof_host *lent, void **ret_self);
static void toy_close(void *self);
static int toy_start(void *self);
static int toy_probe(void *self);
static int toy_worker_open(void *self, uint32_t worker, void **ret_context);
static void toy_worker_close(void *self, void *context);
static int toy_collect(void *self, void *context, struct ctprof_batch *batch);
static const char *try_open(const struct ctprof_target *target);

static struct newer_ops {
	struct ctprof_source_ops known;
	uint64_t unknown[4];
} ops = {
	.known = {.struct_size = sizeof ops.known,
		  .open = toy_open,
		  .close = toy_close,
		  .start = toy_start,
		  .probe = toy_probe,
		  .worker_open = toy_worker_open,
		  .worker_close = toy_worker_close,
		  .collect = toy_collect},
};

static struct newer_descriptor {
	struct ctprof_plugin known;
	uint64_t unknown[4];
} descriptor = {
	.known = {.struct_size = sizeof descriptor.known,
		  .abi_major = CTPROF_ABI_MAJOR,
		  .kind = CTPROF_KIND_SOURCE,
		  .thread_model = CTPROF_THREADS_PER_WORKER,
		  .cost = CTPROF_COST_CHEAP,
		  .name = TOY_NAME,
		  .version = "1",
		  .summary = "A toy",
		  .ops = &ops,
		  .options = &options[0].known,
		  .n_options = sizeof options / sizeof options[0]},
};

/* ---- ops that go wrong --------------------------------------------------- */

static int fail_in_open(const struct ctprof_host *lent, void **ret_self)
{
	(void)ret_self;
	lent->error(lent, "no luck today");
	return -ENODEV;
}

static int fail_in_two_lines(const struct ctprof_host *lent, void **ret_self)
{
	(void)ret_self;
	lent->error(lent, "no luck\n\033[31mtoday");
	return -ENODEV;
}

static int fail_in_silence(const struct ctprof_host *lent, void **ret_self)
{
	(void)lent;
	(void)ret_self;
	return -ENODEV;
}

static int deny_in_start(void *self)
{
	(void)self;
	host->error(host, "not allowed");
	return -EPERM;
}

static int fail_in_worker(void *self, uint32_t worker, void **ret_context)
{
	(void)self;
	(void)worker;
	(void)ret_context;
	host->error(host, "no socket");
	return -EMFILE;
}

/* Crashes after something has been written. */
static int crash_late(void *self, void *context, struct ctprof_batch *batch)
{
	static int batches;

	if (batch->scope == CTPROF_SCOPE_THREAD && ++batches > 2)
		trouble_crash();
	return toy_collect(self, context, batch);
}

static int answer_garbage(void *self, void *context, struct ctprof_batch *batch)
{
	(void)self;
	(void)context;
	(void)batch;
	return INT_MIN;
}

static int answer_much(void *self, void *context, struct ctprof_batch *batch)
{
	toy_collect(self, context, batch);
	return INT_MAX;
}

static int fail_in_collect(void *self, void *context, struct ctprof_batch *batch)
{
	(void)self;
	(void)context;
	if (batch->scope != CTPROF_SCOPE_THREAD)
		return 0;
	host->error(host, "toys are broken");
	return -EIO;
}

/* Sleeps longer for some batches than for others, so that they finish out of order. */
static int sleep_in_collect(void *self, void *context, struct ctprof_batch *batch)
{
	usleep(ctprof_batch_target(batch, 0)->tid % 3 ? 1000 : 100000);
	return toy_collect(self, context, batch);
}

/* Is slow as a whole, but never spends long on one thread. */
static int plod_in_collect(void *self, void *context, struct ctprof_batch *batch)
{
	for (uint64_t i = 0; i < batch->n && batch->scope == CTPROF_SCOPE_THREAD; i++) {
		usleep(20000);
		try_open(ctprof_batch_target(batch, i));
	}
	return toy_collect(self, context, batch);
}

/* The same, without opening any file meanwhile. */
static int report_in_collect(void *self, void *context, struct ctprof_batch *batch)
{
	for (uint64_t i = 0; i < batch->n && batch->scope == CTPROF_SCOPE_THREAD; i++) {
		usleep(20000);
		host->progress(host);
	}
	return toy_collect(self, context, batch);
}

/* Is slow enough to be interrupted during the call. */
static int crawl_in_collect(void *self, void *context, struct ctprof_batch *batch)
{
	usleep(400000);
	return toy_collect(self, context, batch);
}

static int put_badly(void *self, void *context, struct ctprof_batch *batch)
{
	if (batch->scope == CTPROF_SCOPE_THREAD) {
		host->put_i64(batch, 0, count_slot, 1);
		host->put_text(batch, 0, count_slot, "x", 1);
		host->put_u64(batch, 0, host_slot, 1);
		host->put_u64(batch, batch->n, count_slot, 1);
		host->put_u64(batch, UINT64_MAX, count_slot, 1);
		host->put_u64(batch, 0, UINT32_MAX, 1);
		host->put_u64(batch, 0, 0, 1);
		host->put_absent(batch, 0, count_slot, 4711);
		host->vanished(batch, batch->n);
	}
	return toy_collect(self, context, batch);
}

static int log_in_collect(void *self, void *context, struct ctprof_batch *batch)
{
	if (batch->scope == CTPROF_SCOPE_HOST)
		host->log(host, CTPROF_LOG_WARNING, "two\nlines \033[31mand\xff colour");
	return toy_collect(self, context, batch);
}

static int flood_in_collect(void *self, void *context, struct ctprof_batch *batch)
{
	for (int i = 0; batch->scope == CTPROF_SCOPE_HOST && i < 3000; i++)
		host->log(host, CTPROF_LOG_WARNING, "%d", i);
	return toy_collect(self, context, batch);
}

static int grow_in_collect(void *self, void *context, struct ctprof_batch *batch)
{
	int result = toy_collect(self, context, batch);

	batch->n = 1000000;
	batch->targets = NULL;
	return result;
}

static int vanish_in_collect(void *self, void *context, struct ctprof_batch *batch)
{
	for (uint64_t i = 0; batch->scope == CTPROF_SCOPE_THREAD && i < batch->n; i++)
		host->vanished(batch, i);
	return toy_collect(self, context, batch);
}

/* ---- the faults ---------------------------------------------------------- */

static void set_wrong_major(void)
{
	descriptor.known.abi_major = CTPROF_ABI_MAJOR + 1;
}

static void set_short_descriptor(void)
{
	descriptor.known.struct_size = offsetof(struct ctprof_plugin, needs);
}

static void set_huge_descriptor(void)
{
	descriptor.known.struct_size = UINT32_MAX;
}

static void set_no_name(void)
{
	descriptor.known.name = NULL;
}

static void set_odd_name(void)
{
	descriptor.known.name = "../Toy";
}

static void set_no_version(void)
{
	descriptor.known.version = NULL;
}

static void set_unknown_kind(void)
{
	descriptor.known.kind = 15;
}

static void set_no_ops(void)
{
	descriptor.known.ops = NULL;
}

static void set_no_collect(void)
{
	ops.known.collect = NULL;
}

static void set_short_ops(void)
{
	ops.known.struct_size = offsetof(struct ctprof_source_ops, collect);
}

static void set_sizeless_ops(void)
{
	ops.known.struct_size = 0;
}

static void set_missing_needs(void)
{
	descriptor.known.n_needs = 2;
}

static void set_missing_options(void)
{
	descriptor.known.options = NULL;
}

static void set_odd_option(void)
{
	options[0].known.default_value = "never";
}

static void set_unlike_option(void)
{
	options[0].known.flags = CTPROF_OPTION_LIST;
}

/* Like a plugin built before options were declared: it reads the user's text. */
static void set_no_options(void)
{
	descriptor.known.struct_size = offsetof(struct ctprof_plugin, options);
}

/* Like a plugin built with older headers, without the member why. */
static void set_short_needs(void)
{
	needs[0].known.struct_size = needs[1].known.struct_size = offsetof(struct ctprof_need, why);
	needs[0].known.kind = CTPROF_NEED_FILE;
	needs[0].known.name = "proc/older";
	descriptor.known.n_needs = 1;
	descriptor.known.needs = &needs[0].known;
}

/* Makes every struct longer than this ctprof's, with members that are not zero. */
static void set_newer(void)
{
	memset(descriptor.unknown, 0xff, sizeof descriptor.unknown);
	memset(ops.unknown, 0xff, sizeof ops.unknown);
	descriptor.known.struct_size = sizeof descriptor;
	descriptor.known.abi_minor = CTPROF_ABI_MINOR + 5;
	ops.known.struct_size = sizeof ops;
	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
		needs[i].known.struct_size = sizeof needs[i];
		needs[i].known.kind = CTPROF_NEED_FILE;
		needs[i].known.name = i ? "proc/second" : "proc/first";
		needs[i].known.why = "it is new";
		needs[i].unknown = UINT64_MAX;
	}
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		memset(options[i].unknown, 0xff, sizeof options[i].unknown);
	descriptor.known.n_needs = 2;
	descriptor.known.needs = &needs[0].known;
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
		metrics[i].known.struct_size = sizeof metrics[i];
		memset(metrics[i].unknown, 0xff, sizeof metrics[i].unknown);
	}
}

static void set_odd_metric(void)
{
	metrics[1].known.name = "Not a name";
}

static void set_unlike_metric(void)
{
	metrics[0].known.kind = CTPROF_PEAK;
}

static void set_short_metric(void)
{
	metrics[1].known.struct_size = sizeof metrics[1].known.struct_size;
}

/* before runs when the file is loaded; ops replace those of the sound source if set. */
static const struct fault {
	const char *name;
	void (*before)(void);
	int (*open)(const struct ctprof_host *lent, void **ret_self);
	int (*start)(void *self);
	int (*worker_open)(void *self, uint32_t worker, void **ret_context);
	int (*collect)(void *self, void *context, struct ctprof_batch *batch);
} faults[] = {
	{.name = "none"},
	{.name = "wrong-major", .before = set_wrong_major},
	{.name = "short-descriptor", .before = set_short_descriptor},
	{.name = "huge-descriptor", .before = set_huge_descriptor},
	{.name = "no-name", .before = set_no_name},
	{.name = "odd-name", .before = set_odd_name},
	{.name = "no-version", .before = set_no_version},
	{.name = "unknown-kind", .before = set_unknown_kind},
	{.name = "no-ops", .before = set_no_ops},
	{.name = "no-collect", .before = set_no_collect},
	{.name = "short-ops", .before = set_short_ops},
	{.name = "sizeless-ops", .before = set_sizeless_ops},
	{.name = "missing-needs", .before = set_missing_needs},
	{.name = "missing-options", .before = set_missing_options},
	{.name = "odd-option", .before = set_odd_option},
	{.name = "unlike-option", .before = set_unlike_option},
	{.name = "no-options", .before = set_no_options},
	{.name = "short-needs", .before = set_short_needs},
	{.name = "newer", .before = set_newer},
	{.name = "odd-metric", .before = set_odd_metric},
	{.name = "unlike-metric", .before = set_unlike_metric},
	{.name = "short-metric", .before = set_short_metric},
	{.name = "null-entry"},
	{.name = "open-fails", .open = fail_in_open},
	{.name = "open-fails-in-two-lines", .open = fail_in_two_lines},
	{.name = "open-fails-in-silence", .open = fail_in_silence},
	{.name = "start-denied", .start = deny_in_start},
	{.name = "worker-fails", .worker_open = fail_in_worker},
	{.name = "collect-fails", .collect = fail_in_collect},
	{.name = "collect-sleeps", .collect = sleep_in_collect},
	{.name = "late-crash", .collect = crash_late},
	{.name = "collect-garbage", .collect = answer_garbage},
	{.name = "collect-much", .collect = answer_much},
	{.name = "collect-plods", .collect = plod_in_collect},
	{.name = "collect-reports", .collect = report_in_collect},
	{.name = "collect-crawls", .collect = crawl_in_collect},
	{.name = "log-floods", .collect = flood_in_collect},
	{.name = "batch-grows", .collect = grow_in_collect},
	{.name = "all-vanish", .collect = vanish_in_collect},
	{.name = "bad-puts", .collect = put_badly},
	{.name = "odd-log", .collect = log_in_collect},
};

static const struct fault *fault = &faults[0];

/* ---- the source ---------------------------------------------------------- */

static int toy_open(const struct ctprof_host *lent, void **ret_self)
{
	int result = 0;
	size_t n = sizeof metrics / sizeof metrics[0];

	trouble_at(getenv(TOY_FAULT), "open");
	/* The last metric is only for a fault in capture. */
	if (!trouble_find(getenv(TOY_FAULT), "capture"))
		n--;
	host = lent;
	*ret_self = &descriptor;
	for (size_t i = 0; i < n && result >= 0; i++)
		result = lent->metric(lent, &metrics[i].known, slots[i]);
	return result;
}

static void toy_close(void *self)
{
	trouble_at(getenv(TOY_FAULT), "close");
	/* The host must give back what it was given. */
	if (self != &descriptor)
		abort();
}

static int toy_start(void *self)
{
	(void)self;
	trouble_at(getenv(TOY_FAULT), "start");
	return 0;
}

static int toy_probe(void *self)
{
	(void)self;
	trouble_at(getenv(TOY_FAULT), "probe");
	return 0;
}

static int toy_worker_open(void *self, uint32_t worker, void **ret_context)
{
	(void)worker;
	trouble_at(getenv(TOY_FAULT), "worker-open");
	*ret_context = self;
	return 0;
}

static void toy_worker_close(void *self, void *context)
{
	trouble_at(getenv(TOY_FAULT), "worker-close");
	if (self != &descriptor || context != self)
		abort();
}

static const char *try_open(const struct ctprof_target *target)
{
	char tid[16];

	snprintf(tid, sizeof tid, "%d", target->tid);
	int fd = host->open_file(host, target->task_fd, tid);
	if (fd < 0)
		return strerror(-fd);
	close(fd);
	return "opened";
}

static int toy_collect(void *self, void *context, struct ctprof_batch *batch)
{
	const char *scope = batch->scope == CTPROF_SCOPE_HOST     ? "host"
			    : batch->scope == CTPROF_SCOPE_THREAD ? "thread"
								  : "capture";

	(void)self;
	(void)context;
	trouble_at(getenv(TOY_FAULT), scope);
	if (batch->scope == CTPROF_SCOPE_HOST)
		host->put_u64(batch, 0, host_slot, 7);
	if (batch->scope == CTPROF_SCOPE_CAPTURE)
		host->put_u64(batch, 0, capture_slot, 8);
	for (uint64_t i = 0; i < batch->n && batch->scope == CTPROF_SCOPE_THREAD; i++) {
		const struct ctprof_target *target = ctprof_batch_target(batch, i);
		const char *given = host->option(host, "when");
		const char *word = given ? given : try_open(target);

		given = host->option(host, "long");
		word = given ? given : word;
		host->put_u64(batch, i, count_slot, (uint64_t)target->tid);
		host->put_text(batch, i, word_slot, word, strlen(word));
	}
	return 0;
}

__attribute__((constructor)) static void choose_fault(void)
{
	const char *name = getenv(TOY_FAULT);

	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
		metrics[i].known.struct_size = sizeof metrics[i].known;
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		options[i].known.struct_size = sizeof options[i];
	for (size_t i = 0; name && i < sizeof faults / sizeof faults[0]; i++)
		if (strcmp(faults[i].name, name) == 0)
			fault = &faults[i];
	trouble_at(name, "constructor");
	if (name && strcmp(fault->name, name) != 0 && !trouble_find(name, NULL))
		abort(); /* a test that asks for an unknown fault must not pass */
	/* Run before the plugin that is to be kept waiting. */
	if (name && strncmp(name, "lure-", 5) == 0)
		descriptor.known.preference = 1;
	if (fault->before)
		fault->before();
	ops.known.open = fault->open ? fault->open : ops.known.open;
	ops.known.collect = fault->collect ? fault->collect : ops.known.collect;
	ops.known.start = fault->start ? fault->start : ops.known.start;
	ops.known.worker_open = fault->worker_open ? fault->worker_open : ops.known.worker_open;
}

CTPROF_EXPORT const struct ctprof_plugin *ctprof_plugin_entry_v1(void);
CTPROF_EXPORT const struct ctprof_plugin *ctprof_plugin_entry_v1(void)
{
	trouble_at(getenv(TOY_FAULT), "entry");
	return strcmp(fault->name, "null-entry") == 0 ? NULL : &descriptor.known;
}
