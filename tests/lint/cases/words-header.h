/* SPDX-License-Identifier: 0BSD */
/* lint-as: include/ctprof/words.h */
/*
 * Comments of public headers are read: this one tells.  expect: words
 */
#define CTPROF_COST_DEAR 1 /* expect: words */
#define CTPROF_COST_EXPENSIVE 1
/* lint: allow words: a quotation */
/* Likewise. */
int words_dearth(int shallow, int behindhand);
