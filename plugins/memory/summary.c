/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Statistics of reading processes. */
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>

#include "capability.h"
#include "descriptor.h"
#include "metrics.h"
#include "slots.h"

#define SUMMARY(unit, name, help)                                                                  \
	METRIC_ROW(COUNTER, unit, CAPTURE, "memory_summary." name, "summary", help, "ctprof",      \
		   .rank = 0)

/* In the order of enum process_state; time is last. */
static const struct ctprof_metric summary[N_PROCESS_SUMMARY] = {
	SUMMARY(NONE, "exact", "processes whose memory was read in full"),
	SUMMARY(NONE, "approximate", "processes for which only status could be read"),
	SUMMARY(NONE, "skipped", "processes whose memory was too expensive to read"),
	SUMMARY(NONE, "timeout", "processes whose memory was not read in time"),
	SUMMARY(NONE, "inaccessible", "processes for which nothing could be read"),
	SUMMARY(NONE, "not_applicable", "kernel threads and zombies, which have no memory"),
	SUMMARY(NS, "read_ns", "time spent reading smaps and smaps_rollup"),
};

int process_summary_declare(struct process_plan *plan)
{
	return slots_declare(plan->host, summary, N_PROCESS_SUMMARY, plan->summary);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "es";
}

/* Logs one line about the processes without a PSS. */
static void say(const struct process_plan *plan)
{
	const struct ctprof_host *host = plan->host;
	const struct process_tally *tally = &plan->tally;
	uint64_t costly = tally->states[PROCESS_SKIPPED] + tally->states[PROCESS_TIMEOUT];
	const char *remedy =
		capability_is_held(host, CAP_SYS_PTRACE)
			? "refused even with CAP_SYS_PTRACE: another user namespace, or a "
			  "security module"
			: "needs CAP_SYS_PTRACE, or CAP_PERFMON since Linux 6.15 (run as root, "
			  "or setcap cap_sys_ptrace+ep)";
	char denied[256] = "", rest[200] = "";

	if (tally->denied > 0)
		(void)snprintf(denied, sizeof denied, "PSS missing for %" PRIu64 " process%s: %s",
			       tally->denied, plural(tally->denied), remedy);
	if (costly > 0)
		(void)snprintf(rest, sizeof rest,
			       "%sPSS not read for %" PRIu64
			       " process%s: too large or too slow (see "
			       "--smaps-max-rss, --smaps-budget, --smaps-timeout)",
			       denied[0] ? "; " : "", costly, plural(costly));
	if (denied[0] || rest[0])
		host->log(host, plan->is_reported ? CTPROF_LOG_INFO : CTPROF_LOG_WARNING, "%s%s",
			  denied, rest);
}

void process_summary_put(const struct process_plan *plan, struct ctprof_batch *batch)
{
	const struct ctprof_host *host = plan->host;

	if (!plan->wanted || !plan->dear)
		return;
	for (unsigned i = 0; i < N_PROCESS_STATES; i++)
		host->put_u64(batch, 0, plan->summary[i], plan->tally.states[i]);
	host->put_u64(batch, 0, plan->summary[N_PROCESS_STATES], plan->tally.read_ns);
	/* In a recorded tree there is nothing to fix. */
	if (!plan->limits->never && host->live(host))
		say(plan);
}
