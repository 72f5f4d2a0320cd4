/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "why.h"

#include <math.h>
#include <string.h>

#include "throttling.h"

#define AFFINITY "cpu_affinity"
#define NICE "nice"
#define POLICY "policy"
#define PLACE "wait_channel"
#define TUNABLES "host.sched_tunables"
#define AUTOGROUP "sched_autogroup_enabled"

#define LEAST_PART 0.8      /* share of a pool's cost, for one thread or process to be named */
#define LEAST_IDLE 0.5      /* CPUs */
#define LEAST_SATURATED 0.9 /* share of the CPUs that are busy */
#define LEAST_RIVAL 0.2     /* CPUs */
#define LEAST_KERNEL 0.7    /* of the CPU time */

/* The kernel's sched_prio_to_weight: each nice level is a quarter more or less. */
#define PER_NICE 1.25
#define IDLE_WEIGHT (3.0 / 1024)

const char *const why_metrics[] = {
	AFFINITY, NICE, POLICY, PLACE, "ppid", "open_wait_ns", "hiwater_rss_bytes", NULL};

gboolean why_needs(const char *metric)
{
	return quantity_serves_windows(metric) ||
	       (strcmp(metric, PLACE) != 0 && g_strv_contains(why_metrics, metric));
}

/* Returns the value that all threads of a pool share; ABSENT: they differ, or it is unknown. */
static struct ctprof_value common(const Digest *digest, const CostLine *line, const char *metric)
{
	struct ctprof_value value = draft_value(digest->draft, TABLE_THREADS, line->group->sides,
						digest->newest, metric);

	if ((value.type == CTPROF_VALUE_RANGE && value.min != value.max) ||
	    (value.type == CTPROF_VALUE_CPUS && !value.text) ||
	    (value.type == CTPROF_VALUE_MODE && value.count != value.n))
		value.type = CTPROF_VALUE_ABSENT;
	return value;
}

void why_read_pinned(const Digest *digest, CostLine *line)
{
	gdouble used = digest_cost(line, digest->newest, COST_CPU);

	/* A pool that asks for almost no CPU is not in the way of others. */
	if (used + digest_cost(line, digest->newest, COST_WAITING) < LEAST_RIVAL)
		return;
	const struct ctprof_value cpus = common(digest, line, AFFINITY);
	line->n_pinned = (gdouble)cpus.max;
	if (cpus.type == CTPROF_VALUE_CPUS && line->n_pinned < digest->host.cpus)
		line->pinned = cpus.text;
}

struct ctprof_term why_member_name(const Digest *digest, const char *name, gint32 id)
{
	return term_name(store_take(digest->draft->store, g_strdup_printf("%s[%d]", name, id)));
}

void why_add_member(const Subject *subject, Sentence *sentence, guint cost)
{
	const Digest *digest = subject->digest;
	const WindowResult *window = digest->draft->window;
	Member member;
	gdouble share;

	if (!window || !members_leader(window->members, subject->line->group->sides[1], cost,
				       LEAST_PART, &member, &share))
		return;
	gint32 id = member.tid ? member.tid : member.tgid;
	SAY(sentence, ", {} % of it in {}", term_count("member_share", "percent", share * 100),
	    why_member_name(digest, member.name, id));
}

/* Adds ", at nice 19" or ", under SCHED_FIFO" if this differs from the default. */
static void add_class(const Digest *digest, const CostLine *line, Sentence *sentence)
{
	const struct ctprof_value policy = common(digest, line, POLICY);
	const struct ctprof_value nice = common(digest, line, NICE);

	if (policy.type == CTPROF_VALUE_MODE && strcmp(policy.text, "SCHED_OTHER") != 0)
		SAY(sentence, ", under {}", term_text(CTPROF_TERM_TEXT, policy.text));
	else if (nice.type == CTPROF_VALUE_RANGE && nice.min != 0)
		SAY(sentence, ", at nice {}", term_count("nice", "none", (gdouble)nice.min));
}

/* Returns the scheduler's weight of each of its threads, 1 at nice 0; NAN: they differ, or it is
 * unknown. */
static gdouble class_weight(const Digest *digest, const CostLine *line)
{
	const struct ctprof_value policy = common(digest, line, POLICY);
	const struct ctprof_value nice = common(digest, line, NICE);

	if (policy.type != CTPROF_VALUE_MODE)
		return NAN;
	if (strcmp(policy.text, "SCHED_IDLE") == 0)
		return IDLE_WEIGHT;
	if (strcmp(policy.text, "SCHED_OTHER") != 0 && strcmp(policy.text, "SCHED_BATCH") != 0)
		return INFINITY;
	return nice.type == CTPROF_VALUE_RANGE ? pow(PER_NICE, -(gdouble)nice.min) : NAN;
}

/* The same where the kernel weighs the threads of each session among themselves only (autogroups):
 * which session a thread is of is not read, but real-time threads run before those of all. */
static gdouble policy_weight(const Digest *digest, const CostLine *line)
{
	gdouble weight = class_weight(digest, line);

	return isfinite(weight) ? 1 : weight;
}

static gboolean has_autogroups(const Digest *digest)
{
	const Measure *measure = draft_measure(digest->draft, TABLE_HOST, TUNABLES);

	if (!measure || measure->kind != CTPROF_MAP)
		return FALSE;
	MapWalk walk = map_walk_of(digest->draft->host, measure);
	while (map_walk_next(&walk))
		if (strcmp(walk.key, AUTOGROUP) == 0)
			return g_strcmp0(walk.values[digest->newest].text, "1") == 0;
	return FALSE;
}

/* Returns the smallest weight among its cgroup and the ones above, or the default. */
static gdouble cgroup_weight(const Digest *digest, const CostLine *line)
{
	gdouble least = DEFAULT_WEIGHT;

	for (guint i = 0; i < digest->limits->len; i++) {
		const CgroupLimits *limits = &g_array_index(digest->limits, CgroupLimits, i);

		if (limits->weight > 0 && throttling_applies(limits, line->cgroup))
			least = MIN(least, limits->weight);
	}
	return least;
}

gboolean why_is_deadline(const Subject *subject)
{
	const struct ctprof_value policy = common(subject->digest, subject->line, POLICY);

	return policy.type == CTPROF_VALUE_MODE && strcmp(policy.text, "SCHED_DEADLINE") == 0;
}

/* Returns half of the CPU that others use; if the pool is pinned, only on its CPUs.  A
 * rival that uses less is not why the pool waits.  NAN: not known. */
static gdouble half_of_others(const Subject *subject)
{
	const CostLine *line = subject->line;
	gdouble busy = line->pinned ? line->n_pinned : subject->digest->host.busy;

	return MAX(LEAST_RIVAL, (busy - subject_cost(subject, COST_CPU)) / 2);
}

/* Returns the CPU that another pool uses; 0: it is not pinned to the same CPUs, or is this one. */
static gdouble rival_cpu(const Subject *subject, const CostLine *line)
{
	const char *pinned = subject->line->pinned;

	return line == subject->line || (pinned && g_strcmp0(line->pinned, pinned) != 0)
		       ? 0
		       : digest_cost(line, subject->digest->newest, COST_CPU);
}

/* Returns the other pool that uses the most CPU.  NULL if that is less than half of what all others
 * use, or less than this pool uses: its own threads are then in each other's way. */
static const CostLine *find_rival(const Subject *subject)
{
	const GArray *lines = subject->digest->lines;
	gdouble most = MAX(half_of_others(subject), subject_cost(subject, COST_CPU));
	const CostLine *rival = NULL;

	for (guint i = 0; i < lines->len; i++) {
		const CostLine *line = digest_line(subject->digest, i);

		if (rival_cpu(subject, line) < most)
			continue;
		most = rival_cpu(subject, line);
		rival = line;
	}
	return rival;
}

/* Whether pools of at least twice the weight use half of what all others use: that is then a reason
 * why the pool waits. */
static gboolean is_outweighed(const Subject *subject,
			      gdouble (*weight_of)(const Digest *, const CostLine *))
{
	const Digest *digest = subject->digest;
	gdouble own = weight_of(digest, subject->line), cpu = 0;

	for (guint i = 0; i < digest->lines->len; i++) {
		const CostLine *line = digest_line(digest, i);

		if (weight_of(digest, line) >= 2 * own)
			cpu += rival_cpu(subject, line);
	}
	return cpu >= half_of_others(subject);
}

void why_add_pinned(const Subject *subject, Sentence *sentence)
{
	const HostState *host = &subject->digest->host;
	const char *pinned = subject->line->pinned;

	if (!pinned || subject->digest->seconds <= 0)
		return;
	SAY(sentence, subject->line->n_pinned > 1 ? ", all on CPUs {}" : ", all on CPU {}",
	    term_text(CTPROF_TERM_TEXT, pinned));
	if (host->cpus - host->busy >= LEAST_IDLE)
		SAY(sentence, ", {} of {} CPUs idle", term_cpus("idle", host->cpus - host->busy),
		    term_count("cpus", "cpus", host->cpus));
}

void why_add_rivals(const Subject *subject, Sentence *sentence)
{
	const Digest *digest = subject->digest;
	const HostState *host = &digest->host;
	const char *pinned = subject->line->pinned;

	if (digest->seconds <= 0)
		return;
	why_add_pinned(subject, sentence);
	gboolean has_groups = has_autogroups(digest);
	gboolean is_of_class = is_outweighed(subject, has_groups ? policy_weight : class_weight);
	if (is_of_class && !has_groups)
		add_class(digest, subject->line, sentence);
	if (is_outweighed(subject, cgroup_weight))
		SAY(sentence, ", at cpu.weight {}",
		    term_count("weight", "none", cgroup_weight(digest, subject->line)));
	/* A rival is only guessed if it is not known which pools ran on their CPUs. */
	if (subject_blame(subject) || (!pinned && !(host->busy >= LEAST_SATURATED * host->cpus)))
		return;
	const CostLine *rival = find_rival(subject);
	if (!rival)
		return;
	SAY(sentence, ", while {} ran {} CPU", term_name(rival->name),
	    term_cpus("rival_cpu", digest_cost(rival, digest->newest, COST_CPU)));
	if (pinned)
		TELL(sentence, " there");
	if (is_of_class && !(has_groups && isfinite(class_weight(digest, rival))))
		add_class(digest, rival, sentence);
}

void why_add_use(const Subject *subject, Sentence *sentence)
{
	const Digest *digest = subject->digest;
	gdouble system = subject_cost(subject, COST_SYSTEM);
	gdouble all = system + subject_cost(subject, COST_USER);

	if (digest->seconds > 0 && all > 0 && system / all >= LEAST_KERNEL)
		SAY(sentence, ", {} % of it in the kernel",
		    term_count("kernel_share", "percent", system / all * 100));
	add_class(digest, subject->line, sentence);
}

void why_add_place(const Subject *subject, Sentence *sentence)
{
	const struct ctprof_value place = common(subject->digest, subject->line, PLACE);

	if (place.type == CTPROF_VALUE_MODE)
		SAY(sentence, ", in {}", term_text(CTPROF_TERM_TEXT, place.text));
	else if (!draft_measure(subject->digest->draft, TABLE_THREADS, PLACE))
		TELL(sentence, " (--groups=wait shows where)");
}
