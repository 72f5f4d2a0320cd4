/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "summary.h"
#include "descriptor.h"

#include <inttypes.h>
#include <string.h>

static const char hint[] = "run as root, or give ctprof the capability "
			   "(setcap cap_sys_ptrace+ep), or set kernel.yama.ptrace_scope=0";

#define METRIC(kind, unit, name, help)                                                             \
	METRIC_ROW(kind, unit, CAPTURE, "probe_summary." name, "summary", help,                    \
		   "ctprof, counted by the jemalloc source")

const struct ctprof_metric summary_metrics[SUMMARY_METRICS] = {
	[SUMMARY_WALKED] = METRIC(COUNTER, NONE, "tgids_walked", "processes examined"),
	[SUMMARY_DETECTED] = METRIC(COUNTER, NONE, "jemalloc_detected",
				    "processes with jemalloc whose counters were located"),
	[SUMMARY_OK] = METRIC(COUNTER, NONE, "probed_ok", "threads whose counters were read"),
	[SUMMARY_FAILED] = METRIC(COUNTER, NONE, "failed",
				  "processes and threads that failed for an actionable reason"),
	[SUMMARY_DOMINANT] =
		METRIC(CATEGORY, TEXT, "dominant_failure", "the most frequent of these reasons"),
	[SUMMARY_PRIVILEGE] = METRIC(CATEGORY, BOOL, "privilege_dominant",
				     "at least half of these failed because of missing privileges"),
	[SUMMARY_FAILURES] = METRIC(MAP, NONE, "failures", "failures by tag, every tag"),
};

static void put_failures(const struct ctprof_host *host, uint32_t slot, struct ctprof_batch *batch,
			 const struct tally *tally)
{
	struct ctprof_map_entry entries[TAG_COUNT];
	size_t n = 0;

	for (enum tag tag = TAG_OK + 1; tag < TAG_COUNT; tag++)
		if (tally->tags[tag] > 0)
			entries[n++] = (struct ctprof_map_entry){
				.key = tag_rows[tag].name,
				.key_len = (uint32_t)strlen(tag_rows[tag].name),
				.number = tally->tags[tag],
			};
	host->put_map(batch, 0, slot, entries, n);
}

static void log_summary(const struct ctprof_host *host, const struct tally_summary *sums)
{
	bool failed = sums->failed > 0;

	host->log(host, CTPROF_LOG_INFO,
		  "%" PRIu64 " processes walked, %" PRIu64 " with jemalloc, %" PRIu64
		  " threads read, %" PRIu64 " failed%s%s%s",
		  sums->walked, sums->detected, sums->ok, sums->failed,
		  failed ? " (dominant: " : "", failed ? tag_rows[sums->dominant].name : "",
		  failed ? ")" : "");
	if (sums->by_privilege)
		host->log(host, CTPROF_LOG_WARNING, "hint: memory of other processes refused: %s",
			  hint);
}

void summary_put(const struct ctprof_host *host, const uint32_t *slots, struct ctprof_batch *batch,
		 const struct tally *tally)
{
	const struct tally_summary sums = tally_summarise(tally);
	const char *dominant = tag_rows[sums.dominant].name;

	host->put_u64(batch, 0, slots[SUMMARY_WALKED], sums.walked);
	host->put_u64(batch, 0, slots[SUMMARY_DETECTED], sums.detected);
	host->put_u64(batch, 0, slots[SUMMARY_OK], sums.ok);
	host->put_u64(batch, 0, slots[SUMMARY_FAILED], sums.failed);
	if (sums.dominant == TAG_OK)
		host->put_absent(batch, 0, slots[SUMMARY_DOMINANT], CTPROF_ABSENT_UNSUPPORTED);
	else
		host->put_text(batch, 0, slots[SUMMARY_DOMINANT], dominant, strlen(dominant));
	host->put_u64(batch, 0, slots[SUMMARY_PRIVILEGE], sums.by_privilege ? 1 : 0);
	put_failures(host, slots[SUMMARY_FAILURES], batch, tally);
	log_summary(host, &sums);
}
