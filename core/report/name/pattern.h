/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names as patterns: a number that counts instances ("worker-7", "worker-12")
 * becomes a placeholder ("worker-{N}").
 */
#pragma once

#include <glib.h>

/* A piece of a name: a run of separators, or the text between two. */
typedef struct pattern_piece {
	const char *text; /* len bytes of the name */
	gsize len;        /* 1 or more */
	gboolean separator;
} PatternPiece;

/* Returns the piece at *at and moves *at past it; FALSE at the end of the name. */
gboolean pattern_next(const char **at, PatternPiece *ret_piece);
/* Appends the piece, or its placeholder if it counts instances. */
void pattern_append(GString *out, const PatternPiece *piece);

/*
 * Returns the pattern of a name.  The first rule that fits replaces each token (between any of ".
 * - _ / : @ + [ ]" and white space): digits only {N}; two or more lower-case hexadecimal digits,
 * one of them 0-9, {H}; letters, then digits "cpu{N}"; digits, then letters "{N}Hz"; any other
 * token is kept.
 */
char *pattern_key(const char *name);
