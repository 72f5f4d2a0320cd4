/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contents of a key frame besides rows, kept to report them for each sample
 * after it. */
#pragma once

#include "kept.h"

/* A definition in the file, and the place of its values. */
struct definition {
	char *plugin;
	struct ctprof_metric metric; /* its strings are copies */
	enum kept_class class;
	uint32_t index; /* of the slot in its class */
	bool of_leader; /* only leaders have the value */
	bool taken;     /* by the host of this call, like slot: */
	uint32_t slot;
};

/* The arguments of input->fact(). */
struct preface_fact {
	uint32_t kind;
	char *key, *value;
};

struct preface {
	struct definition *definitions;
	uint32_t n_definitions;
	struct preface_fact *facts;
	uint32_t n_facts;
};

/* An empty preface is all zeros. */
void preface_clear(struct preface *preface);
/* Copies a definition and makes a slot for it in kept; *ret_slot: its number in the preface.  0,
 * -EINVAL: unknown scope, or too many; or -ENOMEM. */
int preface_add_metric(struct preface *preface, struct kept *kept, const char *plugin,
		       const struct ctprof_metric *metric, uint32_t *ret_slot);
/* The last fact of a kind and key counts; facts beyond the limit are ignored.  0 or -ENOMEM. */
int preface_add_fact(struct preface *preface, uint32_t kind, const char *key, const char *value);
/* Drops the facts of the previous sample that the next one does not have, except for marks. */
void preface_begin_sample(struct preface *preface);
void preface_drop_marks(struct preface *preface);
/* Drops everything but the marks. */
void preface_drop_document(struct preface *preface);

/* Whether the row can have values of the definition. */
bool definition_fits(const struct definition *definition, enum kept_class class,
		     const struct ctprof_target *target);
/* Begins a row in the same way as the host. */
void preface_begin_row(const struct preface *preface, const struct kept *kept,
		       enum kept_class class, struct kept_row *row);
