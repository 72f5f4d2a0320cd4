/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bpf-condition.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "capability.h"
#include "file.h"
#include "namespace.h"

/* Headers before Linux 5.8 lack these. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

static bool is_recorded(const struct ctprof_host *host)
{
	return !host->live(host);
}

/* Whether /proc shows other thread numbers than records have, which are those of our own
 * namespace. */
static bool is_foreign_proc(const struct ctprof_host *host)
{
	return !file_shows_own_pids(host);
}

static bool is_old_kernel(const struct ctprof_host *host)
{
	struct utsname name;
	unsigned major = 0, minor = 0;

	(void)host;
	if (uname(&name) < 0 || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return false;
	return major < 5 || (major == 5 && minor < 8);
}

static bool lacks_btf(const struct ctprof_host *host)
{
	return file_check_root(host, CTPROF_ROOT_SYS, BPF_TYPES_FILE) < 0;
}

static bool lacks_rights(const struct ctprof_host *host)
{
	return !capability_is_held(host, CAP_BPF) || !capability_is_held(host, CAP_PERFMON);
}

static bool is_locked_down(const struct ctprof_host *host)
{
	char text[128];
	ssize_t got = file_read_root(host, CTPROF_ROOT_SYS, "kernel/security/lockdown", text,
				     sizeof text);

	return got > 0 && memmem(text, (size_t)got, "[confidentiality]", 17);
}

bool condition_examine(const struct ctprof_host *host, struct condition_advice *ret)
{
	static const struct {
		bool (*holds)(const struct ctprof_host *host);
		struct condition_advice advice;
	} obstacles[] = {
		{is_recorded,
		 {-EOPNOTSUPP, "recorded root: no kernel to load programs into", NULL}},
		{is_old_kernel, {-EOPNOTSUPP, "needs Linux 5.8", "a newer kernel"}},
		{is_foreign_proc,
		 {-EOPNOTSUPP, "/proc belongs to another PID namespace",
		  "mount /proc in this namespace"}},
		{lacks_btf,
		 {-EOPNOTSUPP, "the kernel does not describe its types: no /sys/kernel/btf/vmlinux",
		  "a kernel with CONFIG_DEBUG_INFO_BTF=y"}},
		{lacks_rights,
		 {-EPERM, "needs CAP_BPF and CAP_PERFMON in the initial user namespace",
		  "run as root, or setcap cap_bpf,cap_perfmon+ep"}},
		{is_locked_down,
		 {-EPERM, "the kernel is locked down: confidentiality",
		  "boot with lockdown=integrity"}},
	};

	for (size_t i = 0; i < sizeof obstacles / sizeof obstacles[0]; i++)
		if (obstacles[i].holds(host)) {
			*ret = obstacles[i].advice;
			return true;
		}
	return false;
}

bool condition_examine_outer(const struct ctprof_host *host, struct condition_advice *ret)
{
	static const struct condition_advice inner = {
		-EOPNOTSUPP, "threads are followed in the initial PID and time namespaces only",
		NULL};

	if (condition_examine(host, ret))
		return true;
	*ret = condition_is_outermost(host) ? (struct condition_advice){0, NULL, NULL} : inner;
	return ret->err != 0;
}

struct condition_advice condition_explain(int err)
{
	static const struct {
		int err;
		struct condition_advice advice;
	} causes[] = {
		{-EPERM,
		 {-EPERM, "the kernel does not permit BPF programs here",
		  "run as root in the initial user namespace"}},
		{-EACCES, {-EACCES, "the kernel does not permit BPF programs here", NULL}},
		{-ENOMEM, {-ENOMEM, "out of memory", NULL}},
		{-ENOSYS,
		 {-EOPNOTSUPP, "the kernel is built without BPF",
		  "a kernel with CONFIG_BPF_SYSCALL=y"}},
	};

	for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
		if (causes[i].err == err)
			return causes[i].advice;
	return (struct condition_advice){-EOPNOTSUPP, "the kernel rejects the BPF programs", NULL};
}

int condition_refuse(const struct ctprof_host *host, const struct condition_advice *advice)
{
	if (advice->remedy)
		host->error(host, "%s (%s)", advice->why, advice->remedy);
	else
		host->error(host, "%s", advice->why);
	return advice->err;
}

bool condition_is_outermost(const struct ctprof_host *host)
{
	return namespace_is_first(host, "pid") && namespace_is_first(host, "time");
}
