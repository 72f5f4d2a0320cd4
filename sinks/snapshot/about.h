/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts that tell about the capture itself, each one JSON value. */
#pragma once

#include <stdbool.h>

#include "border.h"
#include "json.h"

void about_write_metrics(struct json *json, const struct ctprof_capture *capture);
void about_write_plugins(struct json *json, const struct ctprof_capture_end *end);
/* "capture" is begun by what is known at begin(), and ended at end(). */
void about_begin_capture(struct json *json, const struct ctprof_capture *capture);
void about_end_capture(struct json *json, const struct ctprof_capture_end *end,
		       uint64_t began_monotonic_ns);

/* What is read on demand only, and was not asked for, is no part of a file. */
static inline bool about_is_told(const struct ctprof_metric_info *info)
{
	return info->wanted || !(info->metric->flags & CTPROF_METRIC_ON_DEMAND);
}
