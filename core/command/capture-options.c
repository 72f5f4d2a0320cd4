/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capture-options.h"

#include "guard/priority.h"
#include "road/capturing.h"
#include "road/redacting.h"

#define MAX_JOBS 1024

static const struct ctprof_option_word priorities[] = {
	[PRIORITY_AUTO] = OPTION_WORD("auto", "if more threads are runnable than there are CPUs"),
	[PRIORITY_DEADLINE] = OPTION_WORD("deadline", "SCHED_DEADLINE"),
	[PRIORITY_RR] = OPTION_WORD("rr", "SCHED_RR"),
	[PRIORITY_NONE] = OPTION_WORD("none", "unchanged"),
};

const Option capturing_options[] = {
	OPTION(TEXT, "groups", 'g', &capturing_choice.groups, "LIST",
	       "Read only these groups of metrics; '-NAME' leaves one out", .from = FROM_GROUPS),
	OPTION(BOOL, "delayacct", 0, &capturing_choice.delayacct, NULL,
	       "Switch kernel.task_delayacct on first, and leave it on"),
	OPTION_END,
};

const Option capturing_cost_options[] = {
	OPTION(COUNT, "jobs", 'j', &capturing_choice.jobs, "N",
	       "Workers (default: CPUs minus the load)", .row.least = 1, .row.most = MAX_JOBS),
	OPTION(WORD, "priority", 0, &priority_choice, "HOW",
	       "Raise ctprof's priority while it reads, for at most 3 of every 4 ms (needs "
	       "CAP_SYS_NICE)",
	       OPTION_WORDS(priorities), .row.default_value = "auto", .is_early = TRUE),
	OPTION_END,
};

const Option redacting_options[] = {
	OPTION(BOOL, "redact", 0, &redacting_choice.wanted, NULL,
	       "Replace names, paths and command lines with pseudonyms (see 'ctprof redact')"),
	OPTION_END,
};

const Option redacting_key_options[] = {
	OPTION(PATH, "key-file", 0, &redacting_choice.key_file, "FILE",
	       "Derive the pseudonyms from the key in FILE: the same in every file (default: a "
	       "random key, not kept)",
	       .from = FROM_FILES),
	OPTION_END,
};
