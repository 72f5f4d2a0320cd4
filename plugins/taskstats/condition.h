/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How well taskstats works on this host, found out by asking for oneself. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "decode.h"

/* Resolves the family and asks for the calling thread; leaves nothing open.
 * ret_active: enum taskstats_active.  Returns 0 or -errno. */
int taskstats_examine(const struct ctprof_host *host, uint16_t *ret_family, uint32_t *ret_active);

/*
 * A set of enum taskstats_active.  text: the sysctl kernel.task_delayacct, empty
 * when it cannot be read; own: the calling thread's values.
 *
 * The calling thread tells more than the kernel's config file would, which many
 * kernels do not show: it has an address space and has been scheduled, so what
 * it lacks is compiled out.
 */
uint32_t taskstats_parse_delayacct(const char *text, size_t len,
				   const struct taskstats_values *own);

/* What to tell the user. */
struct taskstats_advice {
	const char *why;
	const char *remedy; /* NULL: none known */
};

/* About a failed taskstats_examine(); ret_answer is what start() returns. */
struct taskstats_advice taskstats_explain_failure(int err, int *ret_answer);

/* About the gravest thing in lacking (enum taskstats_active), which is then
 * taken off together with what it implies; lacking must not be 0. */
struct taskstats_advice taskstats_explain_lack(uint32_t *lacking);
