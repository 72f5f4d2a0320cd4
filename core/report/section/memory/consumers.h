/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All processes that map an object, one per line. */
#pragma once

#include "rows.h"

#define CONSUMERS "object_consumers"

/* Adds the section of the consumers of the first `limit` objects (0: all), in order;
 * for_people: also shown to people. */
void consumers_draft(const Draft *draft, const Rows *objects, guint limit, gboolean for_people);
