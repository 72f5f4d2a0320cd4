/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capabilities.h"

#include <errno.h>
#include <linux/securebits.h>
#include <sys/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/error.h"

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

/* From now on user 0 is as any other: neither exec nor a change of the user gives
 * capabilities.  Only who has CAP_SETPCAP may say so; no one else is user 0 and
 * could gain any but by a file, which no_new_privs rules out. */
static gboolean renounce(GError **error)
{
	const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
				   SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
				   SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

	(void)prctl(PR_SET_SECUREBITS, bits, 0, 0, 0);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ||
	       error_set_errno(error, errno, "privileges cannot be renounced");
}

gboolean capabilities_drop(const GPtrArray *names, GError **error)
{
	gboolean kept[CAP_LAST_CAP + 1] = {FALSE};
	g_auto(cap_t) set = cap_get_proc();

	if (!set)
		return error_set_errno(error, errno, "capabilities cannot be read");
	for (guint i = 0; i < names->len; i++)
		keep(kept, g_ptr_array_index(names, i));
	cap_reset_ambient();
	if (!renounce(error))
		return FALSE;
	for (cap_value_t value = 0; value <= CAP_LAST_CAP; value++) {
		gboolean later = value == CAP_DAC_OVERRIDE;

		/* Needs CAP_SETPCAP, so it comes first; without it there is nothing
		 * an exec could win back anyway. */
		if (!kept[value] && cap_get_bound(value) > 0)
			(void)cap_drop_bound(value);
		if (!kept[value])
			set_flag(set, CAP_EFFECTIVE, value, FALSE);
		if (!kept[value] && !later)
			set_flag(set, CAP_PERMITTED, value, FALSE);
		set_flag(set, CAP_INHERITABLE, value, FALSE);
	}
	return cap_set_proc(set) == 0 ||
	       error_set_errno(error, errno, "capabilities cannot be dropped");
}

void capabilities_keep_scheduling(void)
{
	static const cap_value_t kept = CAP_SYS_NICE;
	g_auto(cap_t) set = cap_get_proc();
	cap_flag_value_t permitted = CAP_CLEAR;

	(void)prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED);
	if (!set || cap_get_flag(set, kept, CAP_PERMITTED, &permitted) < 0 || cap_clear(set) < 0)
		return;
	set_flag(set, CAP_PERMITTED, kept, permitted == CAP_SET);
	set_flag(set, CAP_EFFECTIVE, kept, permitted == CAP_SET);
	(void)cap_set_proc(set);
}

gpointer capabilities_suspend(void)
{
	cap_t before = cap_get_proc();
	g_auto(cap_t) set = before ? cap_dup(before) : NULL;

	if (set && cap_clear_flag(set, CAP_EFFECTIVE) == 0)
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
	cap_flag_value_t permitted = CAP_CLEAR;

	/* Before the user's: it takes CAP_SETGID, or is the real one. */
	setfsgid(getgid());
	setfsuid(getuid());
	if (!set)
		return before;
	if (getuid() != 0)
		(void)cap_set_flag(set, CAP_EFFECTIVE, G_N_ELEMENTS(gifts), gifts, CAP_CLEAR);
	else if (cap_get_flag(set, CAP_DAC_OVERRIDE, CAP_PERMITTED, &permitted) == 0)
		(void)set_flag(set, CAP_EFFECTIVE, CAP_DAC_OVERRIDE, permitted == CAP_SET);
	(void)cap_set_proc(set);
	return before;
}

void capabilities_resume(gpointer suspended)
{
	g_auto(cap_t) before = suspended;
	int err = errno;

	setfsuid(geteuid());
	setfsgid(getegid());
	/* Last: a change of the user changes capabilities. */
	if (before)
		(void)cap_set_proc(before);
	errno = err;
}
