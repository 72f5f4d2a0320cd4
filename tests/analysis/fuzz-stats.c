/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two sides of any numbers: the first three bytes are alpha, the share of side a, and the form of
 * the rest: gdoubles of any bits, or small integers.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "report/stats/mannwhitney.h"
#include "report/stats/many.h"
#include "report/stats/shift.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD 3

static GArray *read_values(const uint8_t *data, size_t size, gboolean any_bits)
{
	GArray *values = g_array_sized_new(FALSE, FALSE, sizeof(gdouble), 1); /* never NULL */
	size_t step = any_bits ? sizeof(gdouble) : 1;

	for (; size >= step; size -= step, data += step) {
		gdouble value = *data;

		if (any_bits)
			memcpy(&value, data, sizeof value);
		g_array_append_val(values, value);
	}
	return values;
}

static gboolean has_value(const gdouble *values, guint n)
{
	for (guint i = 0; i < n; i++)
		if (!isnan(values[i]))
			return TRUE;
	return FALSE;
}

/* Checks that the results of both orders of the sides agree. */
static void check_pair(const Sides *ab, const Sides *ba, gdouble alpha)
{
	MannWhitney test = mannwhitney_test(ab), other = mannwhitney_test(ba);
	Shift shift = shift_find(ab, alpha), back = shift_find(ba, alpha);
	gdouble pairs = (gdouble)ab->n[0] * ab->n[1];

	g_assert_true(test.least >= 0 && test.least <= test.p && test.p <= 1);
	g_assert_cmpfloat(test.u + other.u, ==, pairs);
	g_assert_cmpfloat(test.p, ==, other.p);
	g_assert_cmpfloat(test.least, ==, other.least);
	g_assert_true(isnan(shift.shift)
			      ? isnan(back.shift)
			      : shift.low <= shift.shift && shift.shift <= shift.high &&
					-shift.shift <= back.shift && -shift.shift >= back.shift);
	g_assert_cmpfloat(shift.low, ==, -back.high);
	g_assert_cmpfloat(shift.high, ==, -back.low);
	g_assert_true(shift.level >= 0 && shift.level <= 1);
	g_assert_true(!(shift.level < MIN(1, 1 - alpha) - 1e-12));
}

static void check_many(const gdouble *p, guint n, gdouble alpha)
{
	g_autofree gdouble *q = g_new(gdouble, n + 1);
	guint tested = many_adjust(p, p, n, alpha, q);

	for (guint i = 0; i < n; i++) {
		tested -= isnan(q[i]) ? 0 : 1;
		g_assert_true(isnan(q[i]) || (q[i] >= p[i] && q[i] <= 1 && p[i] < alpha));
	}
	g_assert_cmpuint(tested, ==, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD)
		return 0;
	gdouble alpha = data[0] == 255 ? NAN : data[0] / 128.0 - 0.5;
	g_autoptr(GArray) values = read_values(data + HEAD, size - HEAD, data[2] & 1);
	const gdouble *a = (gdouble *)(gpointer)values->data;
	guint n = values->len * data[1] / 255, m = values->len - n;
	g_autoptr(Sides) ab = sides_new(a, n, a + n, m);
	g_autoptr(Sides) ba = sides_new(a + n, m, a, n);

	g_assert_cmpint(ab != NULL, ==, has_value(a, n) && has_value(a + n, m));
	g_assert_cmpint(ab != NULL, ==, ba != NULL);
	if (ab)
		check_pair(ab, ba, alpha);
	check_many(a, values->len, alpha);
	return 0;
}
