/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which texts of a file are names: the one table of it. */
#pragma once

#include <glib.h>

#include "pseudonym.h"

typedef struct field {
	const char *name;   /* of a metric, a group of objects, a fact */
	PseudonymLaw text;  /* of its text, or of the texts of a map */
	PseudonymLaw key;   /* of a map's keys */
	gboolean of_kernel; /* a kernel thread keeps the kernel's words */
} Field;

/* What is not in the table is opaque: a plugin may put into its texts what it likes. */
const Field *field_of_metric(const char *name);
/* The names of the objects of a group. */
PseudonymLaw field_of_objects(const char *group);
/* The value of an option of the capture. */
PseudonymLaw field_of_option(const char *name);
