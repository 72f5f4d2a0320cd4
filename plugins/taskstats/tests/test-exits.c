/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests records of threads that end: their contents, their storage, and the whole plugin with a
 * fake kernel that sends them. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <linux/taskstats.h>
#include <string.h>
#include <unistd.h>

#include "../decode.h"
#include "exit-store.h"
#include "fakehost.h"
#include "kernel.h"
#include "replay.h"

#define POSSIBLE "0-3,8\n"
#define TID 5000001

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

/* Copied from the kernels' headers, independently of the plugin's own table. */
static const struct layout {
	const char *name;
	guint16 since, at, at_v15;
	guint bits; /* size of the field, if not 64 */
	guint64 per;
} layout[] = {
	{"exit_code", 8, 4, 4, 32, 1},
	{"elapsed_us", 8, 144, 192, 64, 1},
	{"ppid", 8, 132, 180, 32, 1},
	{"uid", 8, 120, 168, 32, 1},
	{"nice", 8, 9, 9, 8, 1},
	{"run_time_ns", 8, 72, 120, 64, 1},
	{"wait_time_ns", 8, 24, 24, 64, 1},
	{"timeslices", 8, 16, 16, 64, 1},
	{"utime_clock_ticks", 8, 152, 200, 64, 10000},
	{"stime_clock_ticks", 8, 160, 208, 64, 10000},
	{"utime_us", 8, 152, 200, 64, 1},
	{"stime_us", 8, 160, 208, 64, 1},
	{"minflt", 8, 168, 216, 64, 1},
	{"majflt", 8, 176, 224, 64, 1},
	{"rchar", 8, 216, 264, 64, 1},
	{"wchar", 8, 224, 272, 64, 1},
	{"read_bytes", 8, 248, 296, 64, 1},
	{"write_bytes", 8, 256, 304, 64, 1},
	{"cancelled_write_bytes", 8, 264, 312, 64, 1},
	{"voluntary_csw", 8, 272, 320, 64, 1},
	{"nonvoluntary_csw", 8, 280, 328, 64, 1},
};

/* The fields before this one are those that live threads also have, and the estimated one. */
#define FIRST (TASKSTATS_N_COMMON + 1)

G_STATIC_ASSERT(FIRST + G_N_ELEMENTS(layout) == EXIT_N_FIELDS);

static void put_u32(GByteArray *stats, gsize offset, guint32 value)
{
	memcpy(stats->data + offset, &value, sizeof value);
}

/* Returns a record of tid in tgid, named comm. */
static GByteArray *exit_stats(guint16 version, guint32 tid, guint32 tgid, const char *comm)
{
	GByteArray *stats = kernel_stats(version, kernel_stats_size(version));
	gsize shift = version == 15 ? 48 : 0;

	put_u32(stats, 128 + shift, tid);
	if (version >= 12)
		put_u32(stats, version == 15 ? 464 : 368, tgid);
	memset(stats->data + 80 + shift, 0, 32);
	memcpy(stats->data + 80 + shift, comm, strlen(comm));
	return stats;
}

static guint64 field_of(const GByteArray *stats, const struct layout *l, guint16 version)
{
	const guint8 *at = stats->data + (version == 15 ? l->at_v15 : l->at);
	guint64 wide;
	guint32 narrow;

	if (l->bits == 8)
		return (guint64)(gint64)(gint8)*at;
	memcpy(&narrow, at, sizeof narrow);
	memcpy(&wide, at, sizeof wide);
	return (l->bits == 32 ? narrow : wide) / l->per;
}

static void check_layout(guint16 version)
{
	g_autoptr(GByteArray) stats = exit_stats(version, TID, TID, "sixteen bytes.!!");
	struct taskstats_exit record;
	struct taskstats_values alive;

	stats->data[9] = (guint8)-5;
	g_assert_cmpint(taskstats_decode_exit(stats->data, stats->len, &record), ==, 0);
	g_assert_cmpint(taskstats_decode(stats->data, stats->len, &alive), ==, 0);
	g_assert_cmpint(record.tid, ==, TID);
	g_assert_cmpint(record.tgid, ==, version >= 12 ? TID : 0);
	g_assert_true(memcmp(record.comm, "sixteen bytes.!!", 16) == 0);
	g_assert_false(record.values.present >> EXIT_FIELD_START & 1);
	for (guint i = 0; i < TASKSTATS_N_COMMON; i++) {
		g_assert_cmpstr(exit_fields[i].metric.name, ==, taskstats_fields[i].metric.name);
		g_assert_cmpuint(record.values.present >> i & 1, ==, alive.present >> i & 1);
		if (alive.present >> i & 1)
			g_assert_cmpuint(record.values.value[i], ==, alive.value[i]);
	}
	for (guint i = 0; i < G_N_ELEMENTS(layout); i++) {
		gboolean there = i > 0 || version >= 12;

		g_test_message("version %u, %s", version, layout[i].name);
		g_assert_cmpstr(exit_fields[FIRST + i].metric.name, ==, layout[i].name);
		g_assert_cmpint(record.values.present >> (FIRST + i) & 1, ==, there);
		if (there)
			g_assert_cmpuint(record.values.value[FIRST + i], ==,
					 field_of(stats, &layout[i], version));
	}
}

static void test_layout(void)
{
	for (guint16 version = 8; version <= 18; version++)
		check_layout(version);
}

/* Metrics that live threads also have must be of the same kind and unit. */
static void test_metrics(void)
{
	for (guint i = 0; i < EXIT_N_FIELDS; i++) {
		const struct ctprof_metric *metric = &exit_fields[i].metric;

		g_assert_cmpuint(metric->scope, ==, CTPROF_SCOPE_EXIT);
		g_assert_cmpstr(metric->group, ==, "exit");
		if (i >= TASKSTATS_N_COMMON)
			continue;
		g_assert_cmpuint(metric->kind, ==, taskstats_fields[i].metric.kind);
		g_assert_cmpuint(metric->unit, ==, taskstats_fields[i].metric.unit);
		g_assert_cmpuint(exit_fields[i].needs, ==, taskstats_fields[i].needs);
	}
}

/* The exit code of a process is put for its leader only. */
static void test_nonsense(void)
{
	static const struct {
		guint16 version;
		guint32 tid, tgid;
		guint len; /* 0: the whole length */
		int result;
		gboolean code;
	} cases[] = {
		{16, TID, TID, 0, 0, TRUE},
		{16, TID + 1, TID, 0, 0, FALSE},
		{11, TID, TID, 0, 0, FALSE},
		{16, TID, TID, 327, -EBADMSG, FALSE},
		{16, TID, TID, 370, 0, FALSE},
		{16, 0, TID, 0, -EBADMSG, FALSE},
		{16, 1u << 31, 1, 0, -EBADMSG, FALSE},
		{16, 1, 1u << 31, 0, -EBADMSG, FALSE},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GByteArray) stats =
			exit_stats(cases[i].version, cases[i].tid, cases[i].tgid, "x");
		gsize len = cases[i].len ? cases[i].len : stats->len;
		g_autofree guint8 *data = g_memdup2(stats->data, len);
		struct taskstats_exit record;

		g_test_message("case %u", i);
		g_assert_cmpint(taskstats_decode_exit(data, len, &record), ==, cases[i].result);
		if (cases[i].result == 0)
			g_assert_cmpint(record.values.present >> EXIT_FIELD_CODE & 1, ==,
					cases[i].code);
	}
}

/* ---- the store ---- */

static union taskstats_exit_words random_record(void)
{
	union taskstats_exit_words kept = {.words = {0}};
	struct taskstats_exit *record = &kept.record;
	guint len = (guint)g_test_rand_int_range(0, EXIT_COMM_SIZE + 1);

	record->tid = g_test_rand_int_range(1, G_MAXINT32);
	record->tgid = g_test_rand_int_range(0, G_MAXINT32);
	for (guint i = 0; i < len; i++)
		record->comm[i] = (char)g_test_rand_int_range(1, 256);
	for (guint i = 0; i < EXIT_N_FIELDS; i++) {
		guint64 value =
			(guint64)(guint32)g_test_rand_int() << 32 | (guint32)g_test_rand_int();

		if (g_test_rand_bit())
			continue;
		record->values.present |= G_GUINT64_CONSTANT(1) << i;
		record->values.value[i] = value >> g_test_rand_int_range(0, 64);
	}
	return kept;
}

/* Records are returned as they were added, in the same order, from full blocks. */
static void test_store(void)
{
	g_autoptr(GArray) records = g_array_new(FALSE, TRUE, sizeof(union taskstats_exit_words));
	struct exit_store store = {.n_words = TASKSTATS_EXIT_WORDS};
	struct exit_cursor cursor = {0};
	union taskstats_exit_words got;

	g_assert_false(exit_store_next(&store, &cursor, got.words));
	for (guint i = 0; i < 3000; i++) {
		union taskstats_exit_words record = random_record();

		g_array_append_val(records, record);
		g_assert_true(exit_store_add(&store, record.words));
		/* Reading may alternate with adding. */
		if (i % 2)
			continue;
		g_assert_true(exit_store_next(&store, &cursor, got.words));
		g_assert_true(memcmp(&got,
				     &g_array_index(records, union taskstats_exit_words, i / 2),
				     sizeof got) == 0);
	}
	for (guint i = 1500; i < 3000; i++) {
		g_assert_true(exit_store_next(&store, &cursor, got.words));
		g_assert_true(memcmp(&got, &g_array_index(records, union taskstats_exit_words, i),
				     sizeof got) == 0);
	}
	g_assert_false(exit_store_next(&store, &cursor, got.words));
	g_assert_cmpuint(store.n, ==, 3000);
	exit_store_clear(&store);
	g_assert_cmpuint(store.n, ==, 0);
}

static void test_store_is_bounded(void)
{
	struct exit_store store = {.n_words = TASKSTATS_EXIT_WORDS};
	union taskstats_exit_words record = {.words = {1, 1}};

	for (guint i = 0; i < EXIT_STORE_MAX; i++)
		g_assert_true(exit_store_add(&store, record.words));
	g_assert_false(exit_store_add(&store, record.words));
	g_assert_cmpuint(store.n_bytes, <=, EXIT_STORE_MAX_BYTES);
	exit_store_clear(&store);
}

/* ---- the plugin ---- */

typedef struct {
	FakeHost *host;
	char *root;
	const struct ctprof_source_ops *ops;
	void *self;
} Fixture;

static const char *const folders[] = {"devices", "devices/system", "devices/system/cpu", "self"};

static void setup(Fixture *f)
{
	f->root = g_dir_make_tmp("ctprof-exits-XXXXXX", NULL);
	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *dir = g_build_filename(f->root, folders[i], NULL);

		g_assert_cmpint(g_mkdir(dir, 0700), ==, 0);
	}
	g_autofree char *possible = g_build_filename(f->root, "devices/system/cpu/possible", NULL);
	g_autofree char *io = g_build_filename(f->root, "self/io", NULL);
	g_assert_true(g_file_set_contents(possible, POSSIBLE, -1, NULL));
	g_assert_true(g_file_set_contents(io, "rchar: 0\n", -1, NULL));
	/* As in a real /proc: a link to the directory of this process. */
	g_autofree char *own = g_strdup_printf("%d", getpid());
	g_autofree char *numbered = g_build_filename(f->root, own, NULL);
	g_autofree char *self = g_build_filename(f->root, "self", NULL);
	g_assert_cmpint(g_rename(self, numbered), ==, 0);
	g_assert_cmpint(symlink(own, self), ==, 0);
	replay_reset();
	f->host = fake_host_new(f->root, f->root, NULL, TRUE);
	fake_host_option(f->host, "buffer", "65536");
	f->ops = ctprof_plugin_entry_v1()->ops;
	g_assert_cmpint(f->ops->open(fake_host_table(f->host), &f->self), ==, 0);
	g_assert_cmpint(f->ops->start(f->self), ==, 0);
}

static void teardown(Fixture *f)
{
	g_autofree char *possible = g_build_filename(f->root, "devices/system/cpu/possible", NULL);
	g_autofree char *io = g_build_filename(f->root, "self/io", NULL);

	f->ops->close(f->self);
	g_assert_null(kernel.registered);
	fake_host_free(f->host);
	replay_clear();
	g_autofree char *self = g_build_filename(f->root, "self", NULL);
	g_autofree char *numbered = g_strdup_printf("%s/%d", f->root, getpid());
	g_unlink(possible);
	g_unlink(io);
	g_unlink(self);
	g_assert_cmpint(g_rename(numbered, self), ==, 0);
	for (guint i = G_N_ELEMENTS(folders); i-- > 0;) {
		g_autofree char *dir = g_build_filename(f->root, folders[i], NULL);

		g_rmdir(dir);
	}
	g_rmdir(f->root);
	g_free(f->root);
}

static void queue_exit(guint32 tid, guint32 tgid)
{
	g_autoptr(GByteArray) stats = exit_stats(16, tid, tgid, "ended");

	kernel_stats_set(stats, 144, 2000000);
	replay_queue(kernel_reply(FAMILY, 99, (gint32)tid, stats), 0);
}

static guint collect(Fixture *f)
{
	g_assert_cmpint(f->ops->collect(f->self, NULL, fake_host_batch(f->host, CTPROF_SCOPE_EXIT)),
			==, 0);
	return fake_host_rows(f->host);
}

static char *tallies(Fixture *f)
{
	static const char *const names[] = {"exits_received", "exits_lost"};
	GString *text = g_string_new(NULL);

	g_assert_cmpint(
		f->ops->collect(f->self, NULL, fake_host_batch(f->host, CTPROF_SCOPE_CAPTURE)), ==,
		0);
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		guint32 state = fake_host_state(f->host, 0, names[i]);

		if (state == CTPROF_PRESENT)
			g_string_append_printf(text, " %" G_GUINT64_FORMAT,
					       fake_host_u64(f->host, 0, names[i]));
		else
			g_string_append_printf(text, " !%u", state);
	}
	return g_string_free(text, FALSE);
}

static void check_tallies(Fixture *f, const char *expected)
{
	g_autofree char *text = tallies(f);

	g_assert_cmpstr(text, ==, expected);
}

/* Records come before the answer to the registration, in drain(), and in the first collect(); if
 * the batch is full, the next one continues. */
static void test_rows(void)
{
	Fixture f = {0};

	setup(&f);
	queue_exit(TID, TID);
	g_assert_cmpint(f.ops->listen(f.self), ==, 0);
	g_assert_cmpstr(kernel.registered, ==, "0-3,8");
	g_assert_cmpuint(kernel.room, ==, 65536);
	queue_exit(TID + 1, TID);
	g_assert_cmpint(f.ops->drain(f.self), ==, 0);
	g_assert_cmpint(f.ops->drain(f.self), ==, 0);
	queue_exit(TID + 2, TID + 2);
	fake_host_room(f.host, 2);
	g_assert_cmpuint(collect(&f), ==, 2);
	g_assert_cmpint(fake_host_target(f.host, 1)->tid, ==, TID + 1);
	g_assert_cmpint(fake_host_target(f.host, 1)->tgid, ==, TID);
	g_assert_cmpstr(fake_host_string(f.host, 0, "comm"), ==, "ended");
	g_assert_cmpuint(fake_host_u64(f.host, 0, "elapsed_us"), ==, 2000000);
	g_assert_cmpuint(fake_host_u64(f.host, 0, "start_time_clock_ticks"), >, 0);
	g_assert_cmpuint(fake_host_u64(f.host, 0, "run_time_ns"), ==, kernel_stats_word(72));
	g_assert_cmpuint(fake_host_state(f.host, 0, "exit_code"), ==, CTPROF_PRESENT);
	g_assert_cmpuint(fake_host_state(f.host, 1, "exit_code"), ==, CTPROF_ABSENT_INAPPLICABLE);
	queue_exit(TID + 3, TID + 3);
	g_assert_cmpuint(collect(&f), ==, 1);
	g_assert_cmpint(fake_host_target(f.host, 0)->tid, ==, TID + 2);
	g_assert_cmpuint(collect(&f), ==, 0);
	check_tallies(&f, " 3 0");
	teardown(&f);
}

static void send_sum(void)
{
	g_autoptr(GByteArray) stats = exit_stats(16, TID, TID, "sum");
	GByteArray *reply = kernel_reply(FAMILY, 1, TID, stats);
	const guint16 aggregate = TASKSTATS_TYPE_AGGR_TGID;

	memcpy(reply->data + 22, &aggregate, sizeof aggregate);
	replay_queue(reply, 0);
}

static void send_forged(void)
{
	g_autoptr(GByteArray) stats = exit_stats(16, TID, TID, "forged");

	replay_queue(kernel_reply(FAMILY, 1, TID, stats), 4711);
	replay_queue(kernel_error(0, -EIO), 4711);
}

static void send_malformed(void)
{
	g_autoptr(GByteArray) stats = exit_stats(7 + 1, TID, TID, "short");

	replay_queue(kernel_reply(FAMILY, 1, TID, g_byte_array_set_size(stats, 300)), 0);
}

static void send_overrun(void)
{
	replay_queue_errno(ENOBUFS);
	kernel.lost = 5;
}

/* The number of lost records is unknown. */
static void send_uncounted_overrun(void)
{
	replay_queue_errno(ENOBUFS);
	kernel.lost = -ENOPROTOOPT;
}

static void send_interrupt(void)
{
	replay_queue_errno(EINTR);
}

static void send_failure(void)
{
	replay_queue_errno(ENETDOWN);
}

/* Unrelated messages are skipped; lost records are counted. */
static void test_troubles(void)
{
	static const struct {
		void (*send)(void);
		int drained;
		guint rows;
		const char *tallies;
	} cases[] = {
		{send_sum, 0, 2, " 2 0"},
		{send_forged, 0, 2, " 2 0"},
		{send_malformed, 0, 2, " 2 1"},
		{send_overrun, 0, 2, " 2 5"},
		{send_uncounted_overrun, 0, 2, " 2 1"},
		{send_interrupt, 0, 2, " 2 0"},
		{send_failure, -ENETDOWN, 2, " 2 0"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		Fixture f = {0};

		g_test_message("case %u", i);
		setup(&f);
		g_assert_cmpint(f.ops->listen(f.self), ==, 0);
		queue_exit(TID, TID);
		cases[i].send();
		queue_exit(TID + 1, TID + 1);
		g_assert_cmpint(f.ops->drain(f.self), ==, cases[i].drained);
		g_assert_true(cases[i].drained == 0 || *fake_host_error(f.host));
		g_assert_cmpuint(collect(&f), ==, cases[i].rows);
		check_tallies(&f, cases[i].tallies);
		teardown(&f);
	}
}

/* If there are no records, that is reported, and threads are read all the same. */
static void test_deaf(void)
{
	static const struct {
		gint err;
		gboolean elsewhere; /* in a PID namespace other than the initial one */
		const char *why;
		const char *finding;
	} cases[] = {
		{EINVAL, TRUE, "initial PID",
		 "exit 30 the kernel sends exit records to the initial"},
		/* Ubuntu's 4.4 does this. */
		{EINVAL, FALSE, "this kernel", "exit 30 this kernel refuses to send exit records"},
		{EPERM, FALSE, "CAP_NET_ADMIN", "exit 30 exit records need CAP_NET_ADMIN"},
		{0, FALSE, "", "exit 10 |"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		Fixture f = {0};

		setup(&f);
		g_autofree char *folder = g_build_filename(f.root, "self/ns", NULL);
		g_autofree char *own = g_build_filename(folder, "pid", NULL);
		if (cases[i].elsewhere) {
			g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
			g_assert_cmpint(symlink("pid:[4026532200]", own), ==, 0);
		}
		check_tallies(&f, " !60 !60");
		kernel.register_err = cases[i].err;
		g_assert_cmpint(f.ops->probe(f.self), ==, 0);
		g_assert_nonnull(strstr(fake_host_findings(f.host), cases[i].finding));
		g_assert_null(cases[i].err ? NULL : kernel.registered);
		g_assert_cmpint(f.ops->listen(f.self), ==, -cases[i].err);
		g_assert_nonnull(strstr(fake_host_error(f.host), cases[i].why));
		check_tallies(&f, cases[i].err ? " !20 !20" : " 0 0");
		g_assert_cmpuint(collect(&f), ==, 0);
		g_clear_pointer(&kernel.registered, g_free);
		g_unlink(own);
		g_rmdir(folder);
		teardown(&f);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/exits/layout", test_layout);
	g_test_add_func("/exits/metrics", test_metrics);
	g_test_add_func("/exits/nonsense", test_nonsense);
	g_test_add_func("/exits/store", test_store);
	g_test_add_func("/exits/store/bounded", test_store_is_bounded);
	g_test_add_func("/exits/rows", test_rows);
	g_test_add_func("/exits/troubles", test_troubles);
	g_test_add_func("/exits/deaf", test_deaf);
	return g_test_run();
}
