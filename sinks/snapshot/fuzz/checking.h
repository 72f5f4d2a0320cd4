/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host for readers of any bytes, that aborts where one breaks the rules of the border. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ctprof/sink.h"

#define CHECKING_SLOTS 256

/* What the reader has done. */
extern struct checking {
	uint32_t kinds[CHECKING_SLOTS]; /* enum value_kind, of the registered metrics */
	uint32_t n_slots;
	bool sealed, told;
	uint64_t size; /* of the text; UINT64_MAX: unknown */
} checking;

extern const struct ctprof_host checking_host;

/* Aborts. */
void check(bool holds);
/* Before a reading: nothing has been done. */
void checking_begin(uint64_t size);
/* An input of low limits, without what reads the file. */
struct ctprof_input checking_input(void);
