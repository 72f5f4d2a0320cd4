/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "helper.h"

#include <dlfcn.h>
#include <signal.h>

int helper_start(pthread_t *ret, size_t stack_size, void *(*run)(void *), void *data)
{
	pthread_attr_t attr;
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, stack_size);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	int r = pthread_create(ret, &attr, run, data);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	return -r;
}

void helper_pin_code(void)
{
	static const char anchor;
	Dl_info info;

	if (dladdr(&anchor, &info) && info.dli_fname)
		(void)dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
