/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that a user who puts another file under a name makes only their own values wrong. */
#include <glib/gstdio.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

#define LIBRARY "libvictim.so"

/* An attack: in the attacker's namespace, a name leads to another file than in the victims'. */
struct attack {
	const char *name;
	const char *how;     /* see poisoner.c */
	const char *library; /* the file that the victims load */
	const char *debug;   /* its debug file in the same directory, or NULL */
	const char *over;    /* the name that is attacked */
	gboolean headless;   /* the attacker's leader exits */
	gboolean by_name;    /* ctprof may not use map_files */
};

static const struct attack attacks[] = {
	{"leader ended", "bind", "libtoy-tsd.so", NULL, LIBRARY, TRUE, FALSE},
	{"leader ended, by name", "bind", "libtoy-tsd.so", NULL, LIBRARY, TRUE, TRUE},
	{"by name", "bind", "libtoy-tsd.so", NULL, LIBRARY, FALSE, TRUE},
	{"tmpfs, by name", "tmpfs", "libtoy-tsd.so", NULL, LIBRARY, FALSE, TRUE},
	{"overlay, by name", "overlay", "libtoy-tsd.so", NULL, LIBRARY, FALSE, TRUE},
	{"debug file", "bind", "libtoy-linked.so", "libtoy-linked.so.debug", LIBRARY ".debug",
	 FALSE, FALSE},
	{"debug file, by name", "bind", "libtoy-linked.so", "libtoy-linked.so.debug",
	 LIBRARY ".debug", TRUE, TRUE},
};

static void remove_folder(char **folder)
{
	const char *argv[] = {"rm", "-rf", *folder, NULL};

	g_spawn_sync(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
		     NULL, NULL, NULL);
	g_free(*folder);
}

static void copy(const char *built, const char *folder, const char *name)
{
	g_autofree char *file = g_build_filename("tests", built, NULL);
	g_autofree char *from = rig_built(file), *to = g_build_filename(folder, name, NULL);
	g_autofree char *data = NULL;
	gsize len;

	g_assert_true(g_file_get_contents(from, &data, &len, NULL));
	g_assert_true(g_file_set_contents(to, data, (gssize)len, NULL));
	g_assert_cmpint(g_chmod(to, 0755), ==, 0);
}

/* Returns NULL and skips the test if the host does not let a user do that. */
static RigWorker *start_attacker(const struct attack *attack, const char *folder)
{
	g_autofree char *program = rig_built("tests/poisoner");
	g_autofree char *library = g_build_filename(folder, LIBRARY, NULL);
	g_autofree char *fake = g_build_filename(folder, "fake", NULL);
	g_autofree char *over = g_build_filename(folder, attack->over, NULL);
	const char *argv[] = {program, attack->how, library,
			      fake,    over,        attack->headless ? "headless" : NULL,
			      NULL};
	g_autofree char *why = NULL;
	RigWorker *attacker = rig_worker_try(argv, NULL, &why);

	if (!attacker)
		g_test_skip(why);
	return attacker;
}

/* Drops the capabilities that the service and the documented setcap line do not have. */
static void lose_map_files(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];

	g_assert_cmpint(syscall(SYS_capget, &header, data), ==, 0);
	data[0].effective &= ~(1u << CAP_SYS_ADMIN);
	data[1].effective &= ~CAP_TO_MASK(CAP_CHECKPOINT_RESTORE);
	g_assert_cmpint(syscall(SYS_capset, &header, data), ==, 0);
}

static void check_victims(const struct attack *attack, pid_t attacker, RigWorker *const victims[2])
{
	g_autoptr(Rig) rig = rig_new(NULL, NULL);

	if (attack->by_name)
		lose_map_files();
	for (guint round = 0; round < 2; round++) {
		rig_collect(rig, attacker);
		for (guint i = 0; i < 2; i++) {
			rig_collect(rig, victims[i]->pid);
			rig_assert_truth(rig, victims[i]);
		}
		g_assert_cmpint(rig->ops->again(rig->self), ==, 0);
	}
}

static void test_attack(gconstpointer data)
{
	const struct attack *attack = data;
	g_autofree char *plain = rig_built("tests/jemalloc-worker-plain");
	g_autofree char *linked = rig_built("tests/libtoy-linked.so");
	__attribute__((cleanup(remove_folder))) char *folder =
		g_dir_make_tmp("ctprof-poison-XXXXXX", NULL);
	g_autofree char *library = g_build_filename(folder, LIBRARY, NULL);
	const char *argv[] = {plain, "quiet", "3", library, NULL};
	int status;

	if (!rig_need(linked, "the build's strip or objcopy"))
		return;
	g_assert_cmpint(g_chmod(folder, 0755), ==, 0);
	copy(attack->library, folder, LIBRARY);
	copy("libtoy-shifted.so", folder, "fake");
	if (attack->debug)
		copy(attack->debug, folder, LIBRARY ".debug");
	g_autoptr(RigWorker) early = rig_worker_new(argv, NULL);
	g_autoptr(RigWorker) attacker = start_attacker(attack, folder);
	if (!attacker)
		return;
	if (attack->headless)
		rig_wait_for(attacker->pid, "State:\tZ");
	g_autoptr(RigWorker) late = rig_worker_new(argv, NULL);
	RigWorker *const victims[] = {late, early};
	pid_t child = fork();
	g_assert_cmpint(child, >=, 0);
	if (child == 0) {
		check_victims(attack, attacker->pid, victims);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The inode number of a user's file that was seen mapped, and removed since, is now another
 * file's. */
static void test_number_used_again(void)
{
	g_autofree char *plain = rig_built("tests/jemalloc-worker-plain");
	__attribute__((cleanup(remove_folder))) char *folder =
		g_dir_make_tmp("ctprof-poison-XXXXXX", NULL);
	g_autofree char *library = g_build_filename(folder, LIBRARY, NULL);
	const char *argv[] = {plain, "quiet", "3", library, NULL};
	struct stat before, after;

	copy("libtoy-shifted.so", folder, LIBRARY);
	g_assert_cmpint(chown(library, 65534, 65534), ==, geteuid() == 0 ? 0 : -1);
	RigWorker *attacker = rig_worker_new(argv, NULL);
	g_autoptr(Rig) rig = rig_new(NULL, NULL);
	rig_collect(rig, attacker->pid);
	rig_worker_free(attacker);
	g_assert_cmpint(stat(library, &before), ==, 0);
	g_assert_cmpint(g_unlink(library), ==, 0);
	copy("libtoy-tsd.so", folder, LIBRARY);
	g_assert_cmpint(stat(library, &after), ==, 0);
	if (geteuid() != 0 || before.st_ino != after.st_ino || before.st_dev != after.st_dev) {
		g_test_skip("needs root, and a file system that reuses inode numbers at once");
		return;
	}
	g_autoptr(RigWorker) victim = rig_worker_new(argv, NULL);
	rig_collect(rig, victim->pid);
	rig_assert_truth(rig, victim);
}

/* No name that a process has chosen is opened below ctprof's own root. */
static void test_own_root(void)
{
	static const struct attack attack = {.how = "tmpfs", .over = LIBRARY};
	__attribute__((cleanup(remove_folder))) char *folder =
		g_dir_make_tmp("ctprof-poison-XXXXXX", NULL);
	g_autofree char *linked = rig_built("tests/libtoy-linked.so");
	g_autofree char *debug = g_build_filename(folder, LIBRARY ".debug", NULL);
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char events[4096];

	if (!rig_need(linked, "the build's strip or objcopy"))
		return;
	g_assert_cmpint(g_chmod(folder, 0755), ==, 0);
	copy("libtoy-linked.so", folder, LIBRARY);
	copy("libtoy-linked.so", folder, "fake");
	copy("libtoy-linked.so.debug", folder, LIBRARY ".debug");
	g_autoptr(RigWorker) attacker = start_attacker(&attack, folder);
	if (!attacker)
		return;
	g_assert_cmpint(inotify_add_watch(watch, debug, IN_OPEN), >=, 0);
	g_autoptr(Rig) rig = rig_new(NULL, NULL);
	rig_collect(rig, attacker->pid);
	g_assert_cmpint(read(watch, events, sizeof events), ==, -1);
	close(watch);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(attacks); i++) {
		g_autofree char *path = g_strdup_printf("/jemalloc/poison/%s", attacks[i].name);

		g_test_add_data_func(path, &attacks[i], test_attack);
	}
	g_test_add_func("/jemalloc/poison/number used again", test_number_used_again);
	g_test_add_func("/jemalloc/poison/own root", test_own_root);
	return g_test_run();
}
