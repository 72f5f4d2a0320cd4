/* SPDX-License-Identifier: 0BSD */
/*
 * The buckets of histograms: four per doubling, with the bounds of an OpenMetrics
 * native histogram of schema 2.  Bucket 0 counts the zeros; bucket i counts the whole
 * numbers above 2^((i - 2) / 4), up to and including 2^((i - 1) / 4).  C99 without any
 * library, so that programs that run in the kernel can use it, too.
 */
#ifndef CTPROF_HISTOGRAM_H
#define CTPROF_HISTOGRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of buckets for all of uint64_t. */
#define CTPROF_BUCKETS 258u

/* 2^63 times 2^(1/4), 2^(2/4) and 2^(3/4), rounded down. */
#define CTPROF_QUARTER_1 0x9837f0518db8a96fu
#define CTPROF_QUARTER_2 0xb504f333f9de6484u
#define CTPROF_QUARTER_3 0xd744fccad69d6af4u

/* Returns the bucket of a value. */
static inline uint32_t ctprof_bucket_of(uint64_t value)
{
	uint32_t octave = 63;

	if (value == 0)
		return 0;
	/* Shift the highest set bit to the top. */
	for (uint32_t shift = 32; shift > 0; shift /= 2)
		if (value >> (64 - shift) == 0) {
			value <<= shift;
			octave -= shift;
		}
	return 1 + 4 * octave + (value > (uint64_t)1 << 63) + (value > CTPROF_QUARTER_1) +
	       (value > CTPROF_QUARTER_2) + (value > CTPROF_QUARTER_3);
}

/* Returns the largest value of a bucket < CTPROF_BUCKETS. */
static inline uint64_t ctprof_bucket_most(uint32_t bucket)
{
	uint32_t octave = bucket > 0 ? (bucket - 1) / 4 : 0;
	uint32_t quarter = bucket > 0 ? (bucket - 1) % 4 : 0;
	uint64_t top = quarter == 1   ? CTPROF_QUARTER_1
		       : quarter == 2 ? CTPROF_QUARTER_2
		       : quarter == 3 ? CTPROF_QUARTER_3
				      : (uint64_t)1 << 63;

	if (bucket == 0)
		return 0;
	return octave > 63 ? UINT64_MAX : top >> (63 - octave);
}

/* Returns the smallest value of a bucket < CTPROF_BUCKETS; more than the largest if it
 * contains no whole number. */
static inline uint64_t ctprof_bucket_least(uint32_t bucket)
{
	return bucket == 0 ? 0 : ctprof_bucket_most(bucket - 1) + 1;
}

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_HISTOGRAM_H */
