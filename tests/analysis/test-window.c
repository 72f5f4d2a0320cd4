/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows: a simulated host, which knows what its threads really did, and what the
 * report makes of captures of it. */
#include <stdlib.h>
#include <string.h>

#include "sample.h"

#define HISTORIES 1000
#define MAX_STEPS 80
#define FIRST_TICK 1000
#define CAPTURES 3
/* A thread begins with fewer turns than all before it, so that one in another's
 * place is always seen to be another. */
#define MOST_TURNS 1000000
#define TURNS_APART 1000

/* ---- the host ---- */

/* A thread from its start to its end. */
struct life {
	gint32 tgid, tid;
	guint64 start; /* tick */
	gint pcomm, comm, cgroup;
	guint64 run, turns, longest;
	gboolean is_alive;
	/* As each capture has it. */
	struct sight {
		gboolean is_there, is_denied;
		gint32 tid;
		guint64 run;
		gint pcomm, comm, cgroup;
	} sights[CAPTURES];
};

struct host {
	GArray *lives; /* struct life */
	guint64 now;   /* tick */
	guint n_captures;
	guint64 began[CAPTURES];
	Sample *samples[CAPTURES];
};

static struct life *life_at(const struct host *host, guint i)
{
	return &g_array_index(host->lives, struct life, i);
}

static gboolean chance(gint of_hundred)
{
	return g_test_rand_int_range(0, 100) < of_hundred;
}

static void host_run(struct life *life)
{
	guint64 ns = (guint64)g_test_rand_int_range(1, 1000);

	life->run += ns;
	life->turns++;
	life->longest = MAX(life->longest, ns);
}

static void host_start(struct host *host, gint32 tgid, gint32 tid)
{
	struct life life = {
		.tgid = tgid,
		.tid = tid,
		.start = host->now,
		.pcomm = g_test_rand_int_range(0, 3),
		.comm = g_test_rand_int_range(0, 3),
		.cgroup = g_test_rand_int_range(0, 3),
		.turns = MOST_TURNS - host->lives->len * TURNS_APART,
		.is_alive = TRUE,
	};

	host_run(&life);
	g_array_append_val(host->lives, life);
}

/* A number that no living thread has; often one that was used before. */
static gint32 host_number(const struct host *host)
{
	gint32 number = g_test_rand_int_range(1, 30);
	gboolean is_free = FALSE;

	while (!is_free) {
		is_free = TRUE;
		number++;
		for (guint i = 0; i < host->lives->len; i++)
			if (life_at(host, i)->is_alive &&
			    (life_at(host, i)->tid == number || life_at(host, i)->tgid == number))
				is_free = FALSE;
	}
	return number;
}

/* A thread that is not the leader executes a program: the others end, and it takes
 * the leader's number and start. */
static void host_exec(struct host *host, struct life *life)
{
	for (guint i = 0; i < host->lives->len; i++) {
		struct life *other = life_at(host, i);

		if (other == life || !other->is_alive || other->tgid != life->tgid)
			continue;
		if (other->tid == other->tgid)
			life->start = other->start;
		other->is_alive = FALSE;
	}
	life->tid = life->tgid;
	life->pcomm = life->comm = g_test_rand_int_range(0, 3);
}

static void host_end(struct host *host, const struct life *life)
{
	gint32 tgid = life->tgid;
	gboolean is_group = life->tid == tgid;

	for (guint i = 0; i < host->lives->len; i++)
		if (life_at(host, i) == life || (is_group && life_at(host, i)->tgid == tgid))
			life_at(host, i)->is_alive = FALSE;
}

static void host_step(struct host *host)
{
	guint which = (guint)g_test_rand_int_range(0, (gint)host->lives->len);
	struct life *life = life_at(host, which);
	gint dice = g_test_rand_int_range(0, 100);

	host->now += (guint64)g_test_rand_int_range(1, 3);
	if (dice < 15) {
		gint32 number = host_number(host);

		host_start(host, number, number);
	} else if (!life->is_alive) {
		return;
	} else if (dice < 30) {
		host_start(host, life->tgid, host_number(host));
	} else if (dice < 45) {
		host_end(host, life);
	} else if (dice < 50 && life->tid != life->tgid) {
		host_exec(host, life);
	} else if (dice < 58) {
		life->comm = g_test_rand_int_range(0, 3);
	} else if (dice < 66) {
		life->cgroup = g_test_rand_int_range(0, 3);
	} else {
		host_run(life);
	}
}

/* The names of its groups: cgroup, pcomm, comm. */
static char *name_of(const char *what, gint number)
{
	return g_strdup_printf("%s%c", what, 'a' + number);
}

static void capture_life(struct host *host, guint n, struct life *life)
{
	g_autofree char *pcomm = name_of("p", life->pcomm);
	g_autofree char *comm = name_of("c", life->comm);
	g_autofree char *cgroup = name_of("/g", life->cgroup);
	Sample *sample = host->samples[n];

	struct sight *sight = &life->sights[n];

	*sight = (struct sight){TRUE,        chance(5),  life->tid,   life->run,
				life->pcomm, life->comm, life->cgroup};
	sample_thread(sample, life->tgid, life->tid, pcomm, comm, cgroup);
	sample_u64(sample, "start_time_clock_ticks", life->start);
	sample_u64(sample, "timeslices", life->turns);
	sample_u64(sample, "wait_max", life->longest);
	if (sight->is_denied)
		sample_absent(sample, "run_time_ns", CTPROF_ABSENT_DENIED);
	else
		sample_u64(sample, "run_time_ns", life->run);
}

static void host_capture(struct host *host)
{
	guint n = host->n_captures++;

	host->now += 2;
	host->began[n] = host->now;
	host->samples[n] = sample_new();
	sample_seal(host->samples[n]);
	for (guint i = 0; i < host->lives->len; i++)
		if (life_at(host, i)->is_alive && !chance(5))
			capture_life(host, n, life_at(host, i));
	host->now += 2;
}

static void host_init(struct host *host, guint n_captures)
{
	*host = (struct host){.now = FIRST_TICK};
	host->lives = g_array_new(FALSE, FALSE, sizeof(struct life));
	host_start(host, 1, 1);
	host_start(host, 2, 2);
	for (guint n = 0; n < n_captures; n++) {
		gint steps = g_test_rand_int_range(0, MAX_STEPS);

		for (gint i = 0; i < steps; i++)
			host_step(host);
		host_capture(host);
	}
}

static void host_clear(struct host *host)
{
	for (guint n = 0; n < host->n_captures; n++)
		sample_free(host->samples[n]);
	g_array_unref(host->lives);
}

/* ---- what a window must tell ---- */

static Analysis *analyse(const struct host *host, guint from, guint to, GroupBy group_by,
			 AnalysisOptions *options, const struct ctprof_report **ret_report)
{
	*options = (AnalysisOptions){
		.group_by = group_by,
		.may_be_window = TRUE,
		.is_window = TRUE,
		.began = host->began[from],
		.elapsed_s = 1,
	};
	return sample_analyse(host->samples[from], host->samples[to], options, ret_report);
}

/* What a life ran between two captures; FALSE: that cannot be known. */
static gboolean known_run(const struct host *host, const struct life *life, guint from, guint to,
			  guint64 *ret_run)
{
	const struct sight *before = &life->sights[from], *after = &life->sights[to];

	*ret_run = 0;
	if (!after->is_there || after->is_denied || before->is_denied)
		return FALSE;
	if (before->is_there ? before->tid != after->tid : life->start < host->began[from])
		return FALSE;
	*ret_run = after->run - before->run;
	return TRUE;
}

static char *group_of(const struct sight *sight, GroupBy group_by)
{
	switch (group_by) {
	case GROUP_BY_PCOMM:
		return name_of("p", sight->pcomm);
	case GROUP_BY_COMM_EXACT:
		return name_of("c", sight->comm);
	default:
		return name_of("/g", sight->cgroup);
	}
}

/* What the host says of a group: the sum over the lives that last had that name. */
struct account {
	guint64 run, n, missing;
	guint64 threads[2];
};

static struct account *account_of(GHashTable *accounts, const struct sight *sight, GroupBy group_by)
{
	g_autofree char *group = group_of(sight, group_by);
	struct account *account = g_hash_table_lookup(accounts, group);

	if (account)
		return account;
	account = g_new0(struct account, 1);
	g_hash_table_insert(accounts, g_steal_pointer(&group), account);
	return account;
}

static void account_for(GHashTable *accounts, const struct host *host, const struct life *life,
			guint from, guint to, GroupBy group_by)
{
	const struct sight *before = &life->sights[from], *after = &life->sights[to];
	gboolean moved = before->is_there && after->is_there && before->tid != after->tid;
	guint64 run;

	if (!before->is_there && !after->is_there)
		return;
	if (moved) /* one that is gone, and one of which it is not known what it did before */
		account_of(accounts, before, group_by)->missing++;
	const struct sight *last = after->is_there ? after : before;
	struct account *account = account_of(accounts, last, group_by);
	if (known_run(host, life, from, to, &run)) {
		account->run += run;
		account->n++;
	} else {
		account->missing++;
	}
	account_of(accounts, moved ? before : last, group_by)->threads[0] +=
		before->is_there ? 1 : 0;
	account->threads[1] += after->is_there ? 1 : 0;
}

static GHashTable *accounts_of(const struct host *host, guint from, guint to, GroupBy group_by)
{
	GHashTable *accounts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (guint i = 0; i < host->lives->len; i++)
		account_for(accounts, host, life_at(host, i), from, to, group_by);
	return accounts;
}

static void check_row(const SampleRow *row, const struct account *account)
{
	gboolean is_there = account->n > 0;

	for (guint side = 0; side < 2; side++) {
		g_assert_cmpint(row->value[side].type, ==,
				is_there ? CTPROF_VALUE_NUMBER : CTPROF_VALUE_ABSENT);
		g_assert_cmpuint(row->value[side].n, ==, account->n);
		g_assert_cmpuint(row->value[side].missing, ==, account->missing);
		g_assert_cmpuint(row->line->threads[side], ==, account->threads[side]);
	}
	if (is_there)
		g_assert_cmpuint(row->value[1].number - row->value[0].number, ==, account->run);
	g_assert_cmpint((row->flags & CTPROF_CELL_PARTIAL) != 0, ==,
			is_there && account->missing > 0);
	g_assert_cmpint(row->flags & CTPROF_CELL_HAS_PCT, ==, 0);
}

/* Each group has what its own threads ran, no more and no less, and says how many
 * it does not know of; nothing is left over. */
static guint64 check_groups(const struct host *host, guint from, guint to, GroupBy group_by)
{
	g_autoptr(GHashTable) accounts = accounts_of(host, from, to, group_by);
	const struct ctprof_report *report;
	AnalysisOptions options;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		analyse(host, from, to, group_by, &options, &report);
	GHashTableIter iter;
	gpointer group, account;
	guint64 sum = 0;

	g_hash_table_iter_init(&iter, accounts);
	while (g_hash_table_iter_next(&iter, &group, &account)) {
		const SampleRow *row = sample_find(report, "primary", group, "run_time_ns");

		g_assert_nonnull(row);
		check_row(row, account);
		sum += ((struct account *)account)->run;
	}
	g_autoptr(GArray) rows = sample_rows(sample_section(report, "primary"));
	for (guint i = 0; i < rows->len; i++) {
		const SampleRow *row = &g_array_index(rows, SampleRow, i);
		g_autofree char *name = sample_group(row->line);

		g_assert_true(g_hash_table_contains(accounts, name));
		if (row->field->kind == CTPROF_COUNTER && row->flags & CTPROF_CELL_HAS_DELTA)
			g_assert_cmpfloat(row->delta, >=, 0);
	}
	g_assert_cmpuint(report->n_only[0] + report->n_only[1], ==, 0);
	return sum;
}

static void test_histories(void)
{
	for (guint i = 0; i < HISTORIES; i++) {
		struct host host;

		host_init(&host, 2);
		guint64 sum = check_groups(&host, 0, 1, GROUP_BY_PCOMM);
		g_assert_cmpuint(sum, ==, check_groups(&host, 0, 1, GROUP_BY_COMM_EXACT));
		g_assert_cmpuint(sum, ==, check_groups(&host, 0, 1, GROUP_BY_CGROUP));
		host_clear(&host);
	}
}

/* What a thread did in a window, by its name; 0: that is not known. */
static guint64 run_of(const struct ctprof_report *report, const struct life *life)
{
	g_autoptr(GArray) rows = sample_rows(sample_section(report, "primary"));

	for (guint i = 0; i < rows->len; i++) {
		const SampleRow *row = &g_array_index(rows, SampleRow, i);
		g_autofree char *end = g_strdup_printf("[%d]", life->tid);

		if (g_str_has_suffix(row->line->names[0], end) && row->value[1].n == 1 &&
		    strcmp(row->metric, "run_time_ns") == 0)
			return row->value[1].number - row->value[0].number;
	}
	return 0;
}

/* What happened from the first capture to the last is what happened up to the
 * second and from then on. */
static void test_windows_add_up(void)
{
	static const guint spans[][2] = {{0, 1}, {1, 2}, {0, 2}};
	guint n_checked = 0;

	for (guint i = 0; i < HISTORIES / 10; i++) {
		Analysis *analyses[G_N_ELEMENTS(spans)];
		const struct ctprof_report *reports[G_N_ELEMENTS(spans)];
		AnalysisOptions options[G_N_ELEMENTS(spans)];
		struct host host;

		host_init(&host, CAPTURES);
		for (guint s = 0; s < G_N_ELEMENTS(spans); s++)
			analyses[s] = analyse(&host, spans[s][0], spans[s][1], GROUP_BY_THREAD,
					      &options[s], &reports[s]);
		for (guint l = 0; l < host.lives->len; l++) {
			const struct life *life = life_at(&host, l);
			gboolean is_whole = life->is_alive;

			for (guint c = 0; c < CAPTURES; c++)
				is_whole = is_whole && life->sights[c].is_there &&
					   !life->sights[c].is_denied &&
					   life->sights[c].tid == life->tid;
			if (!is_whole)
				continue;
			g_assert_cmpuint(run_of(reports[0], life) + run_of(reports[1], life), ==,
					 run_of(reports[2], life));
			n_checked++;
		}
		for (guint s = 0; s < G_N_ELEMENTS(spans); s++)
			analysis_free(analyses[s]);
		host_clear(&host);
	}
	g_assert_cmpuint(n_checked, >, 0);
}

/* ---- case by case ---- */

static guint64 number_of(const char *text)
{
	return g_ascii_strtoull(text, NULL, 10);
}

static void put_numbers(Sample *sample, char *const *words)
{
	for (; *words; words++) {
		g_auto(GStrv) parts = g_strsplit(*words, "=", 2);

		if (strcmp(parts[1], "-") == 0)
			sample_absent(sample, parts[0], CTPROF_ABSENT_DENIED);
		else
			sample_u64(sample, parts[0], number_of(parts[1]));
	}
}

/* A capture: "tid start comm metric=number …" of each thread, "metric=-": denied;
 * "exit tid start comm metric=number …" of each that ended.  "ctprof" is ctprof itself. */
static Sample *make_sample(const char *const *threads)
{
	Sample *sample = sample_new();

	sample_metric(sample, "ppid", CTPROF_LABEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_PROCESS,
		      "identity");
	sample_flag(sample, ROW_THREAD, "allocated_bytes", CTPROF_METRIC_RESTARTS);
	sample_seal(sample);
	for (guint i = 0; threads[i]; i++) {
		g_auto(GStrv) words = g_strsplit(threads[i], " ", -1);
		gboolean ended = strcmp(words[0], "exit") == 0;
		char **at = words + (ended ? 1 : 0);
		gint32 tid = (gint32)number_of(at[0]);

		if (ended)
			sample_exit(sample, tid, tid, at[2]);
		else
			sample_thread(sample, tid, tid, at[2], at[2], "/g");
		sample_u64(sample, "start_time_clock_ticks", number_of(at[1]));
		if (strcmp(at[2], "ctprof") == 0)
			sample_own(sample, tid);
		put_numbers(sample, at + 3);
	}
	return sample;
}

/* The window begins with tick 50. */
static const struct {
	const char *what;
	const char *before[4], *after[5];
	/* A line of the report: "GROUP METRIC BASELINE CANDIDATE DELTA PCT FLAGS". */
	const char *expected[4];
} cases[] = {
	{"a name's time is its own: a worker was renamed",
	 {"7 5 kworker-events run_time_ns=1106", NULL},
	 {"7 5 kworker-mm run_time_ns=1108", NULL},
	 {"kworker-mm run_time_ns 1106 1108 +2\n", "thread_count 1 1 ", NULL}},
	{"a thread that began in between had nothing before",
	 {NULL},
	 {"7 60 c run_time_ns=40 wait_max=9", NULL},
	 {"c run_time_ns 0 40 +40\n", "c wait_max . 9\n", "c thread_count 0 1 +1\n", NULL}},
	{"one that the first capture missed",
	 {NULL},
	 {"7 40 c run_time_ns=40 wait_max=9", NULL},
	 {"c run_time_ns . . S\n", "c wait_max . . S\n", NULL}},
	{"one that ended, beside one that goes on",
	 {"7 5 c run_time_ns=100", "8 5 c run_time_ns=10", NULL},
	 {"8 5 c run_time_ns=11", NULL},
	 {"c run_time_ns ~10 ~11 +1 ~\n", "c thread_count 2 1 -1 -50.0%\n", NULL}},
	{"what cannot be read on one side is known of neither",
	 {"7 5 c run_time_ns=100", "8 5 c run_time_ns=10", NULL},
	 {"7 5 c run_time_ns=-", "8 5 c run_time_ns=10", NULL},
	 {"c run_time_ns ~10 ~10 +0 S ~\n", NULL}},
	{"an exec by a thread that is not the leader",
	 {"7 5 old run_time_ns=100 timeslices=9", NULL},
	 {"7 5 new run_time_ns=120 timeslices=3", NULL},
	 {"new run_time_ns . . S\n", "old run_time_ns . . S\n", NULL}},
	{"an exec by the leader is one thread, with another heap",
	 {"7 5 old run_time_ns=100 allocated_bytes=50", NULL},
	 {"7 5 new run_time_ns=120 allocated_bytes=20", NULL},
	 {"new run_time_ns 100 120 +20\n", "new allocated_bytes . . S\n", NULL}},
	{"a number used again is another thread",
	 {"7 5 c run_time_ns=100", NULL},
	 {"7 60 c run_time_ns=130", NULL},
	 {"c run_time_ns ~0 ~130 +130 ~\n", NULL}},
	{"a peak that did not rise is none of the window's",
	 {"7 5 c wait_max=100 cpu_delay_min_ns=5", "8 5 c wait_max=5 cpu_delay_min_ns=0", NULL},
	 {"7 5 c wait_max=100 cpu_delay_min_ns=5", "8 5 c wait_max=6 cpu_delay_min_ns=7", NULL},
	 {"c wait_max . 6\n", "c cpu_delay_min_ns . 7\n", NULL}},
	{"levels and gauges have both ends",
	 {"7 5 c fair_slice_ns=100", "8 5 c fair_slice_ns=200", NULL},
	 {"7 5 c fair_slice_ns=150", NULL},
	 {"c fair_slice_ns 200 150 -50 -25.0%\n", NULL}},
	{"a ratio is that of what was counted",
	 {"7 5 c wait_sum=1000 wait_count=10", NULL},
	 {"7 5 c wait_sum=1500 wait_count=11", NULL},
	 {"c avg_wait_ns 100.000 500.000 ", NULL}},
	{"one that ended and left a record",
	 {"7 5 c run_time_ns=100 rchar=5", NULL},
	 {"exit 7 6 c run_time_ns=140 rchar=9", NULL},
	 {"c run_time_ns ~100 ~140 +40 ~\n", "c rchar 5 9 +4\n", "c thread_count 1 0 -1", NULL}},
	{"one that began and ended in between: its parent knows what it used",
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=3 cstime_clock_ticks=1", NULL},
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=4 cstime_clock_ticks=2",
	  "exit 8 60 true ppid=7 run_time_ns=1000 rchar=3", NULL},
	 {"true run_time_ns ~0 ~20000000 +2e+07 ~\n", "true rchar 0 3 +3\n",
	  "true thread_count 0 0 ", NULL}},
	{"two of them share it by what their records have",
	 {"7 5 sh cutime_clock_ticks=3 cstime_clock_ticks=1", NULL},
	 {"7 5 sh cutime_clock_ticks=7 cstime_clock_ticks=1",
	  "exit 8 60 a ppid=7 run_time_ns=1000 utime_us=1 stime_us=2",
	  "exit 9 60 b ppid=8 run_time_ns=1000", NULL},
	 {"a run_time_ns ~0 ~30000000 ", "b run_time_ns ~0 ~10000000 ", NULL}},
	{"what a child had used before is charged in the window, too",
	 {"7 5 sh cutime_clock_ticks=0 cstime_clock_ticks=0",
	  "8 5 a ppid=7 run_time_ns=30000000 utime_clock_ticks=3", NULL},
	 {"7 5 sh cutime_clock_ticks=6 cstime_clock_ticks=0",
	  "exit 8 5 a ppid=7 run_time_ns=30001000 utime_us=20001 stime_us=10000", NULL},
	 {"a run_time_ns ~30000000 ~60000000 ", NULL}},
	{"what a thread ran to its very end is no share, and not charged twice",
	 {"7 5 sh cutime_clock_ticks=3 cstime_clock_ticks=1", NULL},
	 {"7 5 sh cutime_clock_ticks=7 cstime_clock_ticks=1",
	  "exit 8 60 a ppid=7 run_time_ns=30000000 final_run_time_ns=30000000",
	  "exit 9 60 b ppid=8 run_time_ns=1000", NULL},
	 {"a run_time_ns 0 30000000 ", "b run_time_ns ~0 ~10000000 ", NULL}},
	{"and neither its parent's ticks say, nor children of its own, if all records are whole",
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=3 cstime_clock_ticks=1", NULL},
	 {"7 5 sh run_time_ns=1 cutime_clock_ticks=90 cstime_clock_ticks=2",
	  "exit 8 60 a ppid=7 run_time_ns=1000 final_run_time_ns=1000", NULL},
	 {"a run_time_ns 0 1000 ", "exited cpu_time_ns . 1000.000 +1000\n", NULL}},
	{"one that has ended, but is still there",
	 {"7 5 c run_time_ns=100", NULL},
	 {"7 5 c run_time_ns=130", "exit 7 5 c run_time_ns=120", NULL},
	 {"c run_time_ns 100 130 +30\n", NULL}},
	{"one that the first capture missed and that left a record",
	 {NULL},
	 {"exit 7 20 c run_time_ns=120", NULL},
	 {"c run_time_ns . . S\n", NULL}},
	{"ctprof's own time is in no group, and told for itself",
	 {"7 5 c run_time_ns=100", "9 5 ctprof run_time_ns=1000", NULL},
	 {"7 5 c run_time_ns=130", "9 5 ctprof run_time_ns=4000", NULL},
	 {"ctprof cpu_time_ns . 3000.000 +3000\n", "threads cpu_time_ns . 30.000 +30\n",
	  "c thread_count 1 1 ", NULL}},
	{"and up to its end, by the record of that",
	 {"7 5 c run_time_ns=100", "9 5 ctprof run_time_ns=1000", NULL},
	 {"7 5 c run_time_ns=130",
	  "exit 9 5 ctprof run_time_ns=1500 utime_us=2 final_run_time_ns=6000", NULL},
	 {"ctprof cpu_time_ns . 5000.000 +5000\n", "exited cpu_time_ns . 0.000 ", NULL}},
	{"or as much as its record has",
	 {"7 5 c run_time_ns=100", "9 5 ctprof run_time_ns=1000", NULL},
	 {"7 5 c run_time_ns=130", "exit 9 5 ctprof run_time_ns=1500 utime_us=2", NULL},
	 {"ctprof cpu_time_ns . 1000.000 +1000\n", NULL}},
	{"a window in which nothing ran",
	 {"7 5 c wait_sum=1000 wait_count=10", NULL},
	 {"7 5 c wait_sum=1000 wait_count=10", NULL},
	 {"c wait_sum 1000 1000 +0 S\n", "c avg_wait_ns 100.000 .\n", NULL}},
};

static void test_cases(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) before = make_sample(cases[i].before);
		g_autoptr(Sample) after = make_sample(cases[i].after);
		AnalysisOptions options = {.group_by = GROUP_BY_COMM_EXACT,
					   .may_be_window = TRUE,
					   .is_window = TRUE,
					   .is_whole_host = TRUE,
					   .began = 50,
					   .elapsed_s = 1};
		const struct ctprof_report *report;
		g_autoptr(Analysis) analysis G_GNUC_UNUSED =
			sample_analyse(before, after, &options, &report);
		g_autofree char *dump = sample_dump(report);
		for (guint k = 0; cases[i].expected[k]; k++)
			if (!strstr(dump, cases[i].expected[k]))
				g_error("%s: no '%s' in\n%s", cases[i].what, cases[i].expected[k],
					dump);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/window/groups have what their threads ran", test_histories);
	g_test_add_func("/window/windows add up", test_windows_add_up);
	g_test_add_func("/window/case by case", test_cases);
	return g_test_run();
}
