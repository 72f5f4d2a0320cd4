/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The host's memory in two lines. */
#pragma once

#include "report/draft/draft.h"

/* Adds the section: lines for machines, notes for people.  Without a ledger there is
 * none. */
void overview_draft(const Draft *draft);

/* bytes in that unit, with so many decimals; the caller frees. */
char *overview_number(guint64 bytes, guint64 unit, int decimals);
