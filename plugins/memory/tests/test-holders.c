/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "../holders.h"
#include "fakehost.h"

static const struct mounts no_mounts;

#define HEAD(range, perms, device, inode, path)                                                    \
	range " " perms " 00000000 " device " " inode "                    " path "\n"

static void add(struct holders *holders, int32_t pid, const char *smaps, enum holders_choice choice)
{
	g_autofree struct fold *fold = g_new0(struct fold, 1);
	struct holders_process process = {.pid = pid, .pcomm_len = 1, .pcomm = "p"};

	fold_begin(fold, holders->wanted);
	(void)fold_take(fold, smaps, strlen(smaps), true);
	g_assert_cmpint(fold_finish(fold), ==, 0);
	holders_add(holders, &process, fold, choice);
	fold_clear(fold);
}

/* Returns each object as "label kind inode vmas/processes pss pid=pss...". */
static char *objects_text(const struct holders *holders)
{
	GString *out = g_string_new(NULL);

	for (size_t i = 0; i < holders->objects.n; i++) {
		const struct holders_object *o = holders->objects.items[i];

		g_string_append_printf(out, "%s %s %u %u/%u %u", o->backing.label,
				       classify_kind_name(o->backing.kind),
				       (guint)o->backing.identity.inode, (guint)o->backing.vmas,
				       (guint)o->processes, (guint)o->backing.bytes[VMA_PSS]);
		for (guint c = 0; c < o->n_consumers; c++)
			g_string_append_printf(out, " %d=%u", o->consumers[c].process->pid,
					       (guint)o->consumers[c].pss);
		g_string_append_c(out, '\n');
	}
	return g_string_free(out, FALSE);
}

/* Merges by identity, not by name: vector 21 over two processes, in both orders. */
static void test_objects(void)
{
	static const char *const smaps[] = {
		HEAD("1000-2000", "rw-s", "00:01", "42", "/memfd:b") "Pss: 1 kB\n" HEAD(
			"2000-3000", "rw-s", "00:01", "42",
			"/memfd:b") "Pss: 2 kB\n" HEAD("3000-4000", "rw-p", "00:00", "0",
						       "[heap]") "Pss: 9 kB\n",
		HEAD("1000-2000", "rw-s", "00:01", "43", "/memfd:b") "Pss: 3 kB\n" HEAD(
			"2000-3000", "rw-s", "00:01", "42", "/memfd:a") "Pss: 5 kB\n",
	};

	for (guint first = 0; first < 2; first++) {
		struct holders holders;

		holders_init(&holders, NULL, &no_mounts, 0);
		add(&holders, 10 + (gint32)first, smaps[first], HOLDERS_OBJECTS);
		add(&holders, 11 - (gint32)first, smaps[1 - first], HOLDERS_OBJECTS);
		holders_settle(&holders);
		g_autofree char *objects = objects_text(&holders);
		g_assert_cmpstr(objects, ==,
				"/memfd:a memfd 42 3/2 8192 11=5120 10=3072\n"
				"/memfd:b memfd 43 1/1 3072 11=3072\n");
		g_assert_cmpuint(holders_sum_pss(&holders, OBJECT_MEMFD), ==, 11264);
		g_assert_cmpuint(holders_sum_pss(&holders, OBJECT_SHMEM), ==, 0);
		holders_clear(&holders);
	}
}

static void see_mounts(const char *proc, const char *process, const char *ns)
{
	g_autofree char *folder = g_build_filename(proc, process, "ns", NULL);
	g_autofree char *link = g_build_filename(folder, "mnt", NULL);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
	g_assert_cmpint(symlink(ns, link), ==, 0);
}

/* A process that has mounts of its own can map a file under any name, and so must not name it
 * for others. */
static void test_names(void)
{
	static const char *const smaps[] = {
		HEAD("1000-2000", "r--p", "08:01", "5", "/lib/libc.so") "Pss: 1 kB\n",
		HEAD("1000-2000", "r--p", "08:01", "5", "/a") "Pss: 1 kB\n",
	};
	g_autofree char *proc = g_dir_make_tmp("ctprof-holders-XXXXXX", NULL);
	const char *remove[] = {"rm", "-rf", proc, NULL};

	see_mounts(proc, "self", "mnt:[1]");
	see_mounts(proc, "10", "mnt:[1]");
	see_mounts(proc, "11", "mnt:[2]");
	for (guint first = 0; first < 2; first++) {
		g_autoptr(FakeHost) fake = fake_host_new(proc, NULL, NULL, TRUE);
		struct holders holders;

		holders_init(&holders, fake_host_table(fake), &no_mounts, 0);
		add(&holders, 10 + (gint32)first, smaps[first], HOLDERS_OBJECTS);
		add(&holders, 11 - (gint32)first, smaps[1 - first], HOLDERS_OBJECTS);
		const struct holders_object *object = holders.objects.items[0];
		g_assert_cmpstr(object->backing.label, ==, "/lib/libc.so");
		holders_clear(&holders);
	}
	g_spawn_sync(NULL, (char **)(gpointer)remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
		     NULL, NULL, NULL);
}

/* All consumers are kept; beyond the limit for all objects only the 64 largest, and among equals
 * those with the lowest PIDs, in any order of reading. */
static void test_consumers(void)
{
	for (guint way = 0; way < 4; way++) {
		struct holders holders;
		const struct holders_object *object;
		gboolean is_full = way >= 2;
		guint last = is_full ? HOLDERS_CONSUMERS_LEAST : 200;

		holders_init(&holders, NULL, &no_mounts, 0);
		if (is_full)
			holders.n_consumers = HOLDERS_RECORDS_MAX;
		for (guint i = 0; i < 200; i++) {
			guint pid = way % 2 ? 200 - i : 1 + i;
			g_autofree char *smaps = g_strdup_printf(
				HEAD("1000-2000", "r--s", "08:01", "5", "/f") "Pss: %u kB\n",
				pid % 100 == 50 ? 7 : 1);

			add(&holders, (gint32)pid, smaps, HOLDERS_OBJECTS);
		}
		holders_settle(&holders);
		object = holders.objects.items[0];
		g_assert_cmpuint(object->processes, ==, 200);
		g_assert_cmpuint(object->n_consumers, ==, last);
		g_assert_cmpint(object->consumers[0].process->pid, ==, 50);
		g_assert_cmpint(object->consumers[1].process->pid, ==, 150);
		g_assert_cmpint(object->consumers[2].process->pid, ==, 1);
		g_assert_cmpint(object->consumers[last - 1].process->pid, ==, is_full ? 63 : 200);
		holders_clear(&holders);
	}
}

/* Returns "PID by-object by-name" for each process. */
static char *swap_text(struct holders *holders)
{
	GString *out = g_string_new(NULL);

	holders_settle(holders);
	for (size_t i = 0; i < holders->processes.n; i++) {
		const struct holders_process *p = holders->processes.items[i];

		g_string_append_printf(out, "%s%d %u %u", i ? "; " : "", p->pid,
				       (guint)p->swap_by_object, (guint)p->swap_by_name);
	}
	return g_string_free(out, FALSE);
}

#define SEGMENT(range, perms, inode, name, swap) HEAD(range, perms, "00:01", inode, name) swap "\n"

static void test_swap(void)
{
	static const struct {
		const char *smaps[3]; /* shares of PIDs 1, 2, 3 */
		const char *shares;
	} cases[] = {
		/* One object, mapped entirely by both: half each, either way. */
		{{SEGMENT("1000-2000", "rw-s", "1", "/a", "Swap: 10 kB"),
		  SEGMENT("1000-2000", "rw-s", "1", "/a", "Swap: 10 kB")},
		 "1 5120 5120; 2 5120 5120"},
		/* Two objects with one name are counted apart; by name, wrongly halved. */
		{{SEGMENT("1000-2000", "rw-s", "1", "/dev/zero (deleted)", "Swap: 10 kB"),
		  SEGMENT("1000-2000", "rw-s", "2", "/dev/zero (deleted)", "Swap: 4 kB")},
		 "1 10240 5120; 2 4096 2048"},
		/* Disjoint parts of one object, mapped by one process, are all its own. */
		{{SEGMENT("1000-2000", "rw-s", "1", "/a", "Swap: 6 kB")
			  SEGMENT("2000-3000", "rw-s", "1", "/a", "Swap: 4 kB")},
		 "1 10240 5120"},
		/* Shares are whole bytes; by name, each mapping is divided on its own. */
		{{SEGMENT("1000-2000", "rw-s", "1", "/a", "Swap: 1 kB"),
		  SEGMENT("1000-2000", "rw-s", "1", "/a", "Swap: 1 kB"),
		  SEGMENT("1000-2000", "rw-s", "1", "/a", "Swap: 1 kB")},
		 "1 341 341; 2 341 341; 3 341 341"},
		/* A mapping without swap counts for its name, but has no share. */
		{{SEGMENT("1000-2000", "rw-s", "1", "/a", "Swap: 8 kB"),
		  SEGMENT("1000-2000", "rw-s", "1", "/a", "Swap: 0 kB")},
		 "1 8192 4096; 2 0 0"},
		/* vector 55: private mappings, and by name those without a name, are ignored */
		{{SEGMENT("1000-2000", "rw-p", "1", "/a", "Swap: 8 kB"),
		  SEGMENT("1000-2000", "rw-s", "2", "", "Swap: 8 kB")},
		 "1 0 0; 2 8192 0"},
		/* SwapPss does not count as Swap. */
		{{SEGMENT("1000-2000", "rw-s", "1", "/a", "SwapPss: 8 kB")}, "1 0 0"},
		{{SEGMENT("1000-2000", "rw-s", "1", "/a", "Swap: 18014398509481983 kB"),
		  SEGMENT("1000-2000", "rw-s", "1", "/a", "Swap: 18014398509481983 kB")},
		 NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct holders holders;

		holders_init(&holders, NULL, &no_mounts, FOLD_BY_NAME);
		for (gint32 pid = 1; pid <= 3; pid++)
			if (cases[i].smaps[pid - 1])
				add(&holders, pid, cases[i].smaps[pid - 1], HOLDERS_OBJECTS);
		g_autofree char *shares = swap_text(&holders);
		/* For the last case it is enough not to overflow. */
		if (cases[i].shares)
			g_assert_cmpstr(shares, ==, cases[i].shares);
		holders_clear(&holders);
	}
}

/* Vector 22: memory that belongs to no object is a process's own, and listed for selected processes
 * only. */
static void test_mappings(void)
{
	static const char smaps[] = HEAD("1000-2000", "rw-p", "00:00", "0", "") "Pss: 1 kB\n" HEAD(
		"2000-3000", "rw-p", "00:00", "0",
		"[stack]") "Rss: 2 kB\nPss: 2 kB\n" HEAD("3000-4000", "r--p", "08:01", "5",
							 "/f") "Pss: 4 kB\n";
	GString *out = g_string_new(NULL);
	struct holders holders;

	holders_init(&holders, NULL, &no_mounts, FOLD_PRIVATE);
	add(&holders, 9, smaps, HOLDERS_MAPPINGS);
	add(&holders, 8, smaps, HOLDERS_OBJECTS);
	add(&holders, 7, smaps, HOLDERS_MAPPINGS);
	add(&holders, 6, smaps, HOLDERS_AREAS);
	holders_settle(&holders);
	for (size_t i = 0; i < holders.mappings.n; i++) {
		const struct holders_mapping *m = holders.mappings.items[i];

		g_string_append_printf(out, "%d:%s:%s:%u ", m->process->pid, m->backing.label,
				       classify_kind_name(m->backing.kind),
				       (guint)m->backing.bytes[VMA_PSS]);
	}
	g_assert_cmpstr(out->str, ==,
			"6:[stack]:stack:2048 "
			"7::anon:1024 7:[stack]:stack:2048 7:/f:file:4096 "
			"9::anon:1024 9:[stack]:stack:2048 9:/f:file:4096 ");
	g_assert_cmpuint(holders.objects.n, ==, 1);
	g_string_free(out, TRUE);
	holders_clear(&holders);
}

/* Objects beyond the limit are counted, and nothing else is lost. */
static void test_bounds(void)
{
	struct holders holders;

	holders_init(&holders, NULL, &no_mounts, 0);
	holders.objects.max = 1;
	add(&holders, 1,
	    HEAD("1000-2000", "r--p", "08:01", "5", "/f")
		    HEAD("2000-3000", "r--p", "08:01", "6", "/g"),
	    HOLDERS_OBJECTS);
	add(&holders, 2, HEAD("1000-2000", "r--p", "08:01", "5", "/f"), HOLDERS_OBJECTS);
	holders_settle(&holders);
	g_assert_cmpuint(holders.objects.n, ==, 1);
	g_assert_cmpuint(holders.dropped, ==, 1);
	g_assert_false(holders.out_of_memory);
	g_assert_cmpuint(((struct holders_object *)holders.objects.items[0])->processes, ==, 2);
	holders_clear(&holders);
}

struct race {
	struct holders *holders;
	gint32 first;
};

static gpointer add_many(gpointer data)
{
	const struct race *race = data;

	for (gint32 i = 0; i < 50; i++)
		add(race->holders, race->first + i,
		    HEAD("1000-2000", "rw-s", "00:01", "5", "/memfd:x") "Pss: 1 kB\nSwap: 2 kB\n",
		    HOLDERS_MAPPINGS);
	holders_miss(race->holders);
	return NULL;
}

/* Workers add concurrently. */
static void test_threads(void)
{
	struct holders holders;
	struct race races[4];
	GThread *threads[4];

	holders_init(&holders, NULL, &no_mounts, FOLD_BY_NAME | FOLD_PRIVATE);
	for (guint i = 0; i < 4; i++) {
		races[i] = (struct race){&holders, 1 + 100 * (gint32)i};
		threads[i] = g_thread_new("worker", add_many, &races[i]);
	}
	for (guint i = 0; i < 4; i++)
		g_thread_join(threads[i]);
	holders_settle(&holders);
	const struct holders_object *object = holders.objects.items[0];
	g_assert_cmpuint(holders.processes.n, ==, 200);
	g_assert_cmpuint(holders.mappings.n, ==, 200);
	g_assert_cmpuint(holders.unreadable, ==, 4);
	g_assert_cmpuint(object->processes, ==, 200);
	g_assert_cmpuint(object->backing.bytes[VMA_PSS], ==, 200 * 1024);
	g_assert_cmpuint(object->swap_max, ==, 2048);
	holders_clear(&holders);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/holders/objects", test_objects);
	g_test_add_func("/memory/holders/names", test_names);
	g_test_add_func("/memory/holders/consumers", test_consumers);
	g_test_add_func("/memory/holders/swap", test_swap);
	g_test_add_func("/memory/holders/mappings", test_mappings);
	g_test_add_func("/memory/holders/bounds", test_bounds);
	g_test_add_func("/memory/holders/threads", test_threads);
	return g_test_run();
}
