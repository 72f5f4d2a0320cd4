/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The group "wait": in which kernel functions threads wait. */
#pragma once

#include "ctprof/source.h"

#define N_PLACES 2

struct places {
	const struct ctprof_host *host;
	uint32_t slots[N_PLACES];
};

int places_declare(struct places *places, const struct ctprof_host *host);
void places_probe(const struct places *places);
void places_collect(const struct places *places, struct ctprof_batch *batch);
