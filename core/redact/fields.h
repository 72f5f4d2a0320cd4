/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The texts of a file that are names: the only table of them. */
#pragma once

#include <glib.h>

#include "pseudonym.h"

typedef struct field {
	const char *name;   /* of a metric, a group of objects, a fact */
	PseudonymLaw text;  /* of its text, or of the texts of a map */
	PseudonymLaw key;   /* of a map's keys */
	gboolean of_kernel; /* a kernel thread keeps the kernel's words */
} Field;

/* A metric that is not in the table is opaque: a plugin may put anything into its texts. */
const Field *field_of_metric(const char *name);
/* The names of the objects of a group. */
PseudonymLaw field_of_objects(const char *group);
/* The value of an option of the capture. */
PseudonymLaw field_of_option(const char *name);
