/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as small bars: ▁ to █. */
#pragma once

#include <glib.h>

/* Appends a bar for value, scaled so that highest gives the tallest; NAN: a blank. */
void bars_append(GString *text, gdouble value, gdouble highest);
