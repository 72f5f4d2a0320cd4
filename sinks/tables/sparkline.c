/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sparkline.h"

#include "drawing.h"

#define MOST_BARS 16u

void sparkline_append(GString *text, const struct ctprof_cell *cell, unsigned side)
{
	static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	const struct ctprof_histogram *histogram = drawing_histogram(cell, side);
	double bars[MOST_BARS] = {0}, highest = 0;

	if (!histogram || histogram->n == 0)
		return;
	uint32_t first = BORDER_AT(histogram->buckets, 0)->number;
	uint32_t n = BORDER_AT(histogram->buckets, histogram->n - 1)->number - first + 1;
	uint32_t width = (n + MOST_BARS - 1) / MOST_BARS; /* buckets in a bar */

	for (uint32_t i = 0; i < histogram->n; i++) {
		const struct ctprof_bucket *bucket = BORDER_AT(histogram->buckets, i);
		double *bar = &bars[(bucket->number - first) / width % MOST_BARS];

		*bar += (double)bucket->count;
		highest = MAX(highest, *bar);
	}
	g_string_append_c(text, ' ');
	/* A bucket with any values gets at least the lowest bar. */
	for (uint32_t i = 0; i < (n + width - 1) / width && i < MOST_BARS; i++)
		g_string_append(text,
				bars[i] > 0 ? heights[(unsigned)(bars[i] / highest * 7)] : " ");
}
