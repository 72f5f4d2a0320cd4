/* SPDX-License-Identifier: 0BSD */
/* Tests @NAME@ with a fake host and a tree that this test writes. */
#include "fakehost.h"

#include <ctprof/source.h>
#include <sys/stat.h>

#define METRIC "@IDENT@_oom_score"
#define TREE "test-tree"

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static struct fake_host fake;

/* The file of a thread, and the expected value. */
static const struct {
	int32_t tid;
	const char *text; /* NULL: no file */
	uint32_t state;
	uint64_t number;
} cases[] = {
	{1000, "666\n", CTPROF_PRESENT, 666},
	{1001, "0\n", CTPROF_PRESENT, 0},
	{1002, NULL, CTPROF_ABSENT_UNSUPPORTED, 0},
	{1003, "", CTPROF_ABSENT_INVALID, 0},
	{1004, "-1\n", CTPROF_ABSENT_INVALID, 0},
	{1005, "12 34\n", CTPROF_ABSENT_INVALID, 0},
	{1006, "18446744073709551616\n", CTPROF_ABSENT_INVALID, 0},
};

#define N_CASES (sizeof cases / sizeof cases[0])

static void write_tree(void)
{
	char path[128];

	mkdir(TREE, 0755);
	mkdir(TREE "/1000", 0755);
	mkdir(TREE "/1000/task", 0755);
	for (size_t i = 0; i < N_CASES; i++) {
		snprintf(path, sizeof path, TREE "/1000/task/%d", (int)cases[i].tid);
		mkdir(path, 0755);
		if (!cases[i].text)
			continue;
		snprintf(path, sizeof path, TREE "/1000/task/%d/oom_score", (int)cases[i].tid);
		FILE *file = fopen(path, "w");
		FAKE_CHECK(file);
		FAKE_CHECK(fputs(cases[i].text, file) >= 0);
		FAKE_CHECK(fclose(file) == 0);
	}
}

static void remove_tree(void)
{
	char path[128];

	for (size_t i = 0; i < N_CASES; i++) {
		snprintf(path, sizeof path, TREE "/1000/task/%d/oom_score", (int)cases[i].tid);
		unlink(path);
		snprintf(path, sizeof path, TREE "/1000/task/%d", (int)cases[i].tid);
		rmdir(path);
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
	FAKE_CHECK(ops->collect(self, NULL, &fake.batch) == 0);
	ops->close(self);
}

static void check_values(void)
{
	for (size_t i = 0; i < N_CASES; i++) {
		const struct fake_cell *cell = fake_value(&fake, i, METRIC);

		printf("# thread %d\n", (int)cases[i].tid);
		FAKE_CHECK(cell->state == cases[i].state);
		FAKE_CHECK(cell->state != CTPROF_PRESENT || cell->number == cases[i].number);
	}
}

/* The second run imitates a host of ABI 1.0, without the newer functions. */
int main(void)
{
	const size_t sizes[] = {sizeof(struct ctprof_host), offsetof(struct ctprof_host, filled)};

	write_tree();
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		fake_begin(&fake, TREE, sizes[i]);
		collect();
		check_values();
		FAKE_CHECK((strstr(fake.log, "ABI 1.0") != NULL) == (i == 1));
		fake_end(&fake);
	}
	remove_tree();
	puts("@NAME@: all tests passed");
	return 0;
}
