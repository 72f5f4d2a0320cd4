/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For code that must not take memory: malloc() of this program notes whether a thread that is
 * watched has called it, libraries included. */
#pragma once

#include <glib.h>
#include <stdlib.h>

#include "guard/sandbox.h"

static _Thread_local gboolean is_watched, took_memory;

/* A sanitizer has a malloc() of its own. */
#if !SANDBOX_IS_TRACED_BY_ITSELF && !defined(__SANITIZE_THREAD__)
void *__libc_malloc(size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	took_memory |= is_watched;
	return __libc_malloc(size);
}
#endif
