/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The host's memory in two lines. */
#pragma once

#include "report/draft/draft.h"

/* Adds the section: lines for machines, notes for people.  Without a ledger, adds nothing. */
void overview_draft(const Draft *draft);

/* Formats bytes in that unit, with this number of decimals; the caller frees. */
char *overview_number(guint64 bytes, guint64 unit, int decimals);
