/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lint-as: plugins/words/words.c */
/* Comments, here, may say what is behind them; strings are what users read. */
static const char *const words_found[] = {
	"nothing behind it", /* expect: words */
	"a value that is longer than one "
	"line, behind a word", /* expect: words */
	"split between two sorts "
	"of thread", /* expect: words */
	"%" PRIu64 " is no number", /* expect: words */
	"end\nbehind",   /* expect: words */
};
#define WORDS_HELP "told of nobody" /* expect: words words */

static const char *const words_not_found[] = {
	"behind", "nobody", /* names */
	"runs as 'nobody'", "it is no longer there", "there is no such file",
	"the lock it holds", "the sort of the rows is stable",
	/* lint: allow words: the name of a file of the kernel */
	"read the file behind it",
};
