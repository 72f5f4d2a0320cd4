/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section of a report of several runs per side: which metrics of which groups
 * differ. */
#pragma once

#include "report/draft/draft.h"

/* The beginning of a warning about a difference in setup. */
#define VERDICTS_SETUP "setup differs: "

/* Tests the runs of the plan and drafts their table. */
void verdicts_draft(const Draft *draft);
