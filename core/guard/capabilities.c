/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capabilities.h"

#include <errno.h>
#include <linux/securebits.h>
#include <sys/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/ui.h"
#include "sandbox.h"

G_DEFINE_AUTO_CLEANUP_FREE_FUNC(cap_t, cap_free, NULL)

static void keep(gboolean *kept, const char *name)
{
	g_autofree char *lower = g_ascii_strdown(name, -1);
	cap_value_t value;

	if (cap_from_name(lower, &value) == 0 && value >= 0 && value < CAP_LAST_CAP + 1)
		kept[value] = TRUE;
}

static int set_flag(cap_t set, cap_flag_t flag, cap_value_t value, gboolean on)
{
	return cap_set_flag(set, flag, 1, &value, on ? CAP_SET : CAP_CLEAR);
}

static gboolean is_permitted(cap_t set, cap_value_t value)
{
	cap_flag_value_t permitted = CAP_CLEAR;

	return cap_get_flag(set, value, CAP_PERMITTED, &permitted) == 0 && permitted == CAP_SET;
}

/* Makes user 0 like any other: neither exec nor a change of the user gives or takes
 * capabilities from now on.  This needs CAP_SETPCAP; a process without it could
 * gain capabilities only from a file, which no_new_privs rules out. */
static gboolean lock_securebits(gboolean *ret_locked, GError **error)
{
	const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
				   SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
				   SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

	*ret_locked = prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) == 0;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ||
	       error_set_errno(error, errno, "cannot drop privileges");
}

/* Use the system call, which changes only the calling thread. glibc changes all threads, and ends
 * the process if one cannot follow, such as the thread that keeps only CAP_SYS_NICE. */
#ifdef SYS_setresuid32
#define CALL(name) SYS_##name##32
#else
#define CALL(name) SYS_##name
#endif

static gboolean can_become_other_user(cap_t set, const gboolean *kept)
{
	/* Without CAP_DAC_READ_SEARCH, plugins that need it could not read root's files. */
	return is_permitted(set, CAP_SETUID) && is_permitted(set, CAP_SETGID) &&
	       is_permitted(set, CAP_KILL) &&
	       (!kept[CAP_DAC_READ_SEARCH] || is_permitted(set, CAP_DAC_READ_SEARCH));
}

/* Afterwards this thread can neither write root's files nor signal root's processes. */
static void become_other_user(void)
{
	const uid_t other = CAPABILITIES_OTHER_USER;
	int signal_at_death = 0;

	(void)prctl(PR_GET_PDEATHSIG, &signal_at_death);
	/* EINVAL if the namespace has no such user: its user 0 is an ordinary user outside. */
	if (syscall(CALL(setresuid), other, other, other) < 0) {
		ui_verbose(1, "plugins run as root: this user namespace has no user %u: %s", other,
			   g_strerror(errno));
		return;
	}
	if (syscall(CALL(setgroups), 0, NULL) < 0 ||
	    syscall(CALL(setresgid), other, other, other) < 0)
		ui_verbose(1, "plugins keep the groups of root: %s", g_strerror(errno));
	/* Changing the user has reset both of these. */
	(void)prctl(PR_SET_PDEATHSIG, signal_at_death);
	(void)prctl(PR_SET_DUMPABLE, SANDBOX_IS_TRACED_BY_ITSELF, 0, 0, 0);
}

gboolean capabilities_drop(const GPtrArray *names, gboolean leave_root, GError **error)
{
	gboolean kept[CAP_LAST_CAP + 1] = {FALSE};
	g_auto(cap_t) set = cap_get_proc();
	pid_t parent = getppid();
	gboolean locked;

	if (!set)
		return error_set_errno(error, errno, "cannot read capabilities");
	for (guint i = 0; i < names->len; i++)
		keep(kept, g_ptr_array_index(names, i));
	cap_reset_ambient();
	if (!lock_securebits(&locked, error))
		return FALSE;
	if (leave_root && locked && geteuid() == 0 && can_become_other_user(set, kept))
		become_other_user();
	/* The parent's death signal was reset for a moment: the parent may have ended then. */
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	for (cap_value_t value = 0; value <= CAP_LAST_CAP; value++) {
		gboolean later = value == CAP_DAC_OVERRIDE && !leave_root;

		/* This needs CAP_SETPCAP, so it comes first; without that capability,
		 * exec could not regain anything in any case. */
		if (!kept[value] && cap_get_bound(value) > 0)
			(void)cap_drop_bound(value);
		if (!kept[value])
			set_flag(set, CAP_EFFECTIVE, value, FALSE);
		if (!kept[value] && !later)
			set_flag(set, CAP_PERMITTED, value, FALSE);
		set_flag(set, CAP_INHERITABLE, value, FALSE);
	}
	return cap_set_proc(set) == 0 || error_set_errno(error, errno, "cannot drop capabilities");
}

gpointer capabilities_suspend(void)
{
	cap_t before = cap_get_proc();
	g_auto(cap_t) set = before ? cap_dup(before) : NULL;

	if (!set || cap_clear_flag(set, CAP_EFFECTIVE) < 0)
		return before;
	set_flag(set, CAP_EFFECTIVE, CAP_KILL, geteuid() == 0 && is_permitted(set, CAP_KILL));
	(void)cap_set_proc(set);
	return before;
}

gpointer capabilities_become_user(void)
{
	static const cap_value_t gifts[] = {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH,
					    CAP_FOWNER,       CAP_CHOWN,
					    CAP_FSETID,       CAP_LINUX_IMMUTABLE};
	cap_t before = cap_get_proc();
	g_auto(cap_t) set = before ? cap_dup(before) : NULL;

	/* Set the group before the user: it takes CAP_SETGID, unless it is the real group. */
	setfsgid(getgid());
	setfsuid(getuid());
	if (!set)
		return before;
	if (getuid() != 0)
		(void)cap_set_flag(set, CAP_EFFECTIVE, G_N_ELEMENTS(gifts), gifts, CAP_CLEAR);
	else
		(void)set_flag(set, CAP_EFFECTIVE, CAP_DAC_OVERRIDE,
			       is_permitted(set, CAP_DAC_OVERRIDE));
	(void)cap_set_proc(set);
	return before;
}

void capabilities_resume(gpointer suspended)
{
	g_auto(cap_t) before = suspended;
	int err = errno;

	setfsuid(geteuid());
	setfsgid(getegid());
	/* This comes last, since a change of the user also changes capabilities. */
	if (before)
		(void)cap_set_proc(before);
	errno = err;
}
