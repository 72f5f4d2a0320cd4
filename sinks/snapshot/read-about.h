/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the parts about the capture itself: the counterpart of about.h. */
#pragma once

#include "cells.h"

/* Reads "format", which must be a known one, of a whole document or of changes. */
void about_read_format(struct pull *pull, struct cells *cells, bool is_delta);
/*
 * Reads "metrics" and passes each definition it understands, with the name of its plugin, to
 * each(); if that returns a negative errno, reading stops.
 */
void about_read_metrics(struct pull *pull, struct cells *cells,
			int (*each)(void *context, const char *plugin,
				    const struct ctprof_metric *metric),
			void *context);
/* These pass the facts they read to input->fact(). */
void about_read_time(struct pull *pull, struct cells *cells, const struct ctprof_input *input);
void about_read_plugins(struct pull *pull, struct cells *cells, const struct ctprof_input *input);
void about_read_capture(struct pull *pull, struct cells *cells, const struct ctprof_input *input);
