/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host for readers of any bytes: it aborts if the reader breaks the rules of the border. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ctprof/sink.h"

#define CHECKING_SLOTS 256

/* Records what the reader has done. */
extern struct checking {
	uint32_t kinds[CHECKING_SLOTS]; /* enum value_kind, of the registered metrics */
	uint32_t n_slots;
	bool sealed, reported;
	uint64_t size; /* size of the text; UINT64_MAX: unknown */
} checking;

extern const struct ctprof_host checking_host;

/* Aborts unless the condition holds. */
void check(bool holds);
/* Resets the record before a reading. */
void checking_begin(uint64_t size);
/* An input with low limits; the caller adds the functions that read the file. */
struct ctprof_input checking_input(void);
