/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test-tree.h"

struct memory *instance(const struct run *run)
{
	return run->self;
}

void write_stat(struct run *run, int tgid, int tid, char state, unsigned flags, int start)
{
	run_write_thread(run, tgid, tid, "stat",
			 "%d (a b) %c 1 1 1 0 -1 %u 8 9 10 11 12 13 14 15 16 17 18 19 %d 21\n", tid,
			 state, flags, start);
}

void add_process(struct run *run, int pid)
{
	write_stat(run, pid, pid, 'S', USER, 900);
	run_write_thread(run, pid, pid, "status", "State: S (sleeping)\n" STATUS MM);
	run_write_thread(run, pid, pid, "smaps_rollup", ROLLUP);
	fake_host_add_thread(run->fake, pid, pid);
}

void assert_number(struct run *run, guint64 row, const char *name, guint64 number)
{
	if (number == ABSENT)
		g_assert_cmpuint(fake_host_state(run->fake, row, name), !=, CTPROF_PRESENT);
	else
		g_assert_cmpuint(fake_host_u64(run->fake, row, name), ==, number);
}

void assert_word(struct run *run, guint64 row, const char *name, const char *word)
{
	if (word)
		g_assert_cmpstr(fake_host_string(run->fake, row, name), ==, word);
	else
		g_assert_cmpuint(fake_host_state(run->fake, row, name), !=, CTPROF_PRESENT);
}
