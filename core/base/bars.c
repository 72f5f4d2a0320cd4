/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bars.h"

#include <math.h>

#define LOWEST_BAR 0x2581u
#define N_BARS 8

void bars_append(GString *text, gdouble value, gdouble highest)
{
	gdouble share = highest > 0 ? value / highest : 0;

	if (isnan(value))
		g_string_append_c(text, ' ');
	else
		g_string_append_unichar(
			text, LOWEST_BAR + (gunichar)CLAMP(share * N_BARS, 0, N_BARS - 1));
}
