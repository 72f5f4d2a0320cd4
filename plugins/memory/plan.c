/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decides what to read of each process, before the first thread. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "metrics.h"
#include "slots.h"

const struct ctprof_option_word process_sources[N_PROCESS_SOURCES] = {
	[SMAPS_AUTO] = OPTION_WORD("auto", "smaps_rollup, else smaps"),
	[SMAPS_ROLLUP] = OPTION_WORD("rollup", NULL),
	[SMAPS_FULL] = OPTION_WORD("smaps", NULL),
};

static enum smaps_files read_source(const struct ctprof_host *host)
{
	const char *given = host->option(host, "smaps-source");
	enum smaps_files files = SMAPS_AUTO;

	while (given && files + 1 < N_PROCESS_SOURCES && strcmp(given, process_sources[files].name))
		files++;
	return files;
}

static int declare(struct process_plan *plan)
{
	int r = slots_declare_rows(plan->host, process_metrics, sizeof *process_metrics,
				   N_PROCESS_METRICS, plan->slots);

	if (r < 0)
		return r;
	plan->smaps_slots = (struct smaps_slots){
		.map = plan->slots[PROCESS_METRIC_SMAPS_MAP],
		.state = plan->slots[PROCESS_METRIC_SMAPS_STATE],
		.source = plan->slots[PROCESS_METRIC_SMAPS_SOURCE],
	};
	return process_summary_declare(plan);
}

int process_plan_open(struct process_plan *ret, const struct ctprof_host *host,
		      struct smaps_limits *limits)
{
	long page_bytes = sysconf(_SC_PAGESIZE);

	ret->host = host;
	ret->limits = limits;
	ret->cmdline_limits.unlimited = true;
	ret->cmdline_limits.job_limits.begun_ns = limits->job_limits.begun_ns;
	ret->cmdline_limits.job_limits.timeout_ns = limits->job_limits.timeout_ns;
	ret->cmdline_limits.read_file = read;
	ret->page_bytes = page_bytes > 0 ? (uint64_t)page_bytes : 4096;
	ret->files = read_source(host);
	ret->max_rss = option_u64(host, "smaps-max-rss", UINT64_MAX);
	ret->impersonal = option_u64(host, "no-cmdline", 0) != 0;
	int r = declare(ret);
	if (r < 0)
		return r;
	(void)pthread_mutex_init(&ret->lock, NULL);
	users_init(&ret->users);
	return 0;
}

void process_plan_close(struct process_plan *plan)
{
	users_clear(&plan->users);
	(void)pthread_mutex_destroy(&plan->lock);
}

void process_plan_start(struct process_plan *plan)
{
	bool user = false;

	plan->wanted = plan->dear = plan->cmdline = false;
	for (unsigned i = 0; i < N_PROCESS_METRICS; i++) {
		const struct process_metric *metric = &process_metrics[i];

		plan->asked[i] = plan->host->wanted(plan->host, plan->slots[i]);
		plan->wanted |= plan->asked[i] && process_metric_is_own(metric);
		plan->dear |= plan->asked[i] && metric->traits & TRAIT_DEAR;
		bool read =
			plan->asked[i] && !(plan->impersonal && metric->traits & TRAIT_PERSONAL);
		plan->cmdline |= read && metric->traits & TRAIT_CMDLINE;
		user |= read && metric->traits & TRAIT_USER;
	}
	/* In a recorded tree, the user names of this host would be wrong. */
	if (user && plan->host->live(plan->host) && !plan->users.async)
		users_start(&plan->users, users_ask_system, plan->limits->job_limits.timeout_ns);
}

void process_plan_again(struct process_plan *plan)
{
	process_plan_start(plan);
	plan->tally = (struct process_tally){0};
	plan->is_reported = true;
	atomic_store(&plan->cost.reserved_ns, 0);
	async_limits_again(&plan->cmdline_limits.job_limits);
}
