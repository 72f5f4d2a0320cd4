/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tally.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "capability.h"
#include "descriptor.h"
#include "slots.h"

/* The errors that are counted separately; the last row is for all others. */
static const struct {
	int err;
	const char *name;
} errnos[TALLY_ERRNOS] = {
	{EACCES, "EACCES"}, {EPERM, "EPERM"},   {ENOENT, "ENOENT"},       {ESRCH, "ESRCH"},
	{EIO, "EIO"},       {EFBIG, "EFBIG"},   {ENOMEM, "ENOMEM"},       {EMFILE, "EMFILE"},
	{ENFILE, "ENFILE"}, {EINTR, "EINTR"},   {EINVAL, "EINVAL"},       {ENOTDIR, "ENOTDIR"},
	{ELOOP, "ELOOP"},   {EISDIR, "EISDIR"}, {ETIMEDOUT, "ETIMEDOUT"}, {0, "other"},
};

static unsigned place_of(int err)
{
	unsigned place = 0;

	while (place < TALLY_ERRNOS - 1 && errnos[place].err != err)
		place++;
	return place;
}

void tally_failure(struct tally *tally, enum file_id file, int err)
{
	if (procfs_files[file].tallied)
		tally->failures[file][place_of(err)]++;
}

void tally_merge(struct tally *into, const struct tally *from)
{
	into->threads += from->threads;
	into->negative += from->negative;
	for (unsigned file = 0; file < N_FILES; file++)
		for (unsigned i = 0; i < TALLY_ERRNOS; i++)
			into->failures[file][i] += from->failures[file][i];
}

/* Counts failures of a file with that errno; err 0: with any. */
static uint64_t tally_count(const struct tally *tally, enum file_id file, int err)
{
	uint64_t count = 0;

	if (err)
		return tally->failures[file][place_of(err)];
	for (unsigned i = 0; i < TALLY_ERRNOS; i++)
		count += tally->failures[file][i];
	return count;
}

static uint64_t count_all(const struct tally *tally)
{
	uint64_t count = 0;

	for (unsigned file = 0; file < N_FILES; file++)
		count += tally_count(tally, file, 0);
	return count;
}

/* Returns the file with the most failures, in a tie the name that sorts first; NULL if there are
 * none. */
static const char *dominant_file(const struct tally *tally)
{
	const char *name = NULL;
	uint64_t most = 0;

	for (unsigned file = 0; file < N_FILES; file++) {
		uint64_t count = tally_count(tally, file, 0);
		const char *this = procfs_files[file].name;

		if (count > most || (count == most && name && strcmp(this, name) < 0)) {
			most = count;
			name = this;
		}
	}
	return name;
}

/* Whether at least half of the failures are in files that depend on a kernel option. */
static bool config_dominates(const struct tally *tally)
{
	uint64_t all = count_all(tally);
	uint64_t config = tally_count(tally, FILE_SCHEDSTAT, 0) + tally_count(tally, FILE_IO, 0);

	return all > 0 && 2 * config >= all;
}

/* ---- the values ------------------------------------------------------- */

static void put_by_file(const struct tally *tally, const struct ctprof_host *host,
			struct ctprof_batch *batch, uint32_t slot)
{
	struct ctprof_map_entry entries[N_FILES];
	size_t n = 0;

	for (unsigned file = 0; file < N_FILES; file++) {
		uint64_t count = tally_count(tally, file, 0);
		const char *name = procfs_files[file].name;

		if (count > 0)
			entries[n++] = (struct ctprof_map_entry){
				.key = name, .key_len = (uint32_t)strlen(name), .number = count};
	}
	host->put_map(batch, 0, slot, entries, n);
}

static void put_by_errno(const struct tally *tally, const struct ctprof_host *host,
			 struct ctprof_batch *batch, uint32_t slot)
{
	struct ctprof_map_entry entries[N_FILES * TALLY_ERRNOS];
	char keys[N_FILES * TALLY_ERRNOS][32];
	size_t n = 0;

	for (unsigned at = 0; at < N_FILES * TALLY_ERRNOS; at++) {
		unsigned file = at / TALLY_ERRNOS, place = at % TALLY_ERRNOS;

		if (tally->failures[file][place] == 0)
			continue;
		int len = snprintf(keys[n], sizeof keys[n], "%s:%s", procfs_files[file].name,
				   errnos[place].name);
		entries[n] = (struct ctprof_map_entry){.key = keys[n],
						       .key_len = (uint32_t)len,
						       .number = tally->failures[file][place]};
		n++;
	}
	host->put_map(batch, 0, slot, entries, n);
}

#define SUMMARY(kind, unit, name, help)                                                            \
	METRIC_ROW(kind, unit, CAPTURE, "parse_summary." name, "summary", help, "ctprof", .rank = 0)

enum {
	THREADS,
	FAILURES,
	BY_FILE,
	BY_ERRNO,
	DOMINANT,
	CONFIG_DOMINANT,
	NEGATIVE,
};

static const struct ctprof_metric summary[N_SUMMARY] = {
	[THREADS] =
		SUMMARY(COUNTER, NONE, "tids_walked", "threads examined, including vanished ones"),
	[FAILURES] = SUMMARY(COUNTER, NONE, "read_failures",
			     "files of living threads that could not be read"),
	[BY_FILE] = SUMMARY(MAP, NONE, "read_failures_by_file", "unread files by name"),
	[BY_ERRNO] = SUMMARY(MAP, NONE, "read_failures_by_errno", "unread files by name:error"),
	[DOMINANT] =
		SUMMARY(CATEGORY, TEXT, "dominant_read_failure", "file with the most failures"),
	[CONFIG_DOMINANT] = SUMMARY(CATEGORY, BOOL, "kernel_config_dominant",
				    "at least half of the failures are schedstat or io"),
	[NEGATIVE] = SUMMARY(COUNTER, NONE, "negative_dotted_values",
			     "durations in sched that the kernel printed negative"),
};

int tally_register(const struct ctprof_host *host, uint32_t ret_slots[N_SUMMARY])
{
	return slots_declare(host, summary, N_SUMMARY, ret_slots);
}

/* ---- the words -------------------------------------------------------- */

/* The failures that the user can remedy. */
static const struct {
	enum file_id file;
	int err;
	const char *cause;
} hints[] = {
	{FILE_IO, EACCES, "needs CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH"},
	{FILE_SMAPS, EACCES, "needs CAP_SYS_PTRACE, or CAP_PERFMON since Linux 6.15"},
	{FILE_SCHEDSTAT, ENOENT, "the kernel is built without CONFIG_SCHED_INFO"},
	{FILE_IO, ENOENT, "the kernel is built without CONFIG_TASK_IO_ACCOUNTING"},
	{FILE_SMAPS, ENOENT, "the kernel is built without CONFIG_PROC_PAGE_MONITOR"},
};

static void say_summary(const struct tally *tally, const struct ctprof_host *host)
{
	const char *dominant = dominant_file(tally);
	char negative[64] = "";

	if (tally->negative > 0)
		(void)snprintf(negative, sizeof negative, ", %" PRIu64 " negative-dotted values",
			       tally->negative);
	host->log(host, CTPROF_LOG_INFO,
		  "parse: %" PRIu64 " threads walked, %" PRIu64 " read failures%s%s%s%s",
		  tally->threads, count_all(tally), negative, dominant ? " (dominant: " : "",
		  dominant ? dominant : "", dominant ? ")" : "");
}

static void say_hints(const struct tally *tally, const struct ctprof_host *host)
{
	for (unsigned i = 0; i < sizeof hints / sizeof hints[0]; i++) {
		uint64_t count = tally_count(tally, hints[i].file, hints[i].err);

		if (count == 0)
			continue;
		/* If a user has the capabilities and is still refused, there is no hint. */
		if (hints[i].err == EACCES && capability_is_held(host, CAP_SYS_PTRACE) &&
		    capability_is_held(host, CAP_DAC_READ_SEARCH))
			continue;
		host->log(host, CTPROF_LOG_WARNING, "%s of %" PRIu64 " %s absent: %s",
			  procfs_files[hints[i].file].name, count,
			  hints[i].file == FILE_SMAPS ? "processes" : "threads", hints[i].cause);
	}
}

void tally_put(const struct tally *tally, const struct ctprof_host *host,
	       struct ctprof_batch *batch, const uint32_t slots[N_SUMMARY])
{
	const char *dominant = dominant_file(tally);

	host->put_u64(batch, 0, slots[THREADS], tally->threads);
	host->put_u64(batch, 0, slots[FAILURES], count_all(tally));
	put_by_file(tally, host, batch, slots[BY_FILE]);
	put_by_errno(tally, host, batch, slots[BY_ERRNO]);
	if (dominant)
		host->put_text(batch, 0, slots[DOMINANT], dominant, strlen(dominant));
	host->put_u64(batch, 0, slots[CONFIG_DOMINANT], config_dominates(tally));
	host->put_u64(batch, 0, slots[NEGATIVE], tally->negative);
	say_summary(tally, host);
	/* A capability does not help with a recorded tree. */
	if (host->live(host))
		say_hints(tally, host);
}
