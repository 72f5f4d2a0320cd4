/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section memory-categories: memory of processes by what they are. */
#pragma once

#include <glib.h>

#include "category-intake.h"
#include "report/draft.h"
#include "report/view.h"

/* sides: CategoryIntake of the baseline and, to compare, of the candidate. */
void category_rows_draft(const CategoryIntake sides[SIDES], const View *view, Draft *draft);
