/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The states of groups for people. */
#pragma once

#include "report/draft/draft.h"

/* "idle 71% lock 20% user 9%": where most of a group's time went; NULL: nothing was sampled. */
char *timeshares_text(const Draft *draft, const Group *group);
