/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handmade reports with every shape of section, type of value and kind of list. */
#pragma once

#include "ctprof/report.h"

struct sample {
	const char *name; /* of its golden files */
	struct ctprof_report report;
};

extern const struct sample samples[];
extern const unsigned int n_samples;
