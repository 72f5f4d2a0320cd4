/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The single table of which texts in a file are names. */
#pragma once

#include <glib.h>

#include "pseudonym.h"

typedef struct field {
	const char *name;   /* name of a metric or fact */
	PseudonymLaw text;  /* law for its text, or for the texts of a map */
	PseudonymLaw key;   /* law for the keys of a map */
	gboolean of_kernel; /* kernel threads keep the kernel's words */
} Field;

/* Metrics not in the table are opaque: a plugin may put anything into its texts. */
const Field *field_of_metric(const char *name);
/* Returns the law for the names of a group's objects. */
PseudonymLaw field_of_objects(const char *group);
/* Returns the law for the value of a capture option. */
PseudonymLaw field_of_option(const char *name);
