/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells TSan what GLib's mutexes order.  GLib takes them with atomics of its
 * own, in a library that was not built for TSan, which therefore reports
 * everything they guard.  scripts/test preloads this in the TSan run; the real
 * functions do the work.
 */
#include <dlfcn.h>
#include <glib.h>

/* Absent in programs that are not built for TSan. */
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

#define TELL(what, address)                                                                        \
	do {                                                                                       \
		if (__tsan_##what)                                                                 \
			__tsan_##what(address);                                                    \
	} while (0)

/* real is the function that this one stands before. */
#define FIND_REAL(name)                                                                            \
	__typeof__(&(name)) real = (__typeof__(&(name)))(gsize)dlsym(RTLD_NEXT, #name)

#define EXPORT __attribute__((visibility("default")))

EXPORT void(g_mutex_lock)(GMutex *mutex)
{
	FIND_REAL(g_mutex_lock);

	real(mutex);
	TELL(acquire, mutex);
}

EXPORT gboolean(g_mutex_trylock)(GMutex *mutex)
{
	FIND_REAL(g_mutex_trylock);
	gboolean taken = real(mutex);

	if (taken)
		TELL(acquire, mutex);
	return taken;
}

EXPORT void(g_mutex_unlock)(GMutex *mutex)
{
	FIND_REAL(g_mutex_unlock);

	TELL(release, mutex);
	real(mutex);
}

/* Within a wait the mutex is given back and taken anew. */
EXPORT void(g_cond_wait)(GCond *cond, GMutex *mutex)
{
	FIND_REAL(g_cond_wait);

	TELL(release, mutex);
	real(cond, mutex);
	TELL(acquire, mutex);
}

EXPORT gboolean(g_cond_wait_until)(GCond *cond, GMutex *mutex, gint64 end_time)
{
	FIND_REAL(g_cond_wait_until);

	TELL(release, mutex);
	gboolean in_time = real(cond, mutex, end_time);
	TELL(acquire, mutex);
	return in_time;
}
