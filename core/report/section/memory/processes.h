/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of processes. */
#pragma once

#include "report/draft.h"

/* Of all, or of the one of options->pid; order: a word of the view processes. */
void processes_draft(const Draft *draft, const char *order);
