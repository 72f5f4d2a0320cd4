/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the groups of objects, from files to rows. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../walk.h"
#include "test-tree.h"

#define HEAD(range, perms, device, inode, path)                                                    \
	range " " perms " 00000000 " device " " inode "                    " path "\n"
#define ALL(kib)                                                                                   \
	"Size: 64 kB\nRss: " kib " kB\nPss: " kib " kB\nShared_Clean: 0 kB\nPrivate_Clean: 1 kB\n" \
	"Private_Dirty: 2 kB\nAnonymous: 3 kB\nPrivate_Hugetlb: 2048 kB\nSwap: 4 kB\n"

#define MEMINFO                                                                                    \
	"MemTotal: 1000 kB\nMemFree: 400 kB\nShmem: 100 kB\nSwapTotal: 64 kB\nSwapFree: 32 kB\n"
#define MOUNTS                                                                                     \
	"1 0 254:0 / / rw - ext4 d rw\n1 0 0:27 / /dev/shm rw - tmpfs t\\040s rw,size=64k\n"       \
	"1 0 0:28 / /a rw - tmpfs t rw\n"

static void write_host(struct run *run)
{
	run_write(run, "meminfo", MEMINFO);
	run_write(run, "self/mountinfo", MOUNTS);
	run_write(run, "sysvipc/shm",
		  "key shmid nattch uid size rss swap\n"
		  "255 9 2 1000 4096 2048 1024\n0 3 0 0 1 0 0\n0 x\n");
}

static void add_smaps(struct run *run, int pid, const char *smaps)
{
	add_process(run, pid);
	run_write_thread(run, pid, pid, "smaps", "%s", smaps);
}

/* Returns the names of all objects, read in batches of room rows; group NULL: of all groups. */
static char *collect_names(struct run *run, guint room, const char *group)
{
	GString *out = g_string_new(NULL);
	guint rows;

	fake_host_room(run->fake, room);
	do {
		struct ctprof_batch *batch = fake_host_batch(run->fake, CTPROF_SCOPE_OBJECT);

		g_assert_cmpint(run->ops->collect(run->self, NULL, batch), ==, 0);
		rows = fake_host_rows(run->fake);
		g_assert_cmpuint(rows, <=, room);
		for (guint i = 0; i < rows; i++)
			if (!group || strcmp(fake_host_target(run->fake, i)->group, group) == 0)
				g_string_append_printf(out, "%s\n",
						       fake_host_target(run->fake, i)->path);
	} while (rows > 0);
	return g_string_free(out, FALSE);
}

static guint64 find(struct run *run, const char *group, const char *name)
{
	gint64 row = fake_host_find_object(run->fake, group, name);

	if (row < 0)
		g_error("no object %s in %s", name, group);
	return (guint64)row;
}

static void collect_all(struct run *run)
{
	fake_host_room(run->fake, 4096);
	struct ctprof_batch *batch = fake_host_batch(run->fake, CTPROF_SCOPE_OBJECT);
	g_assert_cmpint(run->ops->collect(run->self, NULL, batch), ==, 0);
}

/* Each group is complete before the next begins, wherever the batches end. */
static void test_batches(void)
{
	static const guint rooms[] = {1, 2, 3, 256};
	g_autofree char *first = NULL;

	for (gsize i = 0; i < G_N_ELEMENTS(rooms); i++) {
		RUN run = {0};

		run_init_tree(&run);
		fake_host_option(run.fake, "pid", "10");
		write_host(&run);
		add_smaps(&run, 10,
			  HEAD("1000-2000", "rw-p", "00:00", "0", "[heap]") ALL("8")
				  HEAD("2000-3000", "r--p", "fe:00", "5", "/f") ALL("8"));
		run_begin(&run);
		run_threads(&run);
		run_close_worker(&run);
		g_autofree char *names = collect_names(&run, rooms[i], NULL);
		if (!first)
			first = g_strdup(names);
		g_assert_cmpstr(names, ==, first);
	}
	g_assert_cmpstr(first, ==,
			"meminfo.MemTotal\nmeminfo.MemFree\nmeminfo.Shmem\nmeminfo.SwapTotal\n"
			"meminfo.SwapFree\nphysical.allocated\nphysical.lru\nphysical.slab\n"
			"physical.hugetlb\nphysical.kernel\nphysical.residual\nshmem.total\n"
			"shmem.tmpfs\nshmem.memfd\nshmem.sysv\nshmem.anonymous\nshmem.rest\n"
			"swap.total\nswap.used\n/a\n/dev/shm\nsysv:3\nsysv:9\n/f\n10\n*\n"
			"10 *\n10 [heap]\n10 /f\n");
}

static void test_values(void)
{
	RUN run = {0};

	run_init_tree(&run);
	write_host(&run);
	add_smaps(&run, 10,
		  HEAD("1000-2000", "rw-s", "00:01", "9", "/SYSV000000ff (deleted)") ALL("8"));
	add_smaps(&run, 11,
		  HEAD("1000-2000", "rw-s", "00:01", "9", "/SYSV000000ff (deleted)") ALL("16")
			  HEAD("2000-3000", "rw-s", "00:1b", "7",
			       "/dev/shm/x") "Pss: 2 kB\nSwap: 6 kB\n");
	run_begin(&run);
	run_threads(&run);
	run_close_worker(&run);
	collect_all(&run);

	guint64 row = find(&run, "memory-shared", "/SYSV000000ff (deleted)");
	assert_word(&run, row, "object_kind", "sysv");
	assert_word(&run, row, "object_device", "0:1");
	assert_number(&run, row, "object_inode", 9);
	assert_number(&run, row, "object_shmid", 9);
	assert_number(&run, row, "object_attaches", 2);
	assert_number(&run, row, "object_pss_bytes", 24 * 1024);
	assert_number(&run, row, "object_uss_bytes", 2 * (3 + 2048) * 1024);
	assert_number(&run, row, "object_size_bytes", 128 * 1024);
	assert_number(&run, row, "object_vmas", 2);
	assert_number(&run, row, "object_processes", 2);
	assert_word(&run, row, "object_consumers", "10 a b=8192 11 a b=16384");

	/* The device is 0x1b; a value without a line is absent, not 0. */
	row = find(&run, "memory-shared", "/dev/shm/x");
	assert_word(&run, row, "object_kind", "tmpfs");
	assert_number(&run, row, "object_rss_bytes", ABSENT);
	assert_number(&run, row, "object_uss_bytes", ABSENT);
	assert_number(&run, row, "object_shmid", ABSENT);

	row = find(&run, "memory-swap", "11");
	assert_number(&run, row, "swap_shared_bytes", (2 + 6) * 1024);
	assert_number(&run, row, "swap_shared_by_name_bytes", (2 + 6) * 1024);
	assert_number(&run, find(&run, "memory-swap", "*"), "swap_unreadable", 0);
	assert_number(&run, find(&run, "memory-swap", "*"), "swap_readable", 2);

	row = find(&run, "memory-sysv", "sysv:9");
	assert_number(&run, row, "sysv_owner", 1000);
	assert_number(&run, row, "sysv_rss_bytes", 2048);
	assert_number(&run, row, "sysv_swap_bytes", 1024);
	assert_word(&run, row, "sysv_key", "0x000000ff");
	g_assert_nonnull(strstr(fake_host_log(run.fake), "1 malformed"));

	/* In a recorded tree, the file system itself cannot be queried. */
	row = find(&run, "memory-tmpfs", "/dev/shm");
	assert_number(&run, row, "tmpfs_used_bytes", ABSENT);
	assert_number(&run, row, "tmpfs_limit_bytes", 65536);
	assert_word(&run, row, "tmpfs_device", "0:27");
	assert_word(&run, row, "tmpfs_source", "t s");

	assert_number(&run, find(&run, "memory-ledger", "shmem.sysv"), "ledger_bytes", 2048);
	assert_number(&run, find(&run, "memory-ledger", "shmem.tmpfs"), "ledger_bytes", ABSENT);
	row = find(&run, "memory-ledger", "shmem.rest");
	assert_number(&run, row, "ledger_bytes", 98 * 1024);
	assert_number(&run, row, "ledger_estimate", 1);
	row = find(&run, "memory-ledger", "physical.allocated");
	assert_number(&run, row, "ledger_bytes", 600 * 1024);
	assert_number(&run, row, "ledger_estimate", 0);
}

/* Two objects with one path are distinguished, even if a path imitates another one. */
static void test_names(void)
{
	RUN run = {0};

	run_init_tree(&run);
	write_host(&run);
	add_smaps(&run, 10,
		  HEAD("1000-2000", "rw-s", "00:01", "6", "/memfd:x #0:1:7")
			  HEAD("2000-3000", "rw-s", "00:01", "5", "/memfd:x")
				  HEAD("3000-4000", "rw-s", "00:01", "7", "/memfd:x"));
	run_begin(&run);
	run_threads(&run);
	run_close_worker(&run);
	g_autofree char *names = collect_names(&run, 4, "memory-shared");
	g_assert_cmpstr(names, ==, "/memfd:x\n/memfd:x #0:1:7\n/memfd:x #0:1:7 #0:1:7\n");
}

/* A process that cannot be read is counted, reported once, and has no row. */
static void test_unreadable(void)
{
	RUN run = {0};

	run_init_tree(&run);
	write_host(&run);
	add_smaps(&run, 10, HEAD("1000-2000", "rw-s", "00:01", "6", "/memfd:x") ALL("8"));
	add_smaps(&run, 11, HEAD("1000-2000", "rw-s", "00:01", "6", "/memfd:x") ALL("8"));
	run_inject("11/smaps", EACCES);
	run_begin(&run);
	run_threads(&run);
	run_close_worker(&run);
	collect_all(&run);
	assert_number(&run, find(&run, "memory-swap", "*"), "swap_unreadable", 1);
	g_assert_cmpint(fake_host_find_object(run.fake, "memory-swap", "11"), ==, -1);
	assert_word(&run, find(&run, "memory-shared", "/memfd:x"), "object_consumers",
		    "10 a b=8192");
	g_auto(GStrv) said = g_strsplit(fake_host_log(run.fake), "CAP_PERFMON", -1);
	g_assert_cmpuint(g_strv_length(said), ==, 2);
}

/* Only files of wanted values are read, and swap only if some is used. */
static void test_demand(void)
{
	static const struct {
		const char *metric, *meminfo, *pid;
		guint smaps, mountinfo, sysvipc; /* opened */
	} cases[] = {
		{"ledger_bytes", MEMINFO, NULL, 0, 1, 1},
		{"sysv_rss_bytes", MEMINFO, NULL, 0, 0, 1},
		{"tmpfs_used_bytes", MEMINFO, NULL, 0, 1, 0},
		{"object_pss_bytes", MEMINFO, NULL, 2, 1, 0},
		{"swap_shared_bytes", MEMINFO, NULL, 2, 1, 0},
		{"swap_shared_bytes", "SwapTotal: 9 kB\nSwapFree: 9 kB\n", NULL, 0, 1, 0},
		{"mapping_pss_bytes", MEMINFO, NULL, 2, 1, 0},
		{"mapping_pss_bytes", MEMINFO, "11,4", 1, 1, 0},
		{"pss_bytes", MEMINFO, "11", 0, 0, 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		run_init_tree(&run);
		write_host(&run);
		run_write(&run, "meminfo", cases[i].meminfo);
		if (cases[i].pid)
			fake_host_option(run.fake, "pid", cases[i].pid);
		fake_host_want(run.fake, cases[i].metric);
		add_smaps(&run, 10, MAPPING);
		add_smaps(&run, 11, MAPPING);
		run_begin(&run);
		run_threads(&run);
		run_close_worker(&run);
		collect_all(&run);
		g_assert_cmpuint(fake_host_opens(run.fake, "/smaps"), ==, cases[i].smaps);
		g_assert_cmpuint(fake_host_opens(run.fake, "mountinfo"), ==, cases[i].mountinfo);
		g_assert_cmpuint(fake_host_opens(run.fake, "sysvipc/shm"), ==, cases[i].sysvipc);
	}
}

/* A tree without any of the files is not a failure; a file that cannot be read is reported once. */
static void test_nothing(void)
{
	static const struct {
		const char *refused, *said;
	} cases[] = {{"/none", ""},
		     {"meminfo", "no ledger"},
		     {"mountinfo", "tmpfs mounts will be missing"},
		     {"sysvipc/shm", "sysvipc/shm"}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		RUN run = {0};

		run_init_tree(&run);
		run_inject(cases[i].refused, EACCES);
		run_begin(&run);
		run_close_worker(&run);
		g_autofree char *names = collect_names(&run, 256, NULL);
		g_assert_cmpstr(names, ==, "*\n");
		g_auto(GStrv) lines = g_strsplit(fake_host_log(run.fake), "\n", -1);
		g_assert_cmpuint(g_strv_length(lines), ==, i ? 2 : 0);
		g_assert_nonnull(strstr(fake_host_log(run.fake), cases[i].said));
	}
}

/* ---- this machine ------------------------------------------------------ */

/* Mappings of this process are found, with their kind and this process's share. */
static void test_live(void)
{
	RUN run = {0};
	g_autofree char *pid = g_strdup_printf("%d", getpid());
	gsize size = 1u << 20;
	int memfd = memfd_create("ctprof-test", MFD_CLOEXEC);
	int shmid = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
	struct stat status;

	g_assert_cmpint(ftruncate(memfd, (off_t)size), ==, 0);
	g_assert_cmpint(fstat(memfd, &status), ==, 0);
	char *file = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	char *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *segment = shmid >= 0 ? shmat(shmid, NULL, 0) : NULL;
	memset(file, 1, size);
	memset(shared, 1, size);
	if (segment)
		memset(segment, 1, size / 2);

	run_init(&run, LIVE_PROC, TRUE);
	fake_host_option(run.fake, "pid", pid);
	fake_host_add_thread(run.fake, getpid(), getpid());
	run_begin(&run);
	run_threads(&run);
	run_close_worker(&run);
	collect_all(&run);

	g_autofree char *memfd_name = g_strdup_printf("%s /memfd:ctprof-test (deleted)", pid);
	guint64 row = find(&run, "memory-mappings", memfd_name);
	assert_word(&run, row, "mapping_kind", "memfd");
	assert_number(&run, row, "mapping_inode", status.st_ino);
	assert_number(&run, row, "mapping_rss_bytes", size);
	assert_number(&run, row, "mapping_pss_bytes", size);
	g_autofree char *zero_name = g_strdup_printf("%s /dev/zero (deleted)", pid);
	row = find(&run, "memory-mappings", zero_name);
	assert_word(&run, row, "mapping_kind", "shmem");
	assert_number(&run, row, "mapping_rss_bytes", size);
	if (segment) {
		g_autofree char *name = g_strdup_printf("sysv:%d", shmid);

		row = find(&run, "memory-sysv", name);
		assert_number(&run, row, "sysv_size_bytes", size);
		assert_number(&run, row, "sysv_rss_bytes", size / 2);
		assert_number(&run, row, "sysv_attaches", 1);
		shmctl(shmid, IPC_RMID, NULL);
	} else {
		g_test_message("no System V shared memory here");
	}
	close(memfd);
}

/* The walk of a mount continues where a batch was full. */
static void test_live_files(void)
{
	RUN run = {0};
	struct stat status;

	run_init_tree(&run);
	g_assert_cmpint(stat(run.root, &status), ==, 0);
	g_autofree char *mounts =
		g_strdup_printf("1 0 %u:%u / %s rw - tmpfs t rw\n", major(status.st_dev),
				minor(status.st_dev), run.root);
	run_write(&run, "self/mountinfo", mounts);
	run_write(&run, "b/c", "123");
	run_write(&run, "b/\xff", "");
	fake_host_want(run.fake, "file_logical_bytes");
	fake_host_want(run.fake, "file_kind");
	run_set_live(TRUE);
	run_begin(&run);
	run_close_worker(&run);
	g_autofree char *names = collect_names(&run, 2, "memory-files");
	g_autofree char *expected = g_strdup_printf(
		"%1$s\n%1$s/b\n%1$s/b/c\n%1$s/b/\xff\n%1$s/self\n%1$s/self/mountinfo\n", run.root);
	g_assert_cmpstr(names, ==, expected);
}

/* The number of directories that the walk could not enter is in a row of its own. */
static void test_unreadable_files(void)
{
	RUN run = {0};
	struct stat status;
	g_autoptr(GString) deep = g_string_new(NULL);

	run_init_tree(&run);
	g_assert_cmpint(stat(run.root, &status), ==, 0);
	g_autofree char *mounts =
		g_strdup_printf("1 0 %u:%u / %s rw - tmpfs t rw\n", major(status.st_dev),
				minor(status.st_dev), run.root);
	run_write(&run, "self/mountinfo", mounts);
	for (guint i = 0; i <= WALK_DEPTH_MAX; i++)
		g_string_append(deep, "d/");
	g_string_append(deep, "f");
	run_write(&run, deep->str, "");
	fake_host_want(run.fake, "file_logical_bytes");
	fake_host_want(run.fake, "files_unreadable");
	run_set_live(TRUE);
	run_begin(&run);
	run_close_worker(&run);
	collect_all(&run);
	guint64 row = find(&run, "memory-files", "*");
	assert_number(&run, row, "files_unreadable", 1);
	assert_number(&run, row, "file_logical_bytes", ABSENT);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/objects/batches", test_batches);
	g_test_add_func("/memory/objects/values", test_values);
	g_test_add_func("/memory/objects/names", test_names);
	g_test_add_func("/memory/objects/unreadable", test_unreadable);
	g_test_add_func("/memory/objects/demand", test_demand);
	g_test_add_func("/memory/objects/nothing", test_nothing);
	g_test_add_func("/memory/objects/live", test_live);
	g_test_add_func("/memory/objects/live-files", test_live_files);
	g_test_add_func("/memory/objects/unreadable-files", test_unreadable_files);
	return g_test_run();
}
