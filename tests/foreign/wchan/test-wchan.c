/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests wchan with a fake host and trees that this test writes. */
#include "fakehost.h"

#include <ctprof/source.h>
#include <sys/stat.h>

#define NOBODY 65534
#define TREE "test-tree"
#define S " (a) R (b) S 1 1\n" /* a name of the host's choosing */
#define R " (a) S (b) R 1 1\n"

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static struct fake_host fake;

/* The files of a thread, as they are written, and the expected values. */
static const struct {
	int32_t tid;
	const char *wchan, *stat;
	unsigned int environ_mode; /* 07777: there is none */
	uint32_t state;
	const char *text;
} cases[] = {
	{1000, "do_poll", "1000" S, 0644, CTPROF_PRESENT, "do_poll"},
	{1001, "do_poll.constprop.0", "1001" S, 0000, CTPROF_PRESENT, "do_poll.constprop.0"},
	{1002, "0", "1002" R, 0644, CTPROF_PRESENT, "running"},
	{1003, "0", "1003" R, 0000, CTPROF_PRESENT, "running"},
	{1004, "0", "1004" S, 0000, CTPROF_ABSENT_DENIED, NULL},
	{1005, "0", "1005" S, 0644, CTPROF_ABSENT_UNSUPPORTED, NULL},
	{1006, "0", "1006" S, 07777, CTPROF_ABSENT_UNSUPPORTED, NULL},
	{1007, "a\nb", "1007" S, 0644, CTPROF_ABSENT_INVALID, NULL},
};

#define N_CASES (sizeof cases / sizeof cases[0])

static const char *path_of(size_t i, const char *file)
{
	static char path[128];

	snprintf(path, sizeof path, TREE "/1000/task/%d/%s", (int)cases[i].tid, file);
	return path;
}

static void write_file(const char *path, const char *text, unsigned int mode)
{
	FILE *file = fopen(path, "w");

	FAKE_CHECK(file);
	FAKE_CHECK(fputs(text, file) >= 0);
	FAKE_CHECK(fclose(file) == 0);
	FAKE_CHECK(chmod(path, (mode_t)mode) == 0);
}

static void write_tree(void)
{
	mkdir(TREE, 0755);
	mkdir(TREE "/1000", 0755);
	mkdir(TREE "/1000/task", 0755);
	for (size_t i = 0; i < N_CASES; i++) {
		mkdir(path_of(i, ""), 0755);
		write_file(path_of(i, "wchan"), cases[i].wchan, 0644);
		write_file(path_of(i, "stat"), cases[i].stat, 0644);
		if (cases[i].environ_mode != 07777)
			write_file(path_of(i, "environ"), "", cases[i].environ_mode);
	}
	mkdir(path_of(0, "fd"), 0755);
	write_file(path_of(0, "fd/0"), "", 0644);
	write_file(path_of(0, "fd/17"), "", 0644);
}

static void remove_tree(void)
{
	static const char *const files[] = {"fd/0", "fd/17", "wchan", "stat", "environ"};

	for (size_t i = 0; i < N_CASES; i++) {
		for (size_t j = 0; j < sizeof files / sizeof files[0]; j++)
			unlink(path_of(i, files[j]));
		rmdir(path_of(i, "fd"));
		rmdir(path_of(i, ""));
	}
	rmdir(TREE "/1000/task");
	rmdir(TREE "/1000");
	rmdir(TREE);
}

static void collect(void)
{
	const struct ctprof_source_ops *ops = ctprof_plugin_entry_v1()->ops;
	void *self = NULL;

	for (size_t i = 0; i < N_CASES; i++)
		fake_add_thread(&fake, 1000, cases[i].tid);
	FAKE_CHECK(ops->open(&fake.table, &self) == 0);
	FAKE_CHECK(ops->start(self) == 0);
	FAKE_CHECK(ops->collect(self, NULL, &fake.batch) == 0);
	ops->close(self);
}

static void check_wchan(void)
{
	for (size_t i = 0; i < N_CASES; i++) {
		const struct fake_cell *cell = fake_value(&fake, i, "wchan");

		printf("# thread %d: %u %s\n", (int)cases[i].tid, (unsigned int)cell->state,
		       cell->text);
		FAKE_CHECK(cell->state == cases[i].state);
		FAKE_CHECK(!cases[i].text || strcmp(cell->text, cases[i].text) == 0);
	}
}

static void check_open_fds(uint32_t state)
{
	const struct fake_cell *cell = fake_value(&fake, 0, "open_fds");

	FAKE_CHECK(cell->state == state);
	FAKE_CHECK(state != CTPROF_PRESENT || cell->number == 2);
	/* Of no other than the leader. */
	for (uint64_t i = 1; i < N_CASES; i++)
		FAKE_CHECK(fake_value(&fake, i, "open_fds")->state == CTPROF_ABSENT_UNSUPPORTED);
}

int main(void)
{
	static const struct {
		unsigned int mode; /* of the directory fd */
		uint32_t state;
	} dirs[] = {{0755, CTPROF_PRESENT}, {0000, CTPROF_ABSENT_DENIED}};

	write_tree();
	for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
		FAKE_CHECK(chmod(path_of(0, "fd"), (mode_t)dirs[i].mode) == 0);
		/* Root may read everything, so the test reads as an unprivileged user. */
		int was_root = seteuid(NOBODY) == 0;
		fake_begin(&fake, TREE, sizeof fake.table);
		collect();
		fake_end(&fake);
		FAKE_CHECK(!was_root || seteuid(0) == 0);
		check_wchan();
		check_open_fds(dirs[i].state);
	}
	FAKE_CHECK(chmod(path_of(0, "fd"), 0755) == 0);
	remove_tree();
	puts("wchan: all tests passed");
	return 0;
}
