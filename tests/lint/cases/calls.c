/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lint-as: plugins/toy/calls.c */
#include <stdio.h>

int calls_bad(char *to, const char *from)
{
	sprintf(to, "%s", from); /* expect: banned-call */
	strcpy(to, from);	 /* expect: banned-call */
	strcat (to, from);	 /* expect: banned-call */
	if (atoi(from) || atol(from)) /* expect: banned-call banned-call */
		goto out;	      /* expect: goto */
	system(from);		      /* expect: banned-call */
	free(to);		      /* expect: bare-free */
out:
	return popen(from, "r") != NULL; /* expect: banned-call */
}

#define CALLS_MACRO(to, from) \
	do {                  \
		strcpy(to, from); /* expect: banned-call */ \
		goto fail;        /* expect: goto */        \
	} while (0)

/* Words in comments, strings and characters are none: goto, strcpy(a, b). */
static const char *const words = "goto \" strcpy(a, b); \\";
static const char quote = '"', other = '\'';

/* Not the libc's: a member, a name that only ends so. */
int calls_good(struct ops *ops, char *to)
{
	ops->system(to);
	ops->of.free(to);
	my_strcpy(to, words);
	return vsnprintf_sprintf(to) + quote + other;
}

void calls_free(char **to)
{
	free(*to);
}

static void cleanup_text(char **to)
{
	free(*to);
}
