/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "amount.h"
#include "cgroup-lines.h"
#include "descriptor.h"
#include "file.h"
#include "shared-metrics.h"
#include "thread-file.h"

static struct process_value absent(uint32_t why)
{
	return (struct process_value){.why = why};
}

static struct process_value number(uint64_t number)
{
	return (struct process_value){.number = number};
}

static struct process_value text(const char *text, size_t len)
{
	return (struct process_value){.text = text, .len = len};
}

static struct process_value word(const char *word)
{
	return text(word, strlen(word));
}

/* ---- status and stat -------------------------------------------------- */

static struct process_value fill_status(const struct process *process)
{
	const struct slots_value *value = &process->status.at[process->metric->status];

	return (struct process_value){.why = value->why, .number = value->number};
}

static struct process_value fill_pcomm(const struct process *process)
{
	return process->stat_known ? text(process->stat.name, process->stat.name_len)
				   : absent(CTPROF_ABSENT_INVALID);
}

static struct process_value fill_start(const struct process *process)
{
	return process->stat_known ? number(process->stat.start_ticks)
				   : absent(CTPROF_ABSENT_INVALID);
}

static struct process_value fill_user(const struct process *process)
{
	const struct slots_value *uid = &process->status.at[STATUS_UID];
	const char *name = NULL;

	if (uid->why != CTPROF_PRESENT)
		return absent(uid->why);
	if (uid->number <= UINT32_MAX)
		name = users_name(process->users, (uint32_t)uid->number);
	return name ? word(name) : absent(CTPROF_ABSENT_INVALID);
}

/* ---- how it was read -------------------------------------------------- */

static struct process_value fill_state(const struct process *process)
{
	static const char *const words[N_PROCESS_STATES] = {
		[PROCESS_EXACT] = "exact",
		[PROCESS_APPROXIMATE] = "approximate",
		[PROCESS_SKIPPED] = "skipped",
		[PROCESS_TIMEOUT] = "timeout",
		[PROCESS_INACCESSIBLE] = "inaccessible",
		[PROCESS_NOT_APPLICABLE] = "not-applicable",
	};

	return word(words[process->state]);
}

/* Whether the process has memory, but only its status could be read. */
static bool has_only_status(const struct process *process)
{
	return process->state != PROCESS_EXACT && process->state != PROCESS_NOT_APPLICABLE;
}

static struct process_value fill_source(const struct process *process)
{
	const struct smaps_answer *answer = process->answer;

	if (process->state == PROCESS_EXACT && answer->sibling)
		return word(answer->per_mapping ? "sibling-smaps" : "sibling");
	if (process->state == PROCESS_EXACT)
		return word(answer->per_mapping ? "smaps" : "rollup");
	if (has_only_status(process) && process->status.at[STATUS_VM_RSS].why == CTPROF_PRESENT)
		return word("status");
	return absent(process->why);
}

static struct process_value fill_read_ns(const struct process *process)
{
	const struct smaps_answer *answer = process->answer;

	return answer && (process->state == PROCESS_EXACT || answer->ns > 0) ? number(answer->ns)
									     : absent(process->why);
}

static struct process_value fill_would_ns(const struct process *process)
{
	return process->state == PROCESS_SKIPPED && process->would_ns > 0
		       ? number(process->would_ns)
		       : absent(CTPROF_ABSENT_INAPPLICABLE);
}

/* ---- amounts ---------------------------------------------------------- */

static bool add_key(const struct smaps_sums *sums, const char *key, uint64_t *kib)
{
	const uint64_t *sum = smaps_sums_find(sums, key);

	if (sum)
		*kib = amount_sum(*kib, *sum);
	return sum != NULL;
}

static struct process_value fill_sum(const struct process *process)
{
	const struct process_metric *metric = process->metric;
	const struct slots_value *status = &process->status.at[metric->status];
	uint64_t kib = 0;

	if (metric->status && has_only_status(process) && status->why == CTPROF_PRESENT)
		return number(status->number);
	if (process->state != PROCESS_EXACT)
		return absent(process->why);
	for (size_t i = 0; i < sizeof metric->keys / sizeof metric->keys[0]; i++)
		if (metric->keys[i] && !add_key(process->answer->data, metric->keys[i], &kib))
			return absent(CTPROF_ABSENT_UNSUPPORTED);
	if (metric->optional)
		(void)add_key(process->answer->data, metric->optional, &kib);
	return number(amount_product(kib, 1024));
}

/* ---- texts ------------------------------------------------------------ */

static struct process_value fill_cmdline(const struct process *process)
{
	return process->cmdline ? text(process->cmdline, process->cmdline_len)
				: absent(process->cmdline_why);
}

static struct process_value fill_cwd(const struct process *process)
{
	char path[THREAD_FILE_PATH_MAX];

	thread_file_path(path, process->target->tid, "cwd");
	ssize_t len = readlinkat(process->target->task_fd, path, process->buf, PROCESS_BUFFER_SIZE);
	if (len > 0)
		return text(process->buf, (size_t)len);
	/* EINVAL: a recorded tree has no link there. */
	return absent(len < 0 && errno != EINVAL ? file_absence(errno) : CTPROF_ABSENT_UNSUPPORTED);
}

static struct process_value fill_cgroup(const struct process *process)
{
	const struct ctprof_target *target = process->target;
	ssize_t len = thread_file_read(process->host, target->task_fd, target->tid, "cgroup",
				       process->buf, PROCESS_BUFFER_SIZE);
	struct text own;

	if (len < 0)
		return absent(file_absence((int)-len));
	return cgroup_lines_main((struct text){process->buf, (size_t)len}, &own)
		       ? text(own.p, own.len)
		       : absent(CTPROF_ABSENT_UNSUPPORTED);
}

/* ---- the table -------------------------------------------------------- */

#define ROW(kind, unit, rank_, name, help, origin, fill_, ...)                                     \
	{                                                                                          \
		.def = METRIC_ROW(kind, unit, PROCESS, name, "memory", help, origin,               \
				  .flags = CTPROF_METRIC_ON_DEMAND, .rank = rank_),                \
		.fill = fill_, __VA_ARGS__                                                         \
	}
#define SMAPS(rank, name, help, origin, ...)                                                       \
	ROW(LEVEL, BYTES, rank, name, help, "smaps_rollup " origin, fill_sum,                      \
	    .def.gates = "PROC_PAGE_MONITOR", .traits = TRAIT_DEAR, __VA_ARGS__)
#define STATUS(kind, unit, rank, name, help, origin, line)                                         \
	ROW(kind, unit, rank, name, help, "status " origin, fill_status, .status = STATUS_##line)
#define OWN(kind, unit, rank, name, help, origin, fill, traits_)                                   \
	ROW(kind, unit, rank, name, help, origin, fill, .traits = traits_)

const struct process_metric process_metrics[N_PROCESS_METRICS] = {
	OWN(CATEGORY, TEXT, 201, "memory_state",
	    "how the amounts were read: exact, approximate, skipped, timeout, inaccessible "
	    "or not-applicable",
	    "ctprof", fill_state, TRAIT_DEAR),
	OWN(LABEL, TEXT, 202, "memory_source",
	    "file of the amounts: rollup, smaps, sibling, sibling-smaps or status", "ctprof",
	    fill_source, TRAIT_DEAR),
	SMAPS(203, "pss_bytes", "proportional set size: pages divided by their users",
	      "Pss (smaps_account)", .keys = {"Pss"}, .def.polarity = CTPROF_MORE_IS_WORSE),
	SMAPS(204, "uss_bytes", "unique set size: pages of this process only",
	      "Private_Clean + Private_Dirty + Private_Hugetlb",
	      .keys = {"Private_Clean", "Private_Dirty"}, .optional = "Private_Hugetlb",
	      .def.polarity = CTPROF_MORE_IS_WORSE),
	SMAPS(205, "rss_bytes", "resident set size, without hugetlb pages",
	      "Rss, else status VmRSS", .keys = {"Rss"}, .status = STATUS_VM_RSS,
	      .def.polarity = CTPROF_MORE_IS_WORSE),
	SMAPS(206, "swap_bytes", "swapped out; from smaps including shared memory",
	      "Swap, else status VmSwap", .keys = {"Swap"}, .status = STATUS_VM_SWAP,
	      .def.polarity = CTPROF_MORE_IS_WORSE),
	SMAPS(207, "swap_pss_bytes",
	      "proportional share of what is swapped out, without shared memory",
	      "SwapPss (smaps_pte_entry)", .keys = {"SwapPss"},
	      .def.polarity = CTPROF_MORE_IS_WORSE),
	SMAPS(208, "pss_anon_bytes", "anonymous part of pss_bytes", "Pss_Anon",
	      .keys = {"Pss_Anon"}),
	SMAPS(209, "pss_file_bytes", "file-backed part of pss_bytes", "Pss_File",
	      .keys = {"Pss_File"}),
	SMAPS(210, "pss_shmem_bytes", "part of pss_bytes that shared memory backs", "Pss_Shmem",
	      .keys = {"Pss_Shmem"}),
	SMAPS(211, "pss_dirty_bytes", "dirty part of pss_bytes", "Pss_Dirty",
	      .keys = {"Pss_Dirty"}),
	SMAPS(212, "anonymous_bytes", "resident pages not backed by a file",
	      "Anonymous, else status RssAnon", .keys = {"Anonymous"}, .status = STATUS_RSS_ANON),
	SMAPS(213, "shared_bytes", "pages that other processes map too, each in full",
	      "Shared_Clean + Shared_Dirty + Shared_Hugetlb",
	      .keys = {"Shared_Clean", "Shared_Dirty"}, .optional = "Shared_Hugetlb"),
	SMAPS(214, "hugetlb_bytes", "hugetlb pages, which rss_bytes leaves out",
	      "Private_Hugetlb + Shared_Hugetlb", .keys = {"Private_Hugetlb", "Shared_Hugetlb"}),
	SMAPS(215, "ksm_bytes", "pages merged by KSM", "KSM", .keys = {"KSM"}),
	SMAPS(216, "locked_bytes", "proportional share of locked pages", "Locked",
	      .keys = {"Locked"}),
	STATUS(LEVEL, BYTES, 217, "status_rss_anon_bytes", "anonymous part of VmRSS",
	       "RssAnon (task_mem)", RSS_ANON),
	STATUS(LEVEL, BYTES, 218, "status_rss_file_bytes", "file-backed part of VmRSS",
	       "RssFile (task_mem)", RSS_FILE),
	STATUS(LEVEL, BYTES, 219, "status_rss_shmem_bytes",
	       "part of VmRSS that shared memory backs", "RssShmem (task_mem)", RSS_SHMEM),
	STATUS(PEAK, BYTES, 220, "rss_peak_bytes", "highest resident set size so far",
	       "VmHWM (task_mem)", VM_HWM),
	OWN(LEVEL, NS, 221, "memory_read_ns", "time it took to read smaps or smaps_rollup",
	    "ctprof", fill_read_ns, TRAIT_DEAR),
	OWN(LEVEL, NS, 222, "memory_would_ns",
	    "estimated time to read them, for a process that was skipped, based on the reads "
	    "of this capture",
	    "ctprof", fill_would_ns, TRAIT_DEAR),
	OWN(LABEL, TEXT, 226, "cmdline", "command line: its non-empty arguments, joined by blanks",
	    "cmdline (proc_pid_cmdline_read)", fill_cmdline, TRAIT_CMDLINE | TRAIT_PERSONAL),
	OWN(LABEL, TEXT, 227, "cwd", "working directory", "cwd (proc_cwd_link)", fill_cwd,
	    TRAIT_PERSONAL),
	{.def = SHARED_uid, .fill = fill_status, .status = STATUS_UID},
	{.def = SHARED_user, .fill = fill_user, .traits = TRAIT_USER},
	{.def = SHARED_cgroup, .fill = fill_cgroup},
	{.def = SHARED_ppid, .fill = fill_status, .status = STATUS_PPID},
	{.def = SHARED_pcomm, .fill = fill_pcomm},
	{.def = SHARED_start_time_clock_ticks, .fill = fill_start},
	{.def = SHARED_state, .fill = fill_status, .status = STATUS_STATE},
	{.def = SHARED_nr_threads, .fill = fill_status, .status = STATUS_THREADS},
	{.def = SHARED_SMAPS_MAP, .traits = TRAIT_DEAR},
	{.def = SHARED_SMAPS_STATE, .traits = TRAIT_DEAR},
	{.def = SHARED_SMAPS_SOURCE, .traits = TRAIT_DEAR},
};

bool process_metric_is_own(const struct process_metric *metric)
{
	return strcmp(metric->def.group, "memory") == 0;
}
