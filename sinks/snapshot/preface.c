/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preface.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "value.h"

#define MAX_METRICS 16384u
#define MAX_FACTS 16384u

static void definition_free(struct definition *definition)
{
	const struct ctprof_metric *metric = &definition->metric;

	free(definition->plugin);
	free((char *)(uintptr_t)metric->name);
	free((char *)(uintptr_t)metric->group);
	free((char *)(uintptr_t)metric->tag);
	free((char *)(uintptr_t)metric->gates);
	free((char *)(uintptr_t)metric->help);
	free((char *)(uintptr_t)metric->origin);
}

/* Copies a text; NULL stays NULL.  Sets *ok to false if out of memory. */
static char *copy_text(const char *text, bool *ok)
{
	char *copy = text ? strdup(text) : NULL;

	*ok = *ok && (!text || copy);
	return copy;
}

int preface_add_metric(struct preface *preface, struct kept *kept, const char *plugin,
		       const struct ctprof_metric *metric, uint32_t *ret_slot)
{
	enum kept_class class = kept_class_of(metric->scope);
	bool ok = true;

	if (class == KEPT_N_CLASSES || preface->n_definitions >= MAX_METRICS)
		return -EINVAL;
	struct definition *definitions =
		array_room(preface->definitions, preface->n_definitions, sizeof *definitions);
	if (!definitions)
		return -ENOMEM;
	preface->definitions = definitions;
	struct definition *made = &definitions[preface->n_definitions];
	*made = (struct definition){.metric = *metric,
				    .class = class,
				    .index = kept->of[class].n_slots,
				    .of_leader = class == KEPT_THREAD &&
						 metric->scope != CTPROF_SCOPE_THREAD};
	made->plugin = copy_text(plugin, &ok);
	made->metric.name = copy_text(metric->name, &ok);
	made->metric.group = copy_text(metric->group, &ok);
	made->metric.tag = copy_text(metric->tag, &ok);
	made->metric.gates = copy_text(metric->gates, &ok);
	made->metric.help = copy_text(metric->help, &ok);
	made->metric.origin = copy_text(metric->origin, &ok);
	*ret_slot = preface->n_definitions++;
	return ok ? kept_set_type(&kept->of[class], made->index, value_type_of(metric)) : -ENOMEM;
}

static struct preface_fact *find_fact(const struct preface *preface, uint32_t kind, const char *key)
{
	for (uint32_t i = 0; i < preface->n_facts; i++)
		if (preface->facts[i].kind == kind && strcmp(preface->facts[i].key, key) == 0)
			return &preface->facts[i];
	return NULL;
}

static void fact_free(struct preface_fact *fact)
{
	free(fact->key);
	free(fact->value);
}

int preface_add_fact(struct preface *preface, uint32_t kind, const char *key, const char *value)
{
	bool ok = true;
	struct preface_fact made = {kind, copy_text(key, &ok), copy_text(value, &ok)};
	struct preface_fact *old = find_fact(preface, kind, key), *facts = NULL, rest = made;
	/* Marks leave room for other facts. */
	bool has_room = preface->n_facts < (kind == CTPROF_FACT_MARK ? 1 : 2) * MAX_FACTS;

	if (ok && old) {
		rest = *old;
		*old = made;
	} else if (ok && has_room) {
		facts = array_room(preface->facts, preface->n_facts, sizeof *facts);
		ok = facts != NULL;
	}
	if (facts) {
		preface->facts = facts;
		facts[preface->n_facts++] = made;
		return 0;
	}
	fact_free(&rest);
	return ok ? 0 : -ENOMEM;
}

static bool is_note(const struct preface_fact *fact)
{
	return fact->kind == CTPROF_FACT_CAPTURE && strcmp(fact->key, "note") == 0;
}

static bool is_mark(const struct preface_fact *fact)
{
	return fact->kind == CTPROF_FACT_MARK;
}

static bool is_no_mark(const struct preface_fact *fact)
{
	return !is_mark(fact);
}

static void drop_facts(struct preface *preface, bool (*is_dropped)(const struct preface_fact *fact))
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < preface->n_facts; i++) {
		struct preface_fact *fact = &preface->facts[i];

		if (is_dropped(fact))
			fact_free(fact);
		else
			preface->facts[n++] = *fact;
	}
	preface->n_facts = n;
}

void preface_begin_sample(struct preface *preface)
{
	drop_facts(preface, is_note);
}

void preface_drop_marks(struct preface *preface)
{
	drop_facts(preface, is_mark);
}

void preface_drop_document(struct preface *preface)
{
	for (uint32_t i = 0; i < preface->n_definitions; i++)
		definition_free(&preface->definitions[i]);
	free(preface->definitions);
	preface->definitions = NULL;
	preface->n_definitions = 0;
	drop_facts(preface, is_no_mark);
}

void preface_clear(struct preface *preface)
{
	preface_drop_document(preface);
	preface_drop_marks(preface);
	free(preface->facts);
	*preface = (struct preface){0};
}

bool definition_fits(const struct definition *definition, enum kept_class class,
		     const struct ctprof_target *target)
{
	if (definition->class != class || !definition->taken)
		return false;
	if (class == KEPT_OBJECT)
		return strcmp(definition->metric.group, target->group) == 0;
	return !definition->of_leader || target->flags & CTPROF_TARGET_LEADER;
}

void preface_begin_row(const struct preface *preface, const struct kept *kept,
		       enum kept_class class, struct kept_row *row)
{
	bool is_leader = row->target.flags & CTPROF_TARGET_LEADER;

	kept_reset(&kept->of[class], row);
	for (uint32_t i = 0; class == KEPT_THREAD && !is_leader && i < preface->n_definitions; i++)
		if (preface->definitions[i].of_leader)
			row->states[preface->definitions[i].index] = CTPROF_ABSENT_INAPPLICABLE;
}
