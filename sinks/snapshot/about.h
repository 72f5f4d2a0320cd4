/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the file about the capture itself, each one JSON value. */
#pragma once

#include <stdbool.h>

#include "border.h"
#include "json.h"

void about_write_metrics(struct json *json, const struct ctprof_capture *capture);
void about_write_plugins(struct json *json, const struct ctprof_capture_end *end);
/* "capture" begins with the members known at begin(), and ends at end(). */
void about_begin_capture(struct json *json, const struct ctprof_capture *capture);
/* Begins "capture" of a sample that contains only changes. */
void about_begin_sample(struct json *json, const struct ctprof_capture *capture);
void about_end_capture(struct json *json, const struct ctprof_capture_end *end,
		       uint64_t began_monotonic_ns);

/* On-demand metrics that were not requested are left out of the file. */
static inline bool about_has_metric(const struct ctprof_metric_info *info)
{
	return info->wanted || !(info->metric->flags & CTPROF_METRIC_ON_DEMAND);
}
