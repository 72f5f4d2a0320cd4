/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes numbers for people, scaled to a unit of a ladder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "real.h"

/* Room for any number and its unit. */
#define SCALE_ROOM (REAL_ROOM + 8)

/* Writes "1.500µs", "999ns", "18.59%"; ladder is an enum ctprof_ladder. */
void scale_number(uint32_t ladder, uint64_t value, char ret_text[SCALE_ROOM]);
/* Writes a computed value: "123.40ns", "0.874"; "-" if it is not finite. */
void scale_real(uint32_t ladder, double value, char ret_text[SCALE_ROOM]);
/* Writes a change with its sign: "+2.000ms", "-50ns", "+0"; of a computed value "+1.25ns". */
void scale_delta(uint32_t ladder, double delta, bool is_computed, char ret_text[SCALE_ROOM]);
