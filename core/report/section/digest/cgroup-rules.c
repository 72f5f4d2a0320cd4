/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules about the limits of cgroups. */
#include <math.h>
#include <string.h>

#include "rules.h"

#define MET " met its memory limit"

/* If throttling is not counted, a cgroup may use all of its quota without wanting more: its threads
 * must also wait. */
static gdouble measure_throttled(const Subject *subject)
{
	if (subject->limits->is_uncounted) {
		const CostLine *line = cgroup_pool(subject->digest, subject->limits);

		if (!line ||
		    !(digest_cost(line, subject->digest->newest, COST_WAITING) >= LEAST_QUEUE))
			return NAN;
	}
	return throttling_share(subject->limits) * 100;
}

static gdouble cost_throttled(const Subject *subject)
{
	gdouble seconds = subject->digest->seconds, share = subject->value / 100;

	return seconds > 0 ? MAX(subject->limits->throttled_s / seconds, share) : share;
}

/* Whether the pool belongs to the limits' unit or cgroup; other cgroups may be of the same unit. */
static gboolean pool_has_limits(const CostLine *line, const CgroupLimits *limits)
{
	return g_strcmp0(line->unit, limits->unit) == 0 ||
	       g_strcmp0(line->cgroup, limits->path) == 0;
}

const CostLine *cgroup_pool(const Digest *digest, const CgroupLimits *limits)
{
	const CostLine *below = NULL;

	for (guint i = 0; i < digest->lines->len; i++) {
		const CostLine *line = digest_line(digest, i);

		if (pool_has_limits(line, limits))
			return line;
		if (!below && throttling_applies(limits, line->cgroup))
			below = line;
	}
	return below;
}

/* Adds "workers (web.service) is …": the largest pool of the cgroup, and the cgroup unless it has
 * the same name.  With by, for a pool of a cgroup below: "workers is … by web.slice …".
 */
static void say_of_cgroup(const Subject *subject, Sentence *sentence, const char *verb,
			  const char *by, const char *words, const struct ctprof_term *terms,
			  guint n)
{
	const Digest *digest = subject->digest;
	struct ctprof_term all[4] = {[1] = term_name(subject->limits->unit)};
	const CostLine *line = cgroup_pool(digest, subject->limits);
	gboolean is_own = line && pool_has_limits(line, subject->limits);
	gboolean has_both = is_own && strcmp(line->name, subject->limits->unit) != 0;
	guint from = has_both || (line && by && !is_own) ? 0 : 1;

	if (line)
		all[0] = term_name(line->name);
	memcpy(&all[2], terms, n * sizeof *terms);
	words = store_take(digest->draft->store,
			   g_strconcat(has_both ? "{} ({})" : "{}", verb,
				       is_own || from > 0 ? "" : by, words, NULL));
	sentence_add(sentence, 0, words, all + from, n + 2 - from);
}

static void say_throttled(const Subject *subject, Sentence *sentence)
{
	const struct ctprof_term terms[] = {
		term_count("throttled", "percent", MIN(subject->value, 100)),
		term_text(CTPROF_TERM_TEXT,
			  subject->limits->n_periods > 0 ? "its periods" : "the time"),
	};

	if (subject->limits->is_uncounted) {
		const struct ctprof_term quota = term_cpus("quota", subject->limits->quota);

		say_of_cgroup(subject, sentence, "", " in {}",
			      " uses all of its quota of {} CPU, and waits", &quota, 1);
		return;
	}
	say_of_cgroup(subject, sentence, " is throttled", " by {}", " in {} % of {}", terms, 2);
	if (subject->limits->quota > 0)
		SAY(sentence, ": its quota is {} CPU", term_cpus("quota", subject->limits->quota));
}

/* Caches of files fill any limit: it does no harm unless threads have to wait for memory, which
 * they do at most as often as those of the whole host, or pages are needed again. */
static gboolean may_harm(const HostState *host)
{
	return !(host->memory_pressure < LEAST_PRESSURE) || host->refaults >= LEAST_REFAULTS;
}

static gdouble measure_memory_max(const Subject *subject)
{
	const Digest *digest = subject->digest;

	return digest->seconds > 0 && may_harm(&digest->host) ? subject->limits->n_max : NAN;
}

static gdouble cost_memory_max(const Subject *subject)
{
	return MAX(subject->digest->host.refaults * PRICE_OF_REFAULTS, COST_OF_ODDITIES);
}

static void say_memory_max(const Subject *subject, Sentence *sentence)
{
	const struct ctprof_term terms[] = {
		term_bytes("limit", "bytes", subject->limits->memory_max),
		term_rate("limit_met", "none", subject->value),
	};

	if (subject->limits->memory_max > 0)
		say_of_cgroup(subject, sentence, MET, NULL, " of {} {} times", terms, 2);
	else
		say_of_cgroup(subject, sentence, MET, NULL, " {} times", terms + 1, 1);
}

/* For cgroup v1, where the kernel does not count how often a limit made it reclaim: returns how
 * full the cgroup is, if pages are read back. */
static gdouble measure_memory_full(const Subject *subject)
{
	const CgroupLimits *limits = subject->limits;
	gboolean reads_back = limits->n_failed > 0
				      ? subject->digest->host.refaults >= LEAST_REFAULTS
				      : is_thrashing(subject->digest);

	return isnan(limits->n_max) && reads_back ? throttling_filled(limits) : NAN;
}

static void say_memory_full(const Subject *subject, Sentence *sentence)
{
	const struct ctprof_term terms[] = {
		term_count("used", "percent", MIN(subject->value, 100)),
		term_bytes("limit", "bytes", subject->limits->memory_max),
	};

	say_of_cgroup(subject, sentence, " uses", NULL, " {} % of its memory limit of {}", terms,
		      2);
	SAY(sentence, ", and {} pages/s of the host were needed again after reclaim",
	    term_rate("refaults", "1/s", subject->digest->host.refaults));
}

/* clang-format off */
const Rule cgroup_rules[] = {
	{"throttled", "percent", LEAST_THROTTLED, measure_throttled, say_throttled, .cost = cost_throttled},
	{"memory-limit", "none", 1, measure_memory_max, say_memory_max, .cost = cost_memory_max},
	{"memory-full", "percent", LEAST_FULL, measure_memory_full, say_memory_full, .cost = cost_memory_max},
	{.name = NULL},
};
/* clang-format on */
