/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known word that a mistyped one was probably meant to be. */
#pragma once

#include <glib.h>

typedef struct nearest {
	const char *typed;
	const char *word; /* the nearest so far; NULL: none is near */
	guint distance;
} Nearest;

/* Looks at one more known word. */
void nearest_try(Nearest *nearest, const char *word);
/* ": did you mean BEFORE+WORD?", or "" when none is near. */
char *nearest_hint(const Nearest *nearest, const char *before);
