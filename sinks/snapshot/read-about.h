/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts that tell about the capture itself: the other side of about.h. */
#pragma once

#include "cells.h"

/* Reads "format", which must be one that is known. */
void about_read_format(struct pull *pull, struct cells *cells);
/*
 * Reads "metrics" and gives each definition it understands, with its plugin's
 * name, to each(); a negative errno of that ends the reading.
 */
void about_read_metrics(struct pull *pull, struct cells *cells,
			int (*each)(void *context, const char *plugin,
				    const struct ctprof_metric *metric),
			void *context);
/* These give what they read to input->fact(). */
void about_read_time(struct pull *pull, struct cells *cells, const struct ctprof_input *input);
void about_read_plugins(struct pull *pull, struct cells *cells, const struct ctprof_input *input);
void about_read_capture(struct pull *pull, struct cells *cells, const struct ctprof_input *input);
