/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "metrics.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "shared-metrics.h"
#include "thread-file.h"

static void set_absent(struct process_value *ret, uint32_t why)
{
	*ret = (struct process_value){.why = why};
}

static void set_number(struct process_value *ret, uint64_t number)
{
	*ret = (struct process_value){.number = number};
}

static void set_text(struct process_value *ret, const char *text, size_t len)
{
	*ret = (struct process_value){.text = text, .len = len};
}

static void set_word(struct process_value *ret, const char *word)
{
	set_text(ret, word, strlen(word));
}

/* ---- status and stat -------------------------------------------------- */

static void fill_status(const struct process_metric *metric, const struct process *process,
			struct process_value *ret)
{
	const struct status_value *value = &process->status.at[metric->status];

	*ret = (struct process_value){.why = value->why, .number = value->number};
}

static void fill_pcomm(const struct process_metric *metric, const struct process *process,
		       struct process_value *ret)
{
	(void)metric;
	if (process->stat_known)
		set_text(ret, process->stat.name, process->stat.name_len);
	else
		set_absent(ret, CTPROF_ABSENT_INVALID);
}

static void fill_start(const struct process_metric *metric, const struct process *process,
		       struct process_value *ret)
{
	(void)metric;
	set_number(ret, process->stat.start_ticks);
	if (!process->stat_known)
		set_absent(ret, CTPROF_ABSENT_INVALID);
}

static void fill_user(const struct process_metric *metric, const struct process *process,
		      struct process_value *ret)
{
	const struct status_value *uid = &process->status.at[STATUS_UID];

	(void)metric;
	if (uid->why != CTPROF_PRESENT) {
		set_absent(ret, uid->why);
		return;
	}
	const char *name = uid->number <= UINT32_MAX
				   ? users_name(process->users, (uint32_t)uid->number)
				   : NULL;
	if (name)
		set_word(ret, name);
	else
		set_absent(ret, CTPROF_ABSENT_INVALID);
}

/* ---- how it was got --------------------------------------------------- */

static const char *state_word(enum process_state state)
{
	static const char *const words[N_PROCESS_STATES] = {
		[PROCESS_EXACT] = "exact",
		[PROCESS_APPROXIMATE] = "approximate",
		[PROCESS_SKIPPED] = "skipped",
		[PROCESS_TIMEOUT] = "timeout",
		[PROCESS_INACCESSIBLE] = "inaccessible",
		[PROCESS_NOT_APPLICABLE] = "not-applicable",
	};

	return words[state];
}

static void fill_state(const struct process_metric *metric, const struct process *process,
		       struct process_value *ret)
{
	(void)metric;
	set_word(ret, state_word(process->state));
}

/* There is a memory, of which no smaps file told. */
static bool speaks_by_status(const struct process *process)
{
	return process->state != PROCESS_EXACT && process->state != PROCESS_NOT_APPLICABLE;
}

static void fill_source(const struct process_metric *metric, const struct process *process,
			struct process_value *ret)
{
	const struct smaps_answer *answer = process->answer;

	(void)metric;
	if (process->state == PROCESS_EXACT && answer->sibling)
		set_word(ret, answer->per_mapping ? "sibling-smaps" : "sibling");
	else if (process->state == PROCESS_EXACT)
		set_word(ret, answer->per_mapping ? "smaps" : "rollup");
	else if (speaks_by_status(process) &&
		 process->status.at[STATUS_VM_RSS].why == CTPROF_PRESENT)
		set_word(ret, "status");
	else
		set_absent(ret, process->why);
}

static void fill_read_ns(const struct process_metric *metric, const struct process *process,
			 struct process_value *ret)
{
	(void)metric;
	if (process->answer && (process->state == PROCESS_EXACT || process->answer->ns > 0))
		set_number(ret, process->answer->ns);
	else
		set_absent(ret, process->why);
}

static void fill_would_ns(const struct process_metric *metric, const struct process *process,
			  struct process_value *ret)
{
	(void)metric;
	if (process->state == PROCESS_SKIPPED && process->would_ns > 0)
		set_number(ret, process->would_ns);
	else
		set_absent(ret, CTPROF_ABSENT_INAPPLICABLE);
}

/* ---- amounts ---------------------------------------------------------- */

static bool add_key(const struct smaps_sums *sums, const char *key, uint64_t *kib)
{
	const uint64_t *sum = smaps_sums_find(sums, key);

	if (sum && __builtin_add_overflow(*kib, *sum, kib))
		*kib = UINT64_MAX;
	return sum != NULL;
}

static void fill_sum(const struct process_metric *metric, const struct process *process,
		     struct process_value *ret)
{
	uint64_t kib = 0;

	if (process->state != PROCESS_EXACT) {
		set_absent(ret, process->why);
		return;
	}
	for (size_t i = 0; i < sizeof metric->keys / sizeof metric->keys[0]; i++)
		if (metric->keys[i] && !add_key(process->answer->data, metric->keys[i], &kib)) {
			set_absent(ret, CTPROF_ABSENT_UNSUPPORTED);
			return;
		}
	if (metric->optional)
		(void)add_key(process->answer->data, metric->optional, &kib);
	set_number(ret, kib <= UINT64_MAX / 1024 ? kib * 1024 : UINT64_MAX);
}

static void fill_sum_or_status(const struct process_metric *metric, const struct process *process,
			       struct process_value *ret)
{
	const struct status_value *value = &process->status.at[metric->status];

	if (speaks_by_status(process) && value->why == CTPROF_PRESENT)
		set_number(ret, value->number);
	else
		fill_sum(metric, process, ret);
}

/* ---- texts ------------------------------------------------------------ */

static void fill_cmdline(const struct process_metric *metric, const struct process *process,
			 struct process_value *ret)
{
	(void)metric;
	if (process->cmdline)
		set_text(ret, process->cmdline, process->cmdline_len);
	else
		set_absent(ret, process->cmdline_why);
}

static void fill_cwd(const struct process_metric *metric, const struct process *process,
		     struct process_value *ret)
{
	char path[THREAD_FILE_PATH_MAX];

	(void)metric;
	thread_file_path(path, process->target->tid, "cwd");
	ssize_t len = readlinkat(process->target->task_fd, path, process->cwd, PROCESS_CWD_MAX);
	if (len > 0)
		set_text(ret, process->cwd, (size_t)len);
	else /* EINVAL: a recorded tree has no link there. */
		set_absent(ret, len < 0 && errno != EINVAL ? file_absence(errno)
							   : CTPROF_ABSENT_UNSUPPORTED);
}

/* ---- the table -------------------------------------------------------- */

#define MEMORY(kind_, unit_, rank_, name_, help_, origin_, gates_)                                 \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_metric), .kind = CTPROF_##kind_,               \
		.unit = CTPROF_UNIT_##unit_, .scope = CTPROF_SCOPE_PROCESS,                        \
		.flags = CTPROF_METRIC_ON_DEMAND, .rank = rank_, .name = name_, .group = "memory", \
		.help = help_, .origin = origin_, .gates = gates_                                  \
	}
#define SMAPS(rank, name, help, origin)                                                            \
	MEMORY(LEVEL, BYTES, rank, name, help, origin, "PROC_PAGE_MONITOR")
#define OWN(kind, unit, rank, name, help, origin) MEMORY(kind, unit, rank, name, help, origin, NULL)

const struct process_metric process_metrics[N_PROCESS_METRICS] = {
	{.def = OWN(CATEGORY, TEXT, 201, "memory_state",
		    "how the amounts were read: exact, approximate, skipped, timeout, inaccessible "
		    "or not-applicable",
		    "ctprof"),
	 .fill = fill_state},
	{.def = OWN(LABEL, TEXT, 202, "memory_source",
		    "file of the amounts: rollup, smaps, sibling, sibling-smaps or status",
		    "ctprof"),
	 .fill = fill_source},
	{.def = SMAPS(203, "pss_bytes", "proportional set size: pages divided by their users",
		      "smaps_rollup Pss (smaps_account)"),
	 .fill = fill_sum,
	 .keys = {"Pss"}},
	{.def = SMAPS(204, "uss_bytes", "unique set size: pages of this process only",
		      "smaps_rollup Private_Clean + Private_Dirty + Private_Hugetlb"),
	 .fill = fill_sum,
	 .keys = {"Private_Clean", "Private_Dirty"},
	 .optional = "Private_Hugetlb"},
	{.def = SMAPS(205, "rss_bytes", "resident set size, without hugetlb pages",
		      "smaps_rollup Rss, else status VmRSS"),
	 .fill = fill_sum_or_status,
	 .keys = {"Rss"},
	 .status = STATUS_VM_RSS},
	{.def = SMAPS(206, "swap_bytes", "swapped out; from smaps with that of shared memory",
		      "smaps_rollup Swap, else status VmSwap"),
	 .fill = fill_sum_or_status,
	 .keys = {"Swap"},
	 .status = STATUS_VM_SWAP},
	{.def = SMAPS(207, "swap_pss_bytes",
		      "proportional share of what is swapped out, without shared memory",
		      "smaps_rollup SwapPss (smaps_pte_entry)"),
	 .fill = fill_sum,
	 .keys = {"SwapPss"}},
	{.def = SMAPS(208, "pss_anon_bytes", "anonymous part of pss_bytes",
		      "smaps_rollup Pss_Anon"),
	 .fill = fill_sum,
	 .keys = {"Pss_Anon"}},
	{.def = SMAPS(209, "pss_file_bytes", "part of pss_bytes that files back",
		      "smaps_rollup Pss_File"),
	 .fill = fill_sum,
	 .keys = {"Pss_File"}},
	{.def = SMAPS(210, "pss_shmem_bytes", "part of pss_bytes that shared memory backs",
		      "smaps_rollup Pss_Shmem"),
	 .fill = fill_sum,
	 .keys = {"Pss_Shmem"}},
	{.def = SMAPS(211, "pss_dirty_bytes", "dirty part of pss_bytes", "smaps_rollup Pss_Dirty"),
	 .fill = fill_sum,
	 .keys = {"Pss_Dirty"}},
	{.def = SMAPS(212, "anonymous_bytes", "resident pages that no file backs",
		      "smaps_rollup Anonymous, else status RssAnon"),
	 .fill = fill_sum_or_status,
	 .keys = {"Anonymous"},
	 .status = STATUS_RSS_ANON},
	{.def = SMAPS(213, "shared_bytes", "pages that other processes map too, each in full",
		      "smaps_rollup Shared_Clean + Shared_Dirty + Shared_Hugetlb"),
	 .fill = fill_sum,
	 .keys = {"Shared_Clean", "Shared_Dirty"},
	 .optional = "Shared_Hugetlb"},
	{.def = SMAPS(214, "hugetlb_bytes", "hugetlb pages, which rss_bytes leaves out",
		      "smaps_rollup Private_Hugetlb + Shared_Hugetlb"),
	 .fill = fill_sum,
	 .keys = {"Private_Hugetlb", "Shared_Hugetlb"}},
	{.def = SMAPS(215, "ksm_bytes", "pages merged by KSM", "smaps_rollup KSM"),
	 .fill = fill_sum,
	 .keys = {"KSM"}},
	{.def = SMAPS(216, "locked_bytes", "proportional share of locked pages",
		      "smaps_rollup Locked"),
	 .fill = fill_sum,
	 .keys = {"Locked"}},
	{.def = OWN(LEVEL, BYTES, 217, "status_rss_anon_bytes", "anonymous part of VmRSS",
		    "status RssAnon (task_mem)"),
	 .fill = fill_status,
	 .status = STATUS_RSS_ANON},
	{.def = OWN(LEVEL, BYTES, 218, "status_rss_file_bytes", "part of VmRSS that files back",
		    "status RssFile (task_mem)"),
	 .fill = fill_status,
	 .status = STATUS_RSS_FILE},
	{.def = OWN(LEVEL, BYTES, 219, "status_rss_shmem_bytes",
		    "part of VmRSS that shared memory backs", "status RssShmem (task_mem)"),
	 .fill = fill_status,
	 .status = STATUS_RSS_SHMEM},
	{.def = OWN(PEAK, BYTES, 220, "rss_peak_bytes", "highest resident set size so far",
		    "status VmHWM (task_mem)"),
	 .fill = fill_status,
	 .status = STATUS_VM_HWM},
	{.def = OWN(LEVEL, NS, 221, "memory_read_ns", "time it took to read smaps or smaps_rollup",
		    "ctprof"),
	 .fill = fill_read_ns},
	{.def = OWN(LEVEL, NS, 222, "memory_would_ns",
		    "estimated time to read them, for a process that was skipped, by the reads of "
		    "this capture",
		    "ctprof"),
	 .fill = fill_would_ns},
	{.def = OWN(LABEL, NONE, 223, "ppid", "parent process, 0 without one", "status PPid"),
	 .fill = fill_status,
	 .status = STATUS_PPID},
	{.def = OWN(LABEL, NONE, 224, "uid", "real user id", "status Uid, first number"),
	 .fill = fill_status,
	 .status = STATUS_UID},
	{.def = OWN(LABEL, TEXT, 225, "user", "name of the real user, or its number", "getpwuid"),
	 .fill = fill_user},
	{.def = OWN(LABEL, TEXT, 226, "cmdline",
		    "command line: its non-empty arguments, joined by blanks",
		    "cmdline (proc_pid_cmdline_read)"),
	 .fill = fill_cmdline},
	{.def = OWN(LABEL, TEXT, 227, "cwd", "working directory", "cwd (proc_cwd_link)"),
	 .fill = fill_cwd},
	{.def = SHARED_PCOMM, .fill = fill_pcomm},
	{.def = SHARED_START_TIME, .fill = fill_start},
	{.def = SHARED_STATE, .fill = fill_status, .status = STATUS_STATE},
	{.def = SHARED_NR_THREADS, .fill = fill_status, .status = STATUS_THREADS},
	{.def = SHARED_SMAPS_MAP},
	{.def = SHARED_SMAPS_STATE},
	{.def = SHARED_SMAPS_SOURCE},
};

bool process_metric_is_dear(const struct process_metric *metric)
{
	return !metric->fill || metric->keys[0] || metric->fill == fill_state ||
	       metric->fill == fill_source || metric->fill == fill_read_ns ||
	       metric->fill == fill_would_ns;
}

bool process_metric_is_cmdline(const struct process_metric *metric)
{
	return metric->fill == fill_cmdline;
}

bool process_metric_is_user(const struct process_metric *metric)
{
	return metric->fill == fill_user;
}

bool process_metric_is_own(const struct process_metric *metric)
{
	return strcmp(metric->def.group, "memory") == 0;
}
