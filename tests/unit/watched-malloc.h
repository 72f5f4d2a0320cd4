/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For code that must not allocate memory: a malloc() of this program that records whether a
 * watched thread has called it, also from within libraries. */
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
