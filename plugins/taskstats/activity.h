/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of the kernel's accounting options are on. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "decode.h"

/*
 * A set of enum taskstats_active.  text: the sysctl kernel.task_delayacct, NULL
 * when it cannot be read; own: the calling thread's values.
 *
 * The calling thread tells more than the kernel's config file would, which many
 * kernels do not show: it has an address space and has been scheduled, so what
 * it lacks is compiled out.
 */
uint32_t taskstats_parse_delayacct(const char *text, size_t len,
				   const struct taskstats_values *own);
