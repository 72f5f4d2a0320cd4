/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rules of what stands out.  A rule measures a pool, a cgroup or the host; what
 * reaches its limit is said in one sentence.  Costs are told on one scale: a CPU, a
 * thread held up, a GiB that was taken and 100 MB/s count alike.
 */
#include "rules.h"

#include <math.h>
#include <string.h>

#define MB 1e6
#define PAGE 4096
#define MIB (1024.0 * 1024)
#define GIB (1024 * MIB)
#define NS_PER_S 1e9
/* Killed processes come before all else, what is merely odd after it. */
#define COST_OF_KILLS 1e6
#define COST_OF_ODDITIES 0.01

/* Below these nothing is worth a line. */
#define LEAST_WAITING 1.0       /* threads */
#define LEAST_RATIO 3.0         /* of the time waited to that run */
#define LEAST_BUSY_SHARE 10.0   /* percent of the CPUs */
#define LEAST_QUEUE 0.5         /* threads */
#define LEAST_IO (1 * MB)       /* bytes/s */
#define LEAST_IO_SHARE 50.0     /* percent */
#define LEAST_DISK_WAIT 0.5     /* threads */
#define LEAST_MEMORY_WAIT 0.05  /* threads */
#define LEAST_GROWTH (64 * MIB) /* bytes */
#define LEAST_GROWTH_SHARE 0.05 /* of what there is then */
#define MOST_GROWTH 2           /* times what there was, a minute: more is told in bytes */
#define LEAST_SWITCHES 10000.0  /* 1/s */
#define MOST_WORK_NS 50000.0    /* CPU a switch */
#define LEAST_EXITED_SHARE 10.0 /* percent of the CPU time */
#define LEAST_FORKS 50.0        /* 1/s */
#define LEAST_UNKNOWN_SHARE 5.0 /* likewise */
#define LEAST_CPU 0.05          /* CPUs */
#define LEAST_REFAULTS 1000.0   /* 1/s */
#define LEAST_THROTTLED 10.0    /* percent of the time */
#define LEAST_UNREAD_SHARE 10.0 /* percent of the threads */

static gdouble cost_of(const Subject *subject, enum cost cost)
{
	return digest_cost(subject->line, subject->digest->newest, cost);
}

static const char *short_of(const Subject *subject, guint32 ladder, gdouble value)
{
	return digest_number(subject->digest->draft, ladder, value);
}

static const char *plain(const Subject *subject, gdouble value)
{
	return short_of(subject, CTPROF_LADDER_NONE, value);
}

static const char *rate_of(const Subject *subject, gdouble value)
{
	return short_of(subject, CTPROF_LADDER_UNITLESS, value);
}

static const char *bytes_of(const Subject *subject, gdouble value)
{
	return short_of(subject, CTPROF_LADDER_BYTES, value);
}

static guint64 threads_of(const Subject *subject)
{
	return subject->line->threads[subject->digest->newest];
}

/* "5.4 of its 22 threads", of one thread "54 % of the time". */
static const char *held_up(const Subject *subject, gdouble threads)
{
	guint64 n = threads_of(subject);

	/* Those that came and went have waited, too. */
	if (n > 1 && threads > (gdouble)n)
		return store_take(subject->digest->draft->store,
				  g_strdup_printf("%s threads", plain(subject, threads)));
	return store_take(subject->digest->draft->store,
			  n > 1 ? g_strdup_printf("%s of its %" G_GUINT64_FORMAT " threads",
						  plain(subject, threads), n)
				: g_strdup_printf("%.0f %% of the time", MIN(threads, 1) * 100));
}

static const char *name_of(const Subject *subject)
{
	return digest_name(subject->digest, subject->line->name);
}

static gdouble cost_as_measured(const Subject *subject)
{
	return subject->value;
}

/* ---- pools ---- */

static gdouble measure_starved(const Subject *subject)
{
	gdouble cpu = cost_of(subject, COST_CPU), waiting = cost_of(subject, COST_WAITING);

	return waiting >= LEAST_WAITING ? waiting / MAX(cpu, 1e-6) : NAN;
}

static gdouble cost_waiting(const Subject *subject)
{
	return cost_of(subject, COST_WAITING);
}

static void add_turn(const Subject *subject, GPtrArray *pieces)
{
	if (cost_of(subject, COST_TURN) > 0)
		digest_add(pieces, ", %s a turn",
			   short_of(subject, CTPROF_LADDER_NS, cost_of(subject, COST_TURN)));
}

static void say_starved(const Subject *subject, GPtrArray *pieces)
{
	digest_add(pieces, "%s is starved, not busy", name_of(subject));
	digest_add(pieces, threads_of(subject) > 1 ? ": %s wait for a CPU" : ": waits %s",
		   held_up(subject, cost_of(subject, COST_WAITING)));
	add_turn(subject, pieces);
	digest_add(pieces, ", for %s CPU", plain(subject, cost_of(subject, COST_CPU)));
}

static gdouble measure_busiest(const Subject *subject)
{
	const Digest *digest = subject->digest;
	gdouble cpu = cost_of(subject, COST_CPU);

	/* Of the starved it is said already. */
	if (measure_starved(subject) >= LEAST_RATIO)
		return NAN;
	for (guint i = 0; i < digest->lines->len; i++)
		if (digest_cost(digest_line(digest, i), digest->newest, COST_CPU) > cpu)
			return NAN;
	return cpu / digest->host.cpus * 100;
}

static gdouble cost_cpu(const Subject *subject)
{
	return cost_of(subject, COST_CPU);
}

static void say_busiest(const Subject *subject, GPtrArray *pieces)
{
	gdouble waiting = cost_of(subject, COST_WAITING);

	digest_add(pieces, "%s takes most CPU (%s of %.0f)", name_of(subject),
		   plain(subject, cost_of(subject, COST_CPU)), subject->digest->host.cpus);
	if (waiting < LEAST_QUEUE)
		return;
	digest_add(pieces, " and queues: %s", held_up(subject, waiting));
	add_turn(subject, pieces);
}

static gdouble measure_disk(const Subject *subject)
{
	const HostState *host = &subject->digest->host;
	gdouble own = cost_of(subject, COST_READ) + cost_of(subject, COST_WRITE);
	gdouble all = host->read + host->written;

	/* Threads dirty pages before anything is written. */
	return own >= LEAST_IO && !isnan(all) ? own / MAX(all, own) * 100 : NAN;
}

static gdouble cost_disk(const Subject *subject)
{
	return (cost_of(subject, COST_READ) + cost_of(subject, COST_WRITE)) / (100 * MB);
}

static void say_disk(const Subject *subject, GPtrArray *pieces)
{
	const HostState *host = &subject->digest->host;

	digest_add(pieces, "%s does the disk I/O", name_of(subject));
	digest_add(pieces, ": %s of %sB/s read", rate_of(subject, cost_of(subject, COST_READ)),
		   rate_of(subject, MAX(host->read, cost_of(subject, COST_READ))));
	digest_add(pieces, ", %s of %sB/s written", rate_of(subject, cost_of(subject, COST_WRITE)),
		   rate_of(subject, MAX(host->written, cost_of(subject, COST_WRITE))));
	digest_add(pieces, ", %s switches/s", rate_of(subject, cost_of(subject, COST_SWITCHES)));
}

#define WAITS(function, which)                                                                     \
	static gdouble function(const Subject *subject)                                            \
	{                                                                                          \
		return cost_of(subject, which);                                                    \
	}
WAITS(measure_disk_wait, COST_DISK_WAIT)
WAITS(measure_swap_wait, COST_SWAP_WAIT)
WAITS(measure_reclaim, COST_RECLAIM)
WAITS(measure_compaction, COST_COMPACTION)
WAITS(measure_thrashing, COST_THRASHING)
#undef WAITS

static void say_wait(const Subject *subject, GPtrArray *pieces, const char *for_what)
{
	digest_add(pieces, "%s waits for %s", name_of(subject), for_what);
	digest_add(pieces, ": %s", held_up(subject, subject->value));
}

static void say_disk_wait(const Subject *subject, GPtrArray *pieces)
{
	say_wait(subject, pieces, "the disk");
}

static void say_swap_wait(const Subject *subject, GPtrArray *pieces)
{
	say_wait(subject, pieces, "pages to be swapped in");
}

static void say_reclaim(const Subject *subject, GPtrArray *pieces)
{
	say_wait(subject, pieces, "memory to be reclaimed");
}

static void say_compaction(const Subject *subject, GPtrArray *pieces)
{
	say_wait(subject, pieces, "memory to be compacted");
}

static void say_thrashing(const Subject *subject, GPtrArray *pieces)
{
	say_wait(subject, pieces, "pages that were evicted too early");
}

/* What a level has grown by in the window, if that is much of what there is. */
static gdouble growth_of(const Subject *subject, enum cost cost)
{
	const CostLine *line = subject->line;
	gdouble after = cost_of(subject, cost);
	gdouble growth = after - digest_cost(line, 0, cost);

	/* What was not measured before has not grown from 0. */
	if (line->threads[0] > 0 && line->costs[0].of[cost].type == CTPROF_VALUE_ABSENT)
		return NAN;
	return subject->digest->seconds > 0 && growth >= after * LEAST_GROWTH_SHARE ? growth : NAN;
}

static gdouble measure_growth(const Subject *subject)
{
	return growth_of(subject, COST_PSS);
}

static gdouble measure_heap(const Subject *subject)
{
	return growth_of(subject, COST_HEAP);
}

static gdouble cost_growth(const Subject *subject)
{
	return subject->value / GIB;
}

static void add_growth(const Subject *subject, GPtrArray *pieces, enum cost cost)
{
	gdouble before = digest_cost(subject->line, 0, cost);

	digest_add(pieces, " grew by %s", bytes_of(subject, subject->value));
	digest_add(pieces, " to %s", bytes_of(subject, cost_of(subject, cost)));
	gdouble a_minute = subject->value * 60 / subject->digest->seconds;
	/* Of what was next to nothing a share says nothing. */
	if (a_minute < MOST_GROWTH * before)
		digest_add(pieces, ", %.0f %% a minute", a_minute / before * 100);
	else
		digest_add(pieces, ", %s a minute", bytes_of(subject, a_minute));
}

static void say_growth(const Subject *subject, GPtrArray *pieces)
{
	digest_add(pieces, "the memory of %s", name_of(subject));
	add_growth(subject, pieces, COST_PSS);
}

static void say_heap(const Subject *subject, GPtrArray *pieces)
{
	digest_add(pieces, "the live heap of %s", name_of(subject));
	add_growth(subject, pieces, COST_HEAP);
}

static gdouble work_ns(const Subject *subject)
{
	return cost_of(subject, COST_CPU) * NS_PER_S / cost_of(subject, COST_SWITCHES);
}

static gdouble measure_switches(const Subject *subject)
{
	gdouble switches = cost_of(subject, COST_SWITCHES);

	return switches > 0 && work_ns(subject) <= MOST_WORK_NS ? switches : NAN;
}

static gdouble cost_switches(const Subject *subject)
{
	return subject->value / LEAST_SWITCHES / 10;
}

static void say_switches(const Subject *subject, GPtrArray *pieces)
{
	digest_add(pieces, "%s switches %s times/s", name_of(subject),
		   rate_of(subject, subject->value));
	digest_add(pieces, ", for %s of work each",
		   short_of(subject, CTPROF_LADDER_NS, work_ns(subject)));
}

/* ---- the host ---- */

static gdouble measure_exited(const Subject *subject)
{
	const HostState *host = &subject->digest->host;

	return host->exited >= LEAST_CPU ? host->exited / host->busy * 100 : NAN;
}

static gdouble cost_exited(const Subject *subject)
{
	return subject->digest->host.exited;
}

static gint compare_gone(gconstpointer a, gconstpointer b)
{
	const CostLine *x = *(const CostLine *const *)a, *y = *(const CostLine *const *)b;

	return (x->n_gone < y->n_gone) - (x->n_gone > y->n_gone);
}

/* The pools of most that ended: "cc1, sh, cc". */
static void add_gone(const Subject *subject, GPtrArray *pieces)
{
	const Digest *digest = subject->digest;
	g_autoptr(GPtrArray) gone = g_ptr_array_new();
	guint n = 0;

	for (guint i = 0; i < digest->lines->len; i++)
		if (digest_line(digest, i)->n_gone > 0 && !digest_is_own(digest_line(digest, i)))
			g_ptr_array_add(gone, (gpointer)(uintptr_t)digest_line(digest, i));
	g_ptr_array_sort(gone, compare_gone);
	for (; n < MIN(gone->len, 3); n++) {
		const CostLine *line = g_ptr_array_index(gone, n);

		digest_add(pieces, "%s%s", n ? ", " : ": ", digest_name(digest, line->name));
	}
	if (gone->len > n)
		digest_add(pieces, " …");
}

static void say_exited(const Subject *subject, GPtrArray *pieces)
{
	const HostState *host = &subject->digest->host;

	digest_add(pieces, "%s CPU (%.0f %%) went to threads that came and went",
		   plain(subject, host->exited), MIN(subject->value, 100));
	if (!isnan(host->forks))
		digest_add(pieces, ", %s/s", rate_of(subject, host->forks));
	add_gone(subject, pieces);
}

/* Many that take little CPU, unless what they took is said already. */
static gdouble measure_forks(const Subject *subject)
{
	return measure_exited(subject) >= LEAST_EXITED_SHARE ? NAN : subject->digest->host.forks;
}

static gdouble cost_forks(const Subject *subject)
{
	return subject->value / LEAST_FORKS;
}

/* Whether the threads are all the host's. */
static gboolean is_of_all(const Subject *subject)
{
	const Plan *plan = subject->digest->draft->plan;

	return plan->options->is_whole_host && !plan->pids;
}

static void say_forks(const Subject *subject, GPtrArray *pieces)
{
	digest_add(pieces, "%s processes and threads are started a second",
		   rate_of(subject, subject->value));
	add_gone(subject, pieces);
	/* Of a few processes it says nothing about the others. */
	if (!isnan(subject->digest->host.exited) && is_of_all(subject))
		digest_add(pieces, ", for %s CPU", plain(subject, subject->digest->host.exited));
}

static gdouble unknown_of(const Subject *subject)
{
	const HostState *host = &subject->digest->host;

	return host->busy - host->accounted - host->exited - digest_own(subject->digest);
}

static gdouble measure_unknown(const Subject *subject)
{
	gdouble unknown = unknown_of(subject);

	return is_of_all(subject) && unknown >= LEAST_CPU
		       ? unknown / subject->digest->host.busy * 100
		       : NAN;
}

static void say_unknown(const Subject *subject, GPtrArray *pieces)
{
	digest_add(pieces, "%s CPU (%.0f %%) is in no thread's account",
		   plain(subject, unknown_of(subject)), subject->value);
	digest_add(pieces, ": interrupts, %sor what ended unseen",
		   digest_own(subject->digest) > 0 ? "" : "ctprof, ");
}

static gdouble measure_refaults(const Subject *subject)
{
	return subject->digest->host.refaults;
}

static gdouble cost_refaults(const Subject *subject)
{
	return subject->value * PAGE / (100 * MB);
}

static void say_refaults(const Subject *subject, GPtrArray *pieces)
{
	digest_add(pieces, "memory is short: %s pages/s were needed again after reclaim",
		   rate_of(subject, subject->value));
	digest_add(pieces, ", %s major faults/s", rate_of(subject, subject->digest->host.faults));
}

static gdouble measure_kills(const Subject *subject)
{
	return subject->digest->host.oom_kills;
}

static gdouble cost_kills(const Subject *subject)
{
	return COST_OF_KILLS + subject->value;
}

static void say_kills(const Subject *subject, GPtrArray *pieces)
{
	digest_add(pieces, "%.0f process%s killed for lack of memory", subject->value,
		   subject->value > 1 ? "es were" : " was");
}

/* ---- what could not be read, or compared ---- */

static gdouble cost_oddity(const Subject *subject)
{
	(void)subject;
	return COST_OF_ODDITIES;
}

static gdouble measure_unread(const Subject *subject)
{
	const struct ctprof_value *total = &subject->digest->total.of[COST_READ];
	guint64 all = 0;

	for (guint i = 0; i < subject->digest->lines->len; i++)
		all += digest_line(subject->digest, i)->threads[subject->digest->newest];
	return total->why == CTPROF_ABSENT_DENIED && all > 0
		       ? (gdouble)total->missing / (gdouble)all * 100
		       : NAN;
}

static void say_unread(const Subject *subject, GPtrArray *pieces)
{
	guint64 n = subject->digest->total.of[COST_READ].missing;

	digest_add(pieces, "the I/O of %" G_GUINT64_FORMAT " thread%s could not be read: denied", n,
		   n == 1 ? "" : "s");
	/* It may have been root who was denied: only doctor can tell what would help. */
	digest_add(pieces, " (see 'ctprof doctor')");
}

static gdouble measure_differences(const Subject *subject)
{
	guint n = subject->digest->draft->differences->len;

	return n > 0 ? (gdouble)n : NAN;
}

static void say_differences(const Subject *subject, GPtrArray *pieces)
{
	const GPtrArray *differences = subject->digest->draft->differences;

	digest_add(pieces, "setup differs: %s", (const char *)g_ptr_array_index(differences, 0));
	if (differences->len > 1)
		digest_add(pieces, ", and %u more", differences->len - 1);
}

/* ---- cgroups ---- */

static gdouble measure_throttled(const Subject *subject)
{
	return limits_throttled(subject->limits) * 100;
}

static gdouble cost_throttled(const Subject *subject)
{
	return MAX(subject->limits->throttled_s / subject->digest->seconds, subject->value / 100);
}

/* "workers (web.service)": the cgroup, and the largest pool that is of it. */
static const char *cgroup_name(const Subject *subject)
{
	const Digest *digest = subject->digest;
	const char *unit = digest_name(digest, subject->limits->unit);

	for (guint i = 0; i < digest->lines->len; i++) {
		const CostLine *line = digest_line(digest, i);

		if (line->unit && strcmp(line->unit, subject->limits->unit) == 0)
			return store_take(
				digest->draft->store,
				g_strdup_printf("%s (%s)", digest_name(digest, line->name), unit));
	}
	return unit;
}

static void say_throttled(const Subject *subject, GPtrArray *pieces)
{
	digest_add(pieces, "%s is throttled in %.0f %% of %s", cgroup_name(subject),
		   MIN(subject->value, 100),
		   subject->limits->n_periods > 0 ? "its periods" : "the time");
	if (subject->limits->quota > 0)
		digest_add(pieces, ": its quota is %s CPU", plain(subject, subject->limits->quota));
}

static gdouble measure_memory_max(const Subject *subject)
{
	return subject->limits->n_max;
}

static void say_memory_max(const Subject *subject, GPtrArray *pieces)
{
	digest_add(pieces, "%s met its memory limit %s times", cgroup_name(subject),
		   rate_of(subject, subject->value));
}

/* ---- the tables ---- */

/* clang-format off */
const Rule pool_rules[] = {
	{"starved", "ratio", LEAST_RATIO, measure_starved, cost_waiting, say_starved},
	{"busiest", "percent", LEAST_BUSY_SHARE, measure_busiest, cost_cpu, say_busiest},
	{"disk-io", "percent", LEAST_IO_SHARE, measure_disk, cost_disk, say_disk},
	{"waits-for-disk", "threads", LEAST_DISK_WAIT, measure_disk_wait, cost_as_measured, say_disk_wait},
	{"waits-for-swap", "threads", LEAST_MEMORY_WAIT, measure_swap_wait, cost_as_measured, say_swap_wait},
	{"waits-for-reclaim", "threads", LEAST_MEMORY_WAIT, measure_reclaim, cost_as_measured, say_reclaim},
	{"waits-for-compaction", "threads", LEAST_MEMORY_WAIT, measure_compaction, cost_as_measured, say_compaction},
	{"thrashes", "threads", LEAST_MEMORY_WAIT, measure_thrashing, cost_as_measured, say_thrashing},
	{"grew", "bytes", LEAST_GROWTH, measure_growth, cost_growth, say_growth},
	{"heap-grew", "bytes", LEAST_GROWTH, measure_heap, cost_growth, say_heap},
	{"switches", "1/s", LEAST_SWITCHES, measure_switches, cost_switches, say_switches},
	{.name = NULL},
};

const Rule host_rules[] = {
	{"out-of-memory", "none", 1, measure_kills, cost_kills, say_kills},
	{"came-and-went", "percent", LEAST_EXITED_SHARE, measure_exited, cost_exited, say_exited},
	{"forks", "1/s", LEAST_FORKS, measure_forks, cost_forks, say_forks},
	{"unaccounted", "percent", LEAST_UNKNOWN_SHARE, measure_unknown, unknown_of, say_unknown},
	{"memory-short", "1/s", LEAST_REFAULTS, measure_refaults, cost_refaults, say_refaults},
	{"unread", "percent", LEAST_UNREAD_SHARE, measure_unread, cost_oddity, say_unread},
	{"setup-differs", "none", 1, measure_differences, cost_oddity, say_differences},
	{.name = NULL},
};

const Rule cgroup_rules[] = {
	{"throttled", "percent", LEAST_THROTTLED, measure_throttled, cost_throttled, say_throttled},
	{"memory-limit", "none", 1, measure_memory_max, cost_oddity, say_memory_max},
	{.name = NULL},
};
/* clang-format on */
