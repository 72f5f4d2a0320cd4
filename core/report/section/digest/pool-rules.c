/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules about pools of threads. */
#include <math.h>
#include <string.h>

#include "report/match/members.h"
#include "rules.h"
#include "why.h"

#define NS_PER_S 1e9
#define MINUTE 60 /* s */

/* Values below these are not worth a line. */
#define LEAST_WAITING 0.75      /* threads: one thread that waits three times as long as it runs */
#define LEAST_RATIO 3.0         /* time waited / time run */
#define STARVED_RATIO 19.0      /* as LEAST_RATIO: it gets 1/20 of what it asks for */
#define LEAST_TURN 5e5          /* ns: a thread that lacks CPU waits for the slices of others */
#define LEAST_IDLE_SHARE 0.5    /* of the CPUs */
#define LEAST_BUSY_SHARE 10.0   /* percent of the CPUs */
#define LEAST_BUSY 0.5          /* CPUs: a pool that uses them is busy on any host */
#define LEAST_RUNNER_UP 0.25    /* share of the CPU time of the busiest pool */
#define LEAST_IO (1 * MB)       /* bytes/s */
#define LEAST_IO_SHARE 50.0     /* percent */
#define MOST_OF_DISKS 2         /* times what they read: pools and disks are not read at once */
#define LEAST_MEMORY_WAIT 0.05  /* threads */
#define LEAST_GROWTH (64 * MIB) /* bytes, over a minute at least */
#define LEAST_GROWTH_SHARE 0.05 /* of the memory at the end */
#define MOST_STRETCH 6          /* factor for a short window, whose growth may not continue */
#define MOST_GROWTH 2           /* times the old memory, per minute: for more, bytes are shown */
#define LEAST_SWITCHES 10000.0  /* 1/s */
#define MOST_WORK_NS 50000.0    /* CPU time per switch */

static guint64 threads_of(const Subject *subject)
{
	return subject->line->threads[subject->digest->newest];
}

/* Adds "5.4 of its 22 threads" or, for one thread, "54 % of the time", between other words. */
static void add_held_up(const Subject *subject, Sentence *sentence, const char *before,
			gdouble waiting, const char *after)
{
	Store *store = subject->digest->draft->store;
	gdouble n = (gdouble)threads_of(subject);
	struct ctprof_term held = term_of("held_up", "threads", term_short(0, waiting));

	/* Threads that started and ended in the window have waited, too. */
	if (waiting > MAX(n, 1))
		SAY(sentence, store_take(store, g_strconcat(before, "{} threads", after, NULL)),
		    held);
	else if (n <= 1)
		SAY(sentence, store_take(store, g_strconcat(before, "{} % of the time", NULL)),
		    term_count("held_up", "percent", waiting * 100));
	else
		SAY(sentence,
		    store_take(store, g_strconcat(before, "{} of its {} threads", after, NULL)),
		    held, term_count("threads", "threads", n));
}

static struct ctprof_term name_of(const Subject *subject)
{
	return term_name(subject->line->name);
}

/* Returns a lower bound of the number of its threads that waited for a CPU. Throttled threads wait,
 * too, but another rule reports them, as it does pools whose quota leaves them no further CPU.  A
 * cgroup that is not the main one of any pool may hold threads of any pool. */
static gdouble contended(const Subject *subject)
{
	const Digest *digest = subject->digest;
	const CostLine *line = subject->line;
	gdouble threads = (gdouble)(threads_of(subject) + line->n_gone), held = 0;

	/* A deadline thread that has used its runtime waits for its next period. */
	if (why_is_deadline(subject))
		return 0;
	for (guint i = 0; i < digest->limits->len; i++) {
		const CgroupLimits *limits = &g_array_index(digest->limits, CgroupLimits, i);
		gboolean holds =
			throttling_applies(limits, line->cgroup) && limits->throttled_s > 0;

		if (holds && limits->quota > 0 &&
		    limits->quota < subject_cost(subject, COST_CPU) + LEAST_WAITING)
			return 0;
		if (holds)
			held += threads * throttling_largest_share(limits);
		else if (digest->seconds > 0 && !cgroup_pool(digest, limits))
			held += 2 * limits->throttled_s / digest->seconds;
	}
	gdouble waiting = subject_cost(subject, COST_WAITING);
	return CLAMP(waiting - held, 0, waiting * blame_contended(subject_blame(subject)));
}

/* Returns the ratio of the time that its threads waited to the time that they ran. NAN: they waited
 * little, or briefly each time: a thread that wakes up a thousand times a second for a few
 * microseconds may wait much longer than it runs, and still get all it asks for. */
static gdouble measure_waits(const Subject *subject)
{
	gdouble turn = subject_cost(subject, COST_TURN);
	gboolean is_much = subject_cost(subject, COST_WAITING) >= LEAST_WAITING &&
			   !(turn > 0 && turn < LEAST_TURN);
	gdouble waiting = is_much ? contended(subject) : 0;

	return waiting >= LEAST_WAITING ? waiting / MAX(subject_cost(subject, COST_CPU), 1e-6)
					: NAN;
}

/* Whether half of the host's CPUs were idle on average, and the pool might have used them. */
static gboolean has_idle(const Subject *subject)
{
	const HostState *host = &subject->digest->host;

	return subject->digest->seconds > 0 && !subject->line->pinned &&
	       host->cpus - host->busy >= host->cpus * LEAST_IDLE_SHARE;
}

static gdouble measure_lacking(const Subject *subject)
{
	return has_idle(subject) ? NAN : measure_waits(subject);
}

static gdouble measure_starved(const Subject *subject)
{
	return measure_lacking(subject) >= STARVED_RATIO ? measure_lacking(subject) : NAN;
}

/* Whether the pool gets only a part of the CPU that it asks for. */
static gdouble measure_wants(const Subject *subject)
{
	return measure_lacking(subject) < STARVED_RATIO ? measure_lacking(subject) : NAN;
}

/* Returns how many threads wait although CPUs are idle, unless what runs meanwhile is known. */
static gdouble measure_bursts(const Subject *subject)
{
	return has_idle(subject) && measure_waits(subject) >= LEAST_RATIO && !subject_blame(subject)
		       ? contended(subject)
		       : NAN;
}

static gdouble measure_use(const Subject *subject)
{
	return subject_cost(subject, subject->rule->of);
}

static void add_turn(const Subject *subject, Sentence *sentence)
{
	if (subject_cost(subject, COST_TURN) > 0)
		SAY(sentence, ", {} a turn", term_ns("turn", subject_cost(subject, COST_TURN)));
}

/* Adds the pools that run meanwhile, and how many threads wait, including ones that ended. */
static void add_wait(const Subject *subject, Sentence *sentence)
{
	gboolean are_several = threads_of(subject) > 1 || subject_cost(subject, COST_WAITING) > 1;

	why_add_rivals(subject, sentence);
	add_held_up(subject, sentence, are_several ? ": " : ": waits ", contended(subject),
		    " wait for a CPU");
	add_turn(subject, sentence);
}

/* Adds what ran meanwhile.  This may be long, so it comes last in a sentence. */
static void add_blame(const Subject *subject, Sentence *sentence)
{
	blame_add(subject->digest->draft, subject_blame(subject), sentence);
}

/* A pool of many threads may be starved and still keep the host busy. */
static void say_starved(const Subject *subject, Sentence *sentence)
{
	gdouble cpu = subject_cost(subject, COST_CPU);
	gdouble least = subject->digest->host.cpus * LEAST_BUSY_SHARE / 100;

	SAY(sentence, cpu < MIN(least, LEAST_BUSY) ? "{} is starved, not busy" : "{} is starved",
	    name_of(subject));
	add_wait(subject, sentence);
	SAY(sentence, ", for {} CPU", term_cpus("cpu", cpu));
	add_blame(subject, sentence);
}

static void say_wants(const Subject *subject, Sentence *sentence)
{
	gdouble cpu = subject_cost(subject, COST_CPU), waiting = contended(subject);

	SAY(sentence, "{} wants up to {} CPUs and gets {}", name_of(subject),
	    term_cpus("wanted", cpu + waiting), term_cpus("cpu", cpu));
	add_wait(subject, sentence);
	add_blame(subject, sentence);
}

static void say_bursts(const Subject *subject, Sentence *sentence)
{
	const HostState *host = &subject->digest->host;

	SAY(sentence, "{} waits for a CPU in bursts, or although others are idle",
	    name_of(subject));
	add_held_up(subject, sentence, ": ", contended(subject), "");
	add_turn(subject, sentence);
	SAY(sentence, ", while {} of {} CPUs are idle", term_cpus("idle", host->cpus - host->busy),
	    term_count("cpus", "cpus", host->cpus));
}

/* Returns how many threads wait if it is known what runs meanwhile and no other rule reports it. */
static gdouble measure_queue(const Subject *subject)
{
	return subject_blame(subject) && !(measure_lacking(subject) >= LEAST_RATIO)
		       ? contended(subject)
		       : NAN;
}

static void say_queue(const Subject *subject, Sentence *sentence)
{
	SAY(sentence, "{} waits for a CPU", name_of(subject));
	add_held_up(subject, sentence, ": ", contended(subject), "");
	add_turn(subject, sentence);
	add_blame(subject, sentence);
}

/* Whether other rules report its CPU: it gets too little, or short-lived threads used most of
 * it. */
static gboolean is_reported_elsewhere(const Subject *subject)
{
	const Digest *digest = subject->digest;
	gdouble brief = digest_has_exits(digest) ? subject->line->short_cpu : 0;

	return measure_lacking(subject) >= LEAST_RATIO ||
	       (subject_cost(subject, COST_WAITING) >= LEAST_QUEUE &&
		contended(subject) < LEAST_QUEUE) ||
	       (brief / digest->host.cpus * 100 >= LEAST_BUSY_SHARE &&
		brief >= subject_cost(subject, COST_CPU) / 2);
}

static gdouble measure_busiest(const Subject *subject)
{
	gdouble cpu = subject_cost(subject, COST_CPU);

	return !is_reported_elsewhere(subject) && digest_is_whole(subject->digest) &&
			       cpu >= subject->digest->most_cpu
		       ? cpu / subject->digest->host.cpus * 100
		       : NAN;
}

/* The pool uses much, but as far as is known another one uses the most. */
static gdouble measure_runner_up(const Subject *subject)
{
	const Digest *digest = subject->digest;
	gdouble cpu = subject_cost(subject, COST_CPU), most = digest->most_cpu;

	return digest->seconds > 0 && !is_reported_elsewhere(subject) &&
			       (cpu < most || !digest_is_whole(digest)) &&
			       cpu >= most * LEAST_RUNNER_UP
		       ? cpu / subject->digest->host.cpus * 100
		       : NAN;
}

/* Adds how many of its threads wait, unless another sentence does. */
static void add_queue(const Subject *subject, Sentence *sentence)
{
	gdouble waiting = contended(subject);

	if (waiting < LEAST_QUEUE || measure_queue(subject) >= LEAST_QUEUE)
		return;
	SAY(sentence, ", and queues");
	why_add_pinned(subject, sentence);
	add_held_up(subject, sentence, ": ", waiting, "");
	add_turn(subject, sentence);
}

static void say_runner_up(const Subject *subject, Sentence *sentence)
{
	SAY(sentence, "{} uses {} CPU", name_of(subject),
	    term_cpus("cpu", subject_cost(subject, COST_CPU)));
	why_add_use(subject, sentence);
	why_add_member(subject, sentence, COST_CPU);
	add_queue(subject, sentence);
}

static void say_busiest(const Subject *subject, Sentence *sentence)
{
	const Digest *digest = subject->digest;
	gdouble cpu = subject_cost(subject, COST_CPU);

	/* Averages over lives of different lengths may add up to more than the host's CPUs. */
	if (digest->seconds > 0)
		SAY(sentence, "{} uses the most CPU ({} of {})", name_of(subject),
		    term_cpus("cpu", MIN(cpu, digest->host.cpus)),
		    term_count("cpus", "cpus", digest->host.cpus));
	else
		SAY(sentence, "{} uses the most CPU ({} on average)", name_of(subject),
		    term_cpus("cpu", cpu));
	why_add_use(subject, sentence);
	why_add_member(subject, sentence, COST_CPU);
	add_queue(subject, sentence);
}

/* Only reads are measured: threads merely dirty pages, and no counter of a thread shows what the
 * disks write, or when.  A pool that reads much more than all disks reads devices in memory. */
static gdouble measure_disk(const Subject *subject)
{
	const HostState *host = &subject->digest->host;
	gdouble read = disk_reads(subject->digest, subject->line);

	return read >= LEAST_IO && read <= host->read * MOST_OF_DISKS
		       ? MIN(read / host->read * 100, 100)
		       : NAN;
}

static gdouble cost_io(const Subject *subject)
{
	return measure_use(subject) / (100 * MB);
}

static void say_disk(const Subject *subject, Sentence *sentence)
{
	const HostState *host = &subject->digest->host;
	gdouble read = disk_reads(subject->digest, subject->line);

	SAY(sentence, "{} does the disk reads", name_of(subject));
	/* The pool was read at another moment than the host, so its value may be the larger. */
	SAY(sentence, ": {}/s of {}/s", term_bytes("read", "bytes/s", MIN(read, host->read)),
	    term_bytes("host_read", "bytes/s", host->read));
	why_add_member(subject, sentence, COST_READ);
	if (subject_cost(subject, COST_WRITE) >= LEAST_IO)
		SAY(sentence, ", and writes {}/s to files",
		    term_bytes("dirtied", "bytes/s", subject_cost(subject, COST_WRITE)));
	SAY(sentence, ", {} switches/s",
	    term_rate("switches", "1/s", subject_cost(subject, COST_SWITCHES)));
}

/* Returns the pool's share of all that threads dirtied, in percent; NAN: the sentence about reads
 * has it. */
static gdouble measure_dirties(const Subject *subject)
{
	const CostValue *all = &subject->digest->total.of[COST_WRITE];
	gdouble written = subject_cost(subject, COST_WRITE);

	if (measure_disk(subject) >= LEAST_IO_SHARE)
		return NAN;
	return written >= LEAST_IO && all->real > 0 ? written / all->real * 100 : NAN;
}

static void say_dirties(const Subject *subject, Sentence *sentence)
{
	const HostState *host = &subject->digest->host;

	SAY(sentence, "{} writes {}/s to files", name_of(subject),
	    term_bytes("dirtied", "bytes/s", subject_cost(subject, COST_WRITE)));
	why_add_member(subject, sentence, COST_WRITE);
	if (host->written >= 0)
		SAY(sentence, ", the disks {}/s",
		    term_bytes("host_written", "bytes/s", host->written));
}

static void say_wait(const Subject *subject, Sentence *sentence)
{
	SAY(sentence, "{} waits for {}", name_of(subject),
	    term_text(CTPROF_TERM_TEXT, subject->rule->words));
	add_held_up(subject, sentence, ": ", subject->value, "");
	why_add_member(subject, sentence, subject->rule->of);
}

gdouble growth_judge(const Digest *digest, gdouble growth, gdouble held)
{
	gdouble judged = growth * CLAMP(MINUTE / digest->seconds, 1, MOST_STRETCH);

	return judged >= MAX(LEAST_GROWTH, held * LEAST_GROWTH_SHARE) ? growth : NAN;
}

void growth_add(const Digest *digest, Sentence *sentence, gdouble growth, gdouble before,
		gdouble held)
{
	gdouble a_minute = growth * MINUTE / digest->seconds;

	SAY(sentence, " grew by {}", term_bytes("growth", "bytes", growth));
	SAY(sentence, " to {}", term_bytes("held", "bytes", held));
	/* A percentage of almost nothing is meaningless. */
	if (a_minute < MOST_GROWTH * before)
		SAY(sentence, ", {} % a minute",
		    term_count("a_minute", "percent", a_minute / before * 100));
	else
		SAY(sentence, ", {} a minute", term_bytes("a_minute", "bytes", a_minute));
}

static gdouble measure_growth(const Subject *subject)
{
	enum cost cost = subject->rule->of;
	gdouble growth = digest_growth(subject->digest, subject->line, cost);

	/* A heap in rotation, or a buffer that is freed later, does not grow. */
	if (!isnan(growth) && cost == COST_PSS)
		(void)members_total(subject->digest->draft->window->members,
				    subject->line->group->sides[1], COST_RISEN, &growth);
	return growth_judge(subject->digest, growth, subject_cost(subject, cost));
}

static void say_growth(const Subject *subject, Sentence *sentence)
{
	enum cost cost = subject->rule->of;

	SAY(sentence, subject->rule->words, name_of(subject));
	growth_add(subject->digest, sentence, subject->value, digest_cost(subject->line, 0, cost),
		   subject_cost(subject, cost));
	why_add_member(subject, sentence, cost == COST_PSS ? COST_RISEN : cost);
}

static gdouble work_ns(const Subject *subject)
{
	return subject_cost(subject, COST_CPU) * NS_PER_S / subject_cost(subject, COST_SWITCHES);
}

static gdouble measure_switches(const Subject *subject)
{
	gdouble switches = subject_cost(subject, COST_SWITCHES);

	return switches > 0 && work_ns(subject) <= MOST_WORK_NS ? switches : NAN;
}

static void say_switches(const Subject *subject, Sentence *sentence)
{
	SAY(sentence, "{} switches {} times/s", name_of(subject),
	    term_rate("switches", "1/s", subject->value));
	SAY(sentence, ", for {} of work each", term_ns("work", work_ns(subject)));
	why_add_member(subject, sentence, COST_SWITCHES);
}

/* Returns the threads in uninterruptible sleep at both ends of the window.  Threads that wait for a
 * disk enter this state again and again, so they have switches in between; stuck threads have
 * none. */
static gdouble measure_stuck(const Subject *subject)
{
	gdouble stuck = MIN(digest_cost(subject->line, 0, COST_BLOCKED),
			    subject_cost(subject, COST_BLOCKED));
	const CostValue *switches =
		&subject->line->costs[subject->digest->newest].of[COST_SWITCHES];

	return subject->digest->seconds > 0 && switches->type == CTPROF_VALUE_REAL &&
			       switches->real * subject->digest->seconds < stuck
		       ? stuck
		       : NAN;
}

static void say_stuck(const Subject *subject, Sentence *sentence)
{
	SAY(sentence, "{} is stuck or frozen", name_of(subject));
	SAY(sentence, ": {} of its {} threads are in uninterruptible sleep (D) all the time",
	    term_count("stuck", "threads", subject->value),
	    term_count("threads", "threads", (gdouble)threads_of(subject)));
	why_add_place(subject, sentence);
}

/* clang-format off */
const Rule pool_rules[] = {
	{"starved", "ratio", STARVED_RATIO, measure_starved, say_starved, .cost = contended},
	{"wants-cpu", "ratio", LEAST_RATIO, measure_wants, say_wants, .cost = contended},
	{"waits-beside-idle", "threads", LEAST_WAITING, measure_bursts, say_bursts, .price = 1},
	{"waits-for-cpu", "threads", LEAST_QUEUE, measure_queue, say_queue, .price = 1},
	{"busiest", "percent", LEAST_BUSY_SHARE, measure_busiest, say_busiest, .cost = measure_use, .of = COST_CPU},
	{"uses-cpu", "percent", LEAST_BUSY_SHARE, measure_runner_up, say_runner_up, .cost = measure_use, .of = COST_CPU},
	{"disk-io", "percent", LEAST_IO_SHARE, measure_disk, say_disk, .cost = cost_io, .of = COST_READ},
	{"writes-files", "percent", LEAST_IO_SHARE, measure_dirties, say_dirties, .cost = cost_io, .of = COST_WRITE},
	{"waits-for-disk", "threads", LEAST_DISK_WAIT, measure_use, say_wait,
	 .price = 1, .of = COST_DISK_WAIT, .words = "the disk"},
	{"waits-for-swap", "threads", LEAST_MEMORY_WAIT, measure_use, say_wait,
	 .price = 1, .of = COST_SWAP_WAIT, .words = "pages to be swapped in"},
	{"waits-for-reclaim", "threads", LEAST_MEMORY_WAIT, measure_use, say_wait,
	 .price = 1, .of = COST_RECLAIM, .words = "memory to be reclaimed"},
	{"waits-for-compaction", "threads", LEAST_MEMORY_WAIT, measure_use, say_wait,
	 .price = 1, .of = COST_COMPACTION, .words = "memory to be compacted"},
	{"thrashes", "threads", LEAST_MEMORY_WAIT, measure_use, say_wait,
	 .price = 1, .of = COST_THRASHING, .words = "pages that were evicted too early"},
	{"grew", "bytes", MIB, measure_growth, say_growth,
	 .price = 1 / GIB, .of = COST_PSS, .words = "the memory of {}"},
	{"heap-grew", "bytes", MIB, measure_growth, say_growth,
	 .price = 1 / GIB, .of = COST_HEAP, .words = "the live heap of {}"},
	{"switches", "1/s", LEAST_SWITCHES, measure_switches, say_switches, .price = 0.1 / LEAST_SWITCHES},
	{"stuck", "threads", 1, measure_stuck, say_stuck, .price = 1},
	{.name = NULL},
};
/* clang-format on */
