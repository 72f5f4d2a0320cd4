/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections about the host: its pressure, the BPF scheduler, the rest. */
#pragma once

#include "report/fold/measure.h"
#include "sections.h"

/* Everything of the host is kept, labels too; a MeasureChoice. */
const Fold *host_choose(gconstpointer data, const Metric *metric, Measure *measure);
