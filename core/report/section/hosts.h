/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections about the host: its pressure, the BPF scheduler, the rest. */
#pragma once

#include <glib.h>

#include "report/draft.h"
#include "report/fold/measure.h"
#include "report/join/pair.h"
#include "report/view.h"

/* Everything of the host is kept, labels too; a MeasureChoice. */
const Fold *hosts_choose(gconstpointer data, const Metric *metric, Measure *measure);

typedef struct hosts {
	Record *sides[SIDES]; /* NULL: that side tells nothing */
	const Layout *layouts[SIDES];
	const Measures *measures;
	Store *store;
} Hosts;

void hosts_draft_pressure(const Hosts *hosts, const View *view, Draft *draft);
void hosts_draft_sched_ext(const Hosts *hosts, const View *view, Draft *draft);
/* compare: only what differs. */
void hosts_draft_host(const Hosts *hosts, const View *view, Draft *draft);
