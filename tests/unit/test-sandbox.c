/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rights that a process running plugins has lost, and those it still has. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/capability.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/root.h"
#include "guard/capabilities.h"
#include "guard/sandbox.h"

/* A build with leak detection may attach to itself. */
#if defined(__SANITIZE_ADDRESS__)
#define MAY_ATTACH 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAY_ATTACH 1
#endif
#endif

/* A child that waits to be inspected. */
static pid_t victim;
static int victim_socket;

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

static int seize_parent(void)
{
	return (int)ptrace(PTRACE_SEIZE, getppid(), NULL, NULL);
}

static int move_memory(void)
{
	return (int)syscall(SYS_migrate_pages, victim, 0, NULL, NULL);
}

static int route(void)
{
	return socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
}

static int reach_others(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int set_interface(void)
{
	struct ifreq request = {.ifr_name = "none"};

	return ioctl(victim_socket, SIOCSIFFLAGS, &request);
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
	{"ptrace of the parent", seize_parent},
	{"migrate_pages", move_memory},
	{"netlink route", route},
	{"network", reach_others},
	{"interface", set_interface},
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
	g_assert_cmpint(socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC), >=, 0);
	g_assert_cmpint(socket(AF_UNIX, SOCK_STREAM, 0), >=, 0);
	g_assert_cmpint(ioctl(victim_socket, FIONREAD, &status), ==, 0);
	/* Tracing is allowed, but a security module may still refuse it. */
	if (ptrace(PTRACE_SEIZE, victim, NULL, NULL) == 0)
		g_assert_cmpint(ptrace(PTRACE_INTERRUPT, victim, NULL, NULL), ==, 0);
}

static const char *const declared[] = {"CAP_SYS_PTRACE", "CAP_NET_ADMIN"};

static gboolean is_declared(cap_value_t cap)
{
	return cap == CAP_SYS_PTRACE || cap == CAP_NET_ADMIN;
}

/* The change of user is final; the capabilities that were kept are effective. */
static void assert_other_user(void)
{
	const uid_t other = CAPABILITIES_OTHER_USER;
	uid_t uids[3];
	gid_t gids[3];

	g_assert_cmpint(getresuid(&uids[0], &uids[1], &uids[2]), ==, 0);
	g_assert_cmpint(getresgid(&gids[0], &gids[1], &gids[2]), ==, 0);
	for (gsize i = 0; i < G_N_ELEMENTS(uids); i++) {
		g_assert_cmpuint(uids[i], ==, other);
		g_assert_cmpuint(gids[i], ==, other);
	}
	g_assert_cmpint(getgroups(0, NULL), ==, 0);
	g_assert_cmpint(setresuid(0, 0, 0), ==, -1);
	g_assert_cmpint(setgid(0), ==, -1);
	g_assert_cmpint(access("/etc/shadow", F_OK) == 0 && open("/etc/shadow", O_RDWR) >= 0, ==,
			0);
	g_assert_cmpint(kill(victim, 0), ==, -1);
#ifndef MAY_ATTACH
	g_assert_cmpint(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), ==, 0);
#endif
	cap_t set = cap_get_proc();
	for (cap_value_t cap = 0; cap <= CAP_LAST_CAP; cap++) {
		cap_flag_value_t permitted = CAP_CLEAR, effective = CAP_CLEAR;
		cap_flag_value_t expected = is_declared(cap) ? CAP_SET : CAP_CLEAR;

		cap_get_flag(set, cap, CAP_PERMITTED, &permitted);
		cap_get_flag(set, cap, CAP_EFFECTIVE, &effective);
		g_assert_cmpint(permitted, ==, expected);
		g_assert_cmpint(effective, ==, expected);
	}
	cap_free(set);
	int wanted = 0;
	g_assert_cmpint(prctl(PR_GET_PDEATHSIG, &wanted, 0, 0, 0), ==, 0);
	g_assert_cmpint(wanted, ==, SIGKILL);
}

static void assert_unprivileged(void)
{
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	g_assert_cmpint(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), ==, 0);
	g_autoptr(GError) error = NULL;
	gboolean was_root = cap_get_bound(CAP_SETPCAP) > 0 && geteuid() == 0;

	for (gsize i = 0; i < G_N_ELEMENTS(declared); i++)
		g_ptr_array_add(none, (gpointer)(guintptr)declared[i]);
	g_assert_true(capabilities_drop(none, TRUE, &error));
	g_assert_no_error(error);
	g_assert_cmpint(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), ==, 1);
	if (!was_root)
		return;
	if (root_maps_user(CAPABILITIES_OTHER_USER))
		assert_other_user();
	int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
	g_assert_cmphex(bits & (SECBIT_NOROOT | SECBIT_NOROOT_LOCKED), ==,
			SECBIT_NOROOT | SECBIT_NOROOT_LOCKED);
	g_assert_cmpint(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0), ==, -1);
	for (cap_value_t cap = 0; cap <= CAP_LAST_CAP; cap++)
		if (!is_declared(cap))
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
	char byte;
	int end[2];

	g_test_init(&argc, &argv, NULL);
	g_assert_cmpint(pipe(end), ==, 0);
	victim_socket = socket(AF_UNIX, SOCK_STREAM, 0);
	victim = fork();
	if (victim == 0) {
		/* By then it belongs to another user, so that we could not kill it. */
		close(end[1]);
		_exit(read(end[0], &byte, 1) == 0 ? 0 : 1);
	}
	g_test_add_func("/core/sandbox/confined", test_confined);
	return g_test_run();
}
