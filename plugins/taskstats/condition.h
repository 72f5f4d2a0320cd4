/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out how well taskstats works on this host, by a request for the calling thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "decode.h"

/* Resolves the family and requests the calling thread's values; leaves nothing open.  ret_active:
 * enum taskstats_active.  Returns 0 or -errno. */
int taskstats_examine(const struct ctprof_host *host, uint16_t *ret_family, uint32_t *ret_active);

/*
 * Returns a set of enum taskstats_active.  text: the sysctl kernel.task_delayacct, empty if it
 * cannot be read; own: the calling thread's values.
 *
 * The calling thread shows more than the kernel's config file, which many kernels do not provide:
 * it has an address space and has been scheduled, so a value that is 0 for it is compiled out.
 */
uint32_t taskstats_parse_delayacct(const char *text, size_t len,
				   const struct taskstats_values *own);

/* The explanation for the user. */
struct taskstats_advice {
	const char *why;
	const char *remedy; /* NULL: none known */
};

/* Explains a failed taskstats_examine(); ret_answer is the return value of start(). */
struct taskstats_advice taskstats_explain_failure(int err, int *ret_answer);

/* Explains the most serious item in lacking (enum taskstats_active), which is then removed together
 * with the items it implies; lacking must not be 0. */
struct taskstats_advice taskstats_explain_lack(uint32_t *lacking);
