/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the memory of running processes, and of recorded kernels. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/tests/run.h"
#include "../memory.h"

#define NOBODY 65534
#define MINE_BYTES ((size_t)16 << 20)

/* ---- a process that keeps still --------------------------------------- */

static void *wait_for_ever(void *unused)
{
	for (;;)
		(void)pause();
	return unused;
}

static void touch_memory(void)
{
	char *mine =
		mmap(NULL, MINE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mine == MAP_FAILED)
		_exit(1);
	memset(mine, 1, MINE_BYTES);
}

/* Starts a process; exits: its leader exits, while another thread stays. */
static pid_t start_quiet(bool exits)
{
	int ready[2];
	char byte;

	g_assert_cmpint(pipe(ready), ==, 0);
	pid_t pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid > 0) {
		close(ready[1]);
		g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
		close(ready[0]);
		return pid;
	}
	pthread_t thread;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	touch_memory();
	if (exits && pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
		_exit(1);
	if (write(ready[1], "x", 1) != 1)
		_exit(1);
	if (exits)
		pthread_exit(NULL);
	wait_for_ever(NULL);
	_exit(0);
}

static void end_quiet(const pid_t *pid)
{
	(void)kill(*pid, SIGKILL);
	(void)waitpid(*pid, NULL, 0);
}

#define QUIET __attribute__((cleanup(end_quiet))) pid_t

static void begin_live(struct run *run, const char *source, pid_t pid)
{
	run_init(run, LIVE_PROC, TRUE);
	if (source)
		fake_host_option(run->fake, "smaps-source", source);
	fake_host_add_thread(run->fake, pid, pid);
	run_begin(run);
	run_threads(run);
}

/* Returns the value of a key in the map "k=1 l=2", in KiB. */
static guint64 key_of(const char *map, const char *key)
{
	g_auto(GStrv) entries = g_strsplit(map, " ", -1);
	g_autofree char *prefix = g_strconcat(key, "=", NULL);

	for (guint i = 0; entries[i]; i++)
		if (g_str_has_prefix(entries[i], prefix))
			return g_ascii_strtoull(entries[i] + strlen(prefix), NULL, 10);
	g_error("there is no %s in %s", key, map);
}

static bool has_rollup(void)
{
	return access(LIVE_PROC "/self/smaps_rollup", R_OK) == 0;
}

static guint count_mappings(pid_t pid)
{
	g_autofree char *path = g_strdup_printf(LIVE_PROC "/%d/maps", (int)pid);
	g_autofree char *text = NULL;
	guint n = 0;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		n++;
	return n;
}

static void check_agreement(const char *rollup, const char *smaps, guint n_mappings)
{
	static const char *const equal[] = {
		"Rss",           "Shared_Clean", "Shared_Dirty", "Private_Clean",
		"Private_Dirty", "Anonymous",    "Swap",         "Private_Hugetlb",
	};
	guint64 pss = key_of(rollup, "Pss"), sum = key_of(smaps, "Pss");

	for (gsize i = 0; i < G_N_ELEMENTS(equal); i++)
		g_assert_cmpuint(key_of(rollup, equal[i]), ==, key_of(smaps, equal[i]));
	g_assert_cmpuint(pss, >=, sum);
	g_assert_cmpuint(pss - sum, <, n_mappings);
	/* Printed since about Linux 5.4. */
	if (strstr(rollup, "Pss_Anon="))
		g_assert_cmpuint(pss - key_of(rollup, "Pss_Anon") - key_of(rollup, "Pss_File") -
					 key_of(rollup, "Pss_Shmem"),
				 <=, 2);
	g_assert_cmpuint(key_of(rollup, "Rss"), ==,
			 key_of(rollup, "Shared_Clean") + key_of(rollup, "Shared_Dirty") +
				 key_of(rollup, "Private_Clean") + key_of(rollup, "Private_Dirty"));
}

static char *read_sums(pid_t pid, const char *source)
{
	RUN run = {0};

	begin_live(&run, source, pid);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "memory_source"), ==, source);
	return g_strdup(fake_host_string(run.fake, 0, "smaps_rollup_kib"));
}

/* Vector 65.  For an idle process both files have the same values, except that smaps rounds down
 * per mapping.  Other processes may change the memory that they share with it, and change it back:
 * only values that each file has shown twice, read alternately, count. */
static void test_sources_agree(void)
{
	if (!has_rollup()) {
		g_test_skip("this kernel has no smaps_rollup");
		return;
	}
	QUIET pid = start_quiet(false);
	for (guint i = 0; i < 100; i++) {
		g_autofree char *before = read_sums(pid, "rollup");
		g_autofree char *smaps = read_sums(pid, "smaps");
		g_autofree char *after = read_sums(pid, "rollup");
		g_autofree char *again = read_sums(pid, "smaps");

		if (g_str_equal(before, after) && g_str_equal(smaps, again)) {
			check_agreement(before, smaps, count_mappings(pid));
			return;
		}
	}
	g_test_skip("what the process shares with others kept changing");
}

/* The memory that a process holds is in its USS, and its labels are right. */
static void test_quiet(void)
{
	QUIET pid = start_quiet(false);
	RUN run = {0};
	g_autofree char *here = g_get_current_dir();

	begin_live(&run, NULL, pid);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "memory_state"), ==, "exact");
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "uss_bytes"), >=, MINE_BYTES);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "pss_bytes"), >=, MINE_BYTES);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "rss_peak_bytes"), >=, MINE_BYTES);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "memory_read_ns"), >, 0);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "ppid"), ==, (guint64)getpid());
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "uid"), ==, getuid());
	g_assert_cmpstr(fake_host_string(run.fake, 0, "user"), ==, g_get_user_name());
	g_assert_cmpstr(fake_host_string(run.fake, 0, "cwd"), ==, here);
	g_assert_nonnull(strstr(fake_host_string(run.fake, 0, "cmdline"), g_get_prgname()));
}

static char state_of(pid_t pid)
{
	g_autofree char *path = g_strdup_printf(LIVE_PROC "/%d/stat", (int)pid);
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	return strrchr(text, ')')[2];
}

/* If the leader has exited, the memory is read from the remaining thread. */
static void test_zombie_leader(void)
{
	QUIET pid = start_quiet(true);
	RUN run = {0};

	for (guint i = 0; i < 1000 && state_of(pid) != 'Z'; i++)
		g_usleep(10000);
	g_assert_cmpint(state_of(pid), ==, 'Z');
	begin_live(&run, NULL, pid);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "memory_state"), ==, "exact");
	g_assert_cmpstr(fake_host_string(run.fake, 0, "memory_source"), ==,
			has_rollup() ? "sibling" : "sibling-smaps");
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "uss_bytes"), >=, MINE_BYTES);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "rss_peak_bytes"), >=, MINE_BYTES);
	g_assert_nonnull(strstr(fake_host_string(run.fake, 0, "cmdline"), g_get_prgname()));
}

static void test_zombie(void)
{
	RUN run = {0};
	QUIET pid = fork();

	if (pid == 0)
		_exit(0);
	for (guint i = 0; i < 1000 && state_of(pid) != 'Z'; i++)
		g_usleep(10000);
	begin_live(&run, NULL, pid);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "memory_state"), ==, "not-applicable");
	g_assert_cmpuint(fake_host_state(run.fake, 0, "pss_bytes"), ==, CTPROF_ABSENT_INAPPLICABLE);
}

/* ---- another user's --------------------------------------------------- */

static void check_refused(pid_t pid)
{
	RUN run = {0};

	begin_live(&run, NULL, pid);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "memory_state"), ==, "approximate");
	g_assert_cmpstr(fake_host_string(run.fake, 0, "memory_source"), ==, "status");
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "rss_bytes"), >=, MINE_BYTES);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "pss_bytes"), ==, CTPROF_ABSENT_DENIED);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "uss_bytes"), ==, CTPROF_ABSENT_DENIED);
	g_assert_cmpuint(fake_host_state(run.fake, 0, "cwd"), ==, CTPROF_ABSENT_DENIED);
	run_summary(&run);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "memory_summary.approximate"), ==, 1);
	g_assert_nonnull(strstr(fake_host_log(run.fake), "PSS missing for 1 process: needs "
							 "CAP_SYS_PTRACE, or CAP_PERFMON"));
}

static void test_refused(void)
{
	int status;

	if (geteuid() != 0) {
		g_test_skip("needs root, to become another user");
		return;
	}
	QUIET pid = start_quiet(false);
	pid_t other = fork();
	if (other == 0) {
		if (setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
		    setresuid(NOBODY, NOBODY, NOBODY) != 0)
			_exit(2);
		check_refused(pid);
		_exit(0);
	}
	g_assert_cmpint(waitpid(other, &status, 0), ==, other);
	g_assert_cmpint(status, ==, 0);
}

/* ---- recorded kernels ------------------------------------------------- */

static const char *const kernels[] = {
	"6.1.0-50-amd64",
	"6.12.107+deb13-amd64",
	"6.12.107+deb13-amd64-plain",
	"7.2.13+deb14-amd64-scx",
};

static char *read_file(const char *proc, int pid, const char *name)
{
	g_autofree char *path = g_strdup_printf("%s/%d/task/%d/%s", proc, pid, pid, name);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

/* Finds a number in another way: by a pattern over the whole file. */
static gint64 number_in(const char *text, const char *pattern)
{
	g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_RAW | G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) info = NULL;

	if (!text || !g_regex_match(regex, text, 0, &info))
		return -1;
	g_autofree char *digits = g_match_info_fetch(info, 1);
	return g_ascii_strtoll(digits, NULL, 10);
}

static void check_recorded(struct run *run, const char *proc, guint row, int pid)
{
	g_autofree char *rollup = read_file(proc, pid, "smaps_rollup");
	g_autofree char *status = read_file(proc, pid, "status");
	gint64 pss = number_in(rollup, "^Pss:\\s+(\\d+) kB$");
	gint64 swap_pss = number_in(rollup, "^SwapPss:\\s+(\\d+) kB$");
	gint64 rss = number_in(status, "^VmRSS:\\s+(\\d+) kB$");
	const char *state = fake_host_string(run->fake, row, "memory_state");

	if (pss >= 0) {
		g_assert_cmpstr(state, ==, "exact");
		g_assert_cmpuint(fake_host_u64(run->fake, row, "pss_bytes"), ==,
				 (guint64)pss * 1024);
		g_assert_cmpuint(fake_host_u64(run->fake, row, "swap_pss_bytes"), ==,
				 (guint64)swap_pss * 1024);
	} else if (rss < 0) {
		g_assert_cmpstr(state, ==, "not-applicable");
	} else {
		g_assert_cmpstr(state, !=, "exact");
		g_assert_cmpuint(fake_host_u64(run->fake, row, "rss_bytes"), ==,
				 (guint64)rss * 1024);
	}
}

static guint check_kernel(const char *proc)
{
	g_autoptr(GDir) dir = g_dir_open(proc, 0, NULL);
	g_autoptr(GArray) pids = g_array_new(FALSE, FALSE, sizeof(int));
	const char *name;

	if (!dir)
		return 0;
	RUN run = {0};
	run_init(&run, proc, FALSE);
	while ((name = g_dir_read_name(dir))) {
		int pid = (int)g_ascii_strtoll(name, NULL, 10);

		if (pid <= 0)
			continue;
		g_array_append_val(pids, pid);
		fake_host_add_thread(run.fake, pid, pid);
	}
	run_begin(&run);
	run_threads(&run);
	for (guint i = 0; i < pids->len; i++)
		check_recorded(&run, proc, i, g_array_index(pids, int, i));
	return pids->len;
}

static void test_recorded(void)
{
	const char *given = g_getenv("CTPROF_FIXTURES");
	g_autofree char *fixtures = given ? g_strdup(given)
					  : g_test_build_filename(G_TEST_DIST, "..", "..", "..",
								  "shared", "fixtures", NULL);
	guint processes = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(kernels); i++) {
		g_autofree char *proc = g_build_filename(fixtures, kernels[i], "proc", NULL);

		processes += check_kernel(proc);
	}
	if (processes == 0)
		g_test_skip("the recorded kernels are not here");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/live/sources-agree", test_sources_agree);
	g_test_add_func("/memory/live/quiet", test_quiet);
	g_test_add_func("/memory/live/zombie-leader", test_zombie_leader);
	g_test_add_func("/memory/live/zombie", test_zombie);
	g_test_add_func("/memory/live/refused", test_refused);
	g_test_add_func("/memory/live/recorded", test_recorded);
	return g_test_run();
}
