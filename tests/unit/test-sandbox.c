/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a process that runs plugins can no longer do, and what it still can. */
#include <errno.h>
#include <glib.h>
#include <linux/io_uring.h>
#include <linux/securebits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard/capabilities.h"
#include "guard/sandbox.h"

/* A build that looks for its own leaks may attach. */
#if defined(__SANITIZE_ADDRESS__)
#define MAY_ATTACH 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAY_ATTACH 1
#endif
#endif

/* A child that waits to be looked at. */
static pid_t victim;

static int write_memory(void)
{
	int there = 0, here = 1;
	struct iovec local = {&here, sizeof here}, remote = {&there, sizeof there};

	return (int)process_vm_writev(victim, &local, 1, &remote, 1, 0);
}

#ifndef MAY_ATTACH
static int attach(void)
{
	return (int)ptrace(PTRACE_ATTACH, victim, NULL, NULL);
}

static int poke(void)
{
	return (int)ptrace(PTRACE_POKEDATA, victim, NULL, NULL);
}
#endif

static int unshare_user(void)
{
	return unshare(CLONE_NEWUSER);
}

static int clone_user(void)
{
	int pid = (int)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid == 0)
		_exit(0);
	return pid;
}

static int set_up_ring(void)
{
	struct io_uring_params params = {0};

	return (int)syscall(425, 1, &params);
}

static int take_descriptor(void)
{
	return (int)syscall(438, -1, 0, 0);
}

static int mount_something(void)
{
	return mount("none", "/", "tmpfs", 0, NULL);
}

static int load_module(void)
{
	return (int)syscall(SYS_finit_module, -1, "", 0);
}

static int open_handle(void)
{
	return (int)syscall(SYS_open_by_handle_at, -1, NULL, 0);
}

static const struct {
	const char *name;
	int (*attempt)(void);
} refused[] = {
#ifndef MAY_ATTACH
	{"ptrace attach", attach},
	{"ptrace poke", poke},
#endif
	{"process_vm_writev", write_memory},
	{"unshare", unshare_user},
	{"clone", clone_user},
	{"io_uring", set_up_ring},
	{"pidfd_getfd", take_descriptor},
	{"mount", mount_something},
	{"module", load_module},
	{"open_by_handle_at", open_handle},
};

static void *nothing(void *data)
{
	return data;
}

static void assert_works(void)
{
	char name[] = "true", *argv[] = {name, NULL};
	pthread_t thread;
	pid_t pid;
	int status;

	g_assert_cmpint(pthread_create(&thread, NULL, nothing, NULL), ==, 0);
	g_assert_cmpint(pthread_join(thread, NULL), ==, 0);
	g_assert_cmpint(posix_spawnp(&pid, "true", NULL, NULL, argv, NULL), ==, 0);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
	g_assert_cmpint(unshare(CLONE_FILES), ==, 0);
	/* Looking is allowed; a security module may still refuse it. */
	if (ptrace(PTRACE_SEIZE, victim, NULL, NULL) == 0)
		g_assert_cmpint(ptrace(PTRACE_INTERRUPT, victim, NULL, NULL), ==, 0);
}

static void assert_unprivileged(void)
{
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	g_autoptr(GError) error = NULL;
	gboolean was_root = cap_get_bound(CAP_SETPCAP) > 0 && geteuid() == 0;

	g_ptr_array_add(none, (gpointer)(guintptr) "CAP_SYS_PTRACE");
	g_assert_true(capabilities_drop(none, &error));
	g_assert_no_error(error);
	g_assert_cmpint(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), ==, 1);
	if (!was_root)
		return;
	int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
	g_assert_cmphex(bits & (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED), ==,
			SECBIT_NOROOT | SECBIT_NOROOT_LOCKED);
	g_assert_cmpint(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0), ==, -1);
	for (cap_value_t cap = 0; cap <= CAP_LAST_CAP; cap++)
		if (cap != CAP_SYS_PTRACE)
			g_assert_cmpint(cap_get_bound(cap), <=, 0);
}

static void test_confined(void)
{
	g_autoptr(GError) error = NULL;

	assert_unprivileged();
	g_assert_true(sandbox_confine(&error));
	g_assert_no_error(error);
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0) {
		g_test_skip("no filter for this machine or kernel");
		return;
	}
	for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
		g_test_message("%s", refused[i].name);
		errno = 0;
		g_assert_cmpint(refused[i].attempt(), ==, -1);
		g_assert_cmpint(errno, ==, EPERM);
	}
	assert_works();
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	victim = fork();
	if (victim == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		for (;;)
			pause();
	}
	g_test_add_func("/core/sandbox/confined", test_confined);
	int status = g_test_run();
	kill(victim, SIGKILL);
	return status;
}
