/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as small bars: ▁ to █. */
#pragma once

#include <glib.h>

/* Appends the bar of a value among those up to highest; NAN: a blank. */
void bars_append(GString *text, gdouble value, gdouble highest);
