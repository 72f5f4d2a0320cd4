/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values in the status of a process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "slots.h"
#include "text.h"
#include "thread-file.h"

#include "ctprof/plugin.h"

/* Lines of status; amounts in bytes. */
enum status_key {
	STATUS_STATE, /* the letter */
	STATUS_PPID,
	STATUS_UID, /* the real UID */
	STATUS_THREADS,
	STATUS_VM_HWM,
	STATUS_VM_RSS,
	STATUS_RSS_ANON,
	STATUS_RSS_FILE,
	STATUS_RSS_SHMEM,
	STATUS_VM_SWAP,
	N_STATUS,
};

/* The lines about memory, which all threads share. */
#define STATUS_FIRST_OF_MM STATUS_VM_HWM

struct status {
	struct slots_value at[N_STATUS];
};

/* Parses any bytes; a missing line is absent (unsupported). */
void status_parse(struct text text, struct status *ret);
/* Makes all lines absent. */
void status_set_absent(struct status *ret, uint32_t why);
/* Whether the process has memory: kernel threads and zombies do not. */
bool status_has_mm(const struct status *status);
