/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections about threads: their metrics, and what is derived from these. */
#pragma once

#include "report/join/condition.h"
#include "sections.h"

/* Whether the condition of --fail-on is met by any group of threads. */
gboolean threads_meet(const Draft *draft, const Condition *condition);
