/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "summary.h"

#include <inttypes.h>
#include <string.h>

static const char hint[] = "run as root, or give ctprof the capability "
			   "(setcap cap_sys_ptrace+ep), or set kernel.yama.ptrace_scope=0";

/* What a metric is put from. */
struct source {
	const struct ctprof_host *host;
	struct ctprof_batch *batch;
	const struct tally *tally;
	struct tally_summary sums;
};

static void put_walked(const struct source *from, uint32_t slot)
{
	from->host->put_u64(from->batch, 0, slot, from->sums.walked);
}

static void put_detected(const struct source *from, uint32_t slot)
{
	from->host->put_u64(from->batch, 0, slot, from->sums.detected);
}

static void put_ok(const struct source *from, uint32_t slot)
{
	from->host->put_u64(from->batch, 0, slot, from->sums.ok);
}

static void put_failed(const struct source *from, uint32_t slot)
{
	from->host->put_u64(from->batch, 0, slot, from->sums.failed);
}

static void put_dominant(const struct source *from, uint32_t slot)
{
	const char *name = tag_name(from->sums.dominant);

	if (from->sums.dominant == TAG_OK)
		from->host->put_absent(from->batch, 0, slot, CTPROF_ABSENT_UNSUPPORTED);
	else
		from->host->put_text(from->batch, 0, slot, name, strlen(name));
}

static void put_privilege(const struct source *from, uint32_t slot)
{
	from->host->put_u64(from->batch, 0, slot, from->sums.by_privilege ? 1 : 0);
}

static void put_failures(const struct source *from, uint32_t slot)
{
	struct ctprof_map_entry entries[TAG_COUNT];
	size_t n = 0;

	for (enum tag tag = TAG_OK + 1; tag < TAG_COUNT; tag++) {
		uint64_t count = from->tally->tags[tag];
		const char *name = tag_name(tag);

		if (count > 0)
			entries[n++] = (struct ctprof_map_entry){
				.key = name,
				.key_len = (uint32_t)strlen(name),
				.number = count,
			};
	}
	from->host->put_map(from->batch, 0, slot, entries, n);
}

struct summary_row {
	struct ctprof_metric metric;
	void (*put)(const struct source *from, uint32_t slot);
};

#define ROW(kind_, unit_, name_, help_, put_)                                                      \
	{                                                                                          \
		.metric =                                                                          \
			{                                                                          \
				.struct_size = sizeof(struct ctprof_metric),                       \
				.kind = kind_,                                                     \
				.unit = unit_,                                                     \
				.scope = CTPROF_SCOPE_CAPTURE,                                     \
				.name = "probe_summary." name_,                                    \
				.group = "summary",                                                \
				.help = help_,                                                     \
				.origin = "ctprof, counted by the jemalloc source",                \
			},                                                                         \
		.put = put_,                                                                       \
	}

static const struct summary_row rows[SUMMARY_METRICS] = {
	ROW(CTPROF_COUNTER, CTPROF_UNIT_NONE, "tgids_walked", "processes examined", put_walked),
	ROW(CTPROF_COUNTER, CTPROF_UNIT_NONE, "jemalloc_detected",
	    "processes with jemalloc whose counters were located", put_detected),
	ROW(CTPROF_COUNTER, CTPROF_UNIT_NONE, "probed_ok", "threads whose counters were read",
	    put_ok),
	ROW(CTPROF_COUNTER, CTPROF_UNIT_NONE, "failed",
	    "processes and threads that failed for an actionable reason", put_failed),
	ROW(CTPROF_CATEGORY, CTPROF_UNIT_TEXT, "dominant_failure",
	    "the most frequent of these reasons", put_dominant),
	ROW(CTPROF_CATEGORY, CTPROF_UNIT_BOOL, "privilege_dominant",
	    "at least half of these failed because of missing privileges", put_privilege),
	ROW(CTPROF_MAP, CTPROF_UNIT_NONE, "failures", "failures by tag, every tag", put_failures),
};

int summary_register(const struct ctprof_host *host, struct summary *ret)
{
	for (size_t i = 0; i < SUMMARY_METRICS; i++) {
		int rc = host->metric(host, &rows[i].metric, &ret->slots[i]);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static void tell(const struct ctprof_host *host, const struct tally_summary *sums)
{
	bool failed = sums->failed > 0;

	host->log(host, CTPROF_LOG_INFO,
		  "%" PRIu64 " processes walked, %" PRIu64 " with jemalloc, %" PRIu64
		  " threads read, %" PRIu64 " failed%s%s%s",
		  sums->walked, sums->detected, sums->ok, sums->failed,
		  failed ? " (dominant: " : "", failed ? tag_name(sums->dominant) : "",
		  failed ? ")" : "");
	if (sums->by_privilege)
		host->log(host, CTPROF_LOG_WARNING, "hint: memory of other processes refused: %s",
			  hint);
}

void summary_put(const struct ctprof_host *host, const struct summary *summary,
		 struct ctprof_batch *batch, const struct tally *tally)
{
	struct source from = {host, batch, tally, tally_summarise(tally)};

	for (size_t i = 0; i < SUMMARY_METRICS; i++)
		rows[i].put(&from, summary->slots[i]);
	tell(host, &from.sums);
}
