/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs that run, but whose files are made to attack a reader. */
#pragma once

#include "hostile.h"

#define TRAP_PROGRAM "program"

struct trap {
	const char *name;
	const char *tag; /* why its values are absent; NULL: it depends on how fast the host is */
	void (*lay)(const char *folder);
	guint n_tables;      /* further symbol tables, which overlap */
	guint64 table_size;  /* of each */
	gboolean is_endless; /* it has millions of symbols with long names */
};

extern const struct trap traps[];
extern const gsize n_traps;

/* Writes TRAP_PROGRAM, which sleeps for the number of seconds in its argument, and its other
 * files. */
void trap_lay(const struct trap *trap, const char *folder);
