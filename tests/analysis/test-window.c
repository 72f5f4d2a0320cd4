/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests windows: a simulated host knows what its threads really did, and reports of captures of it
 * must agree. */
#include <stdlib.h>
#include <string.h>

#include "sample.h"

#define HISTORIES 1000
#define MAX_STEPS 80
#define FIRST_TICK 1000
#define CAPTURES 3
/* A thread begins with fewer turns than all before it, so that one that takes another's place can
 * always be recognised. */
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
	/* The thread as each capture shows it. */
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

/* Returns a number that no living thread has; often one that was used before. */
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

/* Returns a name of one of its groups: cgroup, pcomm, comm. */
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

/* ---- the expected values of a window ---- */

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

/* Returns what a thread ran between two captures; FALSE: that cannot be known. */
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

/* The expected values of a group: the sum over the threads that last had its name. */
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
	if (moved) /* one thread that is gone, and one whose earlier run time is unknown */
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

/* Each group has exactly the run time of its own threads, and the number of those for which it is
 * unknown; nothing remains. */
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

/* Returns what a thread ran in a window, found by name; 0: unknown. */
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

/* The run time from the first capture to the last is the sum of that up to the second and that
 * after it. */
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

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/window/groups have what their threads ran", test_histories);
	g_test_add_func("/window/windows add up", test_windows_add_up);
	return g_test_run();
}
