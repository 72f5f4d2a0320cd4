/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "shift.h"

#include <math.h>
#include <string.h>

#include "arrangements.h"
#include "chance.h"

#define SIGN_BIT (G_GUINT64_CONSTANT(1) << 63)

/* The smallest k, at most half of the pairs, with chance_beyond(k) >= alpha. */
static guint64 find_k(const Chance *chance, guint64 pairs, gdouble alpha)
{
	guint64 low = 0, high = pairs / 2;

	while (low < high) {
		guint64 middle = low + (high - low) / 2;

		if (chance_beyond(chance, (gdouble)middle) < alpha)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Infinities of the same sign are equal. */
static gdouble difference(gdouble a, gdouble b)
{
	return a < b || a > b ? b - a : 0;
}

/* The differences, split at a number. */
typedef struct parted {
	guint64 n;     /* how many differences are not above the number */
	gdouble last;  /* the largest of these */
	gdouble first; /* the smallest of the other differences */
} Parted;

/* One pass over both sides: as a grows, the number of b's values within reach does not fall, and
 * rounding keeps that order. */
static Parted part_differences(const Sides *sides, gdouble at)
{
	const gdouble *a = sides->values[0], *b = sides->values[1];
	Parted parted = {0, -INFINITY, INFINITY};

	for (guint i = 0, j = 0; i < sides->n[0]; i++) {
		while (j < sides->n[1] && difference(a[i], b[j]) <= at)
			j++;
		if (j)
			parted.last = MAX(parted.last, difference(a[i], b[j - 1]));
		if (j < sides->n[1])
			parted.first = MIN(parted.first, difference(a[i], b[j]));
		parted.n += j;
	}
	return parted;
}

/* Maps numbers to integers in the same order; both zeros to the same one. */
static guint64 key_of(gdouble value)
{
	guint64 bits;

	memcpy(&bits, &value, sizeof bits);
	return bits & SIGN_BIT ? SIGN_BIT - (bits & ~SIGN_BIT) : SIGN_BIT + bits;
}

static gdouble value_of_key(guint64 key)
{
	guint64 bits = key < SIGN_BIT ? SIGN_BIT | (SIGN_BIT - key) : key - SIGN_BIT;
	gdouble value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Halves the gdoubles between low and high, so that 64 steps find any of
 * them. */
static gdouble midway(gdouble low, gdouble high)
{
	return value_of_key(key_of(low) + (key_of(high) - key_of(low)) / 2);
}

/* Returns the k-th smallest difference, k from 1 on. */
static gdouble difference_at(const Sides *sides, guint64 k)
{
	const gdouble *a = sides->values[0], *b = sides->values[1];
	gdouble low = difference(a[sides->n[0] - 1], b[0]);
	gdouble high = difference(a[0], b[sides->n[1] - 1]);

	while (low < high) {
		Parted parted = part_differences(sides, midway(low, high));

		if (parted.n >= k)
			high = parted.last;
		else
			low = parted.first;
	}
	return low;
}

static gdouble mean(gdouble a, gdouble b)
{
	gdouble sum = a + b;

	return isfinite(sum) ? sum / 2 : a / 2 + b / 2;
}

Shift shift_find(const Sides *sides, gdouble alpha)
{
	g_auto(Chance) chance = chance_of(sides, FALSE);
	guint64 pairs = (guint64)sides->n[0] * sides->n[1];
	guint64 k = find_k(&chance, pairs, alpha);
	Shift shift = {.low = -INFINITY, .high = INFINITY, .level = 1};

	shift.shift =
		mean(difference_at(sides, (pairs + 1) / 2), difference_at(sides, pairs / 2 + 1));
	shift.is_approximate = sides_have_ties(sides) || sides_count(sides) > ARRANGEMENTS_MOST;
	if (k) {
		shift.low = difference_at(sides, k);
		shift.high = difference_at(sides, pairs + 1 - k);
		shift.level = 1 - chance_beyond(&chance, (gdouble)(k - 1));
	}
	return shift;
}
