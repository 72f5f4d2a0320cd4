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

/* The piece at *at, which moves past it; FALSE at the name's end. */
gboolean pattern_next(const char **at, PatternPiece *ret_piece);
/* Appends the piece, or its placeholder if it counts instances. */
void pattern_append(GString *out, const PatternPiece *piece);

/*
 * The whole name, each token (between any of ". - _ / : @ + [ ]" and white
 * space) by the first rule that fits: digits only {N}; lower-case hexadecimal
 * with a digit, two or more {H}; letters and digits "cpu{N}"; digits and
 * letters "{N}Hz"; else as it is.
 */
char *pattern_key(const char *name);
