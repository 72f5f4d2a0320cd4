/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules about the host, and about differences that prevent a comparison. */
#include <math.h>

#include "why.h"

/* Killed processes come first. */
#define COST_OF_KILLS 1e6

/* Values below these are not worth a line. */
#define LEAST_EXITED_SHARE 10.0 /* percent of the CPU time */
#define LEAST_FORKS 50.0        /* 1/s */
#define LEAST_STEAL 5.0         /* percent of the CPUs */
#define LEAST_UNKNOWN_SHARE 5.0 /* percent of the CPU time */
#define LEAST_CPU 0.05          /* CPUs */
#define LEAST_NAMED_CPU 0.005   /* CPUs: less would be shown as 0 */
#define MOST_OTHERS 0.2         /* share of the CPU time that is used by threads not named */
#define MOST_EXCESS 1.05        /* charges are of ticks */
#define MOST_NAMES 3
#define LEAST_EXPLAINED 0.8 /* of the growth of shared memory */
#define SHARED "system.memory.shared"
#define MOST_ROOM 0.1   /* share of the memory: if more is available, cgroup limits are the cause */
#define LEAST_SCANS 0.1 /* pages scanned per page read back */

/* Returns the CPUs used by threads that began and ended in the window or, if that is not known, by
 * all that ended in it. */
static gdouble short_cpu(const Subject *subject)
{
	const Digest *digest = subject->digest;

	return digest_has_exits(digest)
		       ? (gdouble)digest->draft->window->short_ns / 1e9 / digest->seconds
		       : digest->host.exited;
}

static gdouble measure_exited(const Subject *subject)
{
	gdouble cpu = short_cpu(subject);

	return cpu >= LEAST_CPU ? cpu / subject->digest->host.busy * 100 : NAN;
}

static gint compare_short(gconstpointer a, gconstpointer b, gpointer by_cpu)
{
	const CostLine *x = *(const CostLine *const *)a, *y = *(const CostLine *const *)b;
	gdouble p = by_cpu ? x->short_cpu : (gdouble)x->n_short;
	gdouble q = by_cpu ? y->short_cpu : (gdouble)y->n_short;

	return (p < q) - (p > q);
}

/* Adds the pools of threads that began and ended: ": cc1 0.41, sh 0.12", or sorted by number of
 * threads, without their CPU. */
static void add_short(const Subject *subject, Sentence *sentence, gboolean has_cpu)
{
	const Digest *digest = subject->digest;
	g_autoptr(GPtrArray) gone = g_ptr_array_new();
	guint n = 0;

	for (guint i = 0; digest_has_exits(digest) && i < digest->lines->len; i++)
		if (digest_line(digest, i)->n_short > 0)
			g_ptr_array_add(gone, (gpointer)(uintptr_t)digest_line(digest, i));
	g_ptr_array_sort_with_data(gone, compare_short, GINT_TO_POINTER(has_cpu));
	for (; n < MIN(gone->len, MOST_NAMES); n++) {
		const CostLine *line = g_ptr_array_index(gone, n);

		if (has_cpu && line->short_cpu < LEAST_NAMED_CPU)
			return;
		if (has_cpu)
			SAY(sentence, n ? ", {} {}" : ": {} {}", term_name(line->name),
			    term_short(CTPROF_LADDER_NONE, line->short_cpu));
		else
			SAY(sentence, n ? ", {}" : ": {}", term_name(line->name));
	}
	if (gone->len > n)
		TELL(sentence, " …");
}

/* Adds the living process that was an ancestor of almost all of them. */
static void add_ancestor(const Subject *subject, Sentence *sentence)
{
	const WindowResult *window = subject->digest->draft->window;
	const ChargedParent *parent = &window->parents[0];

	/* The group's sum and the total include threads that are older than the window. */
	if (parent->name && (gdouble)(window->ended_ns - MIN(parent->ns, window->ended_ns)) <=
				    MOST_OTHERS * (gdouble)window->short_ns)
		SAY(sentence, ", descendants of {}",
		    why_member_name(subject->digest, parent->name, parent->pid));
}

/* Adds the parents that were charged with most, unless the charges exceed the window's CPU time. */
static void add_parents(const Subject *subject, Sentence *sentence)
{
	const Digest *digest = subject->digest;
	const WindowResult *window = digest->draft->window;
	gdouble charged = (gdouble)window->ended_ns / 1e9 / digest->seconds;

	for (guint i = 0; charged <= digest->host.exited * MOST_EXCESS && i < EXITS_PARENTS; i++) {
		const ChargedParent *parent = &window->parents[i];
		gdouble cpus = (gdouble)parent->ns / 1e9 / digest->seconds;

		if (!parent->name || cpus < LEAST_NAMED_CPU)
			return;
		SAY(sentence, i ? ", {} {}" : ": children of {} {}",
		    why_member_name(digest, parent->name, parent->pid),
		    term_short(CTPROF_LADDER_NONE, cpus));
	}
}

static void say_exited(const Subject *subject, Sentence *sentence)
{
	const HostState *host = &subject->digest->host;

	SAY(sentence,
	    digest_has_exits(subject->digest) ? "{} CPU ({} %) went to threads that came and went"
					      : "{} CPU ({} %) went to threads that ended",
	    term_cpus("exited", short_cpu(subject)),
	    term_count("share", "percent", MIN(subject->value, 100)));
	if (!isnan(host->forks) && digest_has_exits(subject->digest))
		SAY(sentence, ", {}/s", term_rate("forks", "1/s", host->forks));
	add_short(subject, sentence, TRUE);
	if (digest_has_exits(subject->digest))
		add_ancestor(subject, sentence);
	else
		add_parents(subject, sentence);
}

/* Returns the processes and threads started per second, unless their CPU is a finding already. */
static gdouble measure_forks(const Subject *subject)
{
	return measure_exited(subject) >= LEAST_EXITED_SHARE ? NAN : subject->digest->host.forks;
}

static void say_forks(const Subject *subject, Sentence *sentence)
{
	SAY(sentence, "{} processes and threads start per second",
	    term_rate("forks", "1/s", subject->value));
	add_short(subject, sentence, FALSE);
	/* If only some processes were captured, the CPU of the others is not known. */
	if (subject->digest->host.exited >= LEAST_NAMED_CPU && digest_is_whole(subject->digest))
		SAY(sentence, ", for {} CPU", term_cpus("exited", subject->digest->host.exited));
}

static gdouble unknown_of(const Subject *subject)
{
	const HostState *host = &subject->digest->host;

	return host->busy - host->accounted - host->exited - digest_own(subject->digest);
}

static gdouble measure_unknown(const Subject *subject)
{
	gdouble unknown = unknown_of(subject);

	return digest_is_whole(subject->digest) && unknown >= LEAST_CPU
		       ? unknown / subject->digest->host.busy * 100
		       : NAN;
}

static void say_unknown(const Subject *subject, Sentence *sentence)
{
	static const char *const words[][2] = {
		{": ctprof, or unrecorded exits", ": unrecorded exits"},
		{": interrupts, ctprof, or unrecorded exits", ": interrupts, or unrecorded exits"},
	};

	SAY(sentence, "{} CPU ({} %) is unaccounted for",
	    term_cpus("unaccounted", unknown_of(subject)),
	    term_count("share", "percent", subject->value));
	/* Exact sums include no interrupts; ctprof is named if its CPU is not known separately. */
	TELL(sentence, words[subject->digest->host.is_of_ticks][digest_own(subject->digest) > 0]);
}

/* The kernel counts steal time only while the virtual CPU has a thread to run. */
static gdouble measure_steal(const Subject *subject)
{
	const HostState *host = &subject->digest->host;

	return host->steal / host->cpus * 100;
}

static gdouble cost_steal(const Subject *subject)
{
	return subject->digest->host.steal;
}

static void say_steal(const Subject *subject, Sentence *sentence)
{
	const HostState *host = &subject->digest->host;

	SAY(sentence, "the hypervisor took {} CPU ({} % of {}) while threads were ready to run",
	    term_cpus("steal", host->steal), term_count("share", "percent", subject->value),
	    term_whole(host->cpus));
}

/* Whether limits of cgroups cause the shortage: a cgroup met its limit while the host has room, or
 * the host itself reclaims almost nothing.  (The kernel's counters of scans do not include reclaim
 * for a cgroup's limit.) */
static gboolean is_by_limits(const Subject *subject)
{
	const HostState *host = &subject->digest->host;
	const GArray *limits = subject->digest->limits;

	if (host->direct_scans + host->background_scans < LEAST_SCANS * host->refaults)
		return TRUE;
	for (guint i = 0; i < limits->len; i++)
		if (g_array_index(limits, CgroupLimits, i).n_max > 0)
			return host->memory_used < (1 - MOST_ROOM) * host->memory;
	return FALSE;
}

/* If limits of cgroups are the cause, another rule reports it. */
static gdouble measure_refaults(const Subject *subject)
{
	return is_thrashing(subject->digest) && !is_by_limits(subject)
		       ? subject->digest->host.refaults
		       : NAN;
}

static void say_refaults(const Subject *subject, Sentence *sentence)
{
	SAY(sentence, "memory is short: {} pages/s were needed again after reclaim",
	    term_rate("refaults", "1/s", subject->value));
	SAY(sentence, ", {} major faults/s",
	    term_rate("major_faults", "1/s", subject->digest->host.faults));
}

static gdouble measure_kills(const Subject *subject)
{
	return subject->digest->host.oom_kills;
}

/* Returns the cgroup in which most were killed; NULL: not known. */
static const CgroupLimits *find_killed(const Digest *digest)
{
	const CgroupLimits *killed = NULL;

	for (guint i = 0; i < digest->limits->len; i++) {
		const CgroupLimits *limits = &g_array_index(digest->limits, CgroupLimits, i);

		if (limits->n_killed > (killed ? killed->n_killed : 0))
			killed = limits;
	}
	return killed;
}

/* Whether no memory was left below the limit.  v1 counts only that the limit was met, so the host
 * must not have been short, either: it reclaims memory before it kills. */
static gboolean has_run_out(const CgroupLimits *limits, const HostState *host)
{
	return limits->memory_max > 0 &&
	       (limits->n_oom > 0 || (limits->n_failed > 0 && host->direct_scans <= 0));
}

/* Adds the cgroup, and the limit that is the cause: its own, or that of one above. */
static void add_killed(const Digest *digest, const CgroupLimits *killed, Sentence *sentence)
{
	const CgroupLimits *cause = NULL;

	for (guint i = 0; i < digest->limits->len; i++) {
		const CgroupLimits *limits = &g_array_index(digest->limits, CgroupLimits, i);

		if (throttling_applies(limits, killed->path) && has_run_out(limits, &digest->host))
			cause = limits;
	}
	SAY(sentence, " in {}", term_name(killed->unit));
	if (cause == killed)
		SAY(sentence, ", at its memory limit of {}",
		    term_bytes("limit", "bytes", cause->memory_max));
	else if (cause)
		SAY(sentence, ", at the memory limit of {}: {}", term_name(cause->unit),
		    term_bytes("limit", "bytes", cause->memory_max));
}

static void say_kills(const Subject *subject, Sentence *sentence)
{
	const CgroupLimits *killed = find_killed(subject->digest);

	SAY(sentence,
	    subject->value > 1 ? "{} processes were killed for lack of memory"
			       : "{} process was killed for lack of memory",
	    term_count("kills", "none", subject->value));
	if (!killed)
		return;
	if (killed->n_killed < subject->value)
		SAY(sentence, ", {} of them", term_count("killed", "none", killed->n_killed));
	add_killed(subject->digest, killed, sentence);
}

/* ---- shared memory ---- */

/* Returns the growth of a value between the sides; NAN: not known. */
static gdouble grown(const Digest *digest, enum intake_table table, Record *const sides[SIDES],
		     const char *metric)
{
	const struct ctprof_value before = draft_value(digest->draft, table, sides, 0, metric);
	const struct ctprof_value after = draft_value(digest->draft, table, sides, 1, metric);

	return digest->seconds > 0 && before.type == CTPROF_VALUE_NUMBER &&
			       after.type == CTPROF_VALUE_NUMBER
		       ? (gdouble)after.number - (gdouble)before.number
		       : NAN;
}

/* Without the part that may have been swapped in, and unless the memory of a pool grew about as
 * much: the rule about pools reports that. */
static gdouble measure_shared(const Subject *subject)
{
	const Digest *digest = subject->digest;
	Record *const *host = digest->draft->host;
	gdouble growth = grown(digest, TABLE_HOST, host, SHARED) -
			 fmax(grown(digest, TABLE_HOST, host, "system.swap.free"), 0);

	for (guint i = 0; i < digest->lines->len; i++) {
		gdouble pool = digest_growth(digest, digest_line(digest, i), COST_PSS);

		if (pool >= LEAST_EXPLAINED * growth && pool <= growth / LEAST_EXPLAINED)
			return NAN;
	}
	return growth_judge(digest, growth, host_state_number(digest, SHARED));
}

/* Adds the tmpfs that grew most, if this explains most of the growth. */
static void add_tmpfs(const Subject *subject, Sentence *sentence)
{
	const GPtrArray *single_objects = subject->digest->draft->single_objects;
	const Pair *tmpfs = NULL;
	gdouble most = LEAST_EXPLAINED * subject->value;

	for (guint i = 0; i < single_objects->len; i++) {
		const Pair *object = g_ptr_array_index(single_objects, i);
		gdouble growth = strcmp(object->key.names[0], TMPFS_GROUP) == 0
					 ? grown(subject->digest, TABLE_SINGLE_OBJECTS,
						 object->sides, "tmpfs_used_bytes")
					 : NAN;

		tmpfs = growth > most ? object : tmpfs;
		most = growth > most ? growth : most;
	}
	if (tmpfs)
		SAY(sentence, ": tmpfs {} +{}", term_name(object_name(tmpfs)),
		    term_bytes("tmpfs", "bytes", most));
}

static void say_shared(const Subject *subject, Sentence *sentence)
{
	gdouble held = host_state_number(subject->digest, SHARED);

	TELL(sentence, "shared memory");
	growth_add(subject->digest, sentence, subject->value, held - subject->value, held);
	add_tmpfs(subject, sentence);
}

/* ---- differences of the setup ---- */

static gdouble measure_differences(const Subject *subject)
{
	guint n = subject->digest->draft->differences->len;

	return n > 0 ? (gdouble)n : NAN;
}

static void say_differences(const Subject *subject, Sentence *sentence)
{
	const GPtrArray *differences = subject->digest->draft->differences;

	SAY(sentence, "setup differs: {}",
	    term_text(CTPROF_TERM_TEXT, g_ptr_array_index(differences, 0)));
	if (differences->len > 1)
		SAY(sentence, ", and {} more", term_whole(differences->len - 1));
}

/* clang-format off */
const Rule host_rules[] = {
	{"out-of-memory", "none", 1, measure_kills, say_kills, .price = COST_OF_KILLS},
	{"came-and-went", "percent", LEAST_EXITED_SHARE, measure_exited, say_exited, .cost = short_cpu},
	{"forks", "1/s", LEAST_FORKS, measure_forks, say_forks, .price = 1 / LEAST_FORKS},
	{"steal", "percent", LEAST_STEAL, measure_steal, say_steal, .cost = cost_steal},
	{"unaccounted", "percent", LEAST_UNKNOWN_SHARE, measure_unknown, say_unknown, .cost = unknown_of},
	{"memory-short", "1/s", LEAST_REFAULTS, measure_refaults, say_refaults, .price = PRICE_OF_REFAULTS},
	{"shared-grew", "bytes", MIB, measure_shared, say_shared, .price = 1 / GIB},
	{"setup-differs", "none", 1, measure_differences, say_differences, .price = COST_OF_ODDITIES},
	{.name = NULL},
};
/* clang-format on */
