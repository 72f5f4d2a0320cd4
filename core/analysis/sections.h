/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections a report is made of, in the order they are drawn. */
#pragma once

struct section {
	const char *name;    /* as --sections takes it */
	const char *heading; /* as drawn */
	const char *help;    /* one clause */
};

/* Ended by a NULL name. */
extern const struct section sections[];
